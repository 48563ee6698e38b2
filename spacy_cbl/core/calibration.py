"""From scores to probabilities (Platt, 1999): P(O) = 1 / (1 + exp(-(a m + b))), where m
is how far the score of O lies above the best other one. As a > 0, it is monotone: the
order of tokens stays that of their scores.
"""

from typing import NamedTuple

import numpy

from ..types import BoolArray, FloatArray

STEPS = 50
MOST_LOG_ODDS = 80.0  # of which the exponential is finite in single precision
LEAST_SLOPE = 1e-4


class Calibration(NamedTuple):
    """The line that turns margins into log odds."""

    slope: float = 1.0
    offset: float = 0.0

    def p_outside(self, margins: FloatArray) -> FloatArray:
        """P(O) of tokens.

        margins (FloatArray): How far the score of O lies above the best other one.
        RETURNS (FloatArray): Probabilities.
        """
        x = self.slope * margins + self.offset
        x = numpy.clip(x, -MOST_LOG_ODDS, MOST_LOG_ODDS)
        return 1.0 / (1.0 + numpy.exp(-x))


def outside_margins(scores: FloatArray) -> FloatArray:
    """How far the score of O lies above the best other one.

    scores (FloatArray): Tokens x tags, O first.
    RETURNS (FloatArray): One margin per token.
    """
    return scores[:, 0] - scores[:, 1:].max(axis=1)


def fit_calibration(
    margins: FloatArray, is_outside: BoolArray, weights: FloatArray
) -> Calibration:
    """Fit the line by weighted logistic regression, with Platt's targets, which keep a
    perfect separation from driving it to infinity.

    margins (FloatArray): One per token.
    is_outside (BoolArray): Whether each token is labelled O.
    weights (FloatArray): How much each counts.
    RETURNS (Calibration): The line; that of slope 1 where one class is empty.
    """
    n_outside = float(weights[is_outside].sum())
    n_entity = float(weights[~is_outside].sum())
    if n_outside <= 0 or n_entity <= 0:
        return Calibration()
    target = numpy.where(
        is_outside, (n_outside + 1) / (n_outside + 2), 1 / (n_entity + 2)
    )
    scale = max(float(numpy.abs(margins).mean()), 1e-6)
    x = margins / scale
    fitted = Calibration(1.0, 0.0)
    for _ in range(STEPS):
        p = fitted.p_outside(x)
        curve = weights * p * (1.0 - p) + 1e-9
        error = weights * (p - target)
        gradient = numpy.array([(error * x).sum(), error.sum()])
        cross = float((curve * x).sum())
        hessian = numpy.array([[(curve * x * x).sum(), cross], [cross, curve.sum()]])
        move = numpy.linalg.solve(hessian + 1e-6 * numpy.eye(2), gradient)
        move = numpy.clip(move, -2.0, 2.0)
        fitted = Calibration(*(numpy.array(fitted) - move).tolist())
        if numpy.abs(move).max() < 1e-9:
            break
    return Calibration(max(fitted.slope / scale, LEAST_SLOPE), fitted.offset)
