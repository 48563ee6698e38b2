"""Vectors of tokens in context, from a transformer that does not learn. They are
computed once and kept on disk while a model is trained.
"""

from dataclasses import astuple, dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple
from weakref import WeakValueDictionary

import numpy
import srsly
from spacy.tokens import Doc
from thinc.api import (
    Model,
    Shim,
    chain,
    ragged2list,
    with_array,
)
from thinc.types import Floats2d, Ragged
from tqdm import tqdm

from ..core.vector_cache import VectorCache, make_key
from ..data.sentences import lengths_between, sentence_starts
from ..errors import Errors
from ..types import FloatArray
from .frozen_linear import frozen_linear
from .heap import trim_heap
from .transformer_encoder import COMBINE, TransformerEncoder
from .transformer_files import find_transformer, hash_transformer

# Changes when the same transformer would give other vectors.
VERSION = 1
# Tokens that are computed before they are written.
STEP = 8192
# Transformers and caches in use: several models may share one.
_in_use: "WeakValueDictionary[Tuple[str, str], Any]" = WeakValueDictionary()


@dataclass(frozen=True)
class ContextSettings:
    """See `build_frozen_context_v1`."""

    model: Optional[str]
    layers: Tuple[int, ...]
    combine: str
    cache: Optional[str]


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
    return chain(vectors, with_array(frozen_linear(width)), ragged2list())


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


def get_source(model: Model[List[Doc], Ragged]) -> "ContextSource":
    """Where the vectors of a layer come from.

    model (Model[List[Doc], Ragged]): The layer.
    RETURNS (ContextSource): The source.
    """
    shim: Any = model.shims[0]
    return shim.source


class ContextSource:
    """Finds vectors in a cache, or computes them. Files are looked for, and the
    transformer is loaded, when there is need.
    """

    def __init__(self, settings: ContextSettings) -> None:
        """See `build_frozen_context_v1`."""
        self.settings = settings
        self.expected: Optional[str] = None  # the fingerprint it was trained with
        self.cache: Optional[VectorCache] = None

    @cached_property
    def folder(self) -> Path:
        """The files of the transformer."""
        if self.settings.model is None:
            raise ValueError(Errors.C335)
        return find_transformer(self.settings.model)

    @cached_property
    def fingerprint(self) -> str:
        """Tells these vectors from others: of other models or layers."""
        files = hash_transformer(self.folder)
        _, layers, combine, _ = astuple(self.settings)
        described = srsly.json_dumps([VERSION, files, list(layers), combine])
        found = sha256(described.encode()).hexdigest()
        if self.expected is not None and self.expected != found:
            name, folder = self.settings.model, self.folder
            raise ValueError(Errors.C334.format(name=name, folder=folder))
        return found

    @cached_property
    def encoder(self) -> TransformerEncoder:
        """The transformer, once it is known to be the right one."""
        assert self.fingerprint
        layers, combine = self.settings.layers, self.settings.combine
        key = (self.fingerprint, str(self.folder))
        return _shared(key, lambda: TransformerEncoder(self.folder, layers, combine))

    def open_cache(self) -> None:
        """Use the cache from now on, if there is to be one."""
        # Whatever is trained from now on is trained with the vectors at hand.
        self.expected = None
        if self.settings.cache is None or self.cache is not None:
            return
        folder = Path(self.settings.cache) / self.fingerprint[:16]
        fingerprint = bytes.fromhex(self.fingerprint)
        key = (self.fingerprint, str(folder.resolve()))
        self.cache = _shared(key, lambda: VectorCache(folder, fingerprint))

    def __call__(self, docs: Sequence[Doc]) -> Optional[FloatArray]:
        """The vectors of documents.

        docs (Sequence[Doc]): The documents.
        RETURNS (Optional[FloatArray]): A row per token, all documents end to end; None
            if there are no tokens.
        """
        units = [unit for doc in docs for unit in read_units(doc)]
        if not units:
            return None
        keys = [make_key(words) for words in units]
        found = {} if self.cache is None else _look_up(self.cache, keys)
        missing = {key: words for key, words in zip(keys, units) if key not in found}
        if missing:
            new = dict(zip(missing, self.encoder(list(missing.values()))))
            if self.cache is not None:
                self.cache.add(new)
            found.update(new)
        return numpy.concatenate([found[key] for key in keys]).astype("f")

    def compute(self, docs: Sequence[Doc]) -> None:
        """Compute what the cache lacks, shortest sentences first, and write it bit by
        bit: what is written is not computed again.

        docs (Sequence[Doc]): The documents.
        """
        assert self.cache is not None
        units: Dict[bytes, List[str]] = {}
        for doc in docs:
            for words in read_units(doc):
                units[make_key(words)] = words
        cache = self.cache
        missing = [(key, words) for key, words in units.items() if key not in cache]
        missing.sort(key=lambda unit: len(unit[1]))
        n_tokens = sum(len(words) for _, words in missing)
        name = "Contextual vectors"
        with tqdm(total=n_tokens, desc=name, unit="token", disable=None) as progress:
            for batch in _cut(missing):
                vectors = self.encoder([words for _, words in batch])
                cache.add(dict(zip([key for key, _ in batch], vectors)))
                progress.update(sum(len(words) for _, words in batch))
        trim_heap()


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
        copied = ContextShim(ContextSource(self.source.settings))
        copied.source.expected = self.source.expected
        return copied

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


def read_units(doc: Doc) -> List[List[str]]:
    """What the transformer reads at once.

    doc (Doc): A document.
    RETURNS (List[List[str]]): The words of each sentence; of the document if it has no
        sentence boundaries.
    """
    if not len(doc):
        return []
    words = [token.text for token in doc]
    ends = numpy.cumsum(lengths_between(sentence_starts(doc))).tolist()
    return [words[start:end] for start, end in zip([0, *ends], ends)]


def _shared(key: Tuple[str, str], make: Callable[[], Any]) -> Any:
    found = _in_use.get(key)
    if found is None:
        found = _in_use[key] = make()
    return found


def _no_gradient(dY: Ragged) -> List[Doc]:
    return []


def _look_up(cache: VectorCache, keys: List[bytes]) -> Dict[bytes, FloatArray]:
    found = ((key, cache.get(key)) for key in set(keys))
    return {key: vectors for key, vectors in found if vectors is not None}


def _cut(units: List[Tuple[bytes, List[str]]]) -> Iterable[List]:
    batch: List[Tuple[bytes, List[str]]] = []
    size = 0
    for unit in units:
        batch.append(unit)
        size += len(unit[1])
        if size >= STEP:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
