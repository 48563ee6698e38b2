"""The marginal conditional random field: partition functions, gradients, decoding.

Sequences are laid end to end: `emissions` has a row per token and a column per tag.
`transitions[i, j]` is the score of tag j after tag i; its last row scores the first
tag of a sequence, its last column the last one. `legal` has the same shape and says
which of these steps exist: all others are left out of every sum and of decoding.
"""

from typing import NamedTuple, Optional, Tuple

import numpy

from ..types import BoolArray, FloatArray, IntArray
from .packing import Packing, pack

# Products of forward and backward messages stay above the smallest double as long as
# local scores differ by less than this. A tag is at most three steps from any other,
# so messages differ by less than three times that: 6 * 110 < 708 = -log(min double).
MAX_SPREAD = 110.0


class Messages(NamedTuple):
    """What each position hears from its left and its right, as packed rows.

    `into[0]` comes from the left in the order of `Packing.forward`, `into[1]` from the
    right in the order of `Packing.backward`; `out` is the same with the position's own
    score included. Logarithms if `in_log_space`, else scaled probabilities.
    """

    into: FloatArray
    out: FloatArray
    log_scale: FloatArray  # what scaling took away from `out[0]`, per row
    step: FloatArray  # tag to tag, in the same space
    in_log_space: bool


class Posterior(NamedTuple):
    """The distribution over tag sequences, which is a Markov chain along the tokens."""

    log_z: FloatArray  # one per sequence
    marginals: FloatArray  # P(tag of token i = j)
    onward: FloatArray  # P(next = j | this = i) is step[i, j] * ahead[next, j]
    ahead: FloatArray  # divided by onward[this, i]; see `step_probabilities`
    step: FloatArray
    in_log_space: bool


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
    messages = _pass_messages(emissions, transitions, legal, packing, soft_labels)
    products, totals = _join(messages, packing, 2)
    log_z = _log_partition(messages, packing, totals, 2)
    loss = numpy.zeros(len(lengths))
    loss[packing.order] = log_z[:, 0] - log_z[:, 1]
    d_emissions[packing.forward] = products[:, 0] - products[:, 1]
    d_transitions = _expected_steps(messages, packing, products, 2)
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
    RETURNS (Posterior): log Z, token marginals and what span marginals need.
    """
    packing = pack(lengths)
    scores = emissions
    n_tokens, n_tags = emissions.shape
    messages = _pass_messages(scores, transitions, legal, packing, allowed, free=False)
    products, totals = _join(messages, packing, 1)
    log_z = numpy.zeros(len(lengths))
    marginals = numpy.zeros((n_tokens, n_tags))
    onward = numpy.zeros((n_tokens, n_tags))
    ahead = numpy.zeros((n_tokens, n_tags))
    if len(packing.order):
        log_z[packing.order] = (
            _log_partition(messages, packing, totals, 1)[:, 0]
            + _offsets(scores, transitions, legal, lengths)[packing.order]
        )
        marginals[packing.forward] = products[:, 0]
        onward[packing.backward] = messages.into[1]
        ahead[packing.backward] = messages.out[1]
    return Posterior(
        log_z, marginals, onward, ahead, messages.step[0], messages.in_log_space
    )


def step_probabilities(chain: Posterior, tokens: IntArray, tags, next_tags):
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


def _pass_messages(
    emissions: FloatArray,
    transitions: FloatArray,
    legal: BoolArray,
    packing: Packing,
    factors: Optional[FloatArray],
    free: bool = True,
) -> Messages:
    """Forward and backward messages of all sequences at once.

    With `factors`, the chain weighted by them; with `free` too, rows alternate between
    the free chain and the weighted one.
    """
    n_tags = emissions.shape[1]
    table = transitions.astype(numpy.float64) - transitions[legal].max()
    table[~legal] = -numpy.inf
    scores = emissions.astype(numpy.float64)
    scores -= scores.max(axis=1, keepdims=True)
    in_log_space = not _is_tame(scores, table, factors)
    if not in_log_space:
        numpy.exp(table, out=table)
        numpy.exp(scores, out=scores)
    chains = [scores] if factors is None or free else []
    if factors is not None:
        chains.append(_weigh(scores, factors, in_log_space))
    local = numpy.stack(chains, axis=1)
    inner = table[:n_tags, :n_tags]
    step = numpy.stack([inner, inner.T])
    ends = numpy.stack([table[n_tags, :-1], table[:-1, n_tags]])
    local = numpy.stack([local[packing.forward], local[packing.backward]])
    local = local.reshape((2, -1, n_tags))
    sweep = _sweep_in_log_space if in_log_space else _sweep
    into, out, log_scale = sweep(local, step, ends, packing.offsets * len(chains))
    return Messages(into, out, log_scale, step, in_log_space)


def _is_tame(
    scores: FloatArray, table: FloatArray, factors: Optional[FloatArray]
) -> bool:
    """Whether scaled probabilities cannot underflow. Factors must allow one tag or all,
    or else a path could be lost that a later token makes the best.
    """
    spread = -scores.min(initial=0.0) - table[numpy.isfinite(table)].min(initial=0.0)
    if factors is not None and factors.size:
        positive = factors > 0
        n_allowed = positive.sum(axis=1)
        if not ((n_allowed == 1) | (n_allowed == factors.shape[1])).all():
            return False
        # A lone tag's factor is a scale; what matters is the spread among many.
        spread -= numpy.log(numpy.min(factors, where=positive, initial=1.0))
    return bool(spread < MAX_SPREAD)


def _weigh(scores: FloatArray, factors: FloatArray, in_log_space: bool) -> FloatArray:
    if not in_log_space:
        return scores * factors
    with numpy.errstate(divide="ignore"):
        return scores + numpy.log(factors)


def _sweep(
    local: FloatArray, step: FloatArray, ends: FloatArray, offsets: IntArray
) -> Tuple[FloatArray, FloatArray, FloatArray]:
    into, out = numpy.empty_like(local), numpy.empty_like(local)
    scale = numpy.empty(local.shape[:2] + (1,))
    previous = 0
    for t, (start, end) in enumerate(zip(offsets, offsets[1:])):
        heard = into[:, start:end]
        if t == 0:
            heard[:] = ends[:, None, :]
        else:
            before = out[:, previous : previous + end - start]
            numpy.matmul(before, step, out=heard)
        said = numpy.multiply(heard, local[:, start:end], out=out[:, start:end])
        total = numpy.sum(said, axis=2, keepdims=True, out=scale[:, start:end])
        numpy.divide(said, total, out=said, where=total > 0)
        previous = start
    with numpy.errstate(divide="ignore"):
        return into, out, numpy.log(scale[0, :, 0])


def _sweep_in_log_space(
    local: FloatArray, step: FloatArray, ends: FloatArray, offsets: IntArray
) -> Tuple[FloatArray, FloatArray, FloatArray]:
    into, out = numpy.empty_like(local), numpy.empty_like(local)
    previous = 0
    for t, (start, end) in enumerate(zip(offsets, offsets[1:])):
        heard = into[:, start:end]
        if t == 0:
            heard[:] = ends[:, None, :]
        else:
            before = out[:, previous : previous + end - start]
            heard[:] = _log_sum(before[:, :, :, None] + step[:, None], axis=2)
        out[:, start:end] = heard + local[:, start:end]
        previous = start
    return into, out, numpy.zeros(local.shape[1])


def _log_sum(X: FloatArray, axis: int) -> FloatArray:
    top = X.max(axis=axis, keepdims=True)
    top = numpy.where(numpy.isfinite(top), top, 0.0)
    with numpy.errstate(divide="ignore"):
        return numpy.log(numpy.exp(X - top).sum(axis=axis)) + top.squeeze(axis)


def _join(
    messages: Messages, packing: Packing, n_chains: int
) -> Tuple[FloatArray, FloatArray]:
    """Token marginals (rows in `forward` order x chains x tags) and the logarithm of
    what they summed to before they were normalised.
    """
    n_tags = messages.out.shape[-1]
    left = messages.out[0].reshape((-1, n_chains, n_tags))
    right = _reorder(messages.into[1].reshape((-1, n_chains, n_tags)), packing)
    if messages.in_log_space:
        joined = left + right
        totals = _log_sum(joined, axis=2)
        with numpy.errstate(invalid="ignore"):
            return numpy.exp(joined - totals[:, :, None]), totals
    joined = left * right
    sums = joined.sum(axis=2)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        return joined / sums[:, :, None], numpy.log(sums)


def _reorder(rows: FloatArray, packing: Packing) -> FloatArray:
    """Rows in `backward` order, put into `forward` order."""
    by_token = numpy.empty_like(rows)
    by_token[packing.backward] = rows
    return by_token[packing.forward]


def _log_partition(
    messages: Messages, packing: Packing, totals: FloatArray, n_chains: int
) -> FloatArray:
    """log Z per sequence (longest first) and chain, of scores less their maxima."""
    rows, scales = numpy.empty_like(totals), numpy.empty_like(totals)
    rows[packing.forward] = totals
    scales[packing.forward] = messages.log_scale.reshape((-1, n_chains))
    in_order = numpy.sort(packing.firsts)
    sums = numpy.add.reduceat(scales, in_order, axis=0)
    return rows[packing.lasts] + sums[numpy.searchsorted(in_order, packing.firsts)]


def _offsets(
    emissions: FloatArray,
    transitions: FloatArray,
    legal: BoolArray,
    lengths: IntArray,
) -> FloatArray:
    """What taking away the maxima cost each sequence."""
    lengths = numpy.asarray(lengths)
    tops = emissions.astype(numpy.float64).max(axis=1)
    sums = numpy.concatenate([[0.0], numpy.cumsum(tops)])
    ends = numpy.cumsum(lengths)
    return sums[ends] - sums[ends - lengths] + (lengths + 1) * transitions[legal].max()


def _expected_steps(
    messages: Messages, packing: Packing, products: FloatArray, n_chains: int
) -> FloatArray:
    """Expected count of each transition, per chain (chains x tags + 1 x tags + 1)."""
    n_tags = products.shape[-1]
    expected = numpy.zeros((n_chains, n_tags + 1, n_tags + 1))
    by_token = numpy.empty_like(products)
    by_token[packing.forward] = products
    expected[:, n_tags, :-1] = by_token[packing.firsts].sum(axis=0)
    expected[:, :-1, n_tags] = by_token[packing.lasts].sum(axis=0)
    shape = (-1, n_chains, n_tags)
    n_first = packing.offsets[1]
    out = messages.out[0].reshape(shape)
    into = messages.into[0].reshape(shape)[n_first:]
    right = _reorder(messages.out[1].reshape(shape), packing)[n_first:]
    left = out[packing.rows_before()]
    step = messages.step[0]
    for c in range(n_chains):
        if messages.in_log_space:
            pairs = _expected_pairs_in_log_space(left[:, c], step, right[:, c])
        else:
            norm = (into[:, c] * right[:, c]).sum(axis=1, keepdims=True)
            with numpy.errstate(divide="ignore", invalid="ignore"):
                pairs = step * (left[:, c].T @ (right[:, c] / norm))
        expected[c, :n_tags, :n_tags] = pairs
    return expected


def _expected_pairs_in_log_space(
    left: FloatArray, step: FloatArray, right: FloatArray, chunk: int = 256
) -> FloatArray:
    pairs = numpy.zeros(step.shape)
    for start in range(0, len(left), chunk):
        rows = slice(start, start + chunk)
        joint = left[rows, :, None] + step + right[rows, None, :]
        total = _log_sum(joint.reshape((len(joint), -1)), axis=1)
        pairs += numpy.exp(joint - total[:, None, None]).sum(axis=0)
    return pairs
