"""Self-training with the marginal CRF (Jie et al., 2019): train on some folds of a
corpus, label the others, again and again.
"""

import time
from dataclasses import dataclass
from typing import (
    Any,
    Dict,
    List,
    NamedTuple,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    runtime_checkable,
)

import numpy
from spacy.tokens import Doc
from spacy.util import logger
from tqdm import tqdm

from ..core.selection import missed_recall_at_k, selection_scores
from ..core.self_training import (
    allowed_tags,
    initial_beliefs,
    known_tags,
    one_hot,
    share_changed,
    soft_beliefs,
)
from ..core.tags import TagSet
from ..data.arrays import CorpusArrays
from ..data.sentences import cut_long_documents
from ..errors import Errors
from ..pipeline.targets import read_all_tags
from ..types import FloatArray, IntArray
from .learner import Learner
from .rounds import RoundStore

NAME = "self_training"


@runtime_checkable
class SequenceLearner(Learner, Protocol):
    """A learner that can be asked about tag sequences of which a part is known."""

    def marginals(
        self, docs: Sequence[Doc], allowed: Optional[FloatArray] = None
    ) -> FloatArray:
        """Ask the model.

        docs (Sequence[Doc]): The documents.
        allowed (Optional[FloatArray]): 1 where a tag is allowed, else 0 (tokens x
            tags); None for all.
        RETURNS (FloatArray): The probability of each tag of each token.
        """

    def best_tags(
        self, docs: Sequence[Doc], allowed: Optional[FloatArray] = None
    ) -> IntArray:
        """Ask the model for its best tag sequences.

        docs (Sequence[Doc]): The documents.
        allowed (Optional[FloatArray]): As above.
        RETURNS (IntArray): The tag of each token.
        """


@dataclass(frozen=True)
class SelfTrainingSettings:
    """How the loop runs. See `make_self_training` for what each means."""

    folds: int
    iterations: int
    soft: bool
    initial: str
    tolerance: float
    tag_scheme: str
    seed: int


class Iteration(NamedTuple):
    """The state after all folds were relabelled once."""

    number: int
    beliefs: FloatArray  # q, how much each tag of each token is believed
    record: Dict[str, Any]  # figures for the history


class Problem(NamedTuple):
    """What is to be labelled."""

    docs: List[Doc]
    tags: TagSet
    known: IntArray  # the tag of each token, MISSING where it is to be found


def read_problem(corpus: CorpusArrays, tag_scheme: str) -> Problem:
    """Read what is known of a corpus. Tokens without a label are to be found like those
    that are labelled O.

    corpus (CorpusArrays): The corpus.
    tag_scheme (str): "biluo" or "bio".
    RETURNS (Problem): Documents with tokens, and tags.
    """
    docs = [doc for doc in cut_long_documents(corpus.docs()) if len(doc)]
    tags, found = read_all_tags(docs, tag_scheme, NAME)
    return Problem(docs, tags, known_tags(found, corpus.is_entity, corpus.trusted))


def run_self_training(
    corpus: CorpusArrays,
    problem: Problem,
    learner: SequenceLearner,
    settings: SelfTrainingSettings,
    store: Optional[RoundStore] = None,
) -> Tuple[FloatArray, List[Dict[str, Any]]]:
    """Label a corpus until labels do not change any more.

    corpus (CorpusArrays): The corpus as arrays.
    problem (Problem): Its documents, and what is known of them.
    learner (SequenceLearner): Trains the models.
    settings (SelfTrainingSettings): How the loop runs.
    store (Optional[RoundStore]): Keeps finished iterations, and gives back those that
        an interrupted run left.
    RETURNS (Tuple[FloatArray, List[Dict[str, Any]]]): q, how much each tag of each
        token is believed, and a record per iteration.
    """
    n_docs = len(problem.docs)
    if n_docs < settings.folds:
        raise ValueError(Errors.C285.format(folds=settings.folds, n_docs=n_docs))
    last, history = store.load(Iteration) if store is not None else (None, [])
    if last is None:
        q = initial_beliefs(
            problem.known, len(problem.tags), settings.initial, corpus.token_ids
        )
    else:
        q = last.beliefs
        logger.info("Going on after iteration %d", last.number)
    while last is None or not _is_last(last, settings):
        number = 1 if last is None else last.number + 1
        start = time.perf_counter()
        relabelled = relabel(problem, q, learner, settings, number)
        record = {
            "iteration": number,
            "changed": share_changed(q, relabelled, problem.known),
            "seconds": time.perf_counter() - start,
            **_describe(corpus, relabelled),
        }
        q, last = relabelled, Iteration(number, relabelled, record)
        history = [*history, record]
        if store is not None:
            store.save(last, history)
        logger.info("Iteration %d: %s", number, record)
    return q, history


def relabel(
    problem: Problem,
    q: FloatArray,
    learner: SequenceLearner,
    settings: SelfTrainingSettings,
    number: int,
) -> FloatArray:
    """Label each fold by a fresh model that has not seen it.

    problem (Problem): The documents, and what is known of them.
    q (FloatArray): What all models are trained on.
    learner (SequenceLearner): Trains the models.
    settings (SelfTrainingSettings): How the loop runs.
    number (int): The number of the iteration, for seeds.
    RETURNS (FloatArray): The next q; `q` is not touched, so that no model is trained on
        labels of this iteration.
    """
    docs, tags, known = problem
    found = numpy.empty_like(q)
    folds = make_folds([len(doc) for doc in docs], settings.folds)
    progress = tqdm(folds, desc=f"Iteration {number}", unit="fold", disable=None)
    for k, (inside, rows) in enumerate(progress):
        learner.fit(
            docs[: inside.start] + docs[inside.stop :],
            numpy.concatenate([q[: rows.start], q[rows.stop :]]),
            settings.seed + number * settings.folds + k,
            legal=tags.legal,
        )
        allowed = allowed_tags(known[rows], len(tags))
        if settings.soft:
            marginals = learner.marginals(docs[inside], allowed)
            found[rows] = soft_beliefs(marginals, known[rows])
        else:
            found[rows] = one_hot(learner.best_tags(docs[inside], allowed), len(tags))
    return found


def make_folds(lengths: Sequence[int], n_folds: int) -> List[Tuple[slice, slice]]:
    """Cut documents into blocks of about as many documents.

    lengths (Sequence[int]): Tokens per document.
    n_folds (int): The number of blocks, not more than there are documents.
    RETURNS (List[Tuple[slice, slice]]): The documents and the tokens of each block.
    """
    ends = numpy.concatenate([[0], numpy.cumsum(lengths)]).tolist()
    cuts = [round(k * len(lengths) / n_folds) for k in range(n_folds + 1)]
    return [
        (slice(first, last), slice(ends[first], ends[last]))
        for first, last in zip(cuts, cuts[1:])
    ]


def _is_last(last: Iteration, settings: SelfTrainingSettings) -> bool:
    is_stable = last.record["changed"] < settings.tolerance
    return is_stable or last.number >= settings.iterations


def _describe(corpus: CorpusArrays, q: FloatArray) -> Dict[str, Any]:
    """Figures on the labels that were found."""
    outside = q[~corpus.is_entity, 0]
    chosen = q.argmax(axis=1) > 0
    record: Dict[str, Any] = {
        "selected": int(numpy.count_nonzero(chosen & ~corpus.is_entity)),
        "mean_outside": float(outside.mean(dtype="d")) if len(outside) else None,
    }
    gold = corpus.gold_is_entity
    if gold is not None:
        recall = missed_recall_at_k(corpus.is_entity, gold, 1.0 - q[:, 0])
        record["missed_recall_at_k"] = recall
        record.update(selection_scores(corpus.is_entity, gold, chosen))
    return record
