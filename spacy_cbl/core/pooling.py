"""From vectors of word pieces to vectors of tokens."""

from typing import List, Sequence, Tuple

import numpy

from ..types import FloatArray, IntArray


def mean_of_pieces(pieces: FloatArray, counts: IntArray) -> FloatArray:
    """The mean vector of the pieces of each token.

    pieces (FloatArray): A row per piece, in the order of the tokens.
    counts (IntArray): How many pieces each token has.
    RETURNS (FloatArray): A row per token; zeros for a token without pieces.
    """
    counts = numpy.asarray(counts)
    means = numpy.zeros((len(counts), pieces.shape[1]), dtype=pieces.dtype)
    kept = counts > 0
    if kept.any():
        firsts = (numpy.cumsum(counts) - counts)[kept]
        sums = numpy.add.reduceat(pieces[: counts.sum()], firsts, axis=0)
        means[kept] = sums / counts[kept, None]
    return means


def cut_windows(counts: Sequence[int], size: int) -> List[Tuple[int, int]]:
    """Cut a text into windows of whole tokens, as even as can be, where it has more
    pieces than a model takes.

    counts (Sequence[int]): How many pieces each token has; none more than `size`.
    size (int): The most pieces of a window.
    RETURNS (List[Tuple[int, int]]): First token and end of each window.
    """
    total = sum(counts)
    # Even windows leave no token at the end without its context.
    even = -(-total // max(-(-total // size), 1))
    windows = []
    start, n_pieces = 0, 0
    for i, count in enumerate(counts):
        if n_pieces and (n_pieces + count > size or n_pieces >= even):
            windows.append((start, i))
            start, n_pieces = i, 0
        n_pieces += count
    if start < len(counts):
        windows.append((start, len(counts)))
    return windows
