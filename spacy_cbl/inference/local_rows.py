"""Rows that are not priced: those of third parties, and groups whose tokens other rows
tell apart.
"""

from typing import List, Tuple

import numpy

from ..types import BoolArray, FloatArray, IntArray
from .highs import Matrix
from .problem import Agreement, Count, Rows


class LocalRows:
    """Collects rows over tokens and extra variables."""

    def __init__(self, n_tokens: int) -> None:
        """Start without rows.

        n_tokens (int): How many tokens there are.
        """
        self.n_tokens = n_tokens
        self.n_extra = 0
        self._parts: List[Rows] = []

    def add(self, part: Rows) -> None:
        """Add rows; their extra variables are put after those that are there.

        part (Rows): The rows.
        """
        shift = numpy.where(part.columns >= self.n_tokens, self.n_extra, 0)
        self._parts.append(
            Rows(part.rows, part.columns + shift, part.values, part.lower, part.upper)
        )
        self.n_extra += part.n_extra

    def add_count(self, count: Count) -> None:
        """Add one row over some tokens.

        count (Count): The row.
        """
        if count.where is None:
            tokens = numpy.arange(self.n_tokens)
        else:
            tokens = numpy.flatnonzero(count.where)
        self.add(
            Rows(
                rows=numpy.zeros(len(tokens), dtype=int),
                columns=tokens,
                values=numpy.ones(len(tokens)),
                lower=numpy.array([count.lower], dtype=float),
                upper=numpy.array([count.upper], dtype=float),
            )
        )

    def touched(self) -> BoolArray:
        """The tokens that are in some row."""
        found = numpy.zeros(self.n_tokens + self.n_extra, dtype=bool)
        for part in self._parts:
            found[part.columns] = True
        return found[: self.n_tokens]

    def over_elements(self, singles: IntArray, n_elements: int) -> Matrix:
        """Number the variables as elements.

        singles (IntArray): The tokens that are elements, in order, from element 0.
        n_elements (int): How many elements come before the extra variables.
        RETURNS (Matrix): The rows; fixed tokens, which are 0, are left out.
        """
        if not self._parts:
            none, no_floats = numpy.zeros(0, dtype=int), numpy.zeros(0)
            return Matrix(none, none, no_floats, no_floats, no_floats)
        element = numpy.full(self.n_tokens + self.n_extra, -1)
        element[singles] = numpy.arange(len(singles))
        element[self.n_tokens :] = n_elements + numpy.arange(self.n_extra)
        starts = numpy.cumsum([0] + [len(part.lower) for part in self._parts])
        columns = element[numpy.concatenate([part.columns for part in self._parts])]
        kept = columns >= 0
        rows = [part.rows + start for part, start in zip(self._parts, starts)]
        values = numpy.concatenate([part.values for part in self._parts])
        return Matrix(
            *_add_equal(numpy.concatenate(rows)[kept], columns[kept], values[kept]),
            numpy.concatenate([part.lower for part in self._parts]).astype(float),
            numpy.concatenate([part.upper for part in self._parts]).astype(float),
        )


def _add_equal(
    rows: IntArray, columns: IntArray, values: FloatArray
) -> Tuple[IntArray, IntArray, FloatArray]:
    """Add up the entries at the same place, which HiGHS does not accept twice."""
    order = numpy.lexsort((columns, rows))
    rows, columns = rows[order], columns[order]
    starts = numpy.ones(len(order), dtype=bool)
    starts[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    sums = numpy.bincount(numpy.cumsum(starts) - 1, values[order])
    return rows[starts], columns[starts], sums


def add_agreement(
    local: LocalRows, agreement: Agreement, free: BoolArray, chosen: BoolArray
) -> None:
    """Write groups as rows with one binary variable z each, 1 where Σ y >= at_least:
    Σ y − at_least z >= 0 and Σ y − (n − at_most) z <= at_most for n tokens.

    local (LocalRows): Where to add them.
    agreement (Agreement): The groups.
    free (BoolArray): The tokens that are not fixed.
    chosen (BoolArray): The groups to write.
    """
    if not chosen.any():
        return
    groups = agreement.groups
    members = numpy.flatnonzero(free & (groups >= 0) & chosen[groups])
    number = numpy.cumsum(chosen) - 1
    group, n = number[groups[members]], int(chosen.sum())
    at_most, at_least = agreement.at_most[chosen], agreement.at_least[chosen]
    sizes = numpy.bincount(group, minlength=n)
    each, ones = numpy.arange(n), numpy.ones(len(members))
    z = local.n_tokens + each
    local.add(
        Rows(
            rows=numpy.concatenate([group, each, group + n, each + n]),
            columns=numpy.concatenate([members, z, members, z]),
            values=numpy.concatenate([ones, -at_least, ones, at_most - sizes]),
            lower=numpy.append(numpy.zeros(n), numpy.full(n, -numpy.inf)),
            upper=numpy.append(numpy.full(n, numpy.inf), at_most),
            n_extra=n,
        )
    )
