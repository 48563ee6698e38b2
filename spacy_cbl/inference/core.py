"""The core: the elements that are still open, and the rows that are left for them."""

from typing import NamedTuple, Optional, Tuple

import numpy

from ..types import BoolArray, FloatArray, IntArray
from .elements import MIDDLE, SINGLE, TAIL, TOP, Elements, number_equal
from .highs import Answer, Matrix, maximise


class Core(NamedTuple):
    """A small problem for HiGHS. Elements that no row can tell apart and that weigh the
    same are one variable: how many of them to choose.

    base (BoolArray): The choice of the elements outside, all False inside.
    elements (IntArray): The elements inside, those of the first variable first.
    column (IntArray): The variable of each.
    weights (FloatArray): The weight of one element, per variable.
    lower (FloatArray): One bound per variable.
    upper (FloatArray): One bound per variable.
    matrix (Matrix): The rows: first all dense rows, then all local rows, then stars.
    """

    base: BoolArray
    elements: IntArray
    column: IntArray
    weights: FloatArray
    lower: FloatArray
    upper: FloatArray
    matrix: Matrix

    def solve(
        self, time_limit: float, integer: bool = True, abs_gap: float = 0.0
    ) -> Answer:
        """Let HiGHS solve it.

        time_limit (float): Seconds.
        integer (bool): Whether to solve it in whole numbers.
        abs_gap (float): How far from the best the solution may be.
        RETURNS (Answer): What was found, the elements outside not counted.
        """
        return maximise(
            self.weights,
            self.lower,
            self.upper,
            self.matrix,
            integer=integer,
            time_limit=time_limit,
            abs_gap=abs_gap,
        )

    def choose(self, values: FloatArray) -> BoolArray:
        """Turn the values of the variables into a choice of elements.

        values (FloatArray): One value per variable, whole up to rounding.
        RETURNS (BoolArray): The choice; of equal elements the first ones.
        """
        starts = numpy.searchsorted(self.column, numpy.arange(len(self.weights)))
        rank = numpy.arange(len(self.elements)) - starts[self.column]
        choice = self.base.copy()
        choice[self.elements] = rank < numpy.rint(values)[self.column]
        return choice


def make_core(elements: Elements, inside: IntArray, choice: BoolArray) -> Core:
    """Leave some elements open and fix the others.

    elements (Elements): The problem.
    inside (IntArray): The elements to leave open, in order.
    choice (BoolArray): What the others are fixed to.
    RETURNS (Core): The small problem.
    """
    base = choice.copy()
    base[inside] = False
    inside, column = _merge_equal(elements, inside)
    firsts = numpy.searchsorted(column, numpy.arange(int(column.max(initial=-1)) + 1))
    heads = inside[firsts]
    lower, upper = _bound_columns(elements, heads, base, numpy.bincount(column))
    column_of = numpy.full(len(elements), -1)
    column_of[inside] = column
    parts = (
        _count_rows(elements, heads, base),
        _local_rows(elements, column_of, base),
        _star_rows(elements, column_of),
    )
    return Core(
        base, inside, column, elements.weights[heads], lower, upper, _stack(parts)
    )


def _merge_equal(elements: Elements, inside: IntArray) -> Tuple[IntArray, IntArray]:
    """Order the elements so that equal ones are neighbours, and number the variables.
    Equal are single elements of the same class, size and weight without local rows."""
    own = elements.roles != SINGLE
    own[elements.local.columns] = True
    keys = (
        numpy.where(own[inside], inside, -1),
        elements.classes[inside],
        elements.sizes[inside],
        elements.weights[inside],
    )
    order, numbers = number_equal(keys)
    return inside[order], numbers


def _bound_columns(
    elements: Elements, heads: IntArray, base: BoolArray, sizes: IntArray
) -> Tuple[FloatArray, FloatArray]:
    """Elements outside bind the others of their star: a middle that is on needs its
    top, one that is off forbids its tail, and the other way round."""
    lower, upper = numpy.zeros(len(heads)), sizes.astype(float)
    inside = numpy.zeros(len(elements), dtype=bool)
    inside[heads] = True
    top, middle, tail = elements.members
    n_stars = elements.n_stars
    needs_off = numpy.zeros(n_stars, dtype=bool)
    needs_off[elements.stars[top[~inside[top] & ~base[top]]]] = True
    needs_on = numpy.zeros(n_stars, dtype=bool)
    needs_on[elements.stars[tail[~inside[tail] & base[tail]]]] = True
    star, role = elements.stars[heads], elements.roles[heads]
    is_on, is_off = base[middle], ~inside[middle] & ~base[middle]
    for where, flags, bounds, value in (
        (role == MIDDLE, needs_off, upper, 0),
        (role == MIDDLE, needs_on, lower, 1),
        (role == TOP, is_on, lower, 1),
        (role == TAIL, is_off, upper, 0),
    ):
        bounds[numpy.flatnonzero(where)[flags[star[where]]]] = value
    return lower, upper


def _count_rows(elements: Elements, heads: IntArray, base: BoolArray) -> Matrix:
    counts = elements.counts
    taken = elements.count(base)
    values = counts.in_row[elements.classes[heads]] * elements.sizes[heads][:, None]
    columns, rows = numpy.nonzero(values)
    return Matrix(
        rows, columns, values[columns, rows], counts.lower - taken, counts.upper - taken
    )


def _local_rows(elements: Elements, column_of: IntArray, base: BoolArray) -> Matrix:
    rows, columns, values, lower, upper = elements.local
    taken = elements.local.sum(base)
    kept = column_of[columns] >= 0
    return Matrix(
        rows[kept],
        column_of[columns[kept]],
        values[kept],
        lower - taken,
        upper - taken,
    )


def _star_rows(elements: Elements, column_of: IntArray) -> Matrix:
    """x_top − x_middle >= 0 and x_middle − x_tail >= 0, where both are inside."""
    top, middle, tail = elements.members
    more = numpy.concatenate([top, middle[elements.stars[tail]]])
    less = numpy.concatenate([middle[elements.stars[top]], tail])
    kept = (column_of[more] >= 0) & (column_of[less] >= 0)
    n = int(kept.sum())
    each, ones = numpy.arange(n), numpy.ones(n)
    return Matrix(
        numpy.append(each, each),
        numpy.append(column_of[more[kept]], column_of[less[kept]]),
        numpy.append(ones, -ones),
        numpy.zeros(n),
        numpy.full(n, numpy.inf),
    )


def _stack(parts: Tuple[Matrix, ...]) -> Matrix:
    starts = numpy.cumsum([0] + [len(part.lower) for part in parts])
    rows = [part.rows + start for part, start in zip(parts, starts)]
    return Matrix(
        numpy.concatenate(rows),
        *(numpy.concatenate([part[i] for part in parts]) for i in range(1, 5)),
    )


def find_violated(elements: Elements, choice: BoolArray) -> Optional[IntArray]:
    """The elements of local rows that a choice breaks.

    elements (Elements): The problem.
    choice (BoolArray): The chosen elements.
    RETURNS (Optional[IntArray]): The elements, None if there are none.
    """
    broken, local = elements.find_broken(choice), elements.local
    return numpy.unique(local.columns[broken[local.rows]]) if broken.any() else None
