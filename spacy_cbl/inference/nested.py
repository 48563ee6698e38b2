"""The closed form where the rows are nested: of any two, one lies within the other or
they share no token. The ratio window and the share of P are (P lies in T).

Sets of positives that keep nested bounds can be built greedily, as in a matroid. Rows
are taken from the smallest: the tokens with the highest C_1 − C_0 fill the lower bound
of a row, and only as many as its upper bound has room for go on to the next. At the end
tokens are added while C_1 > C_0. Selection, not sorting: the time is linear.
"""

from typing import List, Optional, Tuple

import numpy

from ..types import BoolArray, FloatArray, IntArray
from .classes import Classes


def is_nested(in_row: BoolArray) -> bool:
    """Whether of any two rows one lies within the other or they share no class.

    in_row (BoolArray): Whether a class (first axis) is in a row (second axis).
    RETURNS (bool): Whether `solve_nested` may be used.
    """
    sizes = in_row.sum(axis=0)
    shared = in_row.T.astype(int) @ in_row.astype(int)
    smaller = numpy.minimum(sizes[:, None], sizes)
    return bool(((shared == 0) | (shared == smaller)).all())


def solve_nested(
    weights: FloatArray, fixed: BoolArray, classes: Classes
) -> Optional[BoolArray]:
    """Choose the positives.

    weights (FloatArray): C_1i − C_0i.
    fixed (BoolArray): The tokens that must stay O.
    classes (Classes): The rows; nested.
    RETURNS (Optional[BoolArray]): The positives, None if there is no solution. Of
        tokens with equal weights the earlier is chosen.
    """
    labels = numpy.zeros(len(weights), dtype=bool)
    pools = [_find_free(classes, fixed, c) for c in range(len(classes.in_row))]
    pool_of_class = list(range(len(pools)))
    for row in numpy.argsort(classes.in_row.sum(axis=0), kind="stable").tolist():
        members = numpy.flatnonzero(classes.in_row[:, row]).tolist()
        if not members:
            if classes.lower[row] > 0 or classes.upper[row] < 0:
                return None
            continue
        ids = sorted({pool_of_class[c] for c in members})
        pool = _merge([pools[i] for i in ids])
        bounds = int(classes.lower[row]), int(classes.upper[row])
        limited = _limit(weights, pool, *bounds)
        if limited is None:
            return None
        for i in ids:
            pools[i] = _EMPTY
        pools[ids[0]] = limited
        for c in members:
            pool_of_class[c] = ids[0]
    for forced, others in pools:
        labels[forced] = True
        labels[others[weights[others] > 0]] = True
    return labels


# The tokens that have to be positive, and those that may be.
_Pool = Tuple[IntArray, IntArray]
_EMPTY: _Pool = (numpy.zeros(0, dtype=int), numpy.zeros(0, dtype=int))


def _find_free(classes: Classes, fixed: BoolArray, c: int) -> _Pool:
    free = numpy.flatnonzero((classes.of_token == c) & ~fixed)
    if len(fixed) <= numpy.iinfo(numpy.int32).max:
        free = free.astype(numpy.int32)  # half the memory
    return free[:0], free


def _merge(pools: List[_Pool]) -> _Pool:
    if len(pools) == 1:
        return pools[0]
    forced, others = zip(*pools)
    return numpy.concatenate(forced), numpy.concatenate(others)


def _limit(weights: FloatArray, pool: _Pool, lower: int, upper: int) -> Optional[_Pool]:
    """Drop the tokens without room, force the best to fill the lower bound."""
    forced, others = pool
    n_missing, room = lower - len(forced), upper - len(forced)
    if n_missing > min(len(others), room) or room < 0:
        return None
    # The upper bound first: it leaves less to look at.
    if room < len(others):
        others = others[select_top(weights[others], others, room)]
    if n_missing > 0:
        chosen = select_top(weights[others], others, n_missing)
        forced = numpy.concatenate([forced, others[chosen]])
        others = others[~chosen]
    return forced, others


def select_top(values: FloatArray, ids: IntArray, k: int) -> BoolArray:
    """Select the highest values; of equal ones, those with the lowest ids.

    values (FloatArray): The values.
    ids (IntArray): What breaks ties.
    k (int): How many to select.
    RETURNS (BoolArray): The selected ones.
    """
    if k <= 0:
        return numpy.zeros(len(values), dtype=bool)
    if k >= len(values):
        return numpy.ones(len(values), dtype=bool)
    threshold = numpy.partition(values, len(values) - k)[len(values) - k]
    selected = values > threshold
    tied = numpy.flatnonzero(values == threshold)
    order = numpy.argsort(ids[tied], kind="stable")
    selected[tied[order[: k - int(selected.sum())]]] = True
    return selected
