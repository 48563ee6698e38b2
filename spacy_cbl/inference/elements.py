"""The problem made smaller: elements are chosen in place of tokens.

Tokens of a group of an `Agreement` that are in the same rows can be told apart by their
weight alone, so some best solution takes the k heaviest of the group, with k <= l or
k >= h. Hence, from the heaviest on, the first l tokens are free to choose (top), the
next h − l are positive together or not at all (middle), and the rest is free (tail),
where a positive middle needs all of the top, and a positive tail token needs the
middle: a star of precedences. Such a star has no fractional corners: with it the linear
relaxation is as tight as it can be, which |s| a_s + Σ y_1i >= α |s| is far from.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import List, NamedTuple, Tuple

import numpy

from ..types import BoolArray, FloatArray, IntArray
from .classes import MAX_ROWS, Classes, classify
from .highs import Matrix
from .local_rows import LocalRows, add_agreement
from .problem import ROUNDING, Agreement, Count, Problem, Rows

SINGLE, TOP, MIDDLE, TAIL = range(4)


@dataclass(frozen=True)
class Elements:
    """What is to be chosen. Arrays have one value per element unless said otherwise.

    weights (FloatArray): The sum of C_1i − C_0i over the tokens of the element.
    sizes (IntArray): How many tokens it has; 0 for a variable of `Rows`.
    classes (IntArray): The class of its tokens.
    stars (IntArray): The star it belongs to, -1 for none.
    roles (IntArray): SINGLE, or what it is in its star.
    counts (Classes): The classes and the rows that these are in.
    local (Matrix): The other rows, over elements; those touch SINGLE elements only.
    tokens (IntArray): The tokens of the first element, then those of the second ...
    n_tokens (int): How many tokens there are, fixed ones included.
    """

    weights: FloatArray
    sizes: IntArray
    classes: IntArray
    stars: IntArray
    roles: IntArray
    counts: Classes
    local: Matrix
    tokens: IntArray
    n_tokens: int

    def __len__(self) -> int:
        return len(self.weights)

    @cached_property
    def n_stars(self) -> int:
        return int(self.stars.max(initial=-1)) + 1

    @cached_property
    def members(self) -> Tuple[IntArray, IntArray, IntArray]:
        """The top, the middle and the tail elements; one middle per star, in order."""
        top, middle, tail = (
            numpy.flatnonzero(self.roles == role) for role in (TOP, MIDDLE, TAIL)
        )
        return top, middle, tail

    def label(self, choice: BoolArray) -> BoolArray:
        """Mark the tokens of chosen elements.

        choice (BoolArray): The chosen elements.
        RETURNS (BoolArray): One value per token.
        """
        labels = numpy.zeros(self.n_tokens, dtype=bool)
        labels[self.tokens] = numpy.repeat(choice, self.sizes)
        return labels

    def count(self, choice: BoolArray) -> FloatArray:
        """How many tokens of a choice are in each dense row.

        choice (BoolArray): The chosen elements.
        RETURNS (FloatArray): One number per row.
        """
        counts = self.counts
        n_classes = len(counts.in_row)
        return (
            numpy.bincount(self.classes, self.sizes * choice, n_classes) @ counts.in_row
        )

    def find_broken(self, choice: BoolArray) -> BoolArray:
        """Which local rows a choice breaks.

        choice (BoolArray): The chosen elements.
        RETURNS (BoolArray): One value per row.
        """
        sums = self.local.sum(choice)
        too_low = sums < self.local.lower - ROUNDING
        return too_low | (sums > self.local.upper + ROUNDING)

    def is_feasible(self, choice: BoolArray) -> bool:
        """Whether a choice keeps every row, and every star its precedences.

        choice (BoolArray): The chosen elements.
        RETURNS (bool): Whether it is a solution.
        """
        counts = self.count(choice)
        top, middle, tail = self.members
        is_open = choice[middle]
        return bool(
            (counts >= self.counts.lower).all()
            and (counts <= self.counts.upper).all()
            and not self.find_broken(choice).any()
            and (choice[top] >= is_open[self.stars[top]]).all()
            and (choice[tail] <= is_open[self.stars[tail]]).all()
        )


class _Block(NamedTuple):
    """Some elements and their tokens."""

    tokens: IntArray
    element_of_token: IntArray
    stars: IntArray  # per element, as are the roles
    roles: IntArray


def number_equal(keys: Tuple[IntArray, ...]) -> Tuple[IntArray, IntArray]:
    """Sort elements, and number those that are equal in all keys alike.

    keys (Tuple[IntArray, ...]): One value per element each; the last counts most.
    RETURNS (Tuple[IntArray, IntArray]): Their order, and the numbers in this order.
    """
    order = numpy.lexsort(keys)
    differs = numpy.zeros(len(order), dtype=bool)
    for key in keys:
        differs[1:] |= key[order][1:] != key[order][:-1]
    return order, numpy.cumsum(differs)


def build_elements(problem: Problem) -> Elements:
    """Turn tokens into elements.

    problem (Problem): The problem.
    RETURNS (Elements): The elements. Fixed tokens are in none of them.
    """
    n = len(problem.weights)
    counts, agreements, local = _sort_parts(problem)
    classes = classify(counts, n)
    free = ~problem.fixed
    stars = _make_stars(problem.weights, free, classes.of_token, agreements, local)
    free[stars.tokens] = False
    singles = numpy.flatnonzero(free)
    order = numpy.concatenate([singles, stars.tokens])
    n_elements = len(singles) + len(stars.roles)
    element = numpy.append(
        numpy.arange(len(singles)), stars.element_of_token + len(singles)
    )
    firsts = numpy.zeros(n_elements, dtype=int)
    firsts[element[::-1]] = order[::-1]
    extra = numpy.zeros(local.n_extra, dtype=int)
    return Elements(
        weights=numpy.append(
            numpy.bincount(element, problem.weights[order], n_elements), extra
        ),
        sizes=numpy.append(numpy.bincount(element, minlength=n_elements), extra),
        classes=numpy.append(classes.of_token[firsts].astype(int), extra),
        stars=numpy.concatenate([_none(len(singles)), stars.stars, extra - 1]),
        roles=numpy.concatenate([_single(len(singles)), stars.roles, extra]),
        counts=classes,
        local=local.over_elements(singles, n_elements),
        tokens=order,
        n_tokens=n,
    )


def _sort_parts(problem: Problem) -> Tuple[List[Count], List[Agreement], LocalRows]:
    """Keep the largest counts as dense rows and the first agreement as groups; all else
    becomes rows."""
    n = len(problem.weights)
    counts = [part for part in problem.parts if isinstance(part, Count)]
    counts.sort(key=lambda c: -(n if c.where is None else int(c.where.sum())))
    local = LocalRows(n)
    for count in counts[MAX_ROWS:]:
        local.add_count(count)
    for part in problem.parts:
        if isinstance(part, Rows):
            local.add(part)
    agreements = [part for part in problem.parts if isinstance(part, Agreement)]
    for agreement in agreements[1:]:
        chosen = numpy.ones(len(agreement.at_most), dtype=bool)
        add_agreement(local, agreement, ~problem.fixed, chosen)
    return counts[:MAX_ROWS], agreements[:1], local


def _make_stars(
    weights: FloatArray,
    free: BoolArray,
    classes: IntArray,
    agreements: List[Agreement],
    local: LocalRows,
) -> _Block:
    """Find the elements of the groups; tokens that cannot be positive become fixed
    (`free` is changed), and groups of tokens that rows can tell apart become rows."""
    empty = numpy.zeros(0, dtype=int)
    if not agreements:
        return _Block(empty, empty, empty, empty)
    agreement = agreements[0]
    groups, at_most, at_least = agreement.groups, agreement.at_most, agreement.at_least
    members = numpy.flatnonzero(free & (groups >= 0))
    sizes = numpy.bincount(groups[members], minlength=len(at_most))
    bound = (at_least > at_most + 1) & (at_most < sizes) & (at_least > 0)
    mixed = _find_mixed(groups[members], classes[members], len(at_most))
    mixed |= numpy.bincount(
        groups[members], local.touched()[members], len(at_most)
    ).astype(bool)
    mixed |= at_most < 0
    add_agreement(local, agreement, free, bound & mixed)
    members = members[(bound & ~mixed)[groups[members]]]
    members = members[numpy.lexsort((-weights[members], groups[members]))]
    group = groups[members]
    starts = numpy.cumsum(sizes * (bound & ~mixed)) - sizes
    rank = numpy.arange(len(members)) - starts[group]
    # Too few tokens are free for a positive middle: only the top is left.
    low_only = (at_least > sizes)[group]
    free[members[low_only & (rank >= at_most[group])]] = False
    members, group, rank = members[~low_only], group[~low_only], rank[~low_only]
    return _make_block(members, group, rank, at_most, at_least, sizes)


def _make_block(
    members: IntArray,
    group: IntArray,
    rank: IntArray,
    at_most: IntArray,
    at_least: IntArray,
    sizes: IntArray,
) -> _Block:
    roles = numpy.where(rank < at_most[group], TOP, MIDDLE)
    roles[rank >= at_least[group]] = TAIL
    starts_element = (roles != MIDDLE) | (rank == at_most[group])
    element = numpy.cumsum(starts_element) - 1
    roles, group = roles[starts_element], group[starts_element]
    # A middle without top and tail is free like a single token.
    whole = (at_most[group] == 0) & (at_least[group] == sizes[group])
    roles[whole] = SINGLE
    is_star = numpy.zeros(len(sizes), dtype=bool)
    is_star[group[~whole]] = True
    stars = numpy.where(whole, -1, (numpy.cumsum(is_star) - 1)[group])
    return _Block(members, element, stars, roles)


def _find_mixed(group: IntArray, classes: IntArray, n_groups: int) -> BoolArray:
    """The groups whose tokens are not all in one class."""
    lowest = numpy.full(n_groups, numpy.iinfo(int).max)
    highest = numpy.full(n_groups, -1)
    numpy.minimum.at(lowest, group, classes)
    numpy.maximum.at(highest, group, classes)
    return highest > lowest


def _none(n: int) -> IntArray:
    return numpy.full(n, -1)


def _single(n: int) -> IntArray:
    return numpy.full(n, SINGLE)
