"""Losses that `cbl_ner` can be trained with."""

from typing import Callable, Tuple

from ..core.crf import marginal_loss
from ..types import BoolArray, FloatArray, IntArray

# Emissions, transitions, legal transitions, sequence lengths and soft labels to the
# loss of each sequence and the gradients of the emissions and of the transitions.
LossT = Callable[
    [FloatArray, FloatArray, BoolArray, IntArray, FloatArray],
    Tuple[FloatArray, FloatArray, FloatArray],
]


def create_marginal_likelihood() -> LossT:
    """The negative logarithm of the soft labels' share of all tag sequences.

    RETURNS (LossT): The loss.
    """
    return marginal_loss
