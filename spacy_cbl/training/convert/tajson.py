"""TALEN's `tajson`: a CogComp TextAnnotation as JSON, one document each."""

from pathlib import Path
from typing import Any, Iterator, List, Optional, Sequence

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...core.schemes import SpanT
from ...errors import Errors
from .options import Notes, Options
from .sentences import set_entities
from .spans import drop_overlaps, split_sentences
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
                doc = _make_doc(vocab, record, options, notes)
            except (KeyError, TypeError, AttributeError, IndexError) as error:
                raise ValueError(
                    Errors.C113.format(
                        path=path, line=line, format="tajson", reason=repr(error)
                    )
                ) from None
            except _BadSpan as error:
                raise ValueError(
                    Errors.C114.format(path=path, line=line, span=error.args[0])
                ) from None
            yield from split_sentences(doc, options)


class _BadSpan(Exception):
    pass


def _make_doc(vocab: Vocab, record: RecordT, options: Options, notes: Notes) -> Doc:
    words = [str(word) for word in record["tokens"]]
    ends = record.get("sentences", {}).get("sentenceEndPositions", [])
    starts = {0, *ends}
    doc = Doc(vocab, words=words, sent_starts=[i in starts for i in range(len(words))])
    spans = _read_view(_find_view(record["views"]), len(words))
    set_entities(doc, drop_overlaps(spans, notes), options.unlabelled or "outside")
    return doc


def _find_view(views: Sequence[RecordT]) -> Optional[RecordT]:
    by_name = {view["viewName"]: view for view in views}
    return next((by_name[name] for name in VIEWS if name in by_name), None)


def _read_view(view: Optional[RecordT], n_tokens: int) -> List[SpanT]:
    data: Any = view["viewData"][0] if view and view.get("viewData") else {}
    spans = []
    for found in data.get("constituents", []):
        start, end, label = found["start"], found["end"], found["label"]
        if not 0 <= start < end <= n_tokens:
            raise _BadSpan(f"{start}-{end} {label}")
        spans.append((start, end, label))
    return spans
