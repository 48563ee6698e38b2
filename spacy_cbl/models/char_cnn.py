"""The paper's embedding: word vectors beside a convolution over characters."""

from typing import Callable, List, Optional, Tuple, cast

import numpy
from spacy.attrs import ORTH
from spacy.tokens import Doc
from thinc.api import (
    Dropout,
    Embed,
    Maxout,
    Model,
    Relu,
    chain,
    concatenate,
    expand_window,
    ragged2list,
    reduce_max,
    with_array,
)
from thinc.types import Floats2d, Ragged

from ..types import IntArray
from .word_vectors import word_vectors


def build_char_cnn_embed_v1(
    word_width: int,
    word_rows: int,
    char_width: int,
    char_rows: int,
    char_filters: int,
    char_window: int,
    include_static_vectors: bool,
    trainable_vectors: bool,
    width: Optional[int] = None,
) -> Model[List[Doc], List[Floats2d]]:
    """Build an embedding of words and their characters, side by side.

    word_width (int): Width of the word part; that of the vectors where they are used.
    word_rows (int): Rows of the hash embedding of words.
    char_width (int): Width of the embedding of a character.
    char_rows (int): Rows of that table: code points are taken modulo this.
    char_filters (int): Width of the character part of the output.
    char_window (int): Characters on either side that a filter sees.
    include_static_vectors (bool): Whether to use the vectors of the vocabulary.
    trainable_vectors (bool): Whether to learn a correction to those vectors.
    width (Optional[int]): Mix both parts into this many numbers, for encoders whose
        input is as wide as their output; None to leave them side by side.
    RETURNS (Model[List[Doc], List[Floats2d]]): The embedding layer.
    """
    words = word_vectors(
        word_width,
        word_rows,
        static=include_static_vectors,
        trainable=trainable_vectors,
    )
    chars = char_cnn(char_width, char_rows, char_filters, char_window)
    both: Model[List[Doc], Ragged] = concatenate(words, chars)
    if width is None:
        return chain(both, ragged2list())
    mix = Maxout(width, nP=3, dropout=0.0, normalize=True)
    drop: Model[Floats2d, Floats2d] = Dropout()
    return chain(both, with_array(chain(drop, mix)), ragged2list())


def char_cnn(width: int, rows: int, filters: int, window: int) -> Model:
    """A convolution over the characters of each word, pooled by maximum.

    width (int): Width of the embedding of a character.
    rows (int): Rows of the embedding table.
    filters (int): Output width.
    window (int): Characters on either side that a filter sees.
    RETURNS (Model[List[Doc], Ragged]): The layer.
    """
    return Model(
        "char_cnn",
        forward,
        init=init,
        layers=[
            Embed(width, rows),
            expand_window(window),
            Relu(filters, width * (2 * window + 1)),
            reduce_max(),
        ],
        dims={"nO": filters},
    )


def forward(
    model: Model[List[Doc], Ragged], docs: List[Doc], is_train: bool
) -> Tuple[Ragged, Callable[[Ragged], List[Doc]]]:
    ops = model.ops
    doc_lengths = ops.asarray1i([len(doc) for doc in docs])
    if not doc_lengths.sum():
        empty = Ragged(ops.alloc2f(0, model.get_dim("nO")), doc_lengths)
        return empty, lambda dY: []
    embed, expand, convolve, pool = model.layers
    # Each distinct word is read once, however often it occurs.
    orths = numpy.concatenate([doc.to_array(ORTH) for doc in docs])
    distinct, inverse = numpy.unique(orths, return_inverse=True)
    word_of: IntArray = inverse.astype("i")
    word_of = ops.asarray(word_of)
    codes, lengths = _code_points([docs[0].vocab.strings[orth] for orth in distinct])
    codes, lengths = ops.asarray1i(codes % embed.get_dim("nV")), ops.asarray1i(lengths)
    chars, backprop_embed = embed(codes, is_train)
    windows, backprop_expand = expand(Ragged(chars, lengths), is_train)
    filtered, backprop_convolve = convolve(windows.dataXd, is_train)
    Y, backprop_pool = pool(Ragged(filtered, lengths), is_train)

    def backprop(dY: Ragged) -> List[Doc]:
        d_words = ops.alloc2f(*Y.shape)
        ops.scatter_add(d_words, word_of, ops.as_contig(cast(Floats2d, dY.data)))
        d_windows = Ragged(backprop_convolve(backprop_pool(d_words).dataXd), lengths)
        backprop_embed(backprop_expand(d_windows).dataXd)
        return []

    return Ragged(Y[word_of], doc_lengths), backprop


def init(
    model: Model[List[Doc], Ragged],
    X: Optional[List[Doc]] = None,
    Y: Optional[Ragged] = None,
) -> None:
    embed, _, convolve, _ = model.layers
    embed.initialize()
    convolve.initialize()


def _code_points(words: List[str]) -> Tuple[IntArray, IntArray]:
    """The code points of all words, end to end, and the length of each word."""
    lengths = numpy.array([len(word) for word in words], dtype=numpy.int32)
    text = "".join(words).encode("utf-32-le", "surrogatepass")
    return cast(IntArray, numpy.frombuffer(text, dtype=numpy.uint32)), lengths
