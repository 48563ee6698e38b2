"""What the entity recognizers of this package have in common: labels, settings, and how
entities with confidences are written to documents.
"""

from itertools import islice
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

import numpy
from spacy.attrs import ENT_TYPE
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..core.tags import SCHEMES, TagSet
from ..data.arrays import blocked_tokens, find_runs
from ..errors import Errors
from ..models.frozen_context import prepare
from ..models.word_kind_embed import count_words
from ..types import BoolArray, FloatArray, IntArray
from .scorer import cbl_ner_score

# What the factories of all recognizers say.
ASSIGNS = ["doc.ents", "token.ent_iob", "token.ent_type", "doc.spans"]
SCORE_WEIGHTS = {"ents_f": 1.0, "ents_p": 0.0, "ents_r": 0.0, "ents_per_type": None}


class Entities(NamedTuple):
    """Predicted entities, in order."""

    starts: IntArray
    ends: IntArray
    labels: IntArray
    scores: FloatArray

    @classmethod
    def none(cls) -> "Entities":
        """No entities."""
        return cls(*([numpy.zeros(0, dtype="i")] * 4))

    def at_least(self, threshold: float) -> "Entities":
        """Leave out entities of less confidence.

        threshold (float): The least confidence.
        RETURNS (Entities): The others.
        """
        sure = self.scores >= threshold
        return Entities(*(column[sure] for column in self))


class WeightedEntityPipe(TrainablePipe):
    """A recognizer that is trained from per-token weights."""

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        scheme: str,
        overwrite_ents: bool = True,
        spans_key: Optional[str] = None,
        threshold: float = 0.0,
        scorer: Optional[Callable] = cbl_ner_score,
    ) -> None:
        """Initialize the component.

        vocab (Vocab): The vocabulary.
        model (Model): The model.
        name (str): The component's name.
        scheme (str): "biluo" or "bio".
        overwrite_ents (bool): Whether to replace entities that are already set.
        spans_key (Optional[str]): Span group for entities with their confidences.
        threshold (float): Leave out entities of less confidence.
        scorer (Optional[Callable]): The scoring method.
        """
        if scheme not in SCHEMES:
            raise ValueError(
                Errors.C025.format(scheme=scheme, name=name, schemes=list(SCHEMES))
            )
        # A config says nan by a text.
        if isinstance(threshold, str) or not 0 <= threshold <= 1:
            raise ValueError(Errors.C033.format(name=name, value=threshold))
        self.vocab = vocab
        self.model = model
        self.name = name
        self.scorer = scorer
        self.cfg: Dict[str, Any] = {
            "labels": [],
            "scheme": scheme,
            "overwrite_ents": overwrite_ents,
            "spans_key": spans_key,
            "threshold": threshold,
        }

    @property
    def labels(self) -> Tuple[str, ...]:
        """The entity labels."""
        return tuple(self.cfg["labels"])

    @property
    def label_data(self) -> List[str]:
        """The labels as `spacy init labels` writes them."""
        return list(self.cfg["labels"])

    @property
    def tags(self) -> TagSet:
        """The tags of the labels under the scheme."""
        return TagSet(self.cfg["labels"], self.cfg["scheme"])

    def has_fixed_labels(self) -> bool:
        """Whether the model has been initialized, so that labels are settled."""
        raise NotImplementedError

    def add_label(self, label: str) -> int:
        """Add a label, before the model is initialized.

        label (str): The label.
        RETURNS (int): 1 if it is new, else 0.
        """
        if not isinstance(label, str) or not label:
            raise ValueError(Errors.C006.format(label=label, name=self.name))
        if label in self.cfg["labels"]:
            return 0
        if self.has_fixed_labels():
            raise ValueError(
                Errors.C021.format(label=label, name=self.name, labels=self.labels)
            )
        self.cfg["labels"].append(label)
        self.vocab.strings.add(label)
        return 1

    def set_labels(
        self,
        get_examples: Callable[[], Iterable[Example]],
        labels: Optional[List[str]],
    ) -> None:
        """Add the labels that there are.

        get_examples (Callable[[], Iterable[Example]]): Gives examples.
        labels (Optional[List[str]]): The labels; those of the examples when absent.
        """
        if labels is None:
            labels = sorted(
                {ent.label_ for eg in get_examples() for ent in eg.reference.ents}
            )
        for label in labels:
            self.add_label(label)
        if not self.labels:
            raise ValueError(Errors.C020.format(name=self.name))

    def initialize_model(self, get_examples: Callable[[], Iterable[Example]]) -> None:
        """Initialize the model, of which the size of the output is known, with all that
        its layers want to know of the corpus.

        get_examples (Callable[[], Iterable[Example]]): Gives examples.
        """
        count_words(self.model, (eg.predicted for eg in get_examples()))
        self.model.initialize(X=[eg.predicted for eg in islice(get_examples(), 10)])
        prepare(self.model, (eg.predicted for eg in get_examples()))

    def set_annotations(self, docs: Iterable[Doc], scores: List[Entities]) -> None:
        """Write entities and confidences to documents.

        docs (Iterable[Doc]): The documents to modify.
        scores (List[Entities]): What `predict` returned.
        """
        labels = [self.vocab.strings.add(label) for label in self.labels]
        key = self.cfg["spans_key"]
        for doc, entities in zip(docs, scores):
            found = [
                Span(doc, start, end, label=labels[k])
                for start, end, k in zip(
                    entities.starts.tolist(),
                    entities.ends.tolist(),
                    entities.labels.tolist(),
                )
            ]
            if self.cfg["overwrite_ents"]:
                doc.set_ents(found)
            else:
                runs = find_runs(blocked_tokens(doc))
                blocked = [doc[start:end] for start, end in runs]
                doc.set_ents([*doc.ents, *found], blocked=blocked)
            if key is not None:
                group = SpanGroup(doc, name=key, spans=found)
                group.attrs["scores"] = entities.scores.astype("f")
                doc.spans[key] = group


def least_sure(p_entity: FloatArray, starts: IntArray, ends: IntArray) -> FloatArray:
    """Confidences: an entity is as sure as the least sure of its tokens.

    p_entity (FloatArray): How sure each token is.
    starts (IntArray): Where entities start, in order.
    ends (IntArray): Where they end (exclusive).
    RETURNS (FloatArray): One number per entity.
    """
    if not len(starts):
        return numpy.zeros(0)
    bounds = numpy.stack([starts, ends], axis=1).reshape(-1)
    return numpy.minimum.reduceat(numpy.append(p_entity, 1.0), bounds)[::2]


def split_entities(docs: Sequence[Doc], found: Entities) -> Iterator[Entities]:
    """Give each document its entities.

    docs (Sequence[Doc]): Documents.
    found (Entities): The entities of all of them, laid end to end.
    YIELDS (Entities): The entities of each.
    """
    offset = 0
    for doc in docs:
        first, last = numpy.searchsorted(found.starts, [offset, offset + len(doc)])
        here = slice(first, last)
        yield Entities(
            found.starts[here] - offset,
            found.ends[here] - offset,
            found.labels[here],
            found.scores[here],
        )
        offset += len(doc)


def fixed_tokens(docs: Sequence[Doc]) -> BoolArray:
    """Tokens whose annotation another component has settled.

    docs (Sequence[Doc]): The documents.
    RETURNS (BoolArray): One value per token, documents laid end to end.
    """
    fixed = [(doc.to_array(ENT_TYPE) != 0) | blocked_tokens(doc) for doc in docs]
    return numpy.concatenate([numpy.zeros(0, dtype=bool), *fixed])
