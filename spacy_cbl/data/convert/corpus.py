"""Convert a file or a folder: the way in."""

from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Iterator, List, Optional, Sequence, Tuple

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...errors import Errors
from ..docbin import write_docs
from ..files import check_output, write_text
from .detect import detect_format
from .formats import FORMATS
from .iob2 import to_iob2
from .options import Notes, Options

TARGETS = ("spacy", "iob2")
COLUMN_FILES = (".iob2", ".iob", ".bio", ".conll", ".tsv", ".txt")
DROPPED = "entities left out because of their type"


@dataclass
class Report:
    """What was converted.

    format (str): The format that was read.
    unlabelled (str): What tokens without entity were taken for.
    notes (Notes): The scheme, and what happened on the way.
    """

    format: str
    unlabelled: str
    notes: Notes
    docs: int = 0
    sents: int = 0
    tokens: int = 0
    spans: int = 0


def convert(
    input_path: Path,
    output_path: Path,
    *,
    to: Optional[str] = None,
    format: Optional[str] = None,
    options: Optional[Options] = None,
) -> Report:
    """Convert a file, or all files of a folder, to one file.

    input_path (Path): The file or folder to read.
    output_path (Path): The file to write.
    to (Optional[str]): "spacy" or "iob2"; what the output's name says if None.
    format (Optional[str]): A name in FORMATS; found out where None.
    options (Optional[Options]): How to read.
    RETURNS (Report): What was converted.
    """
    check_output(output_path, input_path)
    if input_path.is_dir() and output_path.resolve().parent == input_path.resolve():
        raise ValueError(Errors.C319.format(path=output_path))
    options = Options() if options is None else options
    if to is None:
        to = "iob2" if output_path.suffix in COLUMN_FILES else "spacy"
    if to not in TARGETS:
        raise ValueError(Errors.C120.format(name=to, names=", ".join(TARGETS)))
    name, docs, notes = read_corpus(input_path, format=format, options=options)
    report = Report(name, options.unlabelled or FORMATS[name].unlabelled, notes)
    counted = _count(docs, report, input_path)
    if to == "iob2":
        write_text(output_path, "".join(to_iob2(counted, notes)))
    else:
        write_docs(output_path, counted)
    return report


def read_corpus(
    path: Path,
    *,
    format: Optional[str] = None,
    options: Optional[Options] = None,
    vocab: Optional[Vocab] = None,
) -> Tuple[str, Iterator[Doc], Notes]:
    """Read documents in any of the formats.

    path (Path): The file or folder.
    format (Optional[str]): A name in FORMATS; found out where None.
    options (Optional[Options]): How to read.
    vocab (Optional[Vocab]): The vocabulary to use.
    RETURNS (Tuple[str, Iterator[Doc], Notes]): The format, the documents, and notes
        that are complete when the documents have been read.
    """
    options = Options() if options is None else options
    paths = _list_files(path)
    if format is None:
        format = detect_format(paths[0], options.encoding)
    elif format not in FORMATS:
        raise ValueError(Errors.C121.format(name=format, names=", ".join(FORMATS)))
    notes = Notes()
    vocab = Vocab() if vocab is None else vocab
    docs = FORMATS[format].read(vocab, paths, options, notes)
    if options.drop:
        docs = _drop(docs, options.drop, notes)
    return format, docs, notes


def _drop(docs: Iterable[Doc], types: Sequence[str], notes: Notes) -> Iterator[Doc]:
    for doc in docs:
        kept = [ent for ent in doc.ents if ent.label_ not in types]
        dropped = [ent for ent in doc.ents if ent.label_ in types]
        notes.counts[DROPPED] += len(dropped)
        doc.set_ents(kept, outside=dropped, default="unmodified")
        yield doc


def _list_files(path: Path) -> List[Path]:
    if path.is_dir():
        files = sorted(
            found
            for found in path.iterdir()
            if found.is_file() and not found.name.startswith(".")
        )
    else:
        files = [path] if path.is_file() else []
    if not files:
        raise ValueError(Errors.C122.format(path=path))
    return files


def _count(docs: Iterable[Doc], report: Report, path: Path) -> Iterator[Doc]:
    for doc in docs:
        report.docs += 1
        report.tokens += len(doc)
        report.spans += len(doc.ents)
        report.sents += count_sents(doc)
        yield doc
    if not report.tokens:
        raise ValueError(Errors.C123.format(path=path))


def count_sents(doc: Doc) -> int:
    """How many sentences a Doc has; one where none are marked.

    doc (Doc): The document.
    RETURNS (int): The number.
    """
    if not len(doc):
        return 0
    # The first token may lack the mark.
    return 1 + int((doc.to_array("SENT_START")[1:] == 1).sum())
