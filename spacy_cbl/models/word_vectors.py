"""Word vectors of the vocabulary, with a learned part for words that have none."""

from typing import Any, Callable, List, Optional, Tuple

import numpy
from spacy.attrs import LOWER, NORM
from spacy.tokens import Doc
from spacy.vectors import Mode, Vectors
from thinc.api import (
    HashEmbed,
    Model,
    get_array_module,
    to_numpy,
    uniform_init,
    zero_init,
)
from thinc.types import Ragged

from ..errors import Errors
from ..types import BoolArray, FloatArray, IntArray

# Of the hash function. Without one, thinc takes the number of layers that the process
# has made so far, and words would share rows with others in each run.
SEED = 11


def word_vectors(
    nO: Optional[int], rows: int, *, static: bool, trainable: bool
) -> Model[List[Doc], Ragged]:
    """Look up each word's vector. Words without one get a hash embedding; with
    `trainable`, words with one get a learned correction to it from the same table.

    nO (Optional[int]): Output width where there are no static vectors.
    rows (int): Rows of the hash embedding.
    static (bool): Whether to use the vectors of the vocabulary.
    trainable (bool): Whether words with a vector may move away from it.
    RETURNS (Model[List[Doc], Ragged]): The layer.
    """
    # A correction starts at nothing; a word without a vector starts at random.
    start = zero_init if static and trainable else uniform_init
    width = None if static else nO
    table: Model = HashEmbed(width, rows, seed=SEED, initializer=start)  # type: ignore[arg-type]
    return Model(
        "word_vectors",
        forward,
        init=init,
        layers=[table],
        dims={"nO": width},
        attrs={"static": static, "trainable": trainable},
    )


def forward(
    model: Model[List[Doc], Ragged], docs: List[Doc], is_train: bool
) -> Tuple[Ragged, Callable[[Ragged], List[Doc]]]:
    ops = model.ops
    norms: IntArray = numpy.concatenate([doc.to_array(NORM) for doc in docs])
    ids = ops.asarray(norms.astype("uint64"))
    Y, backprop_table = model.layers[0](ids, is_train)
    lengths = ops.asarray1i([len(doc) for doc in docs])
    learned: Any = 1.0
    if model.attrs["static"] and len(ids):
        vectors, known = find_vectors(docs)
        if not model.attrs["trainable"]:
            learned = ops.asarray2f(~known[:, None], dtype="f")
        Y = Y * learned + ops.asarray2f(vectors)

    def backprop(dY: Ragged) -> List[Doc]:
        backprop_table(dY.dataXd * learned)
        return []

    return Ragged(Y, lengths), backprop


def init(
    model: Model[List[Doc], Ragged],
    X: Optional[List[Doc]] = None,
    Y: Optional[Ragged] = None,
) -> None:
    table = model.layers[0]
    if model.attrs["static"] and X:
        width = X[0].vocab.vectors_length
        if not width:
            raise ValueError(Errors.C015)
        model.set_dim("nO", width)
        table.set_dim("nO", width)
    table.initialize()


def static_vectors() -> Model[List[Doc], Ragged]:
    """Look up each word's vector and leave it as it is.

    RETURNS (Model[List[Doc], Ragged]): The layer.
    """
    return Model("static_vectors", forward_static)


def forward_static(
    model: Model[List[Doc], Ragged], docs: List[Doc], is_train: bool
) -> Tuple[Ragged, Callable[[Ragged], List[Doc]]]:
    lengths = model.ops.asarray1i([len(doc) for doc in docs])
    vectors: FloatArray = find_vectors(docs)[0]
    return Ragged(model.ops.asarray2f(vectors), lengths), lambda dY: []


def find_vectors(docs: List[Doc]) -> Tuple[FloatArray, BoolArray]:
    """The static vectors of all tokens. A word that has none takes that of its
    lower-case form: the usual vectors are of lower-cased text, and spaCy does not save
    which attribute of a token is to be looked up.

    docs (List[Doc]): Documents that share a vocabulary.
    RETURNS (Tuple[FloatArray, BoolArray]): A row per token, zeros for words without a
        vector, and which words have one.
    """
    vectors = docs[0].vocab.vectors
    forms = numpy.concatenate([doc.to_array([vectors.attr, LOWER]) for doc in docs])
    keys, lower_keys = forms[:, 0], forms[:, 1]
    if isinstance(vectors, Vectors) and vectors.mode == Mode.default:
        if not vectors.size:
            raise ValueError(Errors.C015)
        rows = _find_rows(vectors, keys)
        unknown = rows < 0
        rows[unknown] = _find_rows(vectors, lower_keys[unknown])
        known = rows >= 0
        xp = get_array_module(vectors.data)
        found = to_numpy(vectors.data[xp.asarray(rows)])
        found[~known] = 0
        return found, known
    # Vectors of subwords: every word has one.
    return vectors.get_batch(keys), numpy.ones(len(keys), dtype=bool)


def _find_rows(vectors: Vectors, keys: IntArray) -> IntArray:
    """The row of each key, -1 for none. spaCy looks them up one by one: each once."""
    distinct, places = numpy.unique(keys, return_inverse=True)
    return to_numpy(vectors.find(keys=distinct))[places.reshape(-1)]
