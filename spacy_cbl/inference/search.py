"""Branch and bound: price, fix, let HiGHS solve the core, split where a gap is left."""

import heapq
import math
import time
from typing import List, NamedTuple, Optional, Tuple

import numpy

from ..types import BoolArray, IntArray
from .branch import Node, decide, find_split, make_root
from .core import find_violated, make_core
from .dual import Dual, solve_dual
from .elements import Elements

# How many elements HiGHS gets at first, and how much more each time that this proves
# too few.
FIRST_CORE, GROWTH = 1000, 4
# Which part of the gap a regret may be for the prices to be undecided.
UNDECIDED = 0.01
# How many splits in a row may leave the bound as it is before HiGHS gets more.
USELESS = 3


class _Task(NamedTuple):
    """A part of the problem that may hold a better solution."""

    bound: float
    node: Node
    dual: Dual
    core_size: int
    n_useless: int  # how many splits in a row left the bound as it is


class Search:
    """Search for the best choice of elements.

    choice (Optional[BoolArray]): The best found.
    worth (float): Its weight.
    bound (float): No choice weighs more.
    proven (bool): Whether it is the best, up to the tolerance.
    n_core (int): How many elements HiGHS had in its last run.
    """

    def __init__(
        self,
        elements: Elements,
        choice: Optional[BoolArray],
        constant: float,
        tolerance: float,
    ) -> None:
        """Start a search.

        elements (Elements): The problem.
        choice (Optional[BoolArray]): Some solution, if one is known.
        constant (float): What to add to weights to have the objective.
        tolerance (float): The gap that is good enough, relative to the objective.
        """
        self.elements = elements
        self.choice: Optional[BoolArray] = None
        self.worth, self.bound = -math.inf, math.inf
        if choice is not None and elements.is_feasible(choice):
            self._keep(choice)
        self.proven, self.n_core = False, 0
        self._constant, self._tolerance = constant, tolerance
        # The number keeps equal bounds apart, so that tasks are never compared.
        self._tasks: List[Tuple[float, int, _Task]] = []
        self._n_tasks = 0

    def run(self, deadline: float) -> None:
        """Search until the choice is proven to be best or the deadline has come.

        deadline (float): As `time.perf_counter` counts.
        """
        self._add(make_root(self.elements), deadline)
        while self._tasks:
            # The first task has the highest bound of all that is left.
            self.bound = max(-self._tasks[0][0], self.worth)
            if self.bound - self.worth <= self._slack:
                break
            if time.perf_counter() >= deadline:
                return
            task = heapq.heappop(self._tasks)[2]
            bound, closed = self._solve_core(task, deadline)
            if not closed and bound - self.worth > self._slack:
                self._continue(task, bound, deadline)
        self.bound = max(-self._tasks[0][0], self.worth) if self._tasks else self.worth
        self.proven = True

    @property
    def _slack(self) -> float:
        if self.choice is None:
            return 0.0
        return self._tolerance * max(1.0, abs(self._constant + self.worth))

    def _add(
        self,
        node: Node,
        deadline: float,
        limit: float = math.inf,
        core_size: int = 0,
        n_useless: int = 0,
    ) -> None:
        """Price a part of the problem, and keep it if it may hold a better solution."""
        core_size = core_size or FIRST_CORE
        enough = self.worth + self._slack - node.worth
        dual = solve_dual(node.elements, deadline, enough)
        if node.elements.is_feasible(dual.choice):
            self._keep(node.complete(dual.choice))
        bound = min(limit, dual.bound + node.worth)
        n_useless = 0 if bound < limit - self._slack else n_useless + 1
        if n_useless > USELESS:
            n_useless, core_size = 0, core_size * GROWTH
        self._push(_Task(bound, node, dual, core_size, n_useless))

    def _push(self, task: _Task) -> None:
        if task.bound - self.worth > self._slack:
            self._n_tasks += 1
            heapq.heappush(self._tasks, (-task.bound, self._n_tasks, task))

    def _continue(self, task: _Task, bound: float, deadline: float) -> None:
        """Split a part of the problem, or let HiGHS have more of it."""
        node, dual = task.node, task.dual
        element = None
        if not len(node.elements.local.lower):
            gap = bound - self.worth
            element = find_split(node.elements, dual.regrets, UNDECIDED * gap)
        if element is None:
            self._push(_Task(bound, node, dual, task.core_size * GROWTH, 0))
            return
        for on in (False, True):
            left = decide(node, element, on)
            self._add(left, deadline, bound, task.core_size, task.n_useless)

    def _solve_core(self, task: _Task, deadline: float) -> Tuple[float, bool]:
        """Solve the elements with the least regrets. Returns the bound of the part, and
        whether nothing is left to find in it."""
        node, dual = task.node, task.dual
        needed = self._find_needed(task)
        inside = self._limit(task, needed)
        core = make_core(node.elements, inside, dual.choice)
        self.n_core = len(inside)
        remaining = deadline - time.perf_counter()
        answer = core.solve(remaining, abs_gap=self._slack / 2)
        if answer.values is not None:
            candidate = core.choose(answer.values)
            if node.elements.is_feasible(candidate):
                self._keep(node.complete(candidate))
        # A solution agrees with the choice outside the core, or it pays the regret of
        # an element that differs.
        agreeing = answer.bound + float(node.elements.weights[core.base].sum())
        outside = numpy.ones(len(node.elements), dtype=bool)
        outside[inside] = False
        regret = float(dual.regrets[outside].min(initial=math.inf))
        bound = max(agreeing, dual.bound - regret) + node.worth
        closed = len(needed) <= task.core_size and answer.status != "limit"
        return min(bound, task.bound), closed

    def _find_needed(self, task: _Task) -> IntArray:
        """The elements that a better solution might choose otherwise."""
        if self.choice is None:
            return numpy.arange(len(task.node.elements))
        room = task.dual.bound + task.node.worth - self.worth - self._slack / 2
        return numpy.flatnonzero(task.dual.regrets <= room)

    def _limit(self, task: _Task, needed: IntArray) -> IntArray:
        """The elements with the least regrets, and those of broken rows."""
        if len(needed) <= task.core_size:
            return needed
        order = numpy.argsort(task.dual.regrets[needed], kind="stable")
        inside = needed[order[: task.core_size]]
        violated = find_violated(task.node.elements, task.dual.choice)
        if violated is not None:
            inside = numpy.append(inside, violated)
        return numpy.unique(inside)

    def _keep(self, candidate: BoolArray) -> None:
        worth = float(self.elements.weights[candidate].sum())
        if worth > self.worth:
            self.choice, self.worth = candidate, worth
