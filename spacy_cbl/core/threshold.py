"""What to expect of suspects, without gold.

Some labelled entities are hidden, whole surface forms of them, and the corpus is
weighed as if nobody had labelled them. What becomes of them is taken for what becomes
of the entities that nobody labelled. Of H hidden ones, let h have a token among the
suspects in question (those below a threshold, or the first N); let s of these suspects
touch one, and u touch none. With M missed entities, and q the share of labels that are
right (false ones are hidden too, and are not found),

- recall = h / (H q),
- precision = M (s / (H q)) / u: suspects that are missed entities, over suspects,
- belief: the mean P(entity) of the suspects that touch no hidden entity, by the model
  that weighed. Models are too sure of themselves: rather more than the precision.

M is what an entity ratio b leaves: (b |T| - q |P|) / (|P| / entities). If labels are a
random draw from the entities, there is a bound to it: precision is nowhere above 1, so
that M is at most u H q / s at every threshold. The least of these bounds is near M if
the most suspected tokens are nearly all entities. An M far above it says that labelled
entities are easier to find than the others: that they are no random draw.
"""

from typing import List, NamedTuple, Sequence, Tuple

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
    belief: float  # the mean P(entity) of other suspects


class Expected(NamedTuple):
    """What a threshold will probably find."""

    threshold: float
    suspects: float
    recall: float
    precision: float
    belief: float


class ExpectedTop(NamedTuple):
    """What the first suspects of a ranked list will probably find."""

    top: int
    recall: float
    precision: float
    belief: float


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
    found = []
    for fold in folds:
        low = (getattr(fold, by) < threshold) & fold.free
        touching, best, means = _find_suspects(fold, low)
        others = means[~touching]
        n_found = int(numpy.count_nonzero(numpy.isfinite(best)))
        found.append((len(best), n_found, touching.sum(), len(others), others.sum()))
    n_hidden, n_found, n_right, n_others, p_outside = numpy.sum(found, axis=0).tolist()
    belief = 1 - p_outside / n_others if n_others else 0.0
    return Counts(
        int(n_hidden), int(n_found), int(n_right), n_others / len(folds), belief
    )


def bound_missed(folds: Sequence[Hidden], label_precision: float = 1.0) -> float:
    """How many entities are missing, at most, if labels are a random draw: the least
    bound over thresholds.

    folds (Sequence[Hidden]): The corpus, weighed with entities hidden.
    label_precision (float): q, the share of labels that are right.
    RETURNS (float): The bound on M.
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
    return label_precision * min(bounds, default=0.0)


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
        n_right = max(counts.hidden, 1) * label_precision
        recall = min(counts.found / n_right, 1.0)
        precision = 0.0
        if counts.others:
            precision = min(n_missed * counts.right / n_right / counts.others, 1.0)
        rows.append(
            Expected(threshold, counts.others, recall, precision, counts.belief)
        )
    return rows


def expect_top(
    folds: Sequence[Hidden],
    tops: Sequence[int],
    n_missed: float,
    label_precision: float = 1.0,
    threshold: float = 0.5,
) -> List[ExpectedTop]:
    """What the first suspects will probably find, ranked by the mean of their scores.

    folds (Sequence[Hidden]): The corpus, weighed with entities hidden.
    tops (Sequence[int]): How many suspects; where there are fewer, the row is left out.
    n_missed (float): M, how many entities are missing.
    label_precision (float): q, the share of labels that are right.
    threshold (float): Tokens of less weight are suspected.
    RETURNS (List[ExpectedTop]): One row for each number.
    """
    ranked = [_rank(fold, threshold) for fold in folds]
    n_right = max(sum(map(_count_hidden, folds)), 1) * label_precision
    rows = []
    for top in tops:
        if any(len(others) < top for others, _, _ in ranked):
            continue
        n_touching = n_found = 0.0
        p_outside = []
        for others, touching, best in ranked:
            n_touching += _count_first(touching, others, top)
            n_found += _count_first(best, others, top)
            p_outside.append(others[:top].mean())
        rows.append(
            ExpectedTop(
                top,
                recall=min(n_found / n_right, 1.0),
                precision=min(n_missed * n_touching / n_right / top, 1.0),
                belief=1 - float(numpy.mean(p_outside)),
            )
        )
    return rows


def count_top(
    fold: Hidden, tops: Sequence[int], threshold: float = 0.5
) -> List[ExpectedTop]:
    """What the first suspects find where all that is missing is known.

    fold (Hidden): The corpus; the entities are those that are missing.
    tops (Sequence[int]): How many suspects; where there are fewer, the row is left out.
    threshold (float): Tokens of less weight are suspected.
    RETURNS (List[ExpectedTop]): Recall and precision as they are.
    """
    others, touching, best = _rank(fold, threshold)
    ranked = numpy.sort(numpy.concatenate([others, touching]))
    rows = []
    for top in tops:
        if top <= len(ranked):
            n_right = _count_first(touching, ranked, top)
            n_found = _count_first(best, ranked, top)
            n_all = max(_count_hidden(fold), 1)
            precision, belief = min(n_right / top, 1.0), 1 - ranked[:top].mean()
            rows.append(ExpectedTop(top, n_found / n_all, precision, float(belief)))
    return rows


def _count_first(scores: FloatArray, ranked: FloatArray, top: int) -> float:
    """How many of some scores come before the end of the first in a sorted list. Where
    the list is cut among equal ones, chance decides: they count in proportion.
    """
    cut = ranked[top - 1]
    first = int(numpy.searchsorted(ranked, cut, side="left"))
    end = int(numpy.searchsorted(ranked, cut, side="right"))
    share = (top - first) / (end - first)
    return float((scores < cut).sum() + share * (scores == cut).sum())


def _rank(fold: Hidden, threshold: float) -> Tuple[FloatArray, FloatArray, FloatArray]:
    """Mean scores of suspects that touch no hidden entity, sorted, of those that touch
    one, and for each hidden entity the best of the suspects that touch it.
    """
    touching, best, means = _find_suspects(fold, (fold.weights < threshold) & fold.free)
    return numpy.sort(means[~touching]), means[touching], best


def _find_suspects(
    fold: Hidden, low: BoolArray
) -> Tuple[BoolArray, FloatArray, FloatArray]:
    """Whether each suspect touches a hidden entity; for each of these the best mean
    score of the suspects that touch it, infinite for none; and all mean scores.
    """
    runs = _number_runs(low, fold.sent_starts)
    sums = numpy.bincount(runs[low], weights=fold.scores[low])
    means = sums / numpy.bincount(runs[low])
    touched = low & (fold.entities >= 0)
    touching = numpy.zeros(len(means), dtype=bool)
    touching[runs[touched]] = True
    best = numpy.full(_count_hidden(fold), numpy.inf)
    numpy.minimum.at(best, fold.entities[touched], means[runs[touched]])
    return touching, best, means


def _number_runs(low: BoolArray, sent_starts: BoolArray) -> IntArray:
    """The run of each low token, from 0; no run goes on into another sentence."""
    starts = low.copy()
    starts[1:] &= ~low[:-1] | sent_starts[1:]
    return numpy.where(low, numpy.cumsum(starts) - 1, -1)


def _count_hidden(fold: Hidden) -> int:
    return int(fold.entities.max(initial=-1)) + 1


def _best_scores(fold: Hidden) -> FloatArray:
    """The lowest score of each hidden entity."""
    inside = fold.entities >= 0
    lowest = numpy.full(_count_hidden(fold), numpy.inf)
    numpy.minimum.at(lowest, fold.entities[inside], fold.scores[inside])
    return lowest
