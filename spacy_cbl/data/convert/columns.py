"""CoNLL-style columns: one token per line, a blank line between sentences."""

from functools import partial
from pathlib import Path
from typing import Iterator, List, Optional, Sequence

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...core.tag_schemes import is_tag
from ...errors import Errors
from .options import Notes, Options
from .sentences import DOC_MARK, Sentence, read_files


def read_columns(
    vocab: Vocab, paths: Sequence[Path], options: Options, notes: Notes
) -> Iterator[Doc]:
    """Read columns separated by tabs or spaces, as many as there are.

    vocab (Vocab): The vocabulary to use.
    paths (Sequence[Path]): The files.
    options (Options): How to read.
    notes (Notes): Takes the scheme.
    YIELDS (Doc): The documents.
    """
    read_sentences = partial(_read_sentences, options=options)
    yield from read_files(vocab, paths, options, notes, read_sentences)


def _read_sentences(
    path: Path, lines: Sequence[str], options: Options
) -> Iterator[Sentence]:
    tabs = _has_tabs(lines)
    width: Optional[int] = None
    token_column, tag_column = options.token_column, options.tag_column
    sentence = Sentence(path, [], [], [], None, False)
    for number, line in enumerate(lines, 1):
        if line and not line.isspace():
            row = split_tabs(line) if tabs else split_spaces(line)
            if DOC_MARK in line and is_doc_mark(row):
                if sentence.words:
                    yield sentence
                sentence = Sentence(path, [], [], [], None, True)
            elif line[0] == "#" and _is_comment(row, line, width, tag_column):
                continue
            else:
                if width is None:
                    width = len(row)
                    _check_columns(path, number, row, options)
                elif len(row) != width or not row[token_column]:
                    raise ValueError(malformed(path, number, row, width))
                sentence.words.append(row[token_column])
                sentence.tags.append(row[tag_column])
                sentence.lines.append(number)
        elif sentence.words:
            yield sentence
            sentence = Sentence(path, [], [], [], None, False)
    if sentence.words:
        yield sentence


def split_tabs(line: str) -> List[str]:
    """Cells of a line with tabs; spaces belong to the cells."""
    return line.split("\t")


def split_spaces(line: str) -> List[str]:
    """Cells of a line with spaces. Not `line.split()`: that would split tokens at the
    other kinds of space that they may contain.
    """
    return [cell for cell in line.replace("\t", " ").split(" ") if cell]


def is_doc_mark(row: Sequence[str]) -> bool:
    """Whether a row marks the start of a document, in whichever column."""
    return DOC_MARK in row


def malformed(path: Path, line: int, row: Sequence[str], width: int) -> str:
    """The message for a row that does not fit the file."""
    if len(row) == width:
        return Errors.C109.format(path=path, line=line)
    return Errors.C108.format(path=path, line=line, found=len(row), expected=width)


def _has_tabs(lines: Sequence[str]) -> bool:
    rows = (line for line in lines if line.strip() and not line.startswith("# "))
    return any("\t" in line for line in _first(rows, 2))


def _first(lines: Iterator[str], n: int) -> List[str]:
    # A document mark may stand alone on the first line.
    return [line for line, _ in zip(lines, range(n))]


def _is_comment(
    row: Sequence[str], line: str, width: Optional[int], tag_column: int
) -> bool:
    """`# ...` is a comment unless it has the columns and the tag of a token."""
    if line != "#" and not line.startswith("# "):
        return False
    if width is None:
        width = len(row)
    fits = -width <= tag_column < width == len(row) and len(row) > 1
    return not (fits and is_tag(row[tag_column]))


def _check_columns(path: Path, line: int, row: Sequence[str], options: Options) -> None:
    width = len(row)
    for name, column in (
        ("token", options.token_column),
        ("tag", options.tag_column),
    ):
        if not -width <= column < width:
            raise ValueError(
                Errors.C110.format(
                    path=path, line=line, name=name, column=column, found=width
                )
            )
    if options.token_column % width == options.tag_column % width:
        raise ValueError(Errors.C111.format(path=path, line=line, found=width))
    if not row[options.token_column]:
        raise ValueError(malformed(path, line, row, width))
