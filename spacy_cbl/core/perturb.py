"""Make complete annotation partial: choose mentions to keep, draw false ones. Mentions
are numbered in reading order, tokens run over the whole corpus.
"""

from typing import List, Optional, Tuple

import numpy
from numpy.random import Generator

from ..errors import Errors
from ..types import BoolArray, IntArray

MAX_LENGTH = 3  # tokens of a span that is no entity
MOST_FALSE = 2.0**53


def keep_by_form(forms: IntArray, recall: float, rng: Generator) -> BoolArray:
    """Unlabel every mention of randomly chosen surface forms until the desired share of
    mentions remains. A form with more mentions than are still to go is passed over, so
    that the share is met as closely as the forms allow.

    forms (IntArray): The surface form of each mention, as a number from 0.
    recall (float): The share of mentions to keep.
    rng (Generator): The source of randomness.
    RETURNS (BoolArray): Which mentions are kept. Kept and removed ones share no form.
    """
    counts = numpy.bincount(forms)
    order = rng.permutation(len(counts))
    to_go = len(forms) - round(recall * len(forms))
    removed, too_few = _take(order, counts, to_go)
    kept = numpy.ones(len(counts), dtype=bool)
    kept[removed] = False
    if too_few:
        # Each form left has too many mentions: try the rarest, and take others back.
        left = order[kept[order]]
        rarest = left[counts[left].argmin()]
        back, too_many = _take(removed, counts, counts[rarest] - too_few)
        if too_many < too_few and (len(left) > 1 or len(back)):
            kept[rarest] = False
            kept[back] = True
    return kept[forms]


def keep_at_random(n_mentions: int, recall: float, rng: Generator) -> BoolArray:
    """Unlabel mentions chosen one by one, whatever their form.

    n_mentions (int): How many mentions there are.
    recall (float): The share of mentions to keep.
    rng (Generator): The source of randomness.
    RETURNS (BoolArray): Which mentions are kept.
    """
    kept = numpy.zeros(n_mentions, dtype=bool)
    kept[rng.permutation(n_mentions)[: round(recall * n_mentions)]] = True
    return kept


def keep_explored(
    docs: IntArray,
    rng: Generator,
    per_doc: Optional[int] = None,
    total: Optional[int] = None,
    overlook: float = 0.0,
) -> BoolArray:
    """Keep what an expert labels who opens documents in random order, reads each from
    its start and goes on to the next after `per_doc` mentions, up to `total` in all.

    docs (IntArray): The document of each mention, ascending.
    rng (Generator): The source of randomness.
    per_doc (Optional[int]): The most mentions in a document; None for no limit.
    total (Optional[int]): The most mentions in all; None for no limit.
    overlook (float): The chance that a mention is not noticed.
    RETURNS (BoolArray): Which mentions are kept.
    """
    noticed = numpy.flatnonzero(rng.random(len(docs)) >= overlook)
    if per_doc is not None:
        first = numpy.searchsorted(docs[noticed], docs[noticed])
        noticed = noticed[numpy.arange(len(noticed)) - first < per_doc]
    if total is not None:
        turn = rng.permutation(int(docs.max(initial=-1)) + 1)
        noticed = noticed[numpy.argsort(turn[docs[noticed]], kind="stable")][:total]
    kept = numpy.zeros(len(docs), dtype=bool)
    kept[noticed] = True
    return kept


def count_false(n_kept: int, precision: float) -> int:
    """How many false mentions bring `n_kept` true ones to a precision.

    n_kept (int): The true mentions that are left.
    precision (float): The desired precision, above 0.
    RETURNS (int): The number nearest to n_kept (1 - precision) / precision, up to one
        that no corpus has room for.
    """
    return round(min(n_kept * (1 - precision) / precision, MOST_FALSE))


def draw_spans(
    free: BoolArray, sent_starts: BoolArray, n_spans: int, rng: Generator
) -> List[Tuple[int, int]]:
    """Draw spans of random start and length on free tokens, none over another or across
    the start of a sentence.

    free (BoolArray): Which tokens a span may cover.
    sent_starts (BoolArray): Which tokens start a sentence.
    n_spans (int): How many spans to draw.
    rng (Generator): The source of randomness.
    RETURNS (List[Tuple[int, int]]): Start and end (exclusive) of each, in order.
    """
    room = numpy.array(free, dtype=bool)
    n_free = int(numpy.count_nonzero(room))
    if n_spans > n_free:
        # Before so many are drawn: memory may not suffice.
        raise ValueError(Errors.C156.format(n_placed=n_free, n_spans=n_spans))
    spans: List[Tuple[int, int]] = []
    while len(spans) < n_spans:
        candidates = numpy.flatnonzero(room)
        if not len(candidates):
            raise ValueError(Errors.C156.format(n_placed=len(spans), n_spans=n_spans))
        wanted = n_spans - len(spans)
        starts = rng.choice(candidates, size=wanted)
        ends = starts + rng.integers(1, MAX_LENGTH, size=wanted, endpoint=True)
        for start, end in zip(starts.tolist(), ends.tolist()):
            if (
                end <= len(room)
                and room[start:end].all()
                and not sent_starts[start + 1 : end].any()
            ):
                room[start:end] = False
                spans.append((start, end))
    return sorted(spans)


def _take(order: IntArray, counts: IntArray, most: int) -> Tuple[IntArray, int]:
    taken = []
    for form, count in zip(order.tolist(), counts[order].tolist()):
        if count <= most:
            taken.append(form)
            most -= count
    return numpy.array(taken, dtype=int), most
