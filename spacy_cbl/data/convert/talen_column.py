"""TALEN's `column` format: nine tab-separated columns with a weight."""

from pathlib import Path
from typing import Iterator, List, Sequence

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...errors import Errors
from .columns import malformed, split_tabs
from .options import Notes, Options
from .sentences import DOC_MARK, Sentence, read_files

WIDTH, TAG, INDEX, WORD, WEIGHT = 9, 0, 2, 5, 6
NO_WEIGHT = "x"


def read_talen_column(
    vocab: Vocab, paths: Sequence[Path], options: Options, notes: Notes
) -> Iterator[Doc]:
    """Read tag, word and weight (columns 0, 5 and 6).

    vocab (Vocab): The vocabulary to use.
    paths (Sequence[Path]): The files.
    options (Options): How to read.
    notes (Notes): Takes the scheme.
    YIELDS (Doc): The documents, with weights where the file has them.
    """
    yield from read_files(vocab, paths, options, notes, _read_sentences)


def _read_sentences(path: Path, lines: Sequence[str]) -> Iterator[Sentence]:
    rows: List[List[str]] = []
    numbers: List[int] = []
    starts_doc = False
    for number, line in enumerate([*lines, ""], 1):
        row = split_tabs(line) if line and not line.isspace() else None
        if row is not None and (len(row) != WIDTH or not row[WORD]):
            raise ValueError(malformed(path, number, row, WIDTH))
        if row is not None and row[WORD] != DOC_MARK:
            rows.append(row)
            numbers.append(number)
            continue
        if rows:
            yield _make_sentence(path, numbers, rows, starts_doc)
            rows, numbers, starts_doc = [], [], False
        starts_doc = starts_doc or row is not None


def _make_sentence(
    path: Path, numbers: List[int], rows: Sequence[Sequence[str]], starts_doc: bool
) -> Sentence:
    words = [row[WORD] for row in rows]
    tags = [row[TAG] for row in rows]
    weights = None
    if any(row[WEIGHT] != NO_WEIGHT for row in rows):
        weights = [_weight(path, n, row[WEIGHT]) for n, row in zip(numbers, rows)]
    return Sentence(path, numbers, words, tags, weights, starts_doc)


def _weight(path: Path, line: int, cell: str) -> float:
    if cell == NO_WEIGHT:
        return 1.0
    try:
        weight = float(cell)
    except ValueError:
        weight = -1.0
    if not 0 <= weight < float("inf"):
        raise ValueError(Errors.C112.format(path=path, line=line, found=cell))
    return weight
