"""What to expect of a threshold on weights, without gold.

Some labelled entities are hidden, whole surface forms of them, and the corpus is
weighed as if nobody had labelled them. What becomes of them is taken for what becomes
of the entities that nobody labelled. Of H hidden ones, let h(t) have a token of weight
below t; let s(t) suspects touch one, and u(t) touch none. With M missed entities,

- recall(t) = h(t) / (H q), where q is the share of labels that are right: false labels
  are hidden too, and are not found;
- precision(t) = (M / H) s(t) / u(t): suspects that are missed entities, over suspects.

M is what an entity ratio b leaves: (b |T| - |P|) / (|P| / entities). Where b is not
known, M is the most that precision allows: it is nowhere above 1, so that M is at most
u(t) H / s(t) for every t, and the least of these bounds is near M if the most suspected
tokens are nearly all entities. That M counts like the labels, false ones included: it
is too high by 1 / q, s(t) / H too low by q, and so precision needs no q.
"""

from typing import List, NamedTuple, Sequence

import numpy
from numpy.random import Generator

from ..types import BoolArray, FloatArray, IntArray

# The bound on M is taken where at least this share of the hidden entities is found:
# among fewer, chance decides which bound is the least.
LEAST_FOUND = 0.2
N_BOUNDS = 50


class Hidden(NamedTuple):
    """A corpus weighed with some entities hidden. Arrays have one value per token."""

    weights: FloatArray
    scores: FloatArray  # lower is more suspected, also among tokens of equal weight
    free: BoolArray  # tokens without label that nobody has checked
    entities: IntArray  # number of the hidden entity, from 0; -1 outside
    sent_starts: BoolArray


class Counts(NamedTuple):
    """What a threshold finds. Other suspects are the mean of the folds."""

    hidden: int
    found: int  # hidden entities of which a token is suspected
    right: int  # suspects that touch a hidden entity
    others: float


class Expected(NamedTuple):
    """What a threshold will probably find."""

    threshold: float
    suspects: float
    recall: float
    precision: float


def split_forms(
    forms: IntArray, n_folds: int, share: float, rng: Generator
) -> IntArray:
    """Draw mentions to hide, whole surface forms, none twice.

    forms (IntArray): The surface form of each mention, as a number from 0.
    n_folds (int): How often to hide some.
    share (float): The share of the mentions to hide each time, about.
    rng (Generator): The source of randomness.
    RETURNS (IntArray): The fold of each mention; -1 for those that are never hidden.
    """
    counts = numpy.bincount(forms)
    order = rng.permutation(len(counts))
    # Where the middle of each form lies, as a share of all mentions
    ends = numpy.cumsum(counts[order])
    middles = (ends - counts[order] / 2) / len(forms)
    folds = numpy.full(len(counts), -1)
    folds[order] = numpy.floor(middles / share)
    folds[folds >= n_folds] = -1
    return folds[forms]


def count_found(folds: Sequence[Hidden], threshold: float, by: str) -> Counts:
    """Count what comes out below a threshold.

    folds (Sequence[Hidden]): The corpus, weighed with entities hidden.
    threshold (float): The threshold.
    by (str): Of what: "weights" or "scores".
    RETURNS (Counts): The counts.
    """
    n_hidden = n_found = n_right = n_suspects = 0
    for fold in folds:
        low = (getattr(fold, by) < threshold) & fold.free
        starts = low.copy()
        starts[1:] &= ~low[:-1] | fold.sent_starts[1:]
        touched = low & (fold.entities >= 0)
        n_hidden += int(fold.entities.max(initial=-1)) + 1
        n_found += len(numpy.unique(fold.entities[touched]))
        n_right += len(numpy.unique(numpy.cumsum(starts)[touched]))
        n_suspects += int(numpy.count_nonzero(starts))
    others = (n_suspects - n_right) / len(folds)
    return Counts(n_hidden, n_found, n_right, others)


def bound_missed(folds: Sequence[Hidden]) -> float:
    """How many entities are missing, at most: the least bound over thresholds.

    folds (Sequence[Hidden]): The corpus, weighed with entities hidden.
    RETURNS (float): M.
    """
    scores = numpy.concatenate([_best_scores(fold) for fold in folds])
    steps = numpy.linspace(LEAST_FOUND, 1, N_BOUNDS)
    thresholds = numpy.quantile(scores, steps, method="higher")
    bounds = []
    for threshold in numpy.unique(thresholds).tolist():
        # A hair more: the entity of that score is found.
        counts = count_found(folds, numpy.nextafter(threshold, 2), "scores")
        if counts.right:
            bounds.append(counts.others * counts.hidden / counts.right)
    return min(bounds, default=0.0)


def expect(
    folds: Sequence[Hidden],
    thresholds: Sequence[float],
    n_missed: float,
    label_precision: float = 1.0,
) -> List[Expected]:
    """What thresholds will probably find.

    folds (Sequence[Hidden]): The corpus, weighed with entities hidden.
    thresholds (Sequence[float]): The thresholds.
    n_missed (float): M, how many entities are missing.
    label_precision (float): q, the share of labels that are right.
    RETURNS (List[Expected]): One row per threshold.
    """
    rows = []
    for threshold in thresholds:
        counts = count_found(folds, threshold, "weights")
        recall = counts.found / max(counts.hidden, 1) / label_precision
        right = n_missed * counts.right / max(counts.hidden, 1)
        precision = right / counts.others if counts.others else 0.0
        rows.append(
            Expected(threshold, counts.others, min(recall, 1.0), min(precision, 1.0))
        )
    return rows


def _best_scores(fold: Hidden) -> FloatArray:
    """The lowest score of each hidden entity."""
    inside = fold.entities >= 0
    lowest = numpy.full(int(fold.entities.max(initial=-1)) + 1, numpy.inf)
    numpy.minimum.at(lowest, fold.entities[inside], fold.scores[inside])
    return lowest
