"""The marginal conditional random field: partition functions, gradients, decoding.

Sequences are laid end to end: `emissions` has a row per token and a column per tag.
`transitions[i, j]` is the score of tag j after tag i; its last row scores the first
tag of a sequence, its last column the last one. `legal` has the same shape and says
which of these steps exist: all others are left out of every sum and of decoding.
"""

from typing import NamedTuple, Optional, Tuple

import numpy

from ..types import BoolArray, FloatArray, IntArray
from .messages import expected_steps, join, log_partition, pass_messages
from .packing import pack


class Posterior(NamedTuple):
    """The distribution over tag sequences: a Markov chain along the tokens. With s the
    token after t, P(tag of s = j | tag of t = i) is
    step[i, j] ahead[s, j] / onward[t, i].
    """

    marginals: FloatArray  # P(tag of token i = j)
    onward: FloatArray  # all that comes after a token, given its tag
    ahead: FloatArray  # the same with the token itself
    step: FloatArray  # tag to tag
    in_log_space: bool  # whether the last three are logarithms


def marginal_loss(
    emissions: FloatArray,
    transitions: FloatArray,
    legal: BoolArray,
    lengths: IntArray,
    soft_labels: FloatArray,
) -> Tuple[FloatArray, FloatArray, FloatArray]:
    """The loss log Z - log Z_G of each sequence and its exact gradient, where Z_G
    weighs each tag sequence y by the product of G[i, y_i] (paper, section 4.3.2).

    emissions (FloatArray): Scores (tokens x tags).
    transitions (FloatArray): Scores (tags + 1 x tags + 1).
    legal (BoolArray): Which transitions exist (tags + 1 x tags + 1).
    lengths (IntArray): Tokens per sequence.
    soft_labels (FloatArray): G, from 0 to 1 (tokens x tags). Must leave each sequence
        a legal path: the loss is infinite and the gradient undefined otherwise.
    RETURNS (Tuple[FloatArray, FloatArray, FloatArray]): Loss per sequence, gradient of
        the sum for the emissions and for the transitions.
    """
    packing = pack(lengths)
    d_emissions = numpy.zeros(emissions.shape)
    if not len(packing.order):
        return numpy.zeros(len(lengths)), d_emissions, numpy.zeros(transitions.shape)
    messages = pass_messages(emissions, transitions, legal, packing, soft_labels)
    products, totals = join(messages, packing, 2)
    log_z = log_partition(messages, packing, totals, 2)
    loss = numpy.zeros(len(lengths))
    loss[packing.order] = log_z[:, 0] - log_z[:, 1]
    d_emissions[packing.forward] = products[:, 0] - products[:, 1]
    d_transitions = expected_steps(messages, packing, products, 2)
    return loss, d_emissions, d_transitions[0] - d_transitions[1]


def posterior(
    emissions: FloatArray,
    transitions: FloatArray,
    legal: BoolArray,
    lengths: IntArray,
    allowed: Optional[FloatArray] = None,
) -> Posterior:
    """The distribution over tag sequences.

    allowed (Optional[FloatArray]): Factors from 0 to 1 (tokens x tags) to condition on.
    RETURNS (Posterior): Token marginals and what span marginals need.
    """
    packing = pack(lengths)
    n_tokens, n_tags = emissions.shape
    messages = pass_messages(
        emissions, transitions, legal, packing, allowed, free=False
    )
    products, _ = join(messages, packing, 1)
    marginals = numpy.zeros((n_tokens, n_tags))
    onward = numpy.zeros((n_tokens, n_tags))
    ahead = numpy.zeros((n_tokens, n_tags))
    if len(packing.order):
        marginals[packing.forward] = products[:, 0]
        onward[packing.backward] = messages.into[1]
        ahead[packing.backward] = messages.out[1]
    return Posterior(marginals, onward, ahead, messages.step[0], messages.in_log_space)


def step_probabilities(
    chain: Posterior, tokens: IntArray, tags: IntArray, next_tags: IntArray
) -> FloatArray:
    """P(tag of the next token | tag of this token) for tokens inside a sequence.

    chain (Posterior): The distribution.
    tokens (IntArray): Tokens that are not the last of their sequence.
    tags (IntArray): The tag of each.
    next_tags (IntArray): The tag of the token after each.
    RETURNS (FloatArray): One probability per token.
    """
    step = chain.step[tags, next_tags]
    ahead = chain.ahead[tokens + 1, next_tags]
    onward = chain.onward[tokens, tags]
    if chain.in_log_space:
        return numpy.exp(step + ahead - onward)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        return numpy.nan_to_num(step * ahead / onward)


def span_marginals(
    chain: Posterior,
    tags: IntArray,
    starts: IntArray,
    ends: IntArray,
    closing: Optional[IntArray] = None,
) -> FloatArray:
    """The probability that each span is tagged just as given.

    chain (Posterior): The distribution.
    tags (IntArray): One tag per token; those inside the spans count.
    starts (IntArray): First token of each span.
    ends (IntArray): Token after the last of each span, in the same sequence.
    closing (Optional[IntArray]): For schemes that do not mark the last token: the tag
        that would continue the span, or -1 where the span ends its sequence.
    RETURNS (FloatArray): One probability per span.
    """
    probs = chain.marginals[starts, tags[starts]]
    widths = ends - starts - 1
    span = numpy.repeat(numpy.arange(len(starts)), widths)
    rank = numpy.arange(len(span)) - numpy.repeat(numpy.cumsum(widths) - widths, widths)
    tokens = starts[span] + rank
    steps = step_probabilities(chain, tokens, tags[tokens], tags[tokens + 1])
    numpy.multiply.at(probs, span, steps)
    if closing is not None and len(starts):
        open_ended = closing >= 0
        lasts = ends[open_ended] - 1
        probs[open_ended] *= 1 - step_probabilities(
            chain, lasts, tags[lasts], closing[open_ended]
        )
    return numpy.clip(probs, 0.0, 1.0)


def viterbi(
    emissions: FloatArray, transitions: FloatArray, legal: BoolArray, lengths: IntArray
) -> IntArray:
    """The best legal tag sequences.

    RETURNS (IntArray): One tag per token.
    """
    packing = pack(lengths)
    n_tags = emissions.shape[1]
    table = numpy.where(legal, transitions, -numpy.inf).astype(emissions.dtype)
    steps, first, last = table[:n_tags, :n_tags], table[n_tags, :-1], table[:-1, n_tags]
    best = emissions[packing.forward]
    # Keep only the best score of each tag. Which tag it came from is found again on
    # the way back, for the one path that is wanted.
    previous = 0
    for t, (start, end) in enumerate(zip(packing.offsets, packing.offsets[1:])):
        if t == 0:
            best[start:end] += first
        else:
            before = best[previous : previous + end - start]
            best[start:end] += (before.T[:, :, None] + steps[:, None, :]).max(axis=0)
        best[start:end] -= best[start:end].max(axis=1, keepdims=True)
        previous = start
    packed = numpy.zeros(len(best), dtype=numpy.int32)
    n_going = 0
    for start, end in zip(packing.offsets[-2::-1], packing.offsets[:0:-1]):
        scores = best[start:end]
        scores[:n_going] += steps.T[packed[end : end + n_going]]
        scores[n_going:] += last
        packed[start:end] = scores.argmax(axis=1)
        n_going = end - start
    tags = numpy.zeros(len(emissions), dtype=numpy.int32)
    tags[packing.forward] = packed
    return tags
