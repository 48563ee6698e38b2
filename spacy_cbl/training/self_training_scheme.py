"""Self-training with the marginal CRF (Jie et al., 2019) as a weighting scheme."""

from dataclasses import asdict
from typing import Any, Dict, List, Optional, cast

import numpy

from ..attrs import LabelProbs
from ..core.self_training import INITIAL
from ..core.tags import SCHEMES
from ..data.arrays import CorpusArrays
from ..errors import Errors
from ..types import FloatArray
from .default_learner import make_default_refiner
from .rounds import open_store
from .self_training import (
    NAME,
    SelfTrainingSettings,
    SequenceLearner,
    read_problem,
    run_self_training,
)


def make_self_training(
    learner: Optional[SequenceLearner] = None,
    folds: int = 2,
    iterations: int = 4,
    soft: bool = True,
    initial: str = "outside",
    tolerance: float = 0.001,
    tag_scheme: str = "biluo",
    seed: int = 0,
) -> "SelfTrainingScheme":
    """Label the unlabelled tokens by self-training: each part of the corpus is labelled
    by a model that was trained on the other parts, again and again. The scheme gives a
    distribution over tags per token, and P(O) as weight.

    learner (Optional[SequenceLearner]): Trains the models; one like that of `cbl_ner`
        with its usual features if not given.
    folds (int): In how many parts to cut the corpus: blocks of documents.
    iterations (int): How often to label all parts at most.
    soft (bool): Whether labels are distributions, by forward-backward, or the best
        sequences, by Viterbi. What is labelled stays as it is in both.
    initial (str): What unlabelled tokens are before the first iteration: "outside" of
        entities, "uniform", or "prior": like labelled tokens of the same form.
    tolerance (float): Stop when the share of unlabelled tokens whose best label has
        changed is less.
    tag_scheme (str): "biluo" or "bio", like the recognizer that is trained afterwards.
    seed (int): Fixes everything random.
    """
    if folds < 2:
        raise ValueError(Errors.C285.format(folds=folds, n_docs="any number of"))
    if initial not in INITIAL:
        names = ", ".join(INITIAL)
        raise ValueError(Errors.C286.format(initial=initial, names=names))
    if iterations < 1 or not 0 <= tolerance <= 1:
        raise ValueError(Errors.C287.format(iterations=iterations, tolerance=tolerance))
    if tag_scheme not in SCHEMES:
        raise ValueError(
            Errors.C025.format(scheme=tag_scheme, name=NAME, schemes=list(SCHEMES))
        )
    settings = SelfTrainingSettings(
        folds=folds,
        iterations=iterations,
        soft=soft,
        initial=initial,
        tolerance=tolerance,
        tag_scheme=tag_scheme,
        seed=seed,
    )
    return SelfTrainingScheme(settings, learner)


class SelfTrainingScheme:
    """The scheme, and the distributions and the history of its last run."""

    def __init__(
        self, settings: SelfTrainingSettings, learner: Optional[SequenceLearner]
    ) -> None:
        """See `make_self_training` for the arguments."""
        self.settings = settings
        self.learner = learner
        self.history: List[Dict[str, Any]] = []
        self.label_probs: Optional[LabelProbs] = None

    def __call__(self, corpus: CorpusArrays) -> FloatArray:
        """Weigh a corpus.

        corpus (CorpusArrays): The corpus.
        RETURNS (FloatArray): One weight per token.
        """
        problem = read_problem(corpus, self.settings.tag_scheme)
        vocab = problem.docs[0].vocab
        learner = self.learner or cast(SequenceLearner, make_default_refiner(vocab))
        described = {
            "scheme": NAME,
            "settings": asdict(self.settings),
            "learner": learner.describe(corpus.forms),
        }
        store = open_store(corpus, problem.docs, described)
        q, self.history = run_self_training(
            corpus, problem, learner, self.settings, store
        )
        self.label_probs = LabelProbs(problem.tags.names, q)
        return numpy.where(corpus.is_entity, 1.0, q[:, 0])
