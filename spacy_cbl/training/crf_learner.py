"""A marginal CRF that CBL and its relatives train inside."""

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy
from spacy.tokens import Doc
from thinc.api import Adam, Model, set_dropout_rate
from tqdm import tqdm

from ..core.crf import marginal_loss
from ..core.self_training import constrained_marginals, constrained_tags
from ..data.sentences import crossed_boundaries, lengths_between, sentence_starts
from ..errors import check_settings
from ..models.frozen_context import prepare
from ..models.word_kind_embed import count_words
from ..types import BoolArray, FloatArray, IntArray
from .learner import Learner, batch_by_words, seeded


class CRFLearner:
    """A marginal CRF with any encoder."""

    def __init__(
        self,
        model: Model,
        *,
        epochs: int,
        dropout: float,
        batch_size: int,
        learn_rate: float,
        average_epochs: bool,
        average_parameters: bool = False,
        L2: float = 0.0,
        min_updates: int = 0,
    ) -> None:
        """See `create_crf_learner` for the arguments."""
        self.model = model
        # As they are given: others follow from the data.
        self.dims = [_known_dims(node) for node in model.walk()]
        self.epochs = epochs
        self.dropout = dropout
        self.batch_size = batch_size
        self.learn_rate = learn_rate
        self.average_epochs = average_epochs
        self.average_parameters = average_parameters
        self.L2 = L2
        self.min_updates = min_updates
        self.legal: Optional[BoolArray] = None
        self.snapshots: List[Dict[Tuple[int, str], Any]] = []

    def fit(
        self,
        docs: Sequence[Doc],
        soft_labels: FloatArray,
        seed: int,
        weights: Optional[FloatArray] = None,
        legal: Optional[BoolArray] = None,
    ) -> None:
        """Train a fresh model; weights are not used. See `Learner`."""
        n_tags = soft_labels.shape[1]
        self.legal = numpy.ones((n_tags + 1, n_tags + 1), dtype=bool)
        if legal is not None:
            self.legal = legal
        with seeded(seed):
            self._start(docs, n_tags)
            averages = self.average_parameters
            optimizer = Adam(self.learn_rate, L2=self.L2, use_averages=averages)
            parts = _split(soft_labels, docs)
            n_epochs = self._count_epochs(len(soft_labels), len(docs))
            n_kept = self.epochs if self.average_epochs else 1
            for epoch in range(n_epochs):
                self._train_epoch(docs, parts, optimizer, f"Epoch {epoch + 1}")
                if epoch >= n_epochs - n_kept and not self.average_parameters:
                    self.snapshots.append(_copy_params(self.model))
            if self.average_parameters:
                self.snapshots = [dict(optimizer.averages)]

    def marginals(
        self, docs: Sequence[Doc], allowed: Optional[FloatArray] = None
    ) -> FloatArray:
        """The mean of the probabilities after each of the last epochs; where nothing is
        averaged so, those of the last. See `Learner`.

        allowed (Optional[FloatArray]): 1 where a tag is allowed, else 0 (tokens x
            tags); None for all.
        """
        total: Any = 0.0
        for params in self.snapshots:
            with self.model.use_params(params):
                total = total + self._predict(docs, constrained_marginals, allowed)
        return total / len(self.snapshots)

    def best_tags(
        self, docs: Sequence[Doc], allowed: Optional[FloatArray] = None
    ) -> IntArray:
        """The best tag sequences after the last epoch.

        docs (Sequence[Doc]): The documents.
        allowed (Optional[FloatArray]): As for `marginals`.
        RETURNS (IntArray): The tag of each token.
        """
        with self.model.use_params(self.snapshots[-1]):
            return self._predict(docs, constrained_tags, allowed)

    def describe(self, forms: Sequence[str]) -> Dict[str, Any]:
        """Settings and the layers of the model. See `Learner`."""
        return {
            "learner": type(self).__name__,
            "epochs": self.epochs,
            "dropout": self.dropout,
            "batch_size": self.batch_size,
            "learn_rate": self.learn_rate,
            "average_epochs": self.average_epochs,
            "average_parameters": self.average_parameters,
            "L2": self.L2,
            "min_updates": self.min_updates,
            "layers": [
                [*_describe_node(node), dims]
                for node, dims in zip(self.model.walk(), self.dims)
            ],
        }

    def _start(self, docs: Sequence[Doc], n_tags: int) -> None:
        # Initializing again draws all parameters anew.
        self.snapshots = []
        self.model.attrs["set_tags"](self.model, n_tags)
        count_words(self.model, docs)
        self.model.initialize(X=list(docs[:10]))
        prepare(self.model, docs)

    def _count_epochs(self, n_tokens: int, n_docs: int) -> int:
        n_batches = max(min(n_tokens // self.batch_size, n_docs), 1)
        return max(self.epochs, -(-self.min_updates // n_batches))

    def _train_epoch(
        self,
        docs: Sequence[Doc],
        soft_labels: List[FloatArray],
        optimizer: Any,
        name: str,
    ) -> None:
        set_dropout_rate(self.model, self.dropout)
        order: IntArray = numpy.random.permutation(len(docs))
        batches = list(batch_by_words(docs, order, self.batch_size))
        for batch in tqdm(batches, desc=name, unit="batch", disable=None, leave=False):
            texts = [docs[i] for i in batch]
            G = numpy.concatenate([soft_labels[i] for i in batch])
            self._update(texts, G, optimizer)

    def _update(self, docs: List[Doc], G: FloatArray, optimizer: Any) -> None:
        ops = self.model.ops
        (scores, transitions), backprop = self.model.begin_update(docs)
        _, d_emissions, d_transitions = marginal_loss(
            ops.to_numpy(ops.flatten(scores)),
            ops.to_numpy(transitions),
            self.legal,
            _sequence_lengths(docs),
            G,
        )
        lengths = ops.asarray1i([len(doc) for doc in docs])
        d_scores = ops.unflatten(ops.asarray2f(d_emissions, dtype="f"), lengths)
        backprop((d_scores, ops.asarray2f(d_transitions, dtype="f")))
        self.model.finish_update(optimizer)

    def _predict(
        self,
        docs: Sequence[Doc],
        infer: Callable[..., Any],
        allowed: Optional[FloatArray],
    ) -> Any:
        found = []
        start = 0
        for batch in batch_by_words(docs, range(len(docs)), 8 * self.batch_size):
            texts = [docs[i] for i in batch]
            scores, transitions = self.model.predict(texts)
            to_numpy = self.model.ops.to_numpy
            emissions = numpy.concatenate([to_numpy(s) for s in scores])
            end = start + len(emissions)
            rows = None if allowed is None else allowed[start:end]
            table, lengths = to_numpy(transitions), _sequence_lengths(texts)
            found.append(infer(emissions, table, self.legal, lengths, rows))
            start = end
        return numpy.concatenate(found)


def create_crf_learner(
    model: Model,
    epochs: int = 2,
    dropout: float = 0.2,
    batch_size: int = 1000,
    learn_rate: float = 0.001,
    average_epochs: bool = True,
    average_parameters: bool = False,
    L2: float = 0.0,
    min_updates: int = 150,
) -> Learner:
    """Create a learner that trains a marginal CRF.

    model (Model): The model, of the architecture `spacy_cbl.MarginalCRF.v1`. Each fit
        starts it anew.
    epochs (int): How often to see the data. A model that sees it too often learns the
        missed entities by heart.
    dropout (float): The dropout rate.
    batch_size (int): Tokens per batch.
    learn_rate (float): The rate of Adam.
    average_epochs (bool): Whether to average the probabilities after each of the last
        epochs.
    average_parameters (bool): Whether to average the parameters over all updates
        instead.
    L2 (float): Weight decay.
    min_updates (int): See small data as often as this many updates take.
    RETURNS (Learner): The learner.
    """
    above = "a whole number above 0"
    check_settings(
        "the CRF learner",
        ("epochs", epochs, epochs > 0, above),
        ("batch_size", batch_size, batch_size > 0, above),
    )
    return CRFLearner(
        model,
        epochs=epochs,
        dropout=dropout,
        batch_size=batch_size,
        learn_rate=learn_rate,
        average_epochs=average_epochs,
        average_parameters=average_parameters,
        L2=L2,
        min_updates=min_updates,
    )


def _sequence_lengths(docs: Sequence[Doc]) -> IntArray:
    # An entity across a sentence boundary is more certain than the boundary.
    starts = [sentence_starts(doc) & ~crossed_boundaries(doc) for doc in docs]
    return numpy.concatenate([lengths_between(s) for s in starts])


def _split(rows: FloatArray, docs: Sequence[Doc]) -> List[FloatArray]:
    return numpy.split(rows, numpy.cumsum([len(doc) for doc in docs])[:-1])


def _describe_node(node: Model) -> List[Any]:
    """What tells a layer from others, whether it is initialized or not."""
    plain = (bool, int, float, str, list, tuple)
    attrs = {k: v for k, v in sorted(node.attrs.items()) if isinstance(v, plain)}
    attrs.pop("dropout_rate", None)
    shims = [shim.describe() for shim in node.shims if hasattr(shim, "describe")]
    return [node.name, repr(attrs), *shims]


def _known_dims(node: Model) -> Dict[str, int]:
    return {name: node.get_dim(name) for name in node.dim_names if node.has_dim(name)}


def _copy_params(model: Model) -> Dict[Tuple[int, str], Any]:
    return {
        (node.id, name): node.get_param(name).copy()
        for node in model.walk()
        for name in node.param_names
        if node.has_param(name)
    }
