"""What the loop of constrained binary learning computes on arrays."""

from typing import Dict, Optional, Tuple

import numpy

from ..types import BoolArray, FloatArray
from .soft_labels import soft_labels

# Probabilities are kept this far from 0 and 1, so that their logarithms are finite.
TINY = 1e-12


def log_scores(p_entity: FloatArray) -> Tuple[FloatArray, FloatArray]:
    """C0 and C1 of the integer program: log P(O) and log P(entity).

    p_entity (FloatArray): P(entity) of each token.
    RETURNS (Tuple[FloatArray, FloatArray]): The scores of both labels.
    """
    p = numpy.clip(p_entity.astype(numpy.float64), TINY, 1 - TINY)
    return numpy.log1p(-p), numpy.log(p)


def binary_soft_labels(labels: BoolArray, weights: FloatArray) -> FloatArray:
    """G of a binary CRF (L = 2): an entity token believes in entity alone, another in O
    with max(1/2, min(v, 1)).

    labels (BoolArray): Which tokens are entities.
    weights (FloatArray): v, one per token.
    RETURNS (FloatArray): G (tokens x 2), O first.
    """
    return soft_labels(labels.astype(int), 2, numpy.where(labels, 1.0, weights))


def next_weights(
    labels: BoolArray, p_entity: FloatArray, trusted: BoolArray
) -> FloatArray:
    """The weights of the next round (paper, after Eqn. 9): 1 on what the integer
    program labelled as entity and on trusted negatives, P(O) elsewhere.

    labels (BoolArray): What the integer program chose.
    p_entity (FloatArray): P(entity) of each token.
    trusted (BoolArray): Negatives that somebody has checked.
    RETURNS (FloatArray): v, one per token.
    """
    return numpy.where(labels | trusted, 1.0, 1.0 - p_entity)


def final_weights(
    is_entity: BoolArray,
    labels: BoolArray,
    p_entity: FloatArray,
    trusted: BoolArray,
    selected: str,
    doubted: Optional[BoolArray] = None,
) -> FloatArray:
    """The weights of phase 2 (paper, Eqn. 1): 1 on P, P(O) on N. With `selected`
    "zero", tokens of N that the last integer program labelled as entity get 0, and so
    do tokens of P whose label is doubted. With "capped" also the other tokens of N get
    1/2 at least.

    is_entity (BoolArray): P.
    labels (BoolArray): What the last integer program chose.
    p_entity (FloatArray): P(entity) of each token, by the last model.
    trusted (BoolArray): Negatives that somebody has checked.
    selected (str): "soft", "zero" or "capped".
    doubted (Optional[BoolArray]): Tokens of P whose label is doubted.
    RETURNS (FloatArray): v, one per token.
    """
    weights = numpy.where(is_entity | trusted, 1.0, 1.0 - p_entity)
    if selected == "capped":
        weights = numpy.maximum(weights, 0.5)
    if selected != "soft":
        weights[labels & ~is_entity] = 0.0
    if doubted is not None:
        weights[doubted] = 0.0
    return weights


def doubted_labels(
    is_entity: BoolArray, begins: BoolArray, p_entity: FloatArray, doubt: float
) -> BoolArray:
    """Labelled entities that the model calls entities with no token: probably false.

    is_entity (BoolArray): P.
    begins (BoolArray): Where entities begin.
    p_entity (FloatArray): P(entity) of each token.
    doubt (float): An entity is doubted if all its tokens are below this.
    RETURNS (BoolArray): The tokens of these entities.
    """
    tokens = numpy.flatnonzero(is_entity)
    doubted = numpy.zeros(len(is_entity), dtype=bool)
    if len(tokens):
        firsts = numpy.flatnonzero(begins[tokens])
        highest = numpy.maximum.reduceat(p_entity[tokens], firsts)
        sizes = numpy.diff([*firsts, len(tokens)])
        doubted[tokens] = numpy.repeat(highest < doubt, sizes)
    return doubted


def taken_back(
    is_entity: BoolArray,
    labels: BoolArray,
    p_entity: FloatArray,
    least_p: float,
    n_least: int,
) -> BoolArray:
    """Tokens of N that were labelled as entity against the belief of the model. Where
    too few would be left, the most believed of them stay.

    is_entity (BoolArray): P.
    labels (BoolArray): What the integer program chose.
    p_entity (FloatArray): P(entity) of each token.
    least_p (float): Tokens below this are taken back.
    n_least (int): How many entity tokens are left at least, those of P among them.
    RETURNS (BoolArray): The tokens.
    """
    back = labels & ~is_entity & (p_entity < least_p)
    tokens = numpy.flatnonzero(back)
    n_kept = n_least - (numpy.count_nonzero(labels) - len(tokens))
    if n_kept > 0:
        order = numpy.argsort(-p_entity[tokens], kind="stable")
        back[tokens[order[:n_kept]]] = False
    return back


def missed_recall_at_k(
    is_entity: BoolArray, gold: BoolArray, p_entity: FloatArray
) -> Optional[float]:
    """The share of truly missed tokens among the k most suspected ones of N, where k is
    the number of missed tokens.

    is_entity (BoolArray): P.
    gold (BoolArray): Which tokens gold calls entities.
    p_entity (FloatArray): P(entity) of each token.
    RETURNS (Optional[float]): The share; None where nothing was missed.
    """
    negative = ~is_entity
    missed = gold[negative]
    k = int(numpy.count_nonzero(missed))
    if not k:
        return None
    top = numpy.argsort(-p_entity[negative], kind="stable")[:k]
    return float(missed[top].mean())


def selection_scores(
    is_entity: BoolArray, gold: BoolArray, labels: BoolArray
) -> Dict[str, float]:
    """Precision and recall of the tokens of N that were labelled as entity.

    is_entity (BoolArray): P.
    gold (BoolArray): Which tokens gold calls entities.
    labels (BoolArray): What the integer program chose.
    RETURNS (Dict[str, float]): Both, 0 where there is nothing to divide by.
    """
    chosen, missed = labels & ~is_entity, gold & ~is_entity
    right = int(numpy.count_nonzero(chosen & missed))
    return {
        "selected_precision": right / max(int(numpy.count_nonzero(chosen)), 1),
        "selected_recall": right / max(int(numpy.count_nonzero(missed)), 1),
    }
