"""doccano's JSONL: `text` and `label` triples, or `entities` with offsets."""

from pathlib import Path
from reprlib import repr as shorten
from typing import Any, Iterator, Sequence

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...core.tag_schemes import SpanT
from ...errors import Errors
from .fields import check, check_label, get, get_list, get_spans
from .options import Notes, Options
from .spans import Annotation, make_docs
from .text import RecordT, read_records

TEXTS = ("text", "data")  # the second in version 1.5 and some after it
TRIPLES = ("label", "labels")


def read_doccano(
    vocab: Vocab, paths: Sequence[Path], options: Options, notes: Notes
) -> Iterator[Doc]:
    """Read the texts of a sequence labelling project.

    vocab (Vocab): The vocabulary to use.
    paths (Sequence[Path]): The files.
    options (Options): How to read.
    notes (Notes): Counts what was moved or dropped.
    YIELDS (Doc): The documents.
    """
    annotations = (
        make_annotation(path, line, record)
        for path in paths
        for line, record in read_records(path, options.encoding)
    )
    yield from make_docs(vocab, annotations, options, notes)


def make_annotation(path: Path, line: int, record: RecordT) -> Annotation:
    """The text and the spans of a record, whatever the answer.

    path (Path): The file, for errors.
    line (int): The line, for errors.
    record (RecordT): The record.
    RETURNS (Annotation): The annotation.
    """
    name = next((name for name in TEXTS if name in record), TEXTS[0])
    text = get(path, line, record, name, str)
    if "entities" in record:
        entities = get(path, line, record, "entities", list)
        spans = get_spans(path, line, entities, "start_offset", "end_offset", "label")
    else:
        name = next((name for name in TRIPLES if name in record), TRIPLES[0])
        triples = get_list(path, line, record, name, object)
        spans = [_read_triple(path, line, triple) for triple in triples]
    return Annotation(path, line, text, spans)


def _read_triple(path: Path, line: int, triple: Any) -> SpanT:
    if not isinstance(triple, list) or len(triple) != 3:
        raise ValueError(
            Errors.C116.format(
                path=path,
                line=line,
                name="label",
                kind="list of [start, end, label]",
                found=shorten(triple),
            )
        )
    start, end, label = triple
    return (
        check(path, line, "start", start, int),
        check(path, line, "end", end, int),
        check_label(path, line, check(path, line, "label", label, str)),
    )
