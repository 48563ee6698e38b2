"""The `.iob2` export of talen-react: id, token, tag, `-`, annotator."""

from pathlib import Path
from typing import Iterator, Sequence

from spacy.tokens import Doc
from spacy.vocab import Vocab

from .columns import malformed, split_tabs
from .options import Notes, Options
from .sentences import Sentence, read_files

WIDTH, INDEX, WORD, TAG = 5, 0, 1, 2
NEW_DOC = "# newdoc"


def read_talen_iob2(
    vocab: Vocab, paths: Sequence[Path], options: Options, notes: Notes
) -> Iterator[Doc]:
    """Read the rows; `# newdoc` comments start documents.

    vocab (Vocab): The vocabulary to use.
    paths (Sequence[Path]): The files.
    options (Options): How to read.
    notes (Notes): Takes the scheme.
    YIELDS (Doc): The documents.
    """
    yield from read_files(vocab, paths, options, notes, _read_sentences)


def _read_sentences(path: Path, lines: Sequence[str]) -> Iterator[Sentence]:
    sentence = Sentence(path, [], [], [], None, False)
    starts_doc = False
    for number, line in enumerate([*lines, ""], 1):
        if line.startswith("# "):
            starts_doc = starts_doc or line.startswith(NEW_DOC)
        elif line and not line.isspace():
            row = split_tabs(line)
            if len(row) != WIDTH or not row[WORD]:
                raise ValueError(malformed(path, number, row, WIDTH))
            sentence.words.append(row[WORD])
            sentence.tags.append(row[TAG])
            sentence.lines.append(number)
        elif sentence.words:
            yield sentence._replace(starts_doc=starts_doc)
            sentence = Sentence(path, [], [], [], None, False)
            starts_doc = False
