"""Find the vectors of tokens in context, or compute them: they are kept on disk while a
model is trained.
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
from tqdm import tqdm

from ..core.vector_cache import VectorCache, make_key
from ..data.sentences import lengths_between, sentence_starts
from ..errors import Errors
from ..types import FloatArray
from .heap import trim_heap
from .transformer_encoder import TransformerEncoder
from .transformer_files import find_transformer, hash_transformer

# Changes when the same transformer would give other vectors.
VERSION = 1
# Tokens that are computed before they are written.
STEP = 8192
# Transformers and caches in use: several models may share one.
_in_use: "WeakValueDictionary[Tuple[str, str], Any]" = WeakValueDictionary()


@dataclass(frozen=True)
class ContextSettings:
    """See `frozen_context.build_frozen_context_v1`."""

    model: Optional[str]
    layers: Tuple[int, ...]
    combine: str
    cache: Optional[str]


class ContextSource:
    """Finds vectors in a cache, or computes them. Files are looked for, and the
    transformer is loaded, when there is need.
    """

    def __init__(self, settings: ContextSettings) -> None:
        """See `frozen_context.build_frozen_context_v1`."""
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
