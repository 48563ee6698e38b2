"""Read corpora whose tokens have weights."""

from pathlib import Path
from typing import Callable, Iterable, Iterator, Optional, Union

from spacy.attrs import ORTH, SENT_START, SPACY
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.training.corpus import FILE_TYPE, walk_corpus
from spacy.util import ensure_path

from ..attrs import get_weights
from ..data.docbin import read_docs
from ..data.missing import mark_missing
from ..data.sentences import split_sentences
from ..errors import Errors, check_settings

NAME = "spacy_cbl.WeightedCorpus.v1"


def create_weighted_corpus(
    path: Optional[Union[str, Path]],
    gold_sents: bool = True,
    split_sents: bool = False,
    missing_below: float = 0.0,
    limit: int = 0,
    require_weights: bool = False,
    required: bool = True,
) -> Callable[[Language], Iterable[Example]]:
    """Create a reader of `.spacy` files that keeps weights and tokenization.

    path (Optional[Union[str, Path]]): A file, or a folder of them.
    gold_sents (bool): Whether the predicted documents get the sentence boundaries of
        the corpus. Turn it off if the pipeline finds sentences by itself.
    split_sents (bool): Whether each sentence becomes a document of its own.
    missing_below (float): Mark the annotation of unlabelled tokens of less weight as
        missing. For a partially annotated dev set: predictions there do not count.
    limit (int): The number of documents to read, 0 for all.
    require_weights (bool): Whether a document without weights is an error.
    required (bool): Whether a path must be given. If not, a missing path is an empty
        corpus: for training without a dev set.
    RETURNS (Callable[[Language], Iterable[Example]]): The reader.
    """
    if path is not None or required:
        path = check_path(path, NAME, folder_okay=True)
    if not 0 <= missing_below <= 1:
        raise ValueError(Errors.C283.format(value=missing_below))
    check_settings(NAME, ("limit", limit, limit >= 0, "a whole number from 0 on"))
    return WeightedCorpus(
        path,
        gold_sents=gold_sents,
        split_sents=split_sents,
        missing_below=missing_below,
        limit=limit,
        require_weights=require_weights,
    )


def check_path(path: Optional[Union[str, Path]], name: str, folder_okay: bool) -> Path:
    """The path of a corpus, if there is one.

    path (Optional[Union[str, Path]]): The path that was given.
    name (str): The registered name of the reader.
    folder_okay (bool): Whether it reads folders, too.
    RETURNS (Path): The path.
    """
    if path is None:
        raise ValueError(Errors.C026.format(name=name))
    found = Path(path)
    fault = _find_fault(found, folder_okay)
    if fault is not None:
        expected = "a .spacy file" + (" or a folder of them" if folder_okay else "")
        about = {"path": path, "name": name, "expected": expected}
        raise ValueError(Errors.C039.format(found=fault, **about))
    return found


def _find_fault(path: Path, folder_okay: bool) -> Optional[str]:
    """What keeps a path from being a corpus. spaCy passes over other files."""
    if not path.exists():
        return "there is nothing"
    if path.is_file():
        is_other = path.suffix != FILE_TYPE
        return "its name does not end in .spacy" if is_other else None
    if not folder_okay:
        return "it is a folder"
    return None if any(path.rglob(f"*{FILE_TYPE}")) else "no .spacy file is in it"


class WeightedCorpus:
    """Iterate over examples whose predicted documents have the tokens of the corpus,
    so that weights per token stay where they belong.
    """

    def __init__(
        self,
        path: Optional[Union[str, Path]],
        *,
        gold_sents: bool = True,
        split_sents: bool = False,
        missing_below: float = 0.0,
        limit: int = 0,
        require_weights: bool = False,
    ) -> None:
        """See `create_weighted_corpus` for the arguments."""
        self.path = ensure_path(path)
        self.gold_sents = gold_sents
        self.split_sents = split_sents
        self.missing_below = missing_below
        self.limit = limit
        self.require_weights = require_weights

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Yield the examples.

        nlp (Language): The pipeline.
        YIELDS (Example): The examples.
        """
        is_weighed, n_docs = False, 0
        for reference in self._read(nlp):
            n_docs += 1
            if self.missing_below > 0:
                is_weighed = is_weighed or get_weights(reference) is not None
                mark_missing(reference, self.missing_below)
            docs = split_sentences(reference) if self.split_sents else [reference]
            for doc in docs:
                yield Example(self._make_predicted(nlp, doc), doc)
        if self.missing_below > 0 and n_docs and not is_weighed:
            value = self.missing_below
            raise ValueError(Errors.C040.format(path=self.path, value=value))

    def _read(self, nlp: Language) -> Iterator[Doc]:
        n_docs = 0
        for path in walk_corpus(self.path, FILE_TYPE) if self.path else []:
            for i, doc in enumerate(read_docs(path, nlp.vocab)):
                if not len(doc):
                    continue
                if self.limit and n_docs >= self.limit:
                    return
                if self.require_weights and get_weights(doc) is None:
                    raise ValueError(
                        Errors.C027.format(i=i, text=doc[:8].text, path=path)
                    )
                n_docs += 1
                yield doc

    def _make_predicted(self, nlp: Language, reference: Doc) -> Doc:
        starts = None
        if self.gold_sents and reference.has_annotation("SENT_START"):
            starts = (reference.to_array(SENT_START) == 1).tolist()
        return Doc(
            nlp.vocab,
            words=reference.to_array(ORTH).tolist(),
            spaces=reference.to_array(SPACY).astype(bool).tolist(),
            sent_starts=starts,
        )
