"""The constraints of this package. Each class here is registered under
`cbl_constraints` in setup.cfg: a config gives its settings.

All but `EntityRatio` and `KeepLabelled` speak of N alone: labelled data breaks such
rules, and what somebody labelled is better evidence than a rule.
"""

import unicodedata
from dataclasses import dataclass
from typing import ClassVar, List, Sequence

import numpy

from ..errors import Errors
from ..types import BoolArray
from .problem import Agreement, Count, Part, least, most
from .tokens import Tokens

# Unicode categories of a token of punctuation, numbers, symbols and white space.
NO_LETTERS = "PNSZC"


@dataclass(frozen=True)
class EntityRatio:
    """b − δ <= Σ_{i∈T} y_1i / |T| <= b + δ (Eq. 13).

    ratio (float): b, the share of entity tokens.
    delta (float): δ, how far from it the share may be.
    """

    ratio: float
    delta: float = 0.001
    relax: ClassVar[str] = "change its `ratio` or raise its `delta`"

    def __post_init__(self) -> None:
        if not 0 < self.ratio <= 1:
            raise ValueError(Errors.C207.format(ratio=self.ratio))
        _check_share("EntityRatio", "delta", self.delta)

    def __call__(self, tokens: Tokens) -> List[Part]:
        n = len(tokens)
        lower = least(self.ratio - self.delta, n)
        upper = most(self.ratio + self.delta, n)
        return [Count(None, lower, upper)] if n else []


@dataclass(frozen=True)
class KeepLabelled:
    """Σ_{i∈P} y_1i >= ξ |P| (Eq. 14).

    xi (float): ξ, the share of labelled tokens that stay entities.
    """

    xi: float = 0.99
    relax: ClassVar[str] = "lower its `xi`"

    def __post_init__(self) -> None:
        _check_share("KeepLabelled", "xi", self.xi)

    def __call__(self, tokens: Tokens) -> List[Part]:
        return _demand(tokens.labelled, self.xi, positive=True)


@dataclass(frozen=True)
class OutsidePunctuation:
    """Σ y_0i >= ε |PuncNum| over the punctuation and number tokens of N (the paper's
    isPuncNum).

    epsilon (float): ε, the share of them that is no entity.
    """

    epsilon: float = 0.99
    relax: ClassVar[str] = "lower its `epsilon`"

    def __post_init__(self) -> None:
        _check_share("OutsidePunctuation", "epsilon", self.epsilon)

    def __call__(self, tokens: Tokens) -> List[Part]:
        where = tokens.where(is_punctuation_or_number) & tokens.unlabelled
        return _demand(where, self.epsilon, positive=False)


@dataclass(frozen=True)
class Capitalization:
    """Σ y_0i >= ε n over the n lower-case tokens of N.

    epsilon (float): ε, the share of them that is no entity.
    """

    epsilon: float = 0.99
    relax: ClassVar[str] = "lower its `epsilon`"

    def __post_init__(self) -> None:
        _check_share("Capitalization", "epsilon", self.epsilon)

    def __call__(self, tokens: Tokens) -> List[Part]:
        where = tokens.where(str.islower) & tokens.unlabelled
        return _demand(where, self.epsilon, positive=False)


@dataclass(frozen=True)
class Affix:
    """Σ y_1i >= share · n (for), or Σ y_0i >= share · n (against), over the n tokens of
    N that begin with one of the prefixes or end with one of the suffixes.

    prefixes (Sequence[str]): The prefixes, case as in the text.
    suffixes (Sequence[str]): The suffixes.
    share (float): The share of these tokens that has to follow.
    positive (bool): Whether they speak for an entity.
    """

    prefixes: Sequence[str] = ()
    suffixes: Sequence[str] = ()
    share: float = 0.95
    positive: bool = False
    relax: ClassVar[str] = "lower its `share`"

    def __post_init__(self) -> None:
        _check_share("Affix", "share", self.share)
        if isinstance(self.prefixes, str) or isinstance(self.suffixes, str):
            raise ValueError(Errors.C209)
        if not all([*self.prefixes, *self.suffixes]):
            raise ValueError(Errors.C209)

    def __call__(self, tokens: Tokens) -> List[Part]:
        prefixes, suffixes = tuple(self.prefixes), tuple(self.suffixes)
        where = tokens.where(lambda f: f.startswith(prefixes) or f.endswith(suffixes))
        return _demand(where & tokens.unlabelled, self.share, self.positive)


@dataclass(frozen=True)
class SurfaceConsistency:
    """For each surface form s of N: |s| a_s + Σ_{i∈s} y_1i >= α |s|,
    |s| b_s + Σ_{i∈s} y_0i >= α |s|, a_s + b_s = 1 with a_s, b_s binary. That is, at
    least ⌈α|s|⌉ of its tokens are entities, or at least as many are not.

    alpha (float): α, the share of the tokens of a form that agrees.
    min_count (int): How many tokens of N a form needs for this to hold.
    """

    alpha: float = 0.9
    min_count: int = 2
    relax: ClassVar[str] = "lower its `alpha` or raise its `min_count`"

    def __post_init__(self) -> None:
        _check_share("SurfaceConsistency", "alpha", self.alpha)
        if self.min_count < 1:
            raise ValueError(Errors.C210.format(value=self.min_count))

    def __call__(self, tokens: Tokens) -> List[Part]:
        free = tokens.form_ids[tokens.unlabelled]
        sizes = numpy.bincount(free, minlength=len(tokens.forms))
        chosen = sizes >= self.min_count
        if not chosen.any():
            return []
        group_of_form = numpy.where(chosen, numpy.cumsum(chosen) - 1, -1)
        groups = group_of_form.astype(numpy.int32)[tokens.form_ids]
        groups[tokens.labelled] = -1
        at_least = least(self.alpha, sizes[chosen])
        return [Agreement(groups, sizes[chosen] - at_least, at_least)]


def is_punctuation_or_number(form: str) -> bool:
    """Whether a form has no letter: punctuation, numbers, symbols, white space.

    form (str): The form of a token.
    RETURNS (bool): Whether it is punctuation or a number.
    """
    return all(unicodedata.category(char)[0] in NO_LETTERS for char in form)


def _demand(where: BoolArray, share: float, positive: bool) -> List[Part]:
    """One row: at least a share of some tokens are entities, or are not."""
    n = int(where.sum())
    if n == 0:
        return []
    n_least = least(share, n)
    return [Count(where, lower=n_least) if positive else Count(where, 0, n - n_least)]


def _check_share(constraint: str, setting: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise ValueError(
            Errors.C208.format(constraint=constraint, setting=setting, value=value)
        )
