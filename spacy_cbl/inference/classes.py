"""Classes of tokens that are in the same `Count` rows, so that these rows cannot tell
them apart.
"""

from dataclasses import dataclass
from typing import List

import numpy

from ..types import BoolArray, FloatArray, IntArray
from .problem import ROUNDING, Count

# Each row doubles the number of classes that there may be.
MAX_ROWS = 16
PIECE = 1 << 18


@dataclass(frozen=True)
class Classes:
    """Which rows the tokens are in.

    of_token (IntArray): The class of each token.
    in_row (BoolArray): Whether a class (first axis) is in a row (second axis).
    lower (FloatArray): The least number of positives in each row.
    upper (FloatArray): The largest number of positives in each row.
    """

    of_token: IntArray
    in_row: BoolArray
    lower: FloatArray
    upper: FloatArray


def classify(counts: List[Count], n_tokens: int) -> Classes:
    """Find the classes of tokens.

    counts (List[Count]): MAX_ROWS rows or fewer.
    n_tokens (int): How many tokens there are.
    RETURNS (Classes): The classes; each has a token.
    """
    code_type = numpy.dtype("uint8" if len(counts) <= 8 else "uint16")
    codes: IntArray = numpy.zeros(n_tokens, dtype=code_type)
    for row, count in enumerate(counts):
        bit = code_type.type(1 << row)
        if count.where is None:
            codes |= bit
        else:
            codes |= count.where * bit
    # Piece by piece: numpy makes a large copy of small indices.
    pieces = [codes[i : i + PIECE] for i in range(0, n_tokens, PIECE)]
    present = numpy.zeros(1 << len(counts), dtype=bool)
    for piece in pieces:
        present[piece] = True
    numbers = (numpy.cumsum(present) - 1).astype(code_type)
    for piece in pieces:
        piece[:] = numbers[piece]
    found = numpy.flatnonzero(present)
    return Classes(
        of_token=codes,
        in_row=(found[:, None] >> numpy.arange(len(counts))) & 1 == 1,
        # Only whole numbers of tokens can be positive.
        lower=numpy.ceil([max(c.lower, 0) - ROUNDING for c in counts]),
        upper=numpy.floor([min(c.upper, n_tokens) + ROUNDING for c in counts]),
    )
