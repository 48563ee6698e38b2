"""TALEN's `tajson`: a CogComp TextAnnotation as JSON, one document each."""

from pathlib import Path
from typing import Any, Iterator, List, Optional, Sequence

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...core.tag_schemes import SpanT
from ...errors import Errors
from .fields import check, get, get_label, get_list
from .options import Notes, Options
from .sentences import set_entities
from .spans import drop_overlaps, split_doc
from .text import RecordT, read_records

VIEWS = ("NER_CONLL", "NER_ONTONOTES")


def read_tajson(
    vocab: Vocab, paths: Sequence[Path], options: Options, notes: Notes
) -> Iterator[Doc]:
    """Read tokens, sentence ends and the NER view.

    vocab (Vocab): The vocabulary to use.
    paths (Sequence[Path]): The files.
    options (Options): How to read.
    notes (Notes): Counts what was dropped.
    YIELDS (Doc): The documents.
    """
    for path in paths:
        for line, record in read_records(path, options.encoding):
            try:
                doc = _make_doc(vocab, path, line, record, options, notes)
            except (KeyError, TypeError, AttributeError, IndexError) as error:
                raise ValueError(
                    Errors.C113.format(
                        path=path, line=line, format="tajson", reason=repr(error)
                    )
                ) from None
            yield from split_doc(doc, options, notes)


def _make_doc(
    vocab: Vocab,
    path: Path,
    line: int,
    record: RecordT,
    options: Options,
    notes: Notes,
) -> Doc:
    words = get_list(path, line, record, "tokens", str, required=True)
    if not all(words):
        raise IndexError(f"token {words.index('')} is empty")
    ends = record.get("sentences", {}).get("sentenceEndPositions", [])
    starts = {0, *(check(path, line, "sentenceEndPositions", e, int) for e in ends)}
    doc = Doc(vocab, words=words, sent_starts=[i in starts for i in range(len(words))])
    spans = _read_view(path, line, _find_view(record["views"]), len(words))
    set_entities(doc, drop_overlaps(spans, notes), options.unlabelled or "outside")
    return doc


def _find_view(views: Sequence[RecordT]) -> Optional[RecordT]:
    by_name = {view["viewName"]: view for view in views}
    return next((by_name[name] for name in VIEWS if name in by_name), None)


def _read_view(
    path: Path, line: int, view: Optional[RecordT], n_tokens: int
) -> List[SpanT]:
    data: Any = view["viewData"][0] if view and view.get("viewData") else {}
    spans = []
    for found in data.get("constituents", []):
        start = get(path, line, found, "start", int)
        end = get(path, line, found, "end", int)
        label = get_label(path, line, found, "label")
        if not 0 <= start < end <= n_tokens:
            raise ValueError(
                Errors.C114.format(path=path, line=line, span=f"{start}-{end} {label}")
            )
        spans.append((start, end, label))
    return spans
