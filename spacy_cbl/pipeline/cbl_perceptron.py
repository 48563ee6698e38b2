"""The entity recognizer of the paper's non-neural experiments."""

from typing import Any, Callable, Dict, Iterable, List, Optional

import numpy
from spacy.errors import Errors as SpacyErrors
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from thinc.api import Config, Model, Optimizer

from ..core.soft_labels import MISSING
from ..errors import Errors
from ..models.averaged_perceptron import get_tagger
from ..models.perceptron_tagger import PerceptronTagger
from .entities import (
    ASSIGNS,
    SCORE_WEIGHTS,
    Entities,
    WeightedEntityPipe,
    fixed_tokens,
    least_sure,
    split_entities,
)
from .targets import read_example
from .training_settings import warn_of_settings

DEFAULT_CONFIG = """
[model]
@architectures = "spacy_cbl.AveragedPerceptron.v1"

[model.features]

[model.features.forms]
@cbl_features = "spacy_cbl.Forms.v1"

[model.features.capitalization]
@cbl_features = "spacy_cbl.Capitalization.v1"

[model.features.word_type]
@cbl_features = "spacy_cbl.WordType.v1"

[model.features.affixes]
@cbl_features = "spacy_cbl.Affixes.v1"

[scorer]
@scorers = "spacy_cbl.cbl_ner_scorer.v1"
"""


@Language.factory(
    "cbl_perceptron",
    assigns=ASSIGNS,
    default_config={
        **Config().from_str(DEFAULT_CONFIG),
        "scheme": "bio",
        "overwrite_ents": True,
        "spans_key": "cbl_perceptron",
        "threshold": 0.0,
    },
    default_score_weights=SCORE_WEIGHTS,
)
def make_cbl_perceptron(
    nlp: Language,
    name: str,
    model: Model,
    scheme: str,
    overwrite_ents: bool,
    spans_key: Optional[str],
    threshold: float,
    scorer: Optional[Callable],
) -> "PerceptronEntityRecognizer":
    """Construct a PerceptronEntityRecognizer.

    nlp (Language): The pipeline.
    name (str): The component's name.
    model (Model): Of the architecture `spacy_cbl.AveragedPerceptron.v1`.
    scheme (str): "biluo" or "bio".
    overwrite_ents (bool): Whether to replace entities that are already set. If not,
        they are kept and new entities found around them.
    spans_key (Optional[str]): Span group for the entities with their confidences in
        `attrs["scores"]`; None for no such group.
    threshold (float): Leave out entities of less confidence; 0 keeps all.
    scorer (Optional[Callable]): The scoring method.
    RETURNS (PerceptronEntityRecognizer): The component.
    """
    return PerceptronEntityRecognizer(
        nlp.vocab,
        model,
        name,
        scheme=scheme,
        overwrite_ents=overwrite_ents,
        spans_key=spans_key,
        threshold=threshold,
        scorer=scorer,
    )


class PerceptronEntityRecognizer(WeightedEntityPipe):
    """Recognize named entities with a weighted averaged perceptron: the learning rate
    of a token is multiplied by its weight, `doc._.cbl_weights`.
    """

    @property
    def tagger(self) -> PerceptronTagger:
        """The perceptron."""
        return get_tagger(self.model)

    def has_fixed_labels(self) -> bool:
        """Whether the model has been initialized, so that labels are settled."""
        return self.tagger.n_tags > 0

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Optional[Language] = None,
        labels: Optional[List[str]] = None,
    ) -> None:
        """Set the labels and initialize the model.

        get_examples (Callable[[], Iterable[Example]]): Gives examples.
        nlp (Optional[Language]): The pipeline.
        labels (Optional[List[str]]): As written by `spacy init labels`; read from the
            examples when absent.
        """
        validate_get_examples(get_examples, "PerceptronEntityRecognizer.initialize")
        warn_of_settings(nlp, get_examples)
        self.set_labels(get_examples, labels)
        tags = self.tags
        self.tagger.forms.forget()
        self.tagger.start(tags.legal, tags.types)

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optional[Optimizer] = None,
        losses: Optional[Dict[str, float]] = None,
    ) -> Dict[str, float]:
        """Learn from a batch. There is no dropout, and no optimizer.

        examples (Iterable[Example]): The batch.
        drop (float): Is ignored.
        sgd (Optional[Optimizer]): Is ignored.
        losses (Optional[Dict[str, float]]): To be updated: here by the number of tokens
            whose gold tag did not score highest.
        RETURNS (Dict[str, float]): The losses.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = [eg for eg in examples if len(eg.predicted)]
        validate_examples(examples, "PerceptronEntityRecognizer.update")
        if not examples:
            return losses
        parts = [read_example(eg, self.tags, self.name) for eg in examples]
        gold = numpy.concatenate([tags for tags, _ in parts])
        weights = numpy.concatenate([weights for _, weights in parts])
        weights = numpy.where(gold == MISSING, 0.0, weights)
        gold = numpy.where(gold == MISSING, 0, gold)
        docs = [eg.predicted for eg in examples]
        losses[self.name] += self.tagger.update(docs, gold, weights)
        return losses

    def get_loss(self, examples: Iterable[Example], scores: Any) -> Any:
        """There is no loss to differentiate."""
        raise NotImplementedError(Errors.C250.format(name=self.name))

    def predict(self, docs: Iterable[Doc]) -> List[Entities]:
        """Find the entities of documents without modifying these.

        docs (Iterable[Doc]): The documents.
        RETURNS (List[Entities]): The entities of each.
        """
        if self.tagger.legal is None:
            raise ValueError(SpacyErrors.E109.format(name=self.name))
        docs = list(docs)
        fixed = None if self.cfg["overwrite_ents"] else fixed_tokens(docs)
        tagged = self.tagger.predict(docs, fixed)
        starts, ends, labels = self.tags.decode(tagged.tags)
        scores = least_sure(1.0 - tagged.p_outside, starts, ends)
        found = Entities(starts, ends, labels, scores).at_least(self.cfg["threshold"])
        return list(split_entities(docs, found))
