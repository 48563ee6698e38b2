"""Constrained Binary Learning: train, predict, infer, round by round."""

import time
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy
from spacy.tokens import Doc
from spacy.util import logger

from ..core.balance import balance
from ..core.selection import (
    binary_soft_labels,
    doubted_labels,
    final_weights,
    next_weights,
)
from ..data.arrays import CorpusArrays
from ..errors import Errors
from ..types import BoolArray, FloatArray
from .cbl_round import CBLSettings, InferT, Round, end_round
from .entity_ratio import find_ratio
from .learner import Learner
from .refine import is_settled, refine
from .rounds import RoundStore

SELECTED = ("soft", "zero", "capped")
# The least that the weightiest token may fall to by balancing.
LEAST_WEIGHT = 0.55


def run_rounds(
    corpus: CorpusArrays,
    docs: Sequence[Doc],
    learner: Learner,
    infer: InferT,
    weights: FloatArray,
    settings: CBLSettings,
    store: Optional[RoundStore] = None,
    refiner: Optional[Learner] = None,
) -> Tuple[Round, List[Dict[str, Any]]]:
    """Find the entities that were never labelled, round by round.

    corpus (CorpusArrays): The corpus as arrays.
    docs (Sequence[Doc]): Its documents, with what the learner looks at.
    learner (Learner): Trains the binary model.
    infer (InferT): Solves the integer program.
    weights (FloatArray): Initial weights, one per token.
    settings (CBLSettings): How the loop runs.
    store (Optional[RoundStore]): Keeps finished rounds, and gives back those that an
        interrupted run left.
    refiner (Optional[Learner]): Trains a model of typed entities that selects anew
        after the last round.
    RETURNS (Tuple[Round, List[Dict[str, Any]]]): The last round, and a record of each.
    """
    target, goal = find_target(corpus, settings)
    last, history = store.load(Round) if store is not None else (None, [])
    labels, v = corpus.is_entity, weights
    ratio = float(corpus.is_entity.mean())
    if last is not None:
        labels, ratio = last.labels, last.ratio
        v = next_weights(last.labels, last.p_entity, corpus.trusted)
        logger.info("Going on after round %d", last.number)

    def keep(done: Round) -> None:
        nonlocal history
        history = [*history, done.record]
        if store is not None:
            store.save(done, history)
        logger.info("Round %d: %s", done.number, done.record)

    while last is None or not _is_last(last, goal, settings):
        number = 1 if last is None else last.number + 1
        ratio = min(ratio + settings.step, goal)
        last = _run_round(
            corpus, docs, learner, infer, labels, v, number, ratio, target, settings
        )
        labels, v = (
            last.labels,
            next_weights(last.labels, last.p_entity, corpus.trusted),
        )
        keep(last)
    if last.ratio < goal and not last.refinements:
        logger.warning(
            "Stopped after %d rounds at ratio %.4f of %.4f",
            last.number,
            last.ratio,
            goal,
        )
    if refiner is not None:
        ratio = min(target + settings.refined_overshoot, goal)
        while not is_settled(last, settings.least_refinements):
            last = refine(corpus, docs, refiner, infer, last, ratio, settings)
            keep(last)
    return last, history


def weigh_last(corpus: CorpusArrays, last: Round, settings: CBLSettings) -> FloatArray:
    """The weights that the last round gives.

    corpus (CorpusArrays): The corpus.
    last (Round): The round.
    settings (CBLSettings): How the loop ran.
    RETURNS (FloatArray): One weight per token, float32.
    """
    doubted = doubted_labels(
        corpus.is_entity, corpus.begins, last.p_entity, settings.doubt
    )
    final = final_weights(
        corpus.is_entity,
        last.labels,
        last.p_entity,
        corpus.trusted,
        settings.selected,
        doubted,
    )
    return final.astype(numpy.float32)


def find_target(corpus: CorpusArrays, settings: CBLSettings) -> Tuple[float, float]:
    """The entity ratio to balance to, and the one at which the loop stops.

    corpus (CorpusArrays): The corpus.
    settings (CBLSettings): May give the ratio; else it is max(0.15, 1.3 |P| / |T|),
        but no more than halfway from |P| / |T| to 1.
    RETURNS (Tuple[float, float]): Both ratios.
    """
    labelled = float(corpus.is_entity.mean())
    if labelled == 1:
        raise ValueError(Errors.C249)
    target = find_ratio(settings.entity_ratio, corpus)
    if target is None:
        target = min(max(0.15, 1.3 * labelled), (1.0 + labelled) / 2)
        logger.info("No entity ratio was given: taking %.4f", target)
    if not labelled < target < 1:
        raise ValueError(Errors.C240.format(ratio=target, labelled=labelled))
    n_free = int(numpy.count_nonzero(~(corpus.is_entity | corpus.trusted)))
    most = labelled + n_free / len(corpus)
    return target, min(target + settings.overshoot, most)


def _is_last(last: Round, goal: float, settings: CBLSettings) -> bool:
    is_over = last.ratio >= goal or last.number >= settings.max_rounds
    return is_over or last.refinements > 0


def _run_round(
    corpus: CorpusArrays,
    docs: Sequence[Doc],
    learner: Learner,
    infer: InferT,
    labels: BoolArray,
    weights: FloatArray,
    number: int,
    ratio: float,
    target: float,
    settings: CBLSettings,
) -> Round:
    start = time.perf_counter()
    v = raised = weights
    if settings.balance:
        trusted = corpus.trusted & ~labels
        v = balance(labels, v, target, trusted)
        raised = raise_weights(v, ~(labels | trusted))
    soft = binary_soft_labels(labels, raised)
    learner.fit(docs, soft, settings.seed + number, v)
    trained = time.perf_counter()
    p_entity = learner.marginals(docs)[:, 1].astype(numpy.float64)
    seconds = (trained - start, time.perf_counter() - trained)
    return end_round(corpus, infer, number, ratio, p_entity, seconds)


def raise_weights(weights: FloatArray, free: BoolArray) -> FloatArray:
    """Scale small weights up until the weightiest says something: soft labels of 1/2 or
    less say nothing, and with them would go what tells the weights apart.

    weights (FloatArray): One weight per token.
    free (BoolArray): Tokens of N whose label is not certain; others stay.
    RETURNS (FloatArray): The weights.
    """
    top = float(weights[free].max(initial=0.0))
    if not 0 < top < LEAST_WEIGHT:
        return weights
    return numpy.where(free, weights * (LEAST_WEIGHT / top), weights)
