"""A weighted averaged perceptron over hashed features (paper, section 4.3.1).

A token is a list of rows of the table, one per feature, and a vector of real-valued
features. Its score of a tag is the sum of the weights of its rows plus the product of
the vector with the dense weights. Row 0 stands for "no such feature" and stays 0.

A step takes a few tokens at once, scores them with the weights as they are, and adds
the updates of all of them: w += rate * v * sign * x for each tag that a rule says to
move. Tokens of weight 0 are not to be handed in. The average is uniform: the mean of
the weights after each step.
"""

from typing import Callable, Dict, NamedTuple

import numpy
from thinc.api import NumpyOps

from ..types import FloatArray, IntArray

# Scores (tokens x tags), gold tags, thickness -> by how much each tag moves: 1, 0, -1
RuleT = Callable[[FloatArray, IntArray, float], FloatArray]


AT_ONCE = 64  # tokens whose rows are summed at once: they fit into the cache


class Weights(NamedTuple):
    """What the score of a tag is made of."""

    table: FloatArray  # rows x tags
    dense: FloatArray  # real-valued features x tags


class AveragedPerceptron:
    """The weights, and the sums that their average needs."""

    def __init__(self, n_rows: int, n_dense: int, n_tags: int) -> None:
        """Start with all weights 0.

        n_rows (int): Rows of the table.
        n_dense (int): How many real-valued features there are.
        n_tags (int): How many tags there are.
        """
        shapes = [(n_rows, n_tags), (n_dense, n_tags)]
        self.weights = Weights(*(numpy.zeros(shape, "f") for shape in shapes))
        # For each weight the sum of (step - 1) * change: see `average`.
        self.lag = Weights(*(numpy.zeros(shape, "f") for shape in shapes))
        self.n_steps = 0
        self.ops = NumpyOps()

    def step(
        self,
        rows: IntArray,
        dense: FloatArray,
        gold: IntArray,
        weights: FloatArray,
        *,
        rule: RuleT,
        rate: float,
        thickness: float,
    ) -> FloatArray:
        """Learn from some tokens.

        rows (IntArray): Rows of each token, int32 (tokens x features).
        dense (FloatArray): Real-valued features, float32 (tokens x features).
        gold (IntArray): The tag of each token.
        weights (FloatArray): v, how much each token counts; above 0.
        rule (RuleT): Says which tags to move.
        rate (float): The learning rate.
        thickness (float): The margin that scores have to keep.
        RETURNS (FloatArray): The scores before learning (tokens x tags).
        """
        scores = score(self.weights, rows, dense)
        change = rule(scores, gold, thickness)
        hit = change.any(axis=1)
        change = change[hit] * (rate * weights[hit]).astype("f")[:, None]
        self._add(rows[hit], dense[hit], change)
        self.n_steps += 1
        return scores

    def average(self) -> Weights:
        """The mean of the weights after each step. A change made in step t of T is in
        T - t + 1 of them, so the mean is w - (sum of (t - 1) * change) / T.

        RETURNS (Weights): The mean.
        """
        n = max(self.n_steps, 1)
        return Weights(*(w - u / n for w, u in zip(self.weights, self.lag)))

    def _add(self, rows: IntArray, dense: FloatArray, change: FloatArray) -> None:
        n_features = rows.shape[1]
        flat = numpy.ascontiguousarray(rows).reshape(-1)
        values = numpy.repeat(change, n_features, axis=0)
        moved = dense.T @ change
        lagged = numpy.float32(self.n_steps)
        self.ops.scatter_add(self.weights.table, flat, values)
        self.ops.scatter_add(self.lag.table, flat, values * lagged)
        self.weights.dense[...] += moved
        self.lag.dense[...] += moved * lagged
        self.weights.table[0] = 0.0
        self.lag.table[0] = 0.0


def score(weights: Weights, rows: IntArray, dense: FloatArray) -> FloatArray:
    """Score tokens.

    weights (Weights): The weights.
    rows (IntArray): Rows of each token (tokens x features).
    dense (FloatArray): Real-valued features, float32 (tokens x features).
    RETURNS (FloatArray): Scores (tokens x tags).
    """
    return sum_rows(weights.table, rows) + dense @ weights.dense


def sum_rows(table: FloatArray, rows: IntArray) -> FloatArray:
    """Sum the rows of each token. Features go one after the other, each for many tokens
    at once: one long addition instead of a short one per row.

    table (FloatArray): Rows x tags.
    rows (IntArray): Rows of each token (tokens x features).
    RETURNS (FloatArray): Tokens x tags.
    """
    sums = numpy.empty((len(rows), table.shape[1]), dtype=table.dtype)
    for start in range(0, len(rows), AT_ONCE):
        part = rows[start : start + AT_ONCE].T
        found = table.take(part, axis=0, mode="clip")  # "raise" would look twice
        numpy.add.reduce(found, axis=0, out=sums[start : start + AT_ONCE])
    return sums


def one_vs_all(scores: FloatArray, gold: IntArray, thickness: float) -> FloatArray:
    """Each tag is a binary perceptron: move the gold tag up where its score is below
    the thickness, move others down where theirs is not below minus the thickness.

    scores (FloatArray): Tokens x tags.
    gold (IntArray): The tag of each token.
    thickness (float): The margin.
    RETURNS (FloatArray): 1, 0 or -1 for each tag of each token.
    """
    change = -(scores >= -thickness).astype("f")
    tokens = numpy.arange(len(gold))
    change[tokens, gold] = scores[tokens, gold] < thickness
    return change


def multiclass(scores: FloatArray, gold: IntArray, thickness: float) -> FloatArray:
    """Where the gold tag does not lead the best other tag by the thickness, move the
    gold tag up and that other tag down.

    scores (FloatArray): Tokens x tags.
    gold (IntArray): The tag of each token.
    thickness (float): The margin.
    RETURNS (FloatArray): 1, 0 or -1 for each tag of each token.
    """
    tokens = numpy.arange(len(gold))
    others = scores.copy()
    others[tokens, gold] = -numpy.inf
    rival = others.argmax(axis=1)
    wrong = scores[tokens, gold] - others[tokens, rival] < thickness
    change = numpy.zeros_like(scores)
    change[tokens[wrong], gold[wrong]] = 1.0
    change[tokens[wrong], rival[wrong]] = -1.0
    return change


RULES: Dict[str, RuleT] = {"one_vs_all": one_vs_all, "multiclass": multiclass}
