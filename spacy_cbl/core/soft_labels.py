"""Soft gold labels: how much each tag of each token is believed."""

from typing import Optional

import numpy

from ..types import FloatArray, IntArray

MISSING = -1


def soft_labels(
    tags: IntArray, n_tags: int, weights: Optional[FloatArray] = None
) -> FloatArray:
    """G of the marginal CRF (paper, section 4.3.2). A token believes its tag with
    max(1 / L, min(v, 1)) and spreads the rest evenly: an entity token of weight 1, as
    all have in the paper, believes its tag alone. A missing token believes all tags
    alike, as does one of weight 0.

    tags (IntArray): One tag per token; 0 is O, MISSING is unknown.
    n_tags (int): L, the number of tags.
    weights (Optional[FloatArray]): v, one per token; 1 where absent.
    RETURNS (FloatArray): G (tokens x tags), rows sum to 1.
    """
    n_tokens = len(tags)
    v = numpy.ones(n_tokens) if weights is None else weights.astype(numpy.float64)
    v = numpy.where(tags == MISSING, 0.0, v)
    belief = numpy.clip(v, 1.0 / n_tags, 1.0)
    G = numpy.empty((n_tokens, n_tags))
    G[:] = ((1.0 - belief) / max(n_tags - 1, 1))[:, None]
    G[numpy.arange(n_tokens), numpy.where(tags == MISSING, 0, tags)] = belief
    return G
