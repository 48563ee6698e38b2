"""The Lagrangian dual: rows priced with multipliers, so that elements part.

With multipliers λ_r of the dense rows and μ_j of the local rows, each element e with
weight w_e and size n_e has the reduced weight

    w̃_e = w_e − n_e Σ_r λ_r [e in r] − Σ_j μ_j a_je

and no solution is worth more than the bound

    L(λ, μ) = Σ_r bound_r λ_r + Σ_j bound_j μ_j + max_{stars} Σ_e w̃_e x_e

where bound_r is the upper bound of a row if its multiplier is positive, else the lower
one. The maximum is taken star by star. A solution in which an element differs from that
choice is worth at most L less the regret of the element: this is what lets elements be
fixed once a good solution is known.
"""

import math
import time
from typing import List, NamedTuple, Tuple

import numpy

from ..types import BoolArray, FloatArray, IntArray
from .core import make_core
from .elements import SINGLE, Elements
from .highs import Matrix, maximise

MAX_ITERATIONS = 200
TOLERANCE = 1e-10


class Dual(NamedTuple):
    """The dual at some multipliers.

    bound (float): L; no solution is worth more.
    choice (BoolArray): The elements that maximise it.
    regrets (FloatArray): What L loses if an element differs from the choice.
    """

    bound: float
    choice: BoolArray
    regrets: FloatArray


def solve_dual(elements: Elements, deadline: float, enough: float = -math.inf) -> Dual:
    """Find multipliers with a low bound.

    elements (Elements): The problem.
    deadline (float): When to stop, as `time.perf_counter` counts.
    enough (float): A bound that need not be lowered further.
    RETURNS (Dual): The dual at the best multipliers found.
    """
    if len(elements.local.lower):
        prices, local_prices = price_all_rows(elements, deadline)
    else:
        prices, local_prices = price_counts(elements, deadline, enough), numpy.zeros(0)
    reduced = reduce_weights(elements, prices, local_prices)
    choice, worth, regrets = choose(elements, reduced)
    bound = worth + _price_bounds(prices, elements.counts.lower, elements.counts.upper)
    bound += _price_bounds(local_prices, elements.local.lower, elements.local.upper)
    return Dual(bound, choice, regrets)


def reduce_weights(
    elements: Elements, prices: FloatArray, local_prices: FloatArray
) -> FloatArray:
    """The reduced weight of each element.

    elements (Elements): The problem.
    prices (FloatArray): λ, one multiplier per dense row.
    local_prices (FloatArray): μ, one multiplier per local row.
    RETURNS (FloatArray): w̃.
    """
    per_class = elements.counts.in_row @ prices
    reduced = elements.weights - elements.sizes * per_class[elements.classes]
    rows, columns, values = elements.local[:3]
    if len(rows):
        reduced -= numpy.bincount(columns, values * local_prices[rows], len(elements))
    return reduced


def choose(
    elements: Elements, reduced: FloatArray
) -> Tuple[BoolArray, float, FloatArray]:
    """Choose the elements with the highest sum of reduced weights.

    elements (Elements): The problem.
    reduced (FloatArray): w̃.
    RETURNS (Tuple[BoolArray, float, FloatArray]): The choice, its sum, and the regret
        of each element.
    """
    top, middle, tail = elements.members
    top_star, tail_star = elements.stars[top], elements.stars[tail]
    gains = numpy.maximum(reduced, 0)
    choice, regrets = reduced > 0, numpy.abs(reduced)
    # The best sum of each star with its middle, and without it.
    on = reduced[middle] + _sum(top_star, reduced[top], elements.n_stars)
    on += _sum(tail_star, gains[tail], elements.n_stars)
    off = _sum(top_star, gains[top], elements.n_stars)
    is_open, best = on > off, numpy.maximum(on, off)
    choice[middle], regrets[middle] = is_open, numpy.abs(on - off)
    choice[top] |= is_open[top_star]
    choice[tail] &= is_open[tail_star]
    rest = off[top_star] - gains[top]
    with_it = numpy.maximum(on[top_star], rest + reduced[top])
    regrets[top] = best[top_star] - numpy.where(choice[top], rest, with_it)
    rest = on[tail_star] - gains[tail]
    without = numpy.maximum(off[tail_star], rest)
    regrets[tail] = best[tail_star] - numpy.where(
        choice[tail], without, rest + reduced[tail]
    )
    singles = gains[elements.roles == SINGLE]
    return choice, float(singles.sum() + best.sum()), regrets


def price_counts(
    elements: Elements, deadline: float, enough: float = -math.inf
) -> FloatArray:
    """Minimise the bound over the multipliers of the dense rows by cutting planes. The
    elements of a class share one price, and every choice gives a cut per class: with
    these prices, the elements of the class are worth at least what the choice is.

    elements (Elements): The problem, without local rows.
    deadline (float): When to stop.
    enough (float): A bound that need not be lowered further.
    RETURNS (FloatArray): λ.
    """
    counts = elements.counts
    box = 4 * float(numpy.abs(elements.weights).max(initial=0)) + 1
    prices = numpy.zeros(len(counts.lower))
    no_prices = numpy.zeros(0)  # there are no local rows
    best, best_prices, cuts = math.inf, prices, []
    best_in_last_box = math.inf
    for _ in range(MAX_ITERATIONS):
        choice, worth, _ = choose(elements, reduce_weights(elements, prices, no_prices))
        bound = worth + _price_bounds(prices, counts.lower, counts.upper)
        if bound < best:
            best, best_prices = bound, prices
        if best <= enough or time.perf_counter() > deadline:
            break
        n_classes = len(counts.in_row)
        cuts.append(
            (
                _sum(elements.classes, elements.weights * choice, n_classes),
                _sum(elements.classes, elements.sizes * choice, n_classes),
            )
        )
        estimate, prices = _minimise_cuts(elements, cuts, box)
        slack = TOLERANCE * max(1.0, abs(best))
        if best - estimate <= slack:
            at_edge = numpy.abs(best_prices).max(initial=0) > box * (1 - 1e-9)
            if not at_edge or best_in_last_box - best <= slack:
                break
            # The lowest bound may lie beyond the box.
            best_in_last_box, box = best, 10 * box
    return best_prices


def _minimise_cuts(
    elements: Elements, cuts: List[Tuple[FloatArray, FloatArray]], box: float
) -> Tuple[float, FloatArray]:
    """Minimise the bound that the cuts give. The variables are the positive and the
    negative part of λ, and θ, the worth of each class."""
    counts = elements.counts
    (n_classes, n_rows), n_cuts = counts.in_row.shape, len(cuts)
    worth = numpy.concatenate([cut[0] for cut in cuts])
    chosen = numpy.concatenate([cut[1] for cut in cuts])
    # θ_c + chosen_c Σ_r (λ⁺_r − λ⁻_r) [c in r] >= worth_c for each cut
    values = numpy.tile(counts.in_row, (n_cuts, 1)) * chosen[:, None]
    rows, columns = numpy.nonzero(values)
    each = numpy.arange(len(worth))
    matrix = Matrix(
        numpy.concatenate([rows, rows, each]),
        numpy.concatenate([columns, columns + n_rows, each % n_classes + 2 * n_rows]),
        numpy.concatenate(
            [values[rows, columns], -values[rows, columns], numpy.ones(len(each))]
        ),
        worth,
        numpy.full(len(worth), math.inf),
    )
    n = 2 * n_rows + n_classes
    costs = numpy.concatenate([counts.upper, -counts.lower, numpy.ones(n_classes)])
    # Choosing nothing in a class is worth 0, so θ >= 0.
    upper = numpy.append(numpy.full(2 * n_rows, box), numpy.full(n_classes, math.inf))
    answer = maximise(-costs, numpy.zeros(n), upper, matrix, integer=False)
    assert answer.values is not None
    prices = answer.values[:n_rows] - answer.values[n_rows : 2 * n_rows]
    return -answer.bound, prices


def price_all_rows(
    elements: Elements, deadline: float
) -> Tuple[FloatArray, FloatArray]:
    """Take the multipliers of all rows from the linear relaxation. Any multipliers give
    a valid bound: where time runs out they are 0.

    elements (Elements): The problem.
    deadline (float): When to stop.
    RETURNS (Tuple[FloatArray, FloatArray]): λ and μ.
    """
    n_counts, n_local = len(elements.counts.lower), len(elements.local.lower)
    everything = numpy.arange(len(elements))
    core = make_core(elements, everything, numpy.zeros(len(elements), dtype=bool))
    answer = core.solve(deadline - time.perf_counter(), integer=False)
    if answer.prices is None:
        return numpy.zeros(n_counts), numpy.zeros(n_local)
    prices = answer.prices[:n_counts]
    local_prices = answer.prices[n_counts : n_counts + n_local]
    return (
        _clip(prices, elements.counts.lower, elements.counts.upper),
        _clip(local_prices, elements.local.lower, elements.local.upper),
    )


def _clip(prices: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """A multiplier may not pay for a bound that is infinite."""
    wrong = ((prices > 0) & ~numpy.isfinite(upper)) | (
        (prices < 0) & ~numpy.isfinite(lower)
    )
    return numpy.where(wrong, 0.0, prices)


def _price_bounds(prices: FloatArray, lower: FloatArray, upper: FloatArray) -> float:
    paid = prices != 0
    bounds = numpy.where(prices > 0, upper, lower)
    return float((prices[paid] * bounds[paid]).sum())


def _sum(ids: IntArray, values: FloatArray, n: int) -> FloatArray:
    return numpy.bincount(ids, values, n)
