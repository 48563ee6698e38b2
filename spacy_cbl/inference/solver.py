"""Solve the integer linear program, exactly and at scale.

Nested rows without anything else (the paper's problem) have a closed form: `nested`.
Otherwise the rows are priced (`dual`), elements whose regret exceeds the proven gap are
fixed, HiGHS solves the `core` that is left, and where that is still too much the
problem is split (`search`).
"""

import math
import time
import warnings
from dataclasses import dataclass
from typing import NamedTuple, Optional, Sequence

import numpy

from ..errors import Errors, Warnings
from ..types import BoolArray, FloatArray
from .classes import MAX_ROWS, classify
from .elements import build_elements
from .feasible import explain, find_feasible
from .nested import is_nested, solve_nested
from .problem import Constraint, Count, Problem, build_problem
from .search import Search
from .tokens import Tokens

# Relative to the objective: what floating point can tell apart.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Solution:
    """The labels that inference chose.

    labels (BoolArray): y_1, whether each token is part of an entity.
    objective (float): Σ C_0 y_0 + C_1 y_1.
    bound (float): No solution has a higher objective.
    gap (float): (bound − objective) / max(1, |objective|).
    status (str): "optimal" or "time_limit".
    seconds (float): How long it took.
    n_core (int): How many elements HiGHS had to decide in its last run.
    """

    labels: BoolArray
    objective: float
    bound: float
    gap: float
    status: str
    seconds: float
    n_core: int


class _Found(NamedTuple):
    """What is known of the best choice; the worth is Σ (C_1 − C_0) y_1."""

    labels: BoolArray
    worth: float
    bound: float
    proven: bool
    n_core: int


def infer(
    tokens: Tokens,
    c0: FloatArray,
    c1: FloatArray,
    constraints: Sequence[Constraint],
    *,
    time_limit: float = 60.0,
) -> Solution:
    """Label tokens such that the scores are highest and the constraints hold.

    tokens (Tokens): The tokens T of the corpus.
    c0 (FloatArray): C_0, the score of each token as no entity.
    c1 (FloatArray): C_1, its score as part of an entity.
    constraints (Sequence[Constraint]): What has to hold.
    time_limit (float): Seconds, after which the best solution found is returned.
    RETURNS (Solution): The labels, and what is proven of them.
    """
    start = time.perf_counter()
    c0, c1 = numpy.asarray(c0), numpy.asarray(c1)
    problem = build_problem(tokens, c0, c1, constraints)
    constant = float(c0.sum(dtype=numpy.float64))
    found = _solve(problem, constant, start + time_limit)
    objective = constant + found.worth
    bound = max(constant + found.bound, objective)
    relative = (bound - objective) / max(1.0, abs(objective))
    if not found.proven:
        warnings.warn(Warnings.C230.format(seconds=time_limit, gap=relative))
    return Solution(
        labels=found.labels,
        objective=objective,
        bound=bound,
        gap=relative,
        status="optimal" if found.proven else "time_limit",
        seconds=time.perf_counter() - start,
        n_core=found.n_core,
    )


def _solve(problem: Problem, constant: float, deadline: float) -> _Found:
    labels = _solve_closed_form(problem)
    if labels is not None:
        worth = float(problem.weights[labels].sum())
        return _Found(labels, worth, worth, True, 0)
    start = time.perf_counter()
    elements = build_elements(problem)
    # Without local rows this is a small problem: a solution is worth having whatever
    # the time limit.
    limit = (
        math.inf if not len(elements.local.lower) else deadline - time.perf_counter()
    )
    status, choice = find_feasible(elements, limit)
    if status == "infeasible":
        raise ValueError(explain(problem))
    search = Search(elements, choice, constant, TOLERANCE)
    search.run(deadline)
    if search.choice is None:
        if search.proven:
            raise ValueError(explain(problem))
        seconds = round(time.perf_counter() - start, 1)
        raise RuntimeError(Errors.C212.format(seconds=seconds))
    return _Found(
        elements.label(search.choice),
        search.worth,
        search.bound,
        search.proven,
        search.n_core,
    )


def _solve_closed_form(problem: Problem) -> Optional[BoolArray]:
    if len(problem.weights) == 0:
        return numpy.zeros(0, dtype=bool)
    counts = [part for part in problem.parts if isinstance(part, Count)]
    if len(counts) < len(problem.parts) or len(counts) > MAX_ROWS:
        return None
    classes = classify(counts, len(problem.weights))
    if not is_nested(classes.in_row):
        return None
    labels = solve_nested(problem.weights, problem.fixed, classes)
    if labels is None:
        raise ValueError(explain(problem))
    return labels
