"""Labels beside gold, and those of several annotators together."""

from dataclasses import dataclass
from typing import Iterable, List, Sequence, Set

import numpy

from ..core.tag_schemes import SpanT
from ..errors import Errors
from ..types import IntArray
from .convert.spans import filter_overlaps
from .laid_out import LaidOut

COMBINED = "combined"


@dataclass
class Scores:
    """Exact spans beside gold, micro-averaged."""

    precision: float
    recall: float
    f1: float


def align(corpus: LaidOut, gold: LaidOut) -> IntArray:
    """Where each token stands in gold. Documents may be cut differently if the tokens
    are the same from the first to the last; otherwise each document must be one of
    gold's, in gold's order (an annotator may have done a part).

    corpus (LaidOut): The corpus.
    gold (LaidOut): The gold corpus.
    RETURNS (IntArray): The places.
    """
    if corpus.words == gold.words:
        return numpy.arange(len(gold.words))
    places = []
    start = gold_doc = gold_start = 0
    for doc, length in enumerate(corpus.lengths):
        words = corpus.words[start : start + length]
        found, at = gold_doc, gold_start
        while found < len(gold.lengths):
            end = at + gold.lengths[found]
            if words == gold.words[at:end]:
                break
            found, at = found + 1, end
        else:
            _raise_misaligned(corpus.path, doc, words, gold, gold_doc, gold_start)
        places.append(numpy.arange(at, at + length))
        gold_doc, gold_start, start = found + 1, at + length, start + length
    return numpy.concatenate(places)


def combine(
    corpora: Sequence[LaidOut], places: Sequence[IntArray], gold: LaidOut
) -> LaidOut:
    """Join the annotations of several annotators: of overlapping spans the longer wins,
    of equally long ones the one in the file given first. The documents are those that
    at least one file has; a token is missing, or light, only where it is so in all.

    corpora (Sequence[LaidOut]): The annotators' files.
    places (Sequence[IntArray]): Where the tokens of each stand in gold.
    gold (LaidOut): The gold corpus.
    RETURNS (LaidOut): The joined corpus.
    """
    n_tokens = len(gold.words)
    covered = numpy.zeros(n_tokens, dtype=bool)
    missing = numpy.ones(n_tokens, dtype=bool)
    weights = numpy.zeros(n_tokens)
    spans: List[SpanT] = []
    for corpus, place in zip(corpora, places):
        covered[place] = True
        missing[place] &= corpus.missing
        weights[place] = numpy.maximum(weights[place], corpus.weights)
        spans.extend(_move(corpus.spans, place))
    kept = filter_overlaps(dict.fromkeys(spans))
    for start, end, _ in kept:
        missing[start:end] = False
    doc_ids = numpy.repeat(numpy.arange(len(gold.lengths)), gold.lengths)
    lengths = numpy.bincount(doc_ids[covered], minlength=len(gold.lengths))
    new_places = numpy.cumsum(covered) - 1
    return LaidOut(
        path=COMBINED,
        words=[gold.words[i] for i in numpy.flatnonzero(covered).tolist()],
        lengths=lengths[lengths > 0].tolist(),
        sent_starts=gold.sent_starts[covered],
        spans=_move(kept, new_places),
        missing=missing[covered],
        weights=weights[covered],
    )


def score(corpus: LaidOut, places: IntArray, gold: LaidOut) -> Scores:
    """Score labels beside gold, over the documents that the corpus has.

    corpus (LaidOut): The corpus.
    places (IntArray): Where its tokens stand in gold.
    gold (LaidOut): The gold corpus.
    RETURNS (Scores): Precision, recall and F1 of exact spans with their labels.
    """
    covered = numpy.zeros(len(gold.words), dtype=bool)
    covered[places] = True
    expected = {span for span in gold.spans if covered[span[0]]}
    found: Set[SpanT] = set(_move(corpus.spans, places))
    n_right = len(expected & found)
    precision = n_right / len(found) if found else 0.0
    recall = n_right / len(expected) if expected else 0.0
    total = precision + recall
    return Scores(precision, recall, 2 * precision * recall / total if total else 0.0)


def _move(spans: Iterable[SpanT], places: IntArray) -> List[SpanT]:
    return [(int(places[s]), int(places[e - 1]) + 1, label) for s, e, label in spans]


def _raise_misaligned(
    path: str, doc: int, words: Sequence[str], gold: LaidOut, gold_doc: int, start: int
) -> None:
    """Compare with the document of gold that would have been next."""
    length = gold.lengths[gold_doc] if gold_doc < len(gold.lengths) else 0
    expected = gold.words[start : start + length]
    differ = (i for i, (a, b) in enumerate(zip(words, expected)) if a != b)
    i = next(differ, min(len(words), len(expected)))
    raise ValueError(
        Errors.C132.format(
            path=path,
            doc=doc,
            i=i,
            found=f"'{words[i]}'" if i < len(words) else "not there",
            gold_doc=gold_doc,
            expected=f"'{expected[i]}'" if i < len(expected) else "no more tokens",
        )
    )
