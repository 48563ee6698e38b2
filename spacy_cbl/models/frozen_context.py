"""Vectors of tokens in context, from a transformer that does not learn, as a layer."""

from typing import Any, Callable, Iterable, List, Optional, Tuple

from spacy.tokens import Doc
from thinc.api import Model, Shim, chain, ragged2list, with_array
from thinc.types import Floats2d, Ragged

from ..errors import Errors
from .context_source import ContextSettings, ContextSource
from .fixed_input_linear import fixed_input_linear
from .transformer_encoder import COMBINE


def build_frozen_context_v1(
    model: Optional[str],
    layers: List[int],
    combine: str = "concat",
    width: Optional[int] = None,
    cache: Optional[str] = None,
) -> Model[List[Doc], List[Floats2d]]:
    """Build an embedding of tokens in context: vectors of some layers of a transformer,
    the mean over the word pieces of a token. The transformer reads sentence by
    sentence where a Doc has sentence boundaries. It is not trained, and not saved with
    the pipeline: name and a hash are.

    model (Optional[str]): The transformer: a folder, or the name of a model of the hub.
    layers (List[int]): Which layers; 0 is the embedding, -1 the last.
    combine (str): Whether layers are put side by side ("concat") or averaged ("mean").
    width (Optional[int]): Map the vectors linearly to this many numbers, with dropout
        before; None to leave them as they are.
    cache (Optional[str]): A folder that keeps vectors. It is used from
        initialization on, hence in training; a pipeline that was loaded computes its
        vectors.
    RETURNS (Model[List[Doc], List[Floats2d]]): The embedding layer.
    """
    if combine not in COMBINE:
        raise ValueError(Errors.C333.format(combine=combine, names=", ".join(COMBINE)))
    settings = ContextSettings(model, tuple(layers), combine, cache)
    vectors = context_vectors(settings)
    if width is None:
        return chain(vectors, ragged2list())
    return chain(vectors, with_array(fixed_input_linear(width)), ragged2list())


def prepare(model: Model, docs: Iterable[Doc]) -> None:
    """Compute the vectors that are not yet there, of all documents at once, where a
    model keeps such vectors.

    model (Model): Any model; it is initialized.
    docs (Iterable[Doc]): The documents; not read if the model has no use for them.
    """
    shims = [s for node in model.walk() for s in node.shims]
    sources = [s.source for s in shims if isinstance(s, ContextShim)]
    sources = [source for source in sources if source.cache is not None]
    texts = list(docs) if sources else []
    for source in sources:
        source.compute(texts)


def context_vectors(settings: ContextSettings) -> Model[List[Doc], Ragged]:
    """Find or compute the vectors of tokens.

    settings (ContextSettings): Which.
    RETURNS (Model[List[Doc], Ragged]): The layer.
    """
    return Model(
        "context_vectors",
        forward,
        init=init,
        dims={"nO": None},
        shims=[ContextShim(ContextSource(settings))],
    )


def forward(
    model: Model[List[Doc], Ragged], docs: List[Doc], is_train: bool
) -> Tuple[Ragged, Callable[[Ragged], List[Doc]]]:
    lengths = model.ops.asarray1i([len(doc) for doc in docs])
    found = get_source(model)(docs)
    if found is None:
        return Ragged(model.ops.alloc2f(0, model.get_dim("nO")), lengths), _no_gradient
    return Ragged(model.ops.asarray2f(found), lengths), _no_gradient


def init(
    model: Model[List[Doc], Ragged],
    X: Optional[List[Doc]] = None,
    Y: Optional[Ragged] = None,
) -> None:
    source = get_source(model)
    source.open_cache()
    found = None if X is None else source(X)
    if found is not None:
        model.set_dim("nO", found.shape[1], force=True)


def get_source(model: Model[List[Doc], Ragged]) -> ContextSource:
    """Where the vectors of a layer come from.

    model (Model[List[Doc], Ragged]): The layer.
    RETURNS (ContextSource): The source.
    """
    shim: Any = model.shims[0]
    return shim.source


class ContextShim(Shim):
    """Saves which vectors a model was trained with, not the transformer."""

    def __init__(self, source: ContextSource) -> None:
        """Wrap a source.

        source (ContextSource): The source.
        """
        super().__init__(source)

    @property
    def source(self) -> ContextSource:
        """Where the vectors come from."""
        return self._model

    def describe(self) -> str:
        """What tells its vectors from others.

        RETURNS (str): The fingerprint.
        """
        return self.source.fingerprint

    def copy(self) -> "ContextShim":
        """A shim that opens its files anew.

        RETURNS (ContextShim): The copy.
        """
        return _make_shim(self.source.settings, self.to_bytes())

    def __reduce__(self) -> Tuple:
        """To other processes it goes as it is copied."""
        return _make_shim, (self.source.settings, self.to_bytes())

    def finish_update(self, optimizer: Any) -> None:
        """There is nothing to learn."""

    def to_device(self, device_type: str, device_id: int) -> None:
        """The transformer stays where torch put it."""

    def to_bytes(self) -> bytes:
        """Save.

        RETURNS (bytes): The fingerprint; nothing before it is known.
        """
        known = self.source.__dict__.get("fingerprint", self.source.expected)
        return (known or "").encode()

    def from_bytes(self, data: bytes) -> "ContextShim":
        """Load.

        data (bytes): What `to_bytes` gave.
        RETURNS (ContextShim): The shim.
        """
        self.source.expected = data.decode() or None
        self.source.__dict__.pop("fingerprint", None)
        return self


def _make_shim(settings: ContextSettings, data: bytes) -> ContextShim:
    return ContextShim(ContextSource(settings)).from_bytes(data)


def _no_gradient(dY: Ragged) -> List[Doc]:
    return []
