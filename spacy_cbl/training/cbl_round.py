"""One round of Constrained Binary Learning: how it runs, and what is left of it."""

import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple

import numpy

from ..core.selection import (
    log_scores,
    missed_recall_at_k,
    selection_scores,
    taken_back,
)
from ..data.arrays import CorpusArrays
from ..types import BoolArray, FloatArray
from .entity_ratio import EntityRatioT

# Tokens to which the refined model gives less P(entity) are not selected, whatever the
# ratio asks for: a ratio that is too high would keep the model from learning them. But
# a weak model believes in too little: what the estimated ratio asks for is left.
LEAST_P_ENTITY = 0.5


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
    refinements: int  # how many rounds, this one included, had a model of types
    taken_back: float  # share of the selected that its model did not believe
    record: Dict[str, Any]  # figures for the history


# Scores of both labels, required ratio -> labels and figures
InferT = Callable[[FloatArray, FloatArray, float], Tuple[BoolArray, Dict[str, Any]]]


def end_round(
    corpus: CorpusArrays,
    infer: InferT,
    number: int,
    ratio: float,
    p_entity: FloatArray,
    seconds: Tuple[float, float],
    refinements: int = 0,
) -> Round:
    """Solve the integer program for what a model found, and note what came out.

    corpus (CorpusArrays): The corpus.
    infer (InferT): Solves the integer program.
    number (int): Of the round.
    ratio (float): What the integer program is solved for.
    p_entity (FloatArray): P(entity) of each token.
    seconds (Tuple[float, float]): Of training and of prediction.
    refinements (int): How many rounds, this one included, had a model of types. Tokens
        that such a model does not believe in are taken back.
    RETURNS (Round): The round.
    """
    start = time.perf_counter()
    chosen, figures = infer(*log_scores(p_entity), ratio)
    share_back = 0.0
    if refinements:
        n_added = int(numpy.count_nonzero(chosen & ~corpus.is_entity))
        back = _taken_back(corpus, chosen, p_entity)
        chosen &= ~back
        share_back = int(numpy.count_nonzero(back)) / max(n_added, 1)
        figures["taken_back"] = share_back
    record = {
        "round": number,
        "typed": refinements > 0,
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
    return Round(number, ratio, chosen, p_entity, refinements, share_back, record)


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
