"""The corpora that suites run on: given or embedded, at the size that is wanted."""

import tempfile
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, List, Optional

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_cbl.data.convert import read_corpus
from spacy_cbl.data.docbin import read_docs, write_docs
from spacy_cbl.data.perturb import PerturbOptions, perturb

from .options import ROOT

EMBEDDED = ROOT / "assets" / "news"
ENGLISH = "conll2003_eng"  # its folder among the corpora
PARTIAL = PerturbOptions(recall=0.5, precision=0.9)
FILES = ["train.spacy", "partial.spacy", "test.spacy"]
ABOUT = "about.txt"  # says which corpus the files in a folder are
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@contextmanager
def open_corpus(
    folder: Optional[Path], n_tokens: Optional[int] = None
) -> Iterator[Path]:
    """Give a suite its data: train.spacy, the same with half of its entities unlabelled
    in partial.spacy, and test.spacy.

    folder (Optional[Path]): Where the corpus is; None for the embedded one.
    n_tokens (Optional[int]): How large training data is to be, where it has to be made.
    YIELDS (Path): The folder itself if it has all three, else one for the time being.
    """
    if folder is not None and all((folder / name).exists() for name in FILES):
        yield folder
        return
    with tempfile.TemporaryDirectory() as made:
        prepare(folder or EMBEDDED, Path(made), n_tokens)
        yield Path(made)


def prepare(source: Path, target: Path, n_tokens: Optional[int] = None) -> int:
    """Write the three files.

    source (Path): Folder with train and test, as .spacy or .iob2.
    target (Path): Folder to write to.
    n_tokens (Optional[int]): How large training data is to be; as it is if not given.
    RETURNS (int): How large it is.
    """
    train, test = (_read(source, part) for part in ("train", "test"))
    write_docs(target / "test.spacy", test)
    if n_tokens is not None:
        train = list(resize(train, n_tokens))
    write_docs(target / "train.spacy", train)
    perturb(target / "train.spacy", target / "partial.spacy", PARTIAL, seed=0)
    size = sum(map(len, train))
    name = "the embedded one" if source == EMBEDDED else source.name
    (target / ABOUT).write_text(f"{name}, {size:,} tokens for training", "utf8")
    return size


def describe_corpus(folder: Path) -> str:
    """Say which corpus the files in a folder are.

    folder (Path): The folder, as `open_corpus` gives it.
    RETURNS (str): Its name, and its size where that is known.
    """
    about = folder / ABOUT
    return about.read_text("utf8") if about.exists() else folder.name


def write_resized(source: Path, path: Path, n_tokens: int) -> int:
    """Write a .spacy file in another size.

    source (Path): The file.
    path (Path): The file to write.
    n_tokens (int): How many tokens it is to have, to the next whole document.
    RETURNS (int): How many it has.
    """
    lengths = []

    def counted() -> Iterator[Doc]:
        for doc in resize(list(read_docs(source, Vocab())), n_tokens):
            lengths.append(len(doc))
            yield doc

    write_docs(path, counted())
    return sum(lengths)


def resize(docs: List[Doc], n_tokens: int) -> Iterator[Doc]:
    """Repeat or cut documents. Words that occur only once have a new form in each
    repetition, so that the vocabulary grows as that of text does.

    docs (List[Doc]): The documents.
    n_tokens (int): How many tokens to give, to the next whole document.
    YIELDS (Doc): The documents.
    """
    counts = Counter(token.text for doc in docs for token in doc)
    rare = {form for form, n in counts.items() if n == 1 and form.isalpha()}
    n_done = n_copies = 0
    while True:
        for doc in docs:
            if n_done >= n_tokens:
                return
            yield doc if n_copies == 0 else _renamed(doc, rare, _suffix(n_copies))
            n_done += len(doc)
        n_copies += 1


def _renamed(doc: Doc, rare: set, suffix: str) -> Doc:
    def rename(form: str) -> str:
        if form not in rare:
            return form
        return form + (suffix.upper() if form.isupper() else suffix)

    return Doc(
        doc.vocab,
        words=[rename(token.text) for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        sent_starts=[bool(token.is_sent_start) for token in doc],
        ents=[
            f"{token.ent_iob_}-{token.ent_type_}" if token.ent_type_ else "O"
            for token in doc
        ],
    )


def _suffix(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number, len(LETTERS))
        letters += LETTERS[rest]
    return letters


def _read(source: Path, part: str) -> List[Doc]:
    path = source / f"{part}.spacy"
    if path.exists():
        return [doc for doc in read_docs(path, Vocab()) if len(doc)]
    return list(read_corpus(source / f"{part}.iob2")[1])
