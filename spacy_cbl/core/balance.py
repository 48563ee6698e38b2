"""The entity ratio of weighted data, and the scaling that sets it."""

from typing import Optional

import numpy

from ..errors import Errors
from ..types import BoolArray, FloatArray


def weighted_ratio(is_entity: BoolArray, weights: FloatArray) -> float:
    """The weighted entity ratio b = |P| / (|P| + sum of v over N) (Eq. 3). With every
    weight 1 it is the plain entity ratio (Eq. 2).

    is_entity (BoolArray): Which tokens are in P; the others are N.
    weights (FloatArray): One weight v per token; those of P are not looked at.
    RETURNS (float): The ratio; 0 where there is neither P nor weight on N.
    """
    n_positive = int(numpy.count_nonzero(is_entity))
    total = n_positive + _sum(weights, ~is_entity)
    return n_positive / total if total > 0 else 0.0


def get_scale(
    n_positive: int, negative_weight: float, ratio: float, n_trusted: int = 0
) -> float:
    """The constant gamma that brings the weighted entity ratio to b* (Eq. 5):

        gamma = (1 - b*) |P| / (b* sum of v over N)

    Trusted negatives R keep weight 1 and are no part of the sum, which leaves
    gamma = ((1 - b*) |P| / b* - |R|) / (sum of v over the rest of N).

    n_positive (int): |P|.
    negative_weight (float): The sum of v over N, trusted negatives apart.
    ratio (float): The target b*, between 0 and 1.
    n_trusted (int): |R|.
    RETURNS (float): gamma, above 0.
    """
    if not 0 < ratio < 1:
        raise ValueError(Errors.C160.format(ratio=ratio))
    if n_positive == 0:
        raise ValueError(Errors.C154.format(found="no entity"))
    if not negative_weight > 0:
        raise ValueError(Errors.C161.format(ratio=ratio))
    wanted = (1 - ratio) * n_positive / ratio - n_trusted
    if not wanted > 0:
        highest = n_positive / (n_positive + n_trusted)
        raise ValueError(
            Errors.C162.format(
                ratio=ratio, n_trusted=n_trusted, n_positive=n_positive, highest=highest
            )
        )
    return wanted / negative_weight


def balance(
    is_entity: BoolArray,
    weights: FloatArray,
    ratio: float,
    trusted: Optional[BoolArray] = None,
) -> FloatArray:
    """Scale the weights of N by gamma, v* = gamma v (Eq. 6). They may pass 1.

    is_entity (BoolArray): Which tokens are in P.
    weights (FloatArray): One weight per token.
    ratio (float): The weighted entity ratio to reach, b*.
    trusted (Optional[BoolArray]): Negatives whose weight stays 1.
    RETURNS (FloatArray): The scaled weights; 1 on P and on trusted negatives.
    """
    kept = is_entity if trusted is None else is_entity | trusted
    scaled = ~kept
    n_positive = int(numpy.count_nonzero(is_entity))
    n_trusted = int(numpy.count_nonzero(kept)) - n_positive
    gamma = get_scale(n_positive, _sum(weights, scaled), ratio, n_trusted)
    # Multiplied in double precision, so that only the result is rounded.
    balanced = numpy.multiply(weights, gamma, dtype=numpy.float64)
    balanced[kept] = 1
    return balanced.astype(weights.dtype)


def _sum(weights: FloatArray, where: BoolArray) -> float:
    return float(numpy.sum(weights, where=where, dtype=numpy.float64))
