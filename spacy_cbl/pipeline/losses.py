"""Losses that `cbl_ner` can be trained with."""

import math
from typing import Callable, Tuple

import numpy

from ..core.crf import marginal_loss
from ..core.expected_ratio import ratio_penalty
from ..errors import Errors
from ..types import BoolArray, FloatArray, IntArray

# Emissions, transitions, legal transitions, sequence lengths and soft labels to the
# loss of each sequence and the gradients of the emissions and of the transitions. A
# loss whose attribute `latent` is true gets soft labels that say nothing of unlabelled
# tokens (see `get_targets`).
LossT = Callable[
    [FloatArray, FloatArray, BoolArray, IntArray, FloatArray],
    Tuple[FloatArray, FloatArray, FloatArray],
]


def create_marginal_likelihood() -> LossT:
    """The negative logarithm of the soft labels' share of all tag sequences.

    RETURNS (LossT): The loss.
    """
    return marginal_loss


def create_expected_entity_ratio(
    ratio: float = 0.15, margin: float = 0.05, weight: float = 10.0, latent: bool = True
) -> LossT:
    """The marginal likelihood, and a penalty where the model expects too many or too
    few tokens of a batch to be in entities (Effland and Collins, 2021).

    ratio (float): The share of tokens in entities, labelled or not.
    margin (float): How far a batch may be off that for nothing.
    weight (float): What an expected share counts that is wholly off, beside the loss of
        a sequence.
    latent (bool): Whether to learn from entities and trusted negatives alone, as in the
        paper. Otherwise unlabelled tokens count too, as far as their weights say.
    RETURNS (LossT): The loss.
    """
    return ExpectedEntityRatio(ratio, margin, weight, latent)


class ExpectedEntityRatio:
    """The loss of a batch of n sequences is that of the marginal likelihood, a sum,
    and n * weight * max(0, |r - ratio| - margin), where r is the mean over the tokens
    of 1 - P(O). The paper takes the mean over sequences and the penalty once: the
    factor n keeps its balance. Each sequence bears an equal part of the penalty.
    """

    def __init__(
        self, ratio: float, margin: float, weight: float, latent: bool
    ) -> None:
        """See `create_expected_entity_ratio` for the arguments."""
        if not 0 < ratio < 1:
            raise ValueError(Errors.C280.format(ratio=ratio))
        if not 0 <= margin < 1:
            raise ValueError(Errors.C281.format(margin=margin))
        if not 0 <= weight < math.inf:
            raise ValueError(Errors.C282.format(weight=weight))
        self.ratio = ratio
        self.margin = margin
        self.weight = weight
        self.latent = latent

    def __call__(
        self,
        emissions: FloatArray,
        transitions: FloatArray,
        legal: BoolArray,
        lengths: IntArray,
        soft_labels: FloatArray,
    ) -> Tuple[FloatArray, FloatArray, FloatArray]:
        """See `marginal_loss` for the arguments and what is returned."""
        loss, d_emissions, d_transitions = marginal_loss(
            emissions, transitions, legal, lengths, soft_labels
        )
        penalty, dE, dT = ratio_penalty(
            emissions, transitions, legal, lengths, self.ratio, self.margin
        )
        has_tokens = numpy.asarray(lengths) > 0
        loss += self.weight * penalty * has_tokens
        scale = self.weight * numpy.count_nonzero(has_tokens)
        return loss, d_emissions + scale * dE, d_transitions + scale * dT
