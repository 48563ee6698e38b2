"""Prodigy's JSONL: `text`, `spans` and an `answer`."""

from pathlib import Path
from typing import Any, Dict, Iterator, Sequence

from spacy.tokens import Doc
from spacy.vocab import Vocab

from .fields import get, get_list, get_spans
from .options import Notes, Options
from .spans import Annotation, make_docs
from .text import RecordT, read_records

IGNORED = "examples left out because they were ignored"
REJECTED = "examples left out because the annotation as a whole was rejected"
REJECTED_SPANS = "suggestions rejected one by one (their texts are kept, unlabelled)"
MERGED = "yes/no answers joined to the text they belong to"


def read_prodigy(
    vocab: Vocab, paths: Sequence[Path], options: Options, notes: Notes
) -> Iterator[Doc]:
    """Read the accepted annotations. In answers to yes/no questions about one span
    (view "ner") nothing is known of the other tokens, and the answers about one text
    make one document. A rejected span may be an entity of another type or extent: it
    is not labelled, but not a proven negative either.

    vocab (Vocab): The vocabulary to use.
    paths (Sequence[Path]): The files.
    options (Options): How to read.
    notes (Notes): Counts what was left out.
    YIELDS (Doc): The documents.
    """
    for path in paths:
        records = read_records(path, options.encoding)
        found: Dict[Any, Annotation] = {}
        for line, record in records:
            _add(found, path, line, record, notes)
        yield from make_docs(vocab, found.values(), options, notes)


def _add(
    found: Dict[Any, Annotation], path: Path, line: int, record: RecordT, notes: Notes
) -> None:
    answer = record.get("answer", "accept")
    is_binary = record.get("_view_id") == "ner"
    if answer == "ignore":
        notes.counts[IGNORED] += 1
    elif answer == "reject" and not is_binary:
        notes.counts[REJECTED] += 1
    elif not is_binary:
        found[len(found), line] = make_annotation(path, line, record)
    else:
        new = make_annotation(path, line, record)._replace(unlabelled="missing")
        if answer == "reject":
            notes.counts[REJECTED_SPANS] += 1
            new.spans.clear()
        # The text too: equal hashes of different texts must not share a document.
        old = found.setdefault((repr(record.get("_input_hash")), new.text), new)
        if old is not new:
            notes.counts[MERGED] += 1
            old.spans.extend(new.spans)


def make_annotation(path: Path, line: int, record: RecordT) -> Annotation:
    """The text and the spans of a record, whatever the answer.

    path (Path): The file, for errors.
    line (int): The line, for errors.
    record (RecordT): The record.
    RETURNS (Annotation): The annotation.
    """
    text = get(path, line, record, "text", str)
    objects = get_list(path, line, record, "spans", dict)
    spans = get_spans(path, line, objects, "start", "end", "label")
    tokens = get_list(path, line, record, "tokens", dict)
    if not tokens:
        return Annotation(path, line, text, spans)
    words = [get(path, line, token, "text", str) for token in tokens]
    ends = [get(path, line, token, "end", int) for token in tokens]
    spaces = [text[end : end + 1] == " " for end in ends]
    joined = "".join(w + " " * s for w, s in zip(words, spaces))
    if joined != text or not all(words):
        # Tokens that leave out characters (word pieces, say) cannot make the Doc.
        return Annotation(path, line, text, spans)
    return Annotation(path, line, text, spans, words=words, spaces=spaces)
