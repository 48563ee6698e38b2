"""The entity recognizer with noise adaptation (Hedderich and Klakow, 2018)."""

from typing import Any, Callable, Iterable, List, Optional, Sequence, Set, Tuple

import numpy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.vocab import Vocab
from thinc.api import Config, Model

from ..attrs import CLEAN_GROUP
from ..core.noise import (
    clean_loss,
    count_confusions,
    decode_io,
    log_softmax,
    noisy_loss,
)
from ..core.soft_labels import MISSING
from ..core.tags import OUTSIDE
from ..data.arrays import space_tokens
from ..data.sentences import sentence_starts
from ..errors import Errors
from ..models.noise_layer import set_label_count, set_noise
from ..types import FloatArray, IntArray
from .clean import read_clean
from .entities import (
    ASSIGNS,
    SCORE_WEIGHTS,
    Entities,
    WeightedEntityPipe,
    fixed_tokens,
    least_sure,
    split_entities,
)
from .scorer import cbl_ner_score
from .targets import read_example
from .training_settings import warn_of_settings

DEFAULT_CONFIG = """
[model]
@architectures = "spacy_cbl.NoiseAdaptation.v1"

[model.tok2vec]
@architectures = "spacy.HashEmbedCNN.v2"
pretrained_vectors = null
width = 96
depth = 4
embed_size = 2000
window_size = 1
maxout_pieces = 3
subword_features = true

[scorer]
@scorers = "spacy_cbl.cbl_ner_scorer.v1"
"""


@Language.factory(
    "cbl_noise_ner",
    assigns=ASSIGNS,
    default_config={
        **Config().from_str(DEFAULT_CONFIG),
        "overwrite_ents": True,
        "spans_key": "cbl_noise_ner",
        "threshold": 0.0,
        "clean_key": CLEAN_GROUP,
        "clean_weight": 0.1,
    },
    default_score_weights=SCORE_WEIGHTS,
)
def make_cbl_noise_ner(
    nlp: Language,
    name: str,
    model: Model,
    overwrite_ents: bool,
    spans_key: Optional[str],
    threshold: float,
    clean_key: str,
    clean_weight: float,
    scorer: Optional[Callable],
) -> "NoiseAdaptedEntityRecognizer":
    """Construct a NoiseAdaptedEntityRecognizer.

    nlp (Language): The pipeline.
    name (str): The component's name.
    model (Model): Docs to token scores per doc and the kernel of a noise matrix.
    overwrite_ents (bool): Whether to replace entities that are already set. If not,
        they are kept and new entities found around them.
    spans_key (Optional[str]): Span group for the entities with their confidences in
        `attrs["scores"]`; None for no such group.
    threshold (float): Leave out entities of less confidence; 0 keeps all.
    clean_key (str): Span group of the tokens whose true label is known. A span's label
        is an entity type, or O.
    clean_weight (float): What the clean tokens count, all together, beside all noisy
        tokens together.
    scorer (Optional[Callable]): The scoring method.
    RETURNS (NoiseAdaptedEntityRecognizer): The component.
    """
    return NoiseAdaptedEntityRecognizer(
        nlp.vocab,
        model,
        name,
        overwrite_ents=overwrite_ents,
        spans_key=spans_key,
        threshold=threshold,
        clean_key=clean_key,
        clean_weight=clean_weight,
        scorer=scorer,
    )


class NoiseAdaptedEntityRecognizer(WeightedEntityPipe):
    """Recognize named entities with a token classifier. It is trained from labels that
    passed a noisy channel, estimated on a few tokens whose true label is known.
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "cbl_noise_ner",
        *,
        overwrite_ents: bool = True,
        spans_key: Optional[str] = "cbl_noise_ner",
        threshold: float = 0.0,
        clean_key: str = CLEAN_GROUP,
        clean_weight: float = 0.1,
        scorer: Optional[Callable] = cbl_ner_score,
    ) -> None:
        """Initialize the component. See `make_cbl_noise_ner` for the arguments."""
        if not 0 <= clean_weight < float("inf"):
            raise ValueError(Errors.C294.format(name=name, value=clean_weight))
        super().__init__(
            vocab,
            model,
            name,
            scheme="bio",  # to read tags with; their types are the labels
            overwrite_ents=overwrite_ents,
            spans_key=spans_key,
            threshold=threshold,
            scorer=scorer,
        )
        self.cfg["clean_key"] = clean_key
        self.cfg["clean_weight"] = clean_weight
        self.cfg["noisy_per_clean"] = 1.0

    def has_fixed_labels(self) -> bool:
        """Whether the model has been initialized, so that labels are settled."""
        return bool(self.model.get_ref("noise").has_param("kernel"))

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Optional[Language] = None,
        labels: Optional[List[str]] = None,
    ) -> None:
        """Set the labels, initialize the model and estimate the noise.

        get_examples (Callable[[], Iterable[Example]]): Gives examples, some of them
            with clean tokens.
        nlp (Optional[Language]): The pipeline.
        labels (Optional[List[str]]): As written by `spacy init labels`; read from the
            examples when absent.
        """
        validate_get_examples(get_examples, "NoiseAdaptedEntityRecognizer.initialize")
        warn_of_settings(nlp, get_examples)
        if labels is None:
            labels = self._find_labels(get_examples())
        self.set_labels(get_examples, labels)
        n_labels = 1 + len(self.labels)
        counts, n_clean, n_noisy = numpy.zeros((n_labels, n_labels)), 0, 0.0
        for eg in get_examples():
            noisy, weights, clean = self._read([eg])
            counts += count_confusions(clean, noisy, n_labels)
            n_clean += int(numpy.count_nonzero(clean != MISSING))
            n_noisy += float(weights[noisy != MISSING].sum())
        if not n_clean:
            key = self.cfg["clean_key"]
            raise ValueError(Errors.C290.format(name=self.name, key=key))
        self.cfg["noisy_per_clean"] = max(1.0, n_noisy / n_clean)
        set_label_count(self.model, n_labels)
        self.initialize_model(get_examples)
        set_noise(self.model, counts)

    def predict(self, docs: Iterable[Doc]) -> List[Entities]:
        """Find the entities of documents without modifying these. The noise matrix has
        no part in it.

        docs (Iterable[Doc]): The documents.
        RETURNS (List[Entities]): The entities of each.
        """
        docs = list(docs)
        if not any(len(doc) for doc in docs):
            return [Entities.none() for _ in docs]
        ops = self.model.ops
        logits = ops.to_numpy(ops.flatten(self.model.predict(docs)[0]))
        probs = numpy.exp(log_softmax(logits))
        best = probs.argmax(axis=1)
        best[space_tokens(docs)] = 0
        if not self.cfg["overwrite_ents"]:
            best[fixed_tokens(docs)] = 0
        sentences = numpy.concatenate([sentence_starts(doc) for doc in docs])
        starts, ends, labels = decode_io(best, sentences)
        scores = least_sure(probs.max(axis=1), starts, ends)
        found = Entities(starts, ends, labels, scores).at_least(self.cfg["threshold"])
        return list(split_entities(docs, found))

    def get_loss(
        self, examples: Iterable[Example], scores: Tuple[List, Any]
    ) -> Tuple[float, Tuple[List, Any]]:
        """The loss of a batch and its gradient: that of all tokens with their noisy
        labels, through the noise matrix, and that of the clean tokens without it.

        examples (Iterable[Example]): The batch.
        scores (Tuple[List, Any]): What the model predicted.
        RETURNS (Tuple[float, Tuple[List, Any]]): Loss, and gradients shaped like
            the scores.
        """
        examples = list(examples)
        validate_examples(examples, "NoiseAdaptedEntityRecognizer.get_loss")
        ops = self.model.ops
        logits = ops.to_numpy(ops.flatten(scores[0]))
        kernel = ops.to_numpy(scores[1])
        noisy, weights, clean = self._read(examples)
        # Over an epoch the clean tokens count `clean_weight` times the noisy ones.
        rate = self.cfg["clean_weight"] * self.cfg["noisy_per_clean"]
        loss, d_logits, d_kernel = noisy_loss(logits, kernel, noisy, weights)
        loss_clean, d_clean = clean_loss(logits, clean, numpy.full(len(clean), rate))
        lengths = ops.asarray1i([len(eg.predicted) for eg in examples])
        d_scores = ops.asarray2f(d_logits + d_clean, dtype="f")
        d_kernel = ops.asarray2f(d_kernel, dtype="f")
        return loss + loss_clean, (ops.unflatten(d_scores, lengths), d_kernel)

    def _find_labels(self, examples: Iterable[Example]) -> List[str]:
        """The labels of the entities and of the clean tokens."""
        found: Set[str] = set()
        for eg in examples:
            clean = eg.reference.spans.get(self.cfg["clean_key"], [])
            found.update(span.label_ for span in [*eg.reference.ents, *clean])
        return sorted(found - {"", OUTSIDE})

    def _read(
        self, examples: Sequence[Example]
    ) -> Tuple[IntArray, FloatArray, IntArray]:
        """The noisy label of each token, its weight, and the clean label."""
        tags, key = self.tags, self.cfg["clean_key"]
        parts = [read_example(eg, tags, self.name) for eg in examples]
        found = numpy.concatenate([gold for gold, _ in parts])
        noisy = numpy.where(found == MISSING, MISSING, tags.types[found])
        weights = numpy.concatenate([weights for _, weights in parts])
        clean = [read_clean(eg, self.labels, key, self.name) for eg in examples]
        return noisy, weights, numpy.concatenate(clean)
