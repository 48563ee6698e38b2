"""The entity recognizer that respects per-token weights."""

from typing import Any, Callable, Iterable, Iterator, List, Optional, Sequence, Tuple

import numpy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.vocab import Vocab
from thinc.api import Config, Model

from ..core.crf import posterior, span_marginals, viterbi
from ..data.arrays import space_tokens
from ..data.sentences import lengths_between, sentence_starts
from ..errors import Errors
from ..types import FloatArray, IntArray
from .entities import (
    ASSIGNS,
    SCORE_WEIGHTS,
    Entities,
    WeightedEntityPipe,
    fixed_tokens,
    split_entities,
)
from .losses import LossT
from .scorer import cbl_ner_score
from .targets import get_targets
from .training_settings import warn_of_settings

DEFAULT_CONFIG = """
[model]
@architectures = "spacy_cbl.MarginalCRF.v1"

[model.tok2vec]
@architectures = "spacy.HashEmbedCNN.v2"
pretrained_vectors = null
width = 96
depth = 4
embed_size = 2000
window_size = 1
maxout_pieces = 3
subword_features = true

[loss]
@losses = "spacy_cbl.MarginalLikelihood.v1"

[scorer]
@scorers = "spacy_cbl.cbl_ner_scorer.v1"
"""
# Tokens predicted at once: enough to fill vector units, few enough to save memory.
CHUNK = 8192


@Language.factory(
    "cbl_ner",
    assigns=ASSIGNS,
    default_config={
        **Config().from_str(DEFAULT_CONFIG),
        "scheme": "biluo",
        "overwrite_ents": True,
        "spans_key": "cbl_ner",
        "temperature": 1.0,
        "threshold": 0.0,
    },
    default_score_weights=SCORE_WEIGHTS,
)
def make_cbl_ner(
    nlp: Language,
    name: str,
    model: Model,
    loss: LossT,
    scheme: str,
    overwrite_ents: bool,
    spans_key: Optional[str],
    temperature: float,
    threshold: float,
    scorer: Optional[Callable],
) -> "CBLEntityRecognizer":
    """Construct a CBLEntityRecognizer.

    nlp (Language): The pipeline.
    name (str): The component's name.
    model (Model): Docs to token scores per doc and transition scores.
    loss (LossT): The training loss.
    scheme (str): "biluo" or "bio".
    overwrite_ents (bool): Whether to replace entities that are already set. If not,
        they are kept and new entities found around them.
    spans_key (Optional[str]): Span group for the entities with their confidences in
        `attrs["scores"]`; None for no confidences, which is a little faster.
    temperature (float): Divides the scores before confidences are computed: above 1
        makes them more modest. The entities stay the same.
    threshold (float): Leave out entities of less confidence; 0 keeps all. `spacy
        find-threshold` finds a good one.
    scorer (Optional[Callable]): The scoring method.
    RETURNS (CBLEntityRecognizer): The component.
    """
    return CBLEntityRecognizer(
        nlp.vocab,
        model,
        name,
        loss=loss,
        scheme=scheme,
        overwrite_ents=overwrite_ents,
        spans_key=spans_key,
        temperature=temperature,
        threshold=threshold,
        scorer=scorer,
    )


class CBLEntityRecognizer(WeightedEntityPipe):
    """Recognize named entities with a conditional random field that is trained from
    partial annotation: each token has a weight, `doc._.cbl_weights`.
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "cbl_ner",
        *,
        loss: LossT,
        scheme: str = "biluo",
        overwrite_ents: bool = True,
        spans_key: Optional[str] = "cbl_ner",
        temperature: float = 1.0,
        threshold: float = 0.0,
        scorer: Optional[Callable] = cbl_ner_score,
    ) -> None:
        """Initialize the component. See `make_cbl_ner` for the arguments."""
        # A config says nan by a text.
        if isinstance(temperature, str) or not 0 < temperature < float("inf"):
            raise ValueError(Errors.C032.format(name=name, value=temperature))
        super().__init__(
            vocab,
            model,
            name,
            scheme=scheme,
            overwrite_ents=overwrite_ents,
            spans_key=spans_key,
            threshold=threshold,
            scorer=scorer,
        )
        self.loss = loss
        self.cfg["temperature"] = temperature

    def has_fixed_labels(self) -> bool:
        """Whether the model has been initialized, so that labels are settled."""
        return bool(self.model.get_ref("transitions").has_param("T"))

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
        validate_get_examples(get_examples, "CBLEntityRecognizer.initialize")
        warn_of_settings(nlp, get_examples)
        self.set_labels(get_examples, labels)
        self.model.attrs["set_tags"](self.model, len(self.tags))
        self.initialize_model(get_examples)

    def predict(self, docs: Iterable[Doc]) -> List[Entities]:
        """Find the entities of documents without modifying these.

        docs (Iterable[Doc]): The documents.
        RETURNS (List[Entities]): The entities of each.
        """
        docs = list(docs)
        if not any(len(doc) for doc in docs):
            return [Entities.none() for _ in docs]
        to_numpy = self.model.ops.to_numpy
        found: List[Entities] = []
        for start, end in _chunks(docs):
            scores, transitions = self.model.predict(docs[start:end])
            emissions = numpy.concatenate([to_numpy(s) for s in scores])
            table = to_numpy(transitions)
            found.extend(self._decode(docs[start:end], emissions, table))
        return found

    def get_loss(
        self, examples: Iterable[Example], scores: Tuple[List, Any]
    ) -> Tuple[float, Tuple[List, Any]]:
        """The loss of a batch and its gradient.

        examples (Iterable[Example]): The batch.
        scores (Tuple[List, Any]): What the model predicted.
        RETURNS (Tuple[float, Tuple[List, Any]]): Loss, and gradients shaped like
            the scores.
        """
        examples = list(examples)
        validate_examples(examples, "CBLEntityRecognizer.get_loss")
        ops = self.model.ops
        tags = self.tags
        emissions = ops.to_numpy(ops.flatten(scores[0]))
        latent = getattr(self.loss, "latent", False)
        targets = get_targets(examples, tags, self.name, latent)
        loss, d_emissions, d_transitions = self.loss(
            emissions,
            ops.to_numpy(scores[1]),
            tags.legal,
            targets.lengths,
            targets.soft_labels,
        )
        if not numpy.isfinite(loss).all():
            self._raise_infinite(examples, targets.lengths, loss)
        lengths = ops.asarray1i([len(eg.predicted) for eg in examples])
        d_scores = ops.unflatten(ops.asarray2f(d_emissions, dtype="f"), lengths)
        dT = ops.asarray2f(d_transitions, dtype="f")
        return float(loss.sum()), (d_scores, dT)

    def _decode(
        self, docs: Sequence[Doc], emissions: FloatArray, transitions: FloatArray
    ) -> Iterator[Entities]:
        tags = self.tags
        legal = tags.legal
        lengths = numpy.concatenate(
            [lengths_between(sentence_starts(doc)) for doc in docs if len(doc)]
        )
        spaces = space_tokens(docs)
        outside = numpy.zeros(len(emissions), dtype=bool)
        if not self.cfg["overwrite_ents"]:
            outside |= fixed_tokens(docs)
        if tags.scheme == "bio":
            # An entity could not be kept from ending with one.
            outside |= spaces
        allowed = None
        masked = emissions.copy()
        if outside.any():
            allowed = numpy.ones(emissions.shape)
            allowed[outside, 1:] = 0.0
            masked[allowed == 0] = -numpy.inf
        # White space may be within a name, and neither begins nor ends one.
        masked[numpy.ix_(spaces, ~tags.is_inside)] = -numpy.inf
        best = viterbi(masked, transitions, legal, lengths)
        starts, ends, labels = tags.decode(best)
        found = Entities(starts, ends, labels, numpy.zeros(0))
        wants_scores = self.cfg["spans_key"] is not None or self.cfg["threshold"] > 0
        if wants_scores and len(starts):
            probs = self._span_probabilities(
                emissions, transitions, lengths, allowed, best, starts, ends
            )
            found = found._replace(scores=probs).at_least(self.cfg["threshold"])
        yield from split_entities(docs, found)

    def _span_probabilities(
        self,
        emissions: FloatArray,
        transitions: FloatArray,
        lengths: IntArray,
        allowed: Optional[FloatArray],
        best: IntArray,
        starts: IntArray,
        ends: IntArray,
    ) -> FloatArray:
        tags = self.tags
        heat = self.cfg["temperature"]
        chain = posterior(
            emissions / heat, transitions / heat, tags.legal, lengths, allowed
        )
        closing = None
        if tags.scheme == "bio":
            # The tag that would have carried the entity on, if its sequence does.
            ends_sequence = numpy.isin(ends, numpy.cumsum(lengths))
            inside = best[starts] + tags.prefixes.index("I")
            closing = numpy.where(ends_sequence, -1, inside)
        return span_marginals(chain, best, starts, ends, closing)

    def _raise_infinite(
        self, examples: Sequence[Example], lengths: IntArray, loss: FloatArray
    ) -> None:
        token = int(numpy.cumsum(lengths)[int((~numpy.isfinite(loss)).argmax())]) - 1
        ends = numpy.cumsum([len(eg.predicted) for eg in examples])
        doc = examples[int(numpy.searchsorted(ends, token, side="right"))].reference
        raise ValueError(Errors.C024.format(text=doc[:8].text))


def _chunks(docs: Sequence[Doc]) -> Iterator[Tuple[int, int]]:
    start, size = 0, 0
    for i, doc in enumerate(docs):
        # Empty documents join the chunk at hand: none must hold only such.
        if size and len(doc) and size + len(doc) > CHUNK:
            yield start, i
            start, size = i, 0
        size += len(doc)
    yield start, len(docs)
