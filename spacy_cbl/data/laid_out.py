"""A file laid end to end, with its spans, to count it and to put it beside others."""

from pathlib import Path
from typing import Dict, Iterable, List, NamedTuple

import numpy
from spacy.tokens import Doc

from ..attrs import get_weights
from ..core.tag_schemes import SpanT
from ..errors import Errors
from ..types import BoolArray, FloatArray
from .arrays import read_doc_arrays
from .convert import read_corpus


class LaidOut(NamedTuple):
    """A file laid end to end.

    path (str): The file, or what stands for it.
    words (List[str]): All tokens.
    lengths (List[int]): The number of tokens of each document.
    sent_starts (BoolArray): Where a sentence starts.
    spans (List[SpanT]): All entities.
    missing (BoolArray): Which tokens are missing.
    weights (FloatArray): One per token.
    """

    path: str
    words: List[str]
    lengths: List[int]
    sent_starts: BoolArray
    spans: List[SpanT]
    missing: BoolArray
    weights: FloatArray

    @property
    def is_entity(self) -> BoolArray:
        """Which tokens are in entities."""
        mask = numpy.zeros(len(self.words), dtype=bool)
        for start, end, _ in self.spans:
            mask[start:end] = True
        return mask


def load(path: Path) -> LaidOut:
    """Read a file.

    path (Path): A `.spacy` file, or one that `convert` reads as it is.
    RETURNS (LaidOut): Its documents.
    """
    _, docs, _ = read_corpus(path)
    return lay_out(str(path), docs)


def lay_out(path: str, docs: Iterable[Doc]) -> LaidOut:
    """Lay documents end to end.

    path (str): The name of the corpus.
    docs (Iterable[Doc]): The documents.
    RETURNS (LaidOut): The corpus.
    """
    words: List[str] = []
    lengths: List[int] = []
    spans: List[SpanT] = []
    columns: Dict[str, List] = {"starts": [], "missing": [], "weights": []}
    for doc in docs:
        if not len(doc):
            continue
        arrays, weights = read_doc_arrays(doc), get_weights(doc)
        columns["starts"].append(arrays.sent_starts)
        columns["missing"].append(arrays.is_missing)
        columns["weights"].append(numpy.ones(len(doc)) if weights is None else weights)
        offset = len(words)
        spans.extend((e.start + offset, e.end + offset, e.label_) for e in doc.ents)
        words.extend(token.text for token in doc)
        lengths.append(len(doc))
    if not words:
        raise ValueError(Errors.C123.format(path=path))
    starts, missing, weights = (numpy.concatenate(c) for c in columns.values())
    return LaidOut(path, words, lengths, starts, spans, missing, weights)
