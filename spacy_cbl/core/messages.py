"""Forward and backward messages of a conditional random field, and what they add up to.

Free chains and chains weighted by factors run side by side, in both directions at once:
as scaled probabilities, or as logarithms where those could underflow. See `crf` for the
meaning of emissions, transitions and `legal`.
"""

from typing import NamedTuple, Optional, Tuple

import numpy

from ..types import BoolArray, FloatArray, IntArray
from .packing import Packing

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


def pass_messages(
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


def join(
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


def log_partition(
    messages: Messages, packing: Packing, totals: FloatArray, n_chains: int
) -> FloatArray:
    """log Z per sequence (longest first) and chain, of scores less their maxima."""
    rows, scales = numpy.empty_like(totals), numpy.empty_like(totals)
    rows[packing.forward] = totals
    scales[packing.forward] = messages.log_scale.reshape((-1, n_chains))
    in_order = numpy.sort(packing.firsts)
    sums = numpy.add.reduceat(scales, in_order, axis=0)
    return rows[packing.lasts] + sums[numpy.searchsorted(in_order, packing.firsts)]


def expected_steps(
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
