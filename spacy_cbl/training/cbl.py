"""Constrained Binary Learning: train, predict, infer, round by round."""

import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy
from spacy.tokens import Doc
from spacy.util import logger

from ..core.balance import balance
from ..core.selection import (
    binary_soft_labels,
    doubted_labels,
    final_weights,
    log_scores,
    missed_recall_at_k,
    next_weights,
    selection_scores,
    taken_back,
)
from ..core.soft_labels import soft_labels
from ..core.tags import TagSet
from ..data.arrays import CorpusArrays
from ..errors import Errors
from ..pipeline.targets import read_tags
from ..types import BoolArray, FloatArray
from .entity_ratio import EntityRatioT, find_ratio
from .learner import Learner
from .rounds import RoundStore

SELECTED = ("soft", "zero", "capped")
# The least that the weightiest token may fall to by balancing.
LEAST_WEIGHT = 0.55
# Tokens to which the refined model gives less P(entity) are not selected, whatever the
# ratio asks for: a ratio that is too high would keep the model from learning them. But
# a weak model believes in too little: what the estimated ratio asks for is left.
LEAST_P_ENTITY = 0.5
# Refine again, so often at most, as long as more than this share is taken back so.
MOST_TAKEN_BACK, MOST_REFINEMENTS = 0.1, 3


@dataclass(frozen=True)
class CBLSettings:
    """How the loop runs. See `cbl_scheme.make_cbl` for what each means."""

    entity_ratio: Optional[EntityRatioT]
    overshoot: float
    step: float
    delta: float
    xi: float
    max_rounds: int
    balance: bool
    selected: str
    doubt: float
    refined_overshoot: float
    least_refinements: int
    seed: int


class Round(NamedTuple):
    """The state after a round."""

    number: int
    ratio: float  # b, what the integer program was solved for
    labels: BoolArray  # what it chose
    p_entity: FloatArray  # P(entity), by the model of this round
    record: Dict[str, Any]  # figures for the history


# Scores of both labels, required ratio -> labels and figures
InferT = Callable[[FloatArray, FloatArray, float], Tuple[BoolArray, Dict[str, Any]]]


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
    last = store.load(Round) if store is not None else None
    history = store.history() if store is not None else []
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
            store.save(done)
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
    if last.ratio < goal and not is_refined(last):
        logger.warning(
            "Stopped after %d rounds at ratio %.4f of %.4f",
            last.number,
            last.ratio,
            goal,
        )
    if refiner is not None:
        ratio = min(target + settings.refined_overshoot, goal)
        while not _is_settled(history, settings.least_refinements):
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


def is_refined(last: Round) -> bool:
    """Whether a round is the one after the loop.

    last (Round): The round.
    RETURNS (bool): Whether it was made by `refine`.
    """
    return bool(last.record["typed"])


def refine(
    corpus: CorpusArrays,
    docs: Sequence[Doc],
    refiner: Learner,
    infer: InferT,
    last: Round,
    ratio: float,
    settings: CBLSettings,
) -> Round:
    """Select anew with a model that sees everything: types, boundaries, and the words
    themselves. It cannot learn missed entities by heart as long as the loop selected
    them, since selected tokens teach it nothing.

    corpus (CorpusArrays): The corpus.
    docs (Sequence[Doc]): Its documents.
    refiner (Learner): Trains the model.
    infer (InferT): Solves the integer program.
    last (Round): The last round of the loop.
    ratio (float): What the integer program is solved for.
    settings (CBLSettings): How the loop ran.
    RETURNS (Round): The round.
    """
    start = time.perf_counter()
    number = last.number + 1
    weights = final_weights(
        corpus.is_entity, last.labels, last.p_entity, corpus.trusted, "zero"
    )
    labels = sorted({ent.label_ for doc in docs for ent in doc.ents})
    tags = TagSet(labels, "biluo")
    gold = numpy.concatenate([read_tags(doc, tags, "cbl") for doc in docs])
    # A token whose label is missing is in N like any other.
    gold = numpy.maximum(gold, 0)
    soft = soft_labels(gold, len(tags), weights)
    refiner.fit(docs, soft, settings.seed + number, weights, tags.legal)
    trained = time.perf_counter()
    p_entity = 1.0 - refiner.marginals(docs)[:, 0].astype(numpy.float64)
    seconds = (trained - start, time.perf_counter() - trained)
    return _infer(corpus, infer, number, ratio, p_entity, seconds, typed=True)


def _is_settled(history: List[Dict[str, Any]], least: int) -> bool:
    """Whether there were enough refinements, and the last agrees with what it was to
    select.
    """
    refined = [record for record in history if record["typed"]]
    if not least <= len(refined) < MOST_REFINEMENTS:
        return len(refined) >= MOST_REFINEMENTS
    return refined[-1].get("taken_back", 0.0) <= MOST_TAKEN_BACK


def _is_last(last: Round, goal: float, settings: CBLSettings) -> bool:
    is_over = last.ratio >= goal or last.number >= settings.max_rounds
    return is_over or is_refined(last)


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
    return _infer(corpus, infer, number, ratio, p_entity, seconds, typed=False)


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


def _infer(
    corpus: CorpusArrays,
    infer: InferT,
    number: int,
    ratio: float,
    p_entity: FloatArray,
    seconds: Tuple[float, float],
    typed: bool,
) -> Round:
    """End a round: solve the integer program, and note what came out."""
    start = time.perf_counter()
    chosen, figures = infer(*log_scores(p_entity), ratio)
    if typed:
        n_added = int(numpy.count_nonzero(chosen & ~corpus.is_entity))
        back = _taken_back(corpus, chosen, p_entity)
        chosen &= ~back
        figures["taken_back"] = int(numpy.count_nonzero(back)) / max(n_added, 1)
    record = {
        "round": number,
        "typed": typed,
        "b": ratio,
        "required": ratio * len(corpus),
        "selected": int(numpy.count_nonzero(chosen)),
        **figures,
        "mean_p_entity": float(p_entity[~corpus.is_entity].mean()),
        "seconds_train": seconds[0],
        "seconds_predict": seconds[1],
        "seconds_infer": time.perf_counter() - start,
    }
    if corpus.gold_is_entity is not None:
        gold = corpus.gold_is_entity
        record["missed_recall_at_k"] = missed_recall_at_k(
            corpus.is_entity, gold, p_entity
        )
        record.update(selection_scores(corpus.is_entity, gold, chosen))
    return Round(number, ratio, chosen, p_entity, record)


def _taken_back(
    corpus: CorpusArrays, chosen: BoolArray, p_entity: FloatArray
) -> BoolArray:
    """What the refined model does not believe, as far as the estimated ratio is passed
    as well.
    """
    back = taken_back(corpus.is_entity, chosen, p_entity, LEAST_P_ENTITY, 0)
    estimated = corpus.estimated_ratio if back.any() else None
    if estimated is None:
        return back
    n_least = int(estimated * len(corpus))
    return taken_back(corpus.is_entity, chosen, p_entity, LEAST_P_ENTITY, n_least)
