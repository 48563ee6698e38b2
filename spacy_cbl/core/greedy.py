"""Tag documents from left to right, all of them side by side, one token of each at a
time: a step costs a few array operations, however many documents there are.
"""

from typing import NamedTuple, Optional, Tuple

import numpy

from ..types import BoolArray, FloatArray, IntArray
from .packing import pack
from .perceptron import Weights, score
from .tag_features import LOOK_AHEAD, History, TagRows


class Context(NamedTuple):
    """What is known of tokens before they are tagged, documents laid end to end."""

    rows: IntArray  # rows of features that do not depend on tags (tokens x features)
    forms: IntArray  # hashes to combine with the tag before (tokens x forms), uint32
    words: IntArray  # a hash of each word, uint32
    numbers: IntArray  # words numbered within their document
    lengths: IntArray  # tokens per document
    segments: IntArray  # the number of the tagged stretch of each token, rising
    fixed: BoolArray  # tokens that are O whatever the scores say
    back: IntArray  # see `look_back`


def tags_before(tags: IntArray, context: Context, boundary: int) -> IntArray:
    """The tags 1, 2 and 3 tokens before each token, where all are known.

    tags (IntArray): One tag per token.
    context (Context): The tokens.
    boundary (int): Stands for what lies before a segment.
    RETURNS (IntArray): 3 x tokens.
    """
    return numpy.append(tags, boundary)[context.back]


def words_before(context: Context) -> IntArray:
    """Hashes of the words 1 and 2 tokens before each token.

    context (Context): The tokens.
    RETURNS (IntArray): 2 x tokens; 0 beyond the segment.
    """
    words = numpy.append(context.words, numpy.uint32(0))
    return words[context.back[:2]]


def decode(
    context: Context,
    static: FloatArray,
    weights: Weights,
    tag_rows: TagRows,
    legal: BoolArray,
    window: int,
    known: Optional[FloatArray] = None,
) -> Tuple[IntArray, FloatArray]:
    """Tag documents. Tags follow each other as `legal` says, within segments.

    context (Context): The tokens.
    static (FloatArray): Scores of the features that do not depend on tags.
    weights (Weights): The weights.
    tag_rows (TagRows): Gives the rows of features that depend on tags.
    legal (BoolArray): Which tag may follow which; the last row and column stand for
        the boundary of a segment.
    window (int): How far back the ratios of tags of a word look; 0 for no ratios.
    known (Optional[FloatArray]): Real-valued features that are known beforehand; their
        weights come after those of the ratios.
    RETURNS (Tuple[IntArray, FloatArray]): A tag per token, and the scores.
    """
    n, boundary = len(context.words), len(legal) - 1
    n_types = int(tag_rows.types.max()) + 1
    n_ratios = LOOK_AHEAD * n_types if window else 0
    scores = static.copy()
    if known is not None:
        scores += known @ weights.dense[n_ratios:]
    weights = Weights(weights.table, weights.dense[:n_ratios])
    tags = numpy.full(n + 1, boundary, dtype=numpy.int64)
    back, words = context.back, words_before(context)
    may_end = _end_mask(context, legal)
    packing = pack(context.lengths)
    ends = numpy.cumsum(context.lengths)
    starts = ends - context.lengths
    history = History(context.numbers, n_types, window)
    for first, last in zip(packing.offsets[:-1], packing.offsets[1:]):
        tokens = packing.forward[first:last]
        docs = packing.order[: last - first]
        before = tags[back[:, tokens]]
        rows = tag_rows.rows(before, words[:, tokens], context.forms[tokens])
        dense = numpy.zeros((len(tokens), 0), "f")
        if window:
            dense = history.ratios(tokens, ends[docs])
        found = scores[tokens] + score(weights, rows, dense)
        scores[tokens] = found
        allowed = legal[before[0], :boundary] & may_end[tokens]
        chosen = numpy.where(allowed, found, -numpy.inf).argmax(axis=1)
        tags[tokens] = chosen
        if window:
            history.add(tokens, tag_rows.types[chosen], starts[docs])
    return tags[:n], scores


def look_back(segments: IntArray) -> IntArray:
    """Where the tokens 1, 2 and 3 before are.

    segments (IntArray): The number of the segment of each token.
    RETURNS (IntArray): 3 x tokens; beyond the last token where there is none.
    """
    n = len(segments)
    here = numpy.arange(n)
    back = here - numpy.arange(1, 4)[:, None]
    same = (back >= 0) & (segments[numpy.maximum(back, 0)] == segments)
    return numpy.where(same, back, n)


def _end_mask(context: Context, legal: BoolArray) -> BoolArray:
    """Which tags each token may have for what comes after it: the last token of a
    segment only those that may end one, a fixed token O alone.
    """
    is_last = numpy.append(context.segments[1:] != context.segments[:-1], True)
    mask = numpy.where(is_last[:, None], legal[:-1, -1], True)
    mask[context.fixed, 1:] = False
    return mask
