"""How the weights of missed entities differ from those of true negatives."""

from pathlib import Path
from typing import NamedTuple

import numpy
from numpy.typing import NDArray

from ..attrs import get_weights
from ..data.arrays import read_corpus_arrays
from ..data.docbin import read_docs
from ..data.loading import blank_vocab
from ..errors import Errors
from ..types import BoolArray, FloatArray

N_BINS = 10


class Group(NamedTuple):
    """The weights of some tokens."""

    n_tokens: int
    mean: float
    shares: NDArray[numpy.float64]  # of the tokens, per bin from 0 to 1


class WeightHistogram(NamedTuple):
    """The weights of a corpus whose gold is known."""

    name: str
    missed: Group  # tokens of entities that nobody labelled
    outside: Group  # true negatives


def read_histogram(weighted: Path, gold: Path) -> WeightHistogram:
    """Count the weights of a corpus.

    weighted (Path): The weighted corpus.
    gold (Path): The same documents, completely annotated.
    RETURNS (WeightHistogram): The counts.
    """
    vocab = blank_vocab()
    corpus = read_corpus_arrays(
        lambda: read_docs(weighted, vocab), vocab, gold=lambda: read_docs(gold, vocab)
    )
    arrays = [get_weights(doc) for doc in corpus.docs()]
    if not len(corpus) or all(array is None for array in arrays):
        raise ValueError(Errors.C298.format(path=weighted))
    weights = numpy.concatenate(
        [
            numpy.ones(length, dtype=numpy.float32) if array is None else array
            for array, length in zip(arrays, corpus.doc_lengths.tolist())
        ]
    )
    is_gold = numpy.asarray(corpus.gold_is_entity)
    return WeightHistogram(
        weighted.stem,
        missed=count_weights(weights, is_gold & ~corpus.is_entity),
        outside=count_weights(weights, ~is_gold & ~corpus.is_entity),
    )


def count_weights(weights: FloatArray, mask: BoolArray) -> Group:
    """Count the weights of some tokens.

    weights (FloatArray): One weight per token.
    mask (BoolArray): Which tokens to count.
    RETURNS (Group): The counts.
    """
    chosen = weights[mask].astype(numpy.float64)
    # Balanced weights may pass 1.
    counts, _ = numpy.histogram(numpy.minimum(chosen, 1), bins=N_BINS, range=(0, 1))
    n_tokens = max(1, len(chosen))
    return Group(len(chosen), float(chosen.sum()) / n_tokens, counts / n_tokens)
