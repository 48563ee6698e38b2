"""Is there any solution? Asked of counts, not of tokens, so that it is a small problem
whatever the size of the corpus; and which constraints clash if there is none.
"""

import math
from typing import List, NamedTuple, Optional, Sequence, Tuple

import numpy

from ..errors import Errors
from ..types import BoolArray, FloatArray, IntArray
from .elements import (
    MIDDLE,
    SINGLE,
    TAIL,
    TOP,
    Elements,
    build_elements,
    number_equal,
)
from .highs import Matrix, maximise
from .problem import Agreement, Count, Problem, Rule


class _Kinds(NamedTuple):
    """Elements that differ in weight alone are of one kind."""

    kind: IntArray  # of each element
    heads: IntArray  # one element of each kind
    sizes: IntArray  # how many elements each kind has


def find_feasible(
    elements: Elements, time_limit: float = math.inf
) -> Tuple[str, Optional[BoolArray]]:
    """Find some solution.

    elements (Elements): The problem.
    time_limit (float): Seconds.
    RETURNS (Tuple[str, Optional[BoolArray]]): "optimal", "infeasible" or "limit" (not
        known), and the chosen elements if there is a solution.
    """
    star_kind = _find_star_kinds(elements)
    kinds = _find_kinds(elements, star_kind)
    n = len(kinds.heads)
    matrix = _make_rows(elements, kinds, star_kind)
    answer = maximise(
        numpy.zeros(n),
        numpy.zeros(n),
        kinds.sizes.astype(float),
        matrix,
        integer=True,
        time_limit=time_limit,
    )
    if answer.values is None:
        return answer.status, None
    numbers = numpy.rint(answer.values).astype(int)
    return answer.status, _spread(elements, kinds, numbers)


def explain(problem: Problem) -> str:
    """Name constraints that clash: all of them together have no solution, and without
    any one of them there is one.

    problem (Problem): A problem without a solution.
    RETURNS (str): The message of the error.
    """
    rules, i = list(problem.rules), 0
    while i < len(rules):
        fewer = rules[:i] + rules[i + 1 :]
        if _has_solution(problem, fewer):
            i += 1
        else:
            rules = fewer
    free = numpy.zeros_like(problem.fixed)
    without_trust = Problem(problem.weights, free, problem.rules)
    trusted = problem.fixed.any() and _has_solution(without_trust, rules)
    said = [f"{rule.name} ({describe(rule, len(problem.fixed))})" for rule in rules]
    if trusted:
        said.append(f"the trusted negatives ({int(problem.fixed.sum())} tokens)")
    changes = [f"{rule.name}: {rule.relax}" for rule in rules]
    if trusted:
        changes.append("trusted negatives: remove some")
    return Errors.C200.format(clash=" and ".join(said), changes="; ".join(changes))


def describe(rule: Rule, n_tokens: int) -> str:
    """Say what a constraint asks for, in numbers.

    rule (Rule): The constraint.
    n_tokens (int): How many tokens there are.
    RETURNS (str): What it asks for.
    """
    said: List[str] = []
    for part in rule.parts[:3]:
        if isinstance(part, Count):
            n = n_tokens if part.where is None else int(part.where.sum())
            lower, upper = max(part.lower, 0), min(part.upper, n)
            wanted = (
                f"{lower:.12g}" if lower == upper else f"{lower:.12g} to {upper:.12g}"
            )
            if lower > upper:
                wanted = f"at least {lower:.12g} and at most {upper:.12g}"
            said.append(f"{wanted} of {n} tokens as entities")
        elif isinstance(part, Agreement):
            said.append(f"agreement in {len(part.at_most)} groups")
        else:
            said.append(f"{len(part.lower)} rows")
    if len(rule.parts) > 3:
        said.append(f"{len(rule.parts) - 3} more")
    return ", ".join(said)


def _has_solution(problem: Problem, rules: Sequence[Rule]) -> bool:
    fewer = Problem(problem.weights, problem.fixed, list(rules))
    return find_feasible(build_elements(fewer))[0] != "infeasible"


def _find_star_kinds(elements: Elements) -> IntArray:
    """Number the shapes of stars: class, size of top, middle and tail."""
    top, middle, tail = elements.members
    n = elements.n_stars
    shapes = numpy.stack(
        [
            elements.classes[middle],
            numpy.bincount(elements.stars[top], minlength=n),
            elements.sizes[middle],
            numpy.bincount(elements.stars[tail], minlength=n),
        ],
        axis=1,
    )
    return numpy.unique(shapes, axis=0, return_inverse=True)[1].reshape(-1)


def _find_kinds(elements: Elements, star_kind: IntArray) -> _Kinds:
    own = numpy.full(len(elements), -1)
    own[elements.local.columns] = elements.local.columns
    shape = numpy.full(len(elements), -1)
    in_star = elements.stars >= 0
    shape[in_star] = star_kind[elements.stars[in_star]]
    keys = (own, shape, elements.roles, elements.classes, elements.sizes)
    order, numbers = number_equal(keys)
    kind = numpy.zeros(len(order), dtype=int)
    kind[order] = numbers
    _, heads, sizes = numpy.unique(kind, return_index=True, return_counts=True)
    return _Kinds(kind, heads, sizes)


def _make_rows(elements: Elements, kinds: _Kinds, star_kind: IntArray) -> Matrix:
    """Dense rows over kinds, local rows as they are, and for each shape of star
    Σ top >= n_top Σ middle and Σ tail <= n_tail Σ middle."""
    counts, local, heads = elements.counts, elements.local, kinds.heads
    values = counts.in_row[elements.classes[heads]] * elements.sizes[heads][:, None]
    columns, rows = numpy.nonzero(values)
    role = elements.roles[heads]
    shape = numpy.where(elements.stars[heads] >= 0, elements.stars[heads], 0)
    shape = star_kind[shape] if len(star_kind) else shape
    middle_of = numpy.zeros(len(heads) + 1, dtype=int)
    middle_of[shape[role == MIDDLE]] = numpy.flatnonzero(role == MIDDLE)
    others = numpy.flatnonzero((role == TOP) | (role == TAIL))
    middles = middle_of[shape[others]]
    sign = numpy.where(role[others] == TOP, 1.0, -1.0)
    per_star = kinds.sizes[others] / kinds.sizes[middles]
    each = numpy.arange(len(others)) + len(counts.lower) + len(local.lower)
    return Matrix(
        numpy.concatenate([rows, local.rows + len(counts.lower), each, each]),
        numpy.concatenate([columns, kinds.kind[local.columns], others, middles]),
        numpy.concatenate(
            [values[columns, rows], local.values, sign, -sign * numpy.rint(per_star)]
        ),
        numpy.concatenate([counts.lower, local.lower, numpy.zeros(len(others))]),
        numpy.concatenate(
            [counts.upper, local.upper, numpy.full(len(others), math.inf)]
        ),
    )


def _spread(elements: Elements, kinds: _Kinds, numbers: IntArray) -> BoolArray:
    """Choose as many elements of each kind as were counted, the heaviest ones."""
    choice = numpy.zeros(len(elements), dtype=bool)
    open_star = numpy.zeros(elements.n_stars + 1, dtype=bool)
    for roles in ((SINGLE, MIDDLE), (TOP, TAIL)):
        ids = numpy.flatnonzero(numpy.isin(elements.roles, roles))
        # Open stars come first: their top has to be on, and theirs is the only tail.
        is_open = open_star[elements.stars[ids]]
        order = numpy.lexsort((-elements.weights[ids], ~is_open, kinds.kind[ids]))
        kind = kinds.kind[ids[order]]
        choice[ids[order]] = _rank(kind) < numbers[kind]
        middle = elements.members[1]
        open_star[: elements.n_stars] = choice[middle]
    return choice


def _rank(sorted_ids: IntArray) -> FloatArray:
    return numpy.arange(len(sorted_ids)) - numpy.searchsorted(sorted_ids, sorted_ids)
