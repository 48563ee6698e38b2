"""The entity ratio that a user names: a number, or where to take it from."""

import math
from typing import Optional, Union

import numpy
from spacy.util import logger

from ..core.ratio import LEAST_TOKENS
from ..data.arrays import CorpusArrays
from ..errors import Errors

# A number, "estimate" (from the partial labels) or "gold" (from the gold corpus)
EntityRatioT = Union[float, str]
NAMES = ("estimate", "gold")


def parse_ratio(text: str) -> EntityRatioT:
    """Read an entity ratio as it is given on the command line.

    text (str): A number or one of `NAMES`.
    RETURNS (EntityRatioT): The number or the name.
    """
    if text in NAMES:
        return text
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(Errors.C245.format(found=text, names=", ".join(NAMES)))
    return value


def find_ratio(given: Optional[EntityRatioT], corpus: CorpusArrays) -> Optional[float]:
    """Turn a named entity ratio into a number.

    given (Optional[EntityRatioT]): A number, a name, or None.
    corpus (CorpusArrays): The corpus to estimate it from; with gold for "gold".
    RETURNS (Optional[float]): The number; None for None.
    """
    if given is None:
        return None
    ratio = parse_ratio(str(given))
    if ratio == "gold":
        if corpus.gold_is_entity is None:
            raise ValueError(Errors.C246)
        return float(corpus.gold_is_entity.mean())
    if ratio == "estimate":
        estimated = corpus.estimated_ratio
        if estimated is None:
            n_entity = int(numpy.count_nonzero(corpus.is_entity))
            raise ValueError(
                Errors.C131.format(
                    path=corpus.path or "corpus",
                    n_positive=n_entity,
                    n_other=len(corpus) - n_entity,
                    least=LEAST_TOKENS,
                )
            )
        ratio = estimated
        logger.info("Estimated entity ratio: %.4f", ratio)
    return float(ratio)
