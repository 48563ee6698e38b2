"""Split a problem in two by one of its elements.

The gap between the bound and the best solution comes from elements of many tokens that
the prices are undecided about (a frequent form whose tokens are all entities, or none).
With such an element decided either way, the gap of both parts is smaller.
"""

from dataclasses import replace
from typing import NamedTuple, Optional

import numpy

from ..types import BoolArray, FloatArray, IntArray
from .elements import MIDDLE, SINGLE, TAIL, TOP, Elements

# Elements of fewer tokens are left to HiGHS.
LEAST_SIZE = 4


class Node(NamedTuple):
    """A part of the problem.

    elements (Elements): What is still open.
    ids (IntArray): The numbers that these elements have in the whole problem.
    on (BoolArray): The elements of the whole problem that are chosen already.
    worth (float): The weight of these.
    """

    elements: Elements
    ids: IntArray
    on: BoolArray
    worth: float

    def complete(self, choice: BoolArray) -> BoolArray:
        """The choice in the whole problem that a choice in this part stands for.

        choice (BoolArray): The chosen elements of this part.
        RETURNS (BoolArray): The chosen elements of the whole problem.
        """
        chosen = self.on.copy()
        chosen[self.ids[choice]] = True
        return chosen


def make_root(elements: Elements) -> Node:
    """The whole problem.

    elements (Elements): The problem.
    RETURNS (Node): Nothing is decided in it.
    """
    n = len(elements)
    return Node(elements, numpy.arange(n), numpy.zeros(n, dtype=bool), 0.0)


def find_split(
    elements: Elements, regrets: FloatArray, highest: float
) -> Optional[int]:
    """Find the element to decide: the one with the most tokens among those that the
    prices are undecided about.

    elements (Elements): The problem, without local rows.
    regrets (FloatArray): The regret of each element.
    highest (float): The highest regret that counts as undecided.
    RETURNS (Optional[int]): The element, None if there is none worth it.
    """
    can_split = (elements.roles == MIDDLE) | (elements.roles == SINGLE)
    can_split &= (elements.sizes >= LEAST_SIZE) & (regrets <= highest)
    if not can_split.any():
        return None
    return int(numpy.argmax(numpy.where(can_split, elements.sizes, 0)))


def decide(node: Node, element: int, on: bool) -> Node:
    """Decide one element, and what follows for its star.

    node (Node): The part of the problem, without local rows.
    element (int): The element; SINGLE or MIDDLE.
    on (bool): Whether to choose it.
    RETURNS (Node): The part that is left.
    """
    elements = node.elements
    decided = numpy.zeros(len(elements), dtype=bool)
    decided[element] = True
    roles, stars = elements.roles.copy(), elements.stars.copy()
    if roles[element] == MIDDLE:
        star = stars == stars[element]
        # On, it needs its top; off, it forbids its tail. The others become free.
        decided |= star & (roles == (TOP if on else TAIL))
        roles[star], stars[star] = SINGLE, -1
        stars[stars > elements.stars[element]] -= 1
    chosen, kept = decided & on, ~decided
    counts = elements.counts
    taken = elements.count(chosen)
    left = replace(
        elements,
        weights=elements.weights[kept],
        sizes=elements.sizes[kept],
        classes=elements.classes[kept],
        stars=stars[kept],
        roles=roles[kept],
        counts=replace(counts, lower=counts.lower - taken, upper=counts.upper - taken),
    )
    worth = node.worth + float(elements.weights[chosen].sum())
    return Node(left, node.ids[kept], node.complete(chosen), worth)
