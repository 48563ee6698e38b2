"""The integer linear program of the inference step (Section 4.2.2, Eqs. 11 to 14).

    max   Σ_i C_0i y_0i + C_1i y_1i
    s.t.  y_0i + y_1i = 1 for each token i, and what the constraints add

With y_0i = 1 − y_1i put in, one binary variable y_i = y_1i per token is left and the
objective is Σ C_0i + Σ (C_1i − C_0i) y_i. Trusted negatives are fixed: y_i = 0. A
constraint adds parts of three kinds: `Count` (one dense row), `Agreement` (a choice in
each of many groups) and `Rows` (anything linear, with binary variables of its own).
"""

import math
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Callable, Iterable, List, NamedTuple, Optional, Sequence, Union

import numpy

from ..errors import Errors
from ..types import BoolArray, FloatArray, IntArray
from .tokens import Tokens

# A share of many tokens is not exact in floating point: 0.99 · 100 > 99.
ROUNDING = 1e-6


@dataclass(frozen=True)
class Count:
    """lower <= Σ y_i <= upper over some tokens.

    where (Optional[BoolArray]): The tokens; all if None.
    lower (float): The least number of positives.
    upper (float): The largest number of positives.
    """

    where: Optional[BoolArray]
    lower: float = 0
    upper: float = math.inf


@dataclass(frozen=True)
class Agreement:
    """In each group, Σ y_i <= at_most or Σ y_i >= at_least.

    groups (IntArray): The group of each token, from 0; -1 for none.
    at_most (IntArray): One number per group.
    at_least (IntArray): One number per group.
    """

    groups: IntArray
    at_most: IntArray
    at_least: IntArray


@dataclass(frozen=True)
class Rows:
    """lower <= Σ_j a_j y_j <= upper, many rows. Entry k says that row `rows[k]` has the
    coefficient `values[k]` at variable `columns[k]`: token i is variable i, and the
    `n_extra` binary variables that belong to these rows alone follow the tokens.

    rows (IntArray): The row of each entry, from 0.
    columns (IntArray): The variable of each entry.
    values (FloatArray): The coefficient of each entry.
    lower (FloatArray): One bound per row, -inf for none.
    upper (FloatArray): One bound per row, inf for none.
    n_extra (int): How many binary variables to add.
    """

    rows: IntArray
    columns: IntArray
    values: FloatArray
    lower: FloatArray
    upper: FloatArray
    n_extra: int = 0


Part = Union[Count, Agreement, Rows]
Constraint = Callable[[Tokens], Iterable[Part]]


class Rule(NamedTuple):
    """What one constraint says of the tokens at hand.

    name (str): How to call it in a message.
    relax (str): What its owner can change to make it weaker.
    parts (List[Part]): Its rows.
    """

    name: str
    relax: str
    parts: List[Part]


@dataclass(frozen=True)
class Problem:
    """The problem over the tokens, y_0 put in.

    weights (FloatArray): C_1i − C_0i.
    fixed (BoolArray): The tokens that must stay O.
    rules (List[Rule]): What the constraints say.
    """

    weights: FloatArray
    fixed: BoolArray
    rules: List[Rule]

    @property
    def parts(self) -> List[Part]:
        return [part for rule in self.rules for part in rule.parts]


def build_problem(
    tokens: Tokens, c0: FloatArray, c1: FloatArray, constraints: Sequence[Constraint]
) -> Problem:
    """Ask the constraints for their rows.

    tokens (Tokens): The tokens.
    c0 (FloatArray): C_0, the score of each token as no entity.
    c1 (FloatArray): C_1, its score as part of an entity.
    constraints (Sequence[Constraint]): The constraints.
    RETURNS (Problem): The problem.
    """
    for name, scores in (("C0", c0), ("C1", c1)):
        if scores.shape != (len(tokens),):
            raise ValueError(
                Errors.C202.format(name=name, shape=scores.shape, n_tokens=len(tokens))
            )
        if not numpy.isfinite(scores).all():
            i = int(numpy.flatnonzero(~numpy.isfinite(scores))[0])
            raise ValueError(Errors.C203.format(name=name, value=scores[i], i=i))
    rules = [make_rule(constraint, tokens) for constraint in constraints]
    weights = numpy.subtract(c1, c0, dtype=numpy.float64)
    return Problem(weights, tokens.trusted & tokens.unlabelled, rules)


def make_rule(constraint: Constraint, tokens: Tokens) -> Rule:
    """Ask one constraint for its rows and check them.

    constraint (Constraint): The constraint.
    tokens (Tokens): The tokens.
    RETURNS (Rule): What it says.
    """
    name = getattr(constraint, "__name__", type(constraint).__name__)
    parts = list(constraint(tokens))
    for part in parts:
        fault = find_fault(part, len(tokens))
        if fault:
            raise ValueError(Errors.C204.format(name=name, fault=fault))
    return Rule(name, getattr(constraint, "relax", "loosen its settings"), parts)


def fingerprint(rule: Rule) -> str:
    """Tell what a constraint says of the tokens at hand from what others say.

    rule (Rule): The rule.
    RETURNS (str): A hash of its parts.
    """
    state = sha256()
    for part in rule.parts:
        state.update(type(part).__name__.encode())
        for name, value in vars(part).items():
            array = numpy.asarray(value)
            if array.dtype == object:  # no mask: all tokens
                array = numpy.zeros(0)
            state.update(f"{name} {array.dtype} {array.shape}".encode())
            state.update(numpy.ascontiguousarray(array).tobytes())
    return state.hexdigest()


def find_fault(part: Any, n_tokens: int) -> Optional[str]:
    """Say what is wrong with a part, if anything.

    part (Any): What a constraint gave.
    n_tokens (int): How many tokens there are.
    RETURNS (Optional[str]): The fault, None if there is none.
    """
    if isinstance(part, Count):
        where = part.where
        if where is not None and (where.dtype != bool or where.shape != (n_tokens,)):
            return f"a Count over {where.dtype} of shape {where.shape}"
        if math.isnan(part.lower) or math.isnan(part.upper):
            return "a Count with a bound that is not a number"
    elif isinstance(part, Agreement):
        if part.groups.shape != (n_tokens,):
            return f"an Agreement with groups of shape {part.groups.shape}"
        if not part.groups.max(initial=-1) < len(part.at_most) == len(part.at_least):
            return "an Agreement without one at_most and one at_least per group"
        types = [part.groups.dtype, part.at_most.dtype, part.at_least.dtype]
        if any(kind.kind not in "iu" for kind in types):
            return f"an Agreement of {', '.join(map(str, types))}, not of whole numbers"
    elif isinstance(part, Rows):
        return _find_fault_in_rows(part, n_tokens)
    else:
        return f"a part of type {type(part).__name__}"
    return None


def _find_fault_in_rows(part: Rows, n_tokens: int) -> Optional[str]:
    if not len(part.rows) == len(part.columns) == len(part.values):
        return "Rows with entries of different lengths"
    if not part.rows.max(initial=-1) < len(part.lower) == len(part.upper):
        return "Rows without one lower and one upper bound per row"
    if part.columns.max(initial=-1) >= n_tokens + part.n_extra:
        return f"Rows over variable {part.columns.max()}"
    if min(part.rows.min(initial=0), part.columns.min(initial=0)) < 0:
        return "Rows with a negative index"
    if not numpy.isfinite(part.values).all():
        return "Rows with a coefficient that is not finite"
    if numpy.isnan(part.lower).any() or numpy.isnan(part.upper).any():
        return "Rows with a bound that is not a number"
    return None


def least(share: float, n: Any) -> Any:
    """The least whole number that is at least a share of n, safe from rounding errors.

    share (float): The share.
    n (Any): One number, or an array of them.
    RETURNS (Any): One number, or an array of them.
    """
    found = numpy.ceil(share * numpy.asarray(n) - ROUNDING).astype(numpy.int64)
    return found if found.ndim else int(found)


def most(share: float, n: Any) -> Any:
    """The largest whole number that is at most a share of n, safe from rounding errors.

    share (float): The share.
    n (Any): One number, or an array of them.
    RETURNS (Any): One number, or an array of them.
    """
    found = numpy.floor(share * numpy.asarray(n) + ROUNDING).astype(numpy.int64)
    return found if found.ndim else int(found)
