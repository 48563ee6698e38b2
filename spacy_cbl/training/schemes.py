"""The weighting schemes that need no learning. Each function here is registered under
`cbl_weighting` in setup.cfg; it takes the settings and returns the scheme.
"""

import inspect
import math
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy
from catalogue import RegistryError
from spacy.util import registry
from thinc.api import ConfigValidationError

from ..core import weighting
from ..data.arrays import CorpusArrays
from ..data.frequencies import count_forms
from ..errors import Errors
from ..registry import cbl_weighting
from ..types import FloatArray
from .entity_ratio import EntityRatioT

# Gives one weight per token. P and trusted negatives weigh 1 whatever it gives them.
WeightingScheme = Callable[[CorpusArrays], FloatArray]


def get_scheme(name: str, settings: Optional[Dict[str, Any]] = None) -> WeightingScheme:
    """Make a registered scheme.

    name (str): Its registered name; of ours "frequency" is enough.
    settings (Optional[Dict[str, Any]]): Its settings.
    RETURNS (WeightingScheme): The scheme.
    """
    full_name = _full_name(name)
    if full_name not in cbl_weighting:
        raise ValueError(
            Errors.C164.format(name=name, names=", ".join(get_scheme_names()))
        )
    make_scheme = cbl_weighting.get(full_name)
    known = inspect.signature(make_scheme).parameters
    for setting in settings or {}:
        if setting not in known:
            raise ValueError(
                Errors.C165.format(
                    setting=setting, name=name, settings=", ".join(known) or "none"
                )
            )
    return resolve_block(name, {"@cbl_weighting": full_name, **(settings or {})})


def run_scheme(scheme: WeightingScheme, corpus: CorpusArrays) -> FloatArray:
    """Weigh a corpus, and check what came out: a scheme may be anybody's.

    scheme (WeightingScheme): Gives the weights.
    corpus (CorpusArrays): The corpus.
    RETURNS (FloatArray): One weight per token.
    """
    weights = numpy.asarray(scheme(corpus))
    found = None
    if weights.shape != (len(corpus),):
        found = f"an array of shape {weights.shape}"
    else:
        wrong = ~(numpy.isfinite(weights) & (weights >= 0))
        if wrong.any():
            i = int(wrong.argmax())
            found = f"weight {weights[i]} for token {i}"
    if found is not None:
        raise ValueError(Errors.C163.format(found=found, n_tokens=len(corpus)))
    return weights


def resolve_block(name: str, block: Dict[str, Any]) -> WeightingScheme:
    """Make a scheme from its block of a config.

    name (str): Its name, for messages.
    block (Dict[str, Any]): Its registered name and its settings.
    RETURNS (WeightingScheme): The scheme.
    """
    for setting, value in block.items():
        if isinstance(value, float) and math.isnan(value):
            error = f"{setting}: NaN is no number"
            raise ValueError(Errors.C243.format(name=name, error=error))
    try:
        return registry.resolve({"scheme": block})["scheme"]
    except ConfigValidationError as error:
        raise ValueError(Errors.C243.format(name=name, error=_first(error))) from None
    except RegistryError as error:
        # Of a learner, a constraint: the scheme itself has been looked up.
        raise ValueError(Errors.C243.format(name=name, error=error)) from None
    except TypeError as error:
        # Text that reads as a number passes the check of types, and stays text.
        raise ValueError(Errors.C243.format(name=name, error=error)) from error


def _first(error: ConfigValidationError) -> str:
    """Where a config is wrong first, and how."""
    problem = error.errors[0]
    where = " -> ".join(str(part) for part in problem["loc"])
    return f"{where}: {problem['msg']}"


def takes_setting(name: str, setting: str) -> bool:
    """Whether a scheme has a setting of its own of that name.

    name (str): Its registered name; of ours "frequency" is enough.
    setting (str): The setting.
    RETURNS (bool): Whether it has one.
    """
    full_name = _full_name(name)
    if full_name not in cbl_weighting:
        return False
    return setting in inspect.signature(cbl_weighting.get(full_name)).parameters


def place_ratio(
    name: str, ratio: Optional[EntityRatioT]
) -> Tuple[Dict[str, Any], Optional[EntityRatioT]]:
    """Give the entity ratio to a scheme that takes one, or else to `weigh`, which
    scales the weights to it.

    name (str): The registered name of the scheme; of ours "frequency" is enough.
    ratio (Optional[EntityRatioT]): The ratio, if any.
    RETURNS (Tuple[Dict[str, Any], Optional[EntityRatioT]]): Settings of the scheme,
        and what is left for `weigh`.
    """
    if ratio is not None and takes_setting(name, "entity_ratio"):
        return {"entity_ratio": ratio}, None
    return {}, ratio


def get_scheme_names() -> List[str]:
    """The names under which `get_scheme` finds schemes.

    RETURNS (List[str]): The names, ours in their short form.
    """
    names = cbl_weighting.get_all()
    return sorted(name.split(".")[1] if _is_ours(name) else name for name in names)


def make_raw() -> WeightingScheme:
    """Weigh every token 1: labels as they are."""
    return make_uniform()


def make_uniform(value: float = 1.0) -> WeightingScheme:
    """Weigh every unlabelled token the same.

    value (float): The weight.
    """
    _check_not_negative("value", value)

    def weigh_uniform(corpus: CorpusArrays) -> FloatArray:
        return weighting.uniform(len(corpus), value)

    return weigh_uniform


def make_frequency(
    lower: bool = False,
    frequencies: Optional[Path] = None,
    wordfreq: Optional[str] = None,
) -> WeightingScheme:
    """Weigh tokens by how frequent their form is.

    lower (bool): Whether to count forms that differ in case together.
    frequencies (Optional[Path]): A file of forms and counts.
    wordfreq (Optional[str]): A language whose word frequencies to use.
    """
    return _make_frequency(False, lower, frequencies, wordfreq)


def make_log_frequency(
    lower: bool = False,
    frequencies: Optional[Path] = None,
    wordfreq: Optional[str] = None,
) -> WeightingScheme:
    """Weigh tokens by the logarithm of how frequent their form is.

    lower (bool): Whether to count forms that differ in case together.
    frequencies (Optional[Path]): A file of forms and counts.
    wordfreq (Optional[str]): A language whose word frequencies to use.
    """
    return _make_frequency(True, lower, frequencies, wordfreq)


def make_window(distance: int = 1) -> WeightingScheme:
    """Weigh the neighbours of entities 1, other unlabelled tokens 0.

    distance (int): How many tokens from an entity a neighbour may be.
    """
    _check_not_negative("distance", distance)

    def weigh_window(corpus: CorpusArrays) -> FloatArray:
        return weighting.window(corpus.is_entity, corpus.sent_starts, distance)

    return weigh_window


def make_combined(
    lower: bool = False,
    frequencies: Optional[Path] = None,
    wordfreq: Optional[str] = None,
    distance: int = 1,
) -> WeightingScheme:
    """Weigh the neighbours of entities 1, other tokens by their frequency.

    lower (bool): Whether to count forms that differ in case together.
    frequencies (Optional[Path]): A file of forms and counts.
    wordfreq (Optional[str]): A language whose word frequencies to use.
    distance (int): How many tokens from an entity a neighbour may be.
    """
    return _make_combined(make_frequency(lower, frequencies, wordfreq), distance)


def make_log_combined(
    lower: bool = False,
    frequencies: Optional[Path] = None,
    wordfreq: Optional[str] = None,
    distance: int = 1,
) -> WeightingScheme:
    """Weigh the neighbours of entities 1, others by the logarithm of their frequency.

    lower (bool): Whether to count forms that differ in case together.
    frequencies (Optional[Path]): A file of forms and counts.
    wordfreq (Optional[str]): A language whose word frequencies to use.
    distance (int): How many tokens from an entity a neighbour may be.
    """
    return _make_combined(make_log_frequency(lower, frequencies, wordfreq), distance)


def make_oracle() -> WeightingScheme:
    """Weigh unlabelled tokens 0 where gold has an entity, else 1."""

    def weigh_oracle(corpus: CorpusArrays) -> FloatArray:
        if corpus.gold_is_entity is None:
            raise ValueError(Errors.C166)
        return weighting.oracle(corpus.is_entity, corpus.gold_is_entity)

    return weigh_oracle


def _make_frequency(
    log: bool, lower: bool, frequencies: Optional[Path], wordfreq: Optional[str]
) -> WeightingScheme:
    def weigh_frequency(corpus: CorpusArrays) -> FloatArray:
        counts = count_forms(corpus, lower, frequencies, wordfreq)
        return weighting.frequency(corpus.token_ids, counts, log)

    return weigh_frequency


def _make_combined(frequency: WeightingScheme, distance: int) -> WeightingScheme:
    _check_not_negative("distance", distance)

    def weigh_combined(corpus: CorpusArrays) -> FloatArray:
        return weighting.combined(
            frequency(corpus), corpus.is_entity, corpus.sent_starts, distance
        )

    return weigh_combined


def _full_name(name: str) -> str:
    return name if name in cbl_weighting else f"spacy_cbl.{name}.v1"


def _is_ours(name: str) -> bool:
    return name.startswith("spacy_cbl.") and name.endswith(".v1")


def _check_not_negative(name: str, value: float) -> None:
    if not 0 <= value < math.inf:
        raise ValueError(Errors.C172.format(name=name, value=value))
