"""Soft gold labels: how much each tag of each token is believed."""

from typing import Optional

import numpy

from ..types import FloatArray, IntArray

MISSING = -1


def soft_labels(
    tags: IntArray, n_tags: int, weights: Optional[FloatArray] = None
) -> FloatArray:
    """G of the marginal CRF (paper, section 4.3.2). An entity token believes its tag
    alone. A token outside believes O with max(1 / L, min(v, 1)) and spreads the rest
    evenly. A missing token believes all tags alike, as does one of weight 0.

    tags (IntArray): One tag per token; 0 is O, MISSING is unknown.
    n_tags (int): L, the number of tags.
    weights (Optional[FloatArray]): v, one per token; 1 where absent.
    RETURNS (FloatArray): G (tokens x tags), rows sum to 1.
    """
    n_tokens = len(tags)
    v = numpy.ones(n_tokens) if weights is None else weights.astype(numpy.float64)
    v = numpy.where(tags == MISSING, 0.0, v)
    outside = numpy.clip(v, 1.0 / n_tags, 1.0)
    G = numpy.empty((n_tokens, n_tags))
    G[:] = ((1.0 - outside) / max(n_tags - 1, 1))[:, None]
    G[:, 0] = outside
    labelled = numpy.flatnonzero(tags > 0)
    G[labelled] = 0.0
    G[labelled, tags[labelled]] = 1.0
    return G
