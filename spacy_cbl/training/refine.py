"""The refinement of CBL: a model of types that sees everything selects anew."""

import time
from typing import Sequence

import numpy
from spacy.tokens import Doc

from ..core.selection import final_weights
from ..core.soft_labels import soft_labels
from ..data.arrays import CorpusArrays
from ..pipeline.targets import read_all_tags
from .cbl_round import CBLSettings, InferT, Round, end_round
from .learner import Learner

# Refine again, so often at most, as long as more than this share is taken back so.
MOST_TAKEN_BACK, MOST_REFINEMENTS = 0.1, 3


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
    tags, gold = read_all_tags(docs, "biluo", "cbl")
    # A token whose label is missing is in N like any other.
    gold = numpy.maximum(gold, 0)
    soft = soft_labels(gold, len(tags), weights)
    refiner.fit(docs, soft, settings.seed + number, weights, tags.legal)
    trained = time.perf_counter()
    p_entity = 1.0 - refiner.marginals(docs)[:, 0].astype(numpy.float64)
    seconds = (trained - start, time.perf_counter() - trained)
    done = last.refinements + 1
    return end_round(corpus, infer, number, ratio, p_entity, seconds, done)


def is_settled(last: Round, least: int) -> bool:
    """Whether there were enough refinements, and the last agrees with what it was to
    select.

    last (Round): The last round.
    least (int): How many refinements there must be.
    RETURNS (bool): Whether no further one is needed.
    """
    if last.refinements >= MOST_REFINEMENTS:
        return True
    return last.refinements >= least and last.taken_back <= MOST_TAKEN_BACK
