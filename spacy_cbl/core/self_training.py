"""What self-training with the marginal CRF (Jie et al., 2019) computes on arrays.

q (tokens x tags) says how much each tag of each token is believed. `known` has the tag
of each token whose label is certain, and MISSING for all others.
"""

from typing import Optional, Tuple

import numpy

from ..types import BoolArray, FloatArray, IntArray
from .crf import posterior, viterbi
from .soft_labels import MISSING

INITIAL: Tuple[str, ...] = ("outside", "uniform", "prior")
# The least belief in any tag of a token that is not known. Nothing is ruled out for
# good, half precision does not round it to 0, and rows that allow one tag or all let
# `messages` work with scaled probabilities, not logarithms.
FLOOR = 1e-6


def known_tags(tags: IntArray, is_entity: BoolArray, trusted: BoolArray) -> IntArray:
    """The tags that self-training never changes.

    tags (IntArray): The tags of the data.
    is_entity (BoolArray): P.
    trusted (BoolArray): Negatives that somebody has checked.
    RETURNS (IntArray): The tag on P, O on trusted negatives, MISSING elsewhere.
    """
    return numpy.where(is_entity, tags, numpy.where(trusted, 0, MISSING))


def initial_beliefs(
    known: IntArray, n_tags: int, initial: str, token_ids: IntArray
) -> FloatArray:
    """q before the first model is trained. Tokens that are not known believe in O alone
    ("outside"), in all tags alike ("uniform"), or in the tags that known entities gave
    their form, counted, with one count for O ("prior").

    known (IntArray): Known tags.
    n_tags (int): L, the number of tags.
    initial (str): One of `INITIAL`.
    token_ids (IntArray): The form of each token.
    RETURNS (FloatArray): q, float32; rows sum to 1.
    """
    if initial == "outside":
        return one_hot(numpy.maximum(known, 0), n_tags)
    if initial == "uniform":
        q = numpy.full((len(known), n_tags), 1.0 / n_tags, dtype=numpy.float32)
        return fix_known(q, known)
    counts = numpy.zeros((int(token_ids.max(initial=-1)) + 1, n_tags))
    counts[:, 0] = 1
    entity = known > 0
    numpy.add.at(counts, (token_ids[entity], known[entity]), 1)
    return soft_beliefs(counts[token_ids], known)


def soft_beliefs(marginals: FloatArray, known: IntArray) -> FloatArray:
    """q by the marginals of a model.

    marginals (FloatArray): How probable each tag is, up to a factor per token.
    known (IntArray): Known tags.
    RETURNS (FloatArray): q, float32; rows sum to 1, and none but those of known tokens
        has a 0.
    """
    q = marginals / marginals.sum(axis=1, keepdims=True)
    q = numpy.maximum(q, FLOOR)
    q /= q.sum(axis=1, keepdims=True)
    return fix_known(q.astype(numpy.float32), known)


def one_hot(tags: IntArray, n_tags: int) -> FloatArray:
    """q that believes in one tag alone.

    tags (IntArray): One tag per token.
    n_tags (int): L, the number of tags.
    RETURNS (FloatArray): q, float32.
    """
    return numpy.eye(n_tags, dtype=numpy.float32)[tags]


def fix_known(q: FloatArray, known: IntArray) -> FloatArray:
    """Let known tokens believe in their tag alone.

    q (FloatArray): One row per token.
    known (IntArray): Known tags.
    RETURNS (FloatArray): A new array.
    """
    fixed = one_hot(numpy.maximum(known, 0), q.shape[1]).astype(q.dtype)
    return numpy.where((known == MISSING)[:, None], q, fixed)


def allowed_tags(known: IntArray, n_tags: int) -> FloatArray:
    """What to condition a model on, so that it gives known tokens their tag.

    known (IntArray): Known tags.
    n_tags (int): L, the number of tags.
    RETURNS (FloatArray): 1 where a tag is allowed, else 0 (tokens x tags).
    """
    return fix_known(numpy.ones((len(known), n_tags)), known)


def share_changed(before: FloatArray, after: FloatArray, known: IntArray) -> float:
    """The share of tokens whose best tag changed, among those that are not known.

    before (FloatArray): q.
    after (FloatArray): The next q.
    known (IntArray): Known tags.
    RETURNS (float): The share; 0 where all tokens are known.
    """
    free = known == MISSING
    if not free.any():
        return 0.0
    return float((before[free].argmax(axis=1) != after[free].argmax(axis=1)).mean())


def constrained_marginals(
    emissions: FloatArray,
    transitions: FloatArray,
    legal: BoolArray,
    lengths: IntArray,
    allowed: Optional[FloatArray],
) -> FloatArray:
    """The probability of each tag of each token, given that all tags are allowed ones.
    See `crf` for the first arguments.

    allowed (Optional[FloatArray]): 1 where a tag is allowed, else 0; None for all.
    RETURNS (FloatArray): Tokens x tags.
    """
    return posterior(emissions, transitions, legal, lengths, allowed).marginals


def constrained_tags(
    emissions: FloatArray,
    transitions: FloatArray,
    legal: BoolArray,
    lengths: IntArray,
    allowed: Optional[FloatArray],
) -> IntArray:
    """The best legal tag sequences of allowed tags. See `crf` for the first arguments.

    allowed (Optional[FloatArray]): 1 where a tag is allowed, else 0; None for all.
    RETURNS (IntArray): One tag per token.
    """
    if allowed is not None:
        emissions = numpy.where(allowed > 0, emissions, -numpy.inf)
    return viterbi(emissions, transitions, legal, lengths)
