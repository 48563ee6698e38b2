"""The perceptron as the binary model of CBL."""

from dataclasses import asdict
from typing import Any, Dict, Optional, Sequence

import numpy
from spacy.tokens import Doc
from thinc.api import Model

from ..errors import check_settings
from ..models.averaged_perceptron import get_tagger
from ..types import BoolArray, FloatArray
from .learner import Learner, batch_by_words, seeded

BATCH_WORDS = 50_000  # tagged at once


class PerceptronLearner:
    """A weighted averaged perceptron."""

    def __init__(self, model: Model, rounds: int) -> None:
        """See `create_perceptron_learner` for the arguments."""
        self.tagger = get_tagger(model)
        self.rounds = rounds

    def fit(
        self,
        docs: Sequence[Doc],
        soft_labels: FloatArray,
        seed: int,
        weights: Optional[FloatArray] = None,
        legal: Optional[BoolArray] = None,
    ) -> None:
        """Train a fresh model on the most believed tags. Without weights, a tag counts
        as much as it is believed. See `Learner`.
        """
        gold = soft_labels.argmax(axis=1)
        if weights is None:
            weights = soft_labels.max(axis=1)
        n_tags = soft_labels.shape[1]
        if legal is None:
            legal = numpy.ones((n_tags + 1, n_tags + 1), dtype=bool)
        with seeded(seed):
            self.tagger.start(legal, numpy.arange(n_tags))
            self.tagger.fit(docs, gold, weights, self.rounds)

    def marginals(self, docs: Sequence[Doc]) -> FloatArray:
        """Calibrated probabilities of O and of an entity. See `Learner`."""
        found = [
            self.tagger.predict([docs[i] for i in batch]).p_outside
            for batch in batch_by_words(docs, range(len(docs)), BATCH_WORDS)
        ]
        p_outside = numpy.concatenate(found)
        return numpy.stack([p_outside, 1.0 - p_outside], axis=1)

    def describe(self, forms: Sequence[str]) -> Dict[str, Any]:
        """Settings and features. See `Learner`."""
        templates = self.tagger.forms.templates
        return {
            "learner": type(self).__name__,
            "rounds": self.rounds,
            "settings": asdict(self.tagger.settings),
            "features": {n: t.fingerprint(forms) for n, t in templates.items()},
        }


def create_perceptron_learner(model: Model, rounds: int = 30) -> Learner:
    """Create a learner that trains a perceptron.

    model (Model): The model, of the architecture `spacy_cbl.AveragedPerceptron.v1`.
        Each fit starts it anew.
    rounds (int): How often to see the data.
    RETURNS (Learner): The learner.
    """
    check_settings(
        "the perceptron learner",
        ("rounds", rounds, rounds > 0, "a whole number above 0"),
    )
    return PerceptronLearner(model, rounds)
