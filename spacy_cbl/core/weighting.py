"""Weights for tokens of N that need no learning, on flat arrays. Tokens of P and
trusted negatives weigh 1 whatever a scheme says: `settle` sees to that.
"""

import numpy

from ..types import BoolArray, FloatArray, IntArray

Weight = numpy.float32


def uniform(n_tokens: int, value: float = 1.0) -> FloatArray:
    """The same weight on every token.

    n_tokens (int): How many tokens there are.
    value (float): The weight.
    RETURNS (FloatArray): One weight per token.
    """
    return numpy.full(n_tokens, value, dtype=Weight)


def frequency(token_ids: IntArray, counts: FloatArray, log: bool = False) -> FloatArray:
    """v = count(x) / count of the commonest form (Eq. 16), or with `log` the same of
    the logarithms: log count(x) / log count of the commonest form.

    token_ids (IntArray): The form of each token.
    counts (FloatArray): How often each form occurs, here or in some larger text.
    log (bool): Whether to take logarithms. Counts below 1 weigh 0.
    RETURNS (FloatArray): One weight per token, from 0 to 1.
    """
    values = numpy.asarray(counts, dtype=numpy.float64)
    # Where no form occurs twice, log 1 / log 1 has no value: all are as common.
    if log and values.max(initial=0) > 1:
        values = numpy.log(numpy.maximum(values, 1))
    highest = values.max(initial=0)
    per_form = (values / highest if highest > 0 else values).astype(Weight)
    return per_form[token_ids]


def near_entity(
    is_entity: BoolArray, sent_starts: BoolArray, distance: int = 1
) -> BoolArray:
    """Which tokens are d <= `distance` tokens from one of P in their own sentence.

    is_entity (BoolArray): Which tokens are in P.
    sent_starts (BoolArray): Which tokens start a sentence.
    distance (int): The largest distance that counts as near.
    RETURNS (BoolArray): The near tokens, those of P (d = 0) included.
    """
    near = numpy.array(is_entity, dtype=bool)
    linked = ~sent_starts[1:]
    for _ in range(distance):
        before = near.copy()
        near[1:] |= before[:-1] & linked
        near[:-1] |= before[1:] & linked
        if (near == before).all():
            break
    return near


def window(
    is_entity: BoolArray, sent_starts: BoolArray, distance: int = 1
) -> FloatArray:
    """v = 1 where d <= `distance`, else 0 (Eq. 17).

    is_entity (BoolArray): Which tokens are in P.
    sent_starts (BoolArray): Which tokens start a sentence.
    distance (int): The largest distance that weighs 1.
    RETURNS (FloatArray): One weight per token.
    """
    return near_entity(is_entity, sent_starts, distance).astype(Weight)


def combined(
    frequencies: FloatArray,
    is_entity: BoolArray,
    sent_starts: BoolArray,
    distance: int = 1,
) -> FloatArray:
    """v = 1 where d <= `distance`, else the frequency weight (Eq. 18).

    frequencies (FloatArray): The frequency weight of each token.
    is_entity (BoolArray): Which tokens are in P.
    sent_starts (BoolArray): Which tokens start a sentence.
    distance (int): The largest distance that weighs 1.
    RETURNS (FloatArray): One weight per token.
    """
    near = near_entity(is_entity, sent_starts, distance)
    return numpy.where(near, Weight(1), frequencies)


def oracle(is_entity: BoolArray, gold_is_entity: BoolArray) -> FloatArray:
    """v = 0 on tokens of N that gold calls entity, 1 elsewhere.

    is_entity (BoolArray): Which tokens are in P.
    gold_is_entity (BoolArray): Which tokens truly belong to entities.
    RETURNS (FloatArray): One weight per token.
    """
    return (is_entity | ~gold_is_entity).astype(Weight)


def settle(weights: FloatArray, certain: BoolArray) -> FloatArray:
    """Give the tokens whose label is certain their weight, 1.

    weights (FloatArray): What a scheme gave.
    certain (BoolArray): The trusted negatives and, for most schemes, P.
    RETURNS (FloatArray): The weights, float32; a new array.
    """
    settled = numpy.array(weights, dtype=Weight)
    settled[certain] = 1
    return settled
