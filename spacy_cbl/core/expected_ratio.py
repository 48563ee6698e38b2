"""The expected entity ratio of a conditional random field, kept near a target (Effland
and Collins, 2021).

Let f be the number of entity tokens of a sequence. The gradient of E[f] is a
covariance: for the score of an event, such as a tag of a token or a step from tag to
tag, it is P(event) (E[f | event] - E[f]). The conditional means come from messages that
carry counts along those of `messages`: how many entity tokens each position expects
before it and after it, given its tag.
"""

from typing import Tuple

import numpy

from ..types import BoolArray, FloatArray, IntArray
from .messages import Messages, join, pass_messages
from .packing import Packing, pack


def ratio_penalty(
    emissions: FloatArray,
    transitions: FloatArray,
    legal: BoolArray,
    lengths: IntArray,
    ratio: float,
    margin: float,
) -> Tuple[float, FloatArray, FloatArray]:
    """max(0, |r - ratio| - margin) and its exact gradient, where r is the expected
    share of tokens in entities: the mean over all tokens of 1 - P(O). Tag 0 is O. See
    `crf` for the other arguments.

    ratio (float): Where the share is wanted.
    margin (float): How far it may be off for nothing.
    RETURNS (Tuple[float, FloatArray, FloatArray]): The penalty, its gradient for the
        emissions and for the transitions.
    """
    packing = pack(lengths)
    n_tokens, n_tags = emissions.shape
    d_emissions = numpy.zeros((n_tokens, n_tags))
    d_transitions = numpy.zeros(transitions.shape)
    if not len(packing.order):
        return 0.0, d_emissions, d_transitions
    messages = pass_messages(emissions, transitions, legal, packing, None)
    marginals = numpy.empty((n_tokens, n_tags))
    marginals[packing.forward] = join(messages, packing, 1)[0][:, 0]
    off = marginals[:, 1:].sum() / n_tokens - ratio
    penalty = abs(off) - margin
    if penalty <= 0:
        return 0.0, d_emissions, d_transitions
    scale = numpy.sign(off) / n_tokens
    d_emissions, d_transitions = _count_gradient(messages, packing, marginals)
    return float(penalty), scale * d_emissions, scale * d_transitions


def _count_gradient(
    messages: Messages, packing: Packing, marginals: FloatArray
) -> Tuple[FloatArray, FloatArray]:
    """The gradient of the expected number of entity tokens."""
    n_tags = marginals.shape[1]
    is_entity = (numpy.arange(n_tags) > 0) * 1.0
    before, after = _by_token(_pass_counts(messages, packing, is_entity), packing)
    given_tag = before + is_entity + after
    mean = (marginals * given_tag).sum(axis=1, keepdims=True)
    mean /= marginals.sum(axis=1, keepdims=True)  # 1, but for rounding
    d_emissions = marginals * (given_tag - mean)
    d_transitions = numpy.zeros((n_tags + 1, n_tags + 1))
    d_transitions[n_tags, :-1] = d_emissions[packing.firsts].sum(axis=0)
    d_transitions[:-1, n_tags] = d_emissions[packing.lasts].sum(axis=0)
    d_transitions[:-1, :-1] = _covary_pairs(
        messages, packing, before + is_entity - mean, after + is_entity
    )
    return d_emissions, d_transitions


def _by_token(rows: FloatArray, packing: Packing) -> FloatArray:
    """Packed rows of both directions, put into the order of the tokens."""
    by_token = numpy.empty_like(rows)
    by_token[0, packing.forward] = rows[0]
    by_token[1, packing.backward] = rows[1]
    return by_token


def _pass_counts(
    messages: Messages, packing: Packing, is_entity: FloatArray
) -> FloatArray:
    """The expected number of entity tokens before each position, given its tag, and
    after it: packed rows like those of `Messages.into`. They are means, so that neither
    the scale nor the length of a sequence makes them overflow.
    """
    counts = numpy.zeros_like(messages.into)
    carry = _carry_in_log_space if messages.in_log_space else _carry
    offsets = packing.offsets
    for last, start, end in zip(offsets, offsets[1:], offsets[2:]):
        rows = slice(last, last + end - start)
        counts[:, start:end] = carry(
            messages.out[:, rows],
            counts[:, rows] + is_entity,
            messages.step,
            messages.into[:, start:end],
        )
    return counts


def _carry(
    said: FloatArray, counts: FloatArray, step: FloatArray, heard: FloatArray
) -> FloatArray:
    total = numpy.matmul(said * counts, step)
    return numpy.divide(total, heard, out=numpy.zeros_like(total), where=heard > 0)


def _carry_in_log_space(
    said: FloatArray, counts: FloatArray, step: FloatArray, heard: FloatArray
) -> FloatArray:
    heard = numpy.where(numpy.isfinite(heard), heard, 0.0)
    share = numpy.exp(said[:, :, :, None] + step[:, None] - heard[:, :, None, :])
    # Logarithms of long sequences are large and the shares rounded: a mean must not be.
    total = (share * counts[:, :, :, None]).sum(axis=2)
    sums = share.sum(axis=2)
    return numpy.divide(total, sums, out=numpy.zeros_like(total), where=sums > 0)


def _covary_pairs(
    messages: Messages, packing: Packing, to_left: FloatArray, to_right: FloatArray
) -> FloatArray:
    """Sum over neighbours of P(i, j) (to_left[i] + to_right[j]): what the tags of two
    neighbours say of the count to either side, less the mean.
    """
    into_left, _ = _by_token(messages.into, packing)
    out_left, out_right = _by_token(messages.out, packing)
    is_first = numpy.zeros(len(out_left), dtype=bool)
    is_first[packing.firsts] = True
    later = numpy.flatnonzero(~is_first)
    left, right = out_left[later - 1], out_right[later]
    heard = into_left[later]
    a, b = to_left[later - 1], to_right[later]
    step = messages.step[0]
    if messages.in_log_space:
        norm = numpy.logaddexp.reduce(heard + right, axis=1)
        return _covary_in_log_space(left, step, right - norm[:, None], a, b)
    right = right / (heard * right).sum(axis=1, keepdims=True)
    return step * ((left * a).T @ right + left.T @ (right * b))


def _covary_in_log_space(
    left: FloatArray,
    step: FloatArray,
    right: FloatArray,
    to_left: FloatArray,
    to_right: FloatArray,
    chunk: int = 256,
) -> FloatArray:
    total = numpy.zeros(step.shape)
    for start in range(0, len(left), chunk):
        rows = slice(start, start + chunk)
        joint = numpy.exp(left[rows, :, None] + step + right[rows, None, :])
        total += (joint * (to_left[rows, :, None] + to_right[rows, None, :])).sum(
            axis=0
        )
    return total
