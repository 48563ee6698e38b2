"""What to expect of suspects: hide labelled entities, weigh, and see."""

from dataclasses import dataclass, replace
from typing import Any, Dict, Iterator, List, Sequence

import numpy
from spacy.tokens import Doc
from spacy.util import logger

from ..core.threshold import (
    Expected,
    ExpectedTop,
    Hidden,
    bound_missed,
    expect,
    expect_top,
    split_forms,
)
from ..data.arrays import CorpusArrays
from ..errors import Errors
from ..types import BoolArray, IntArray
from .cbl import find_target
from .cbl_scheme import CBLScheme
from .entity_ratio import EntityRatioT, find_ratio
from .schemes import WeightingScheme
from .weigh import compute_weights

THRESHOLDS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
TOPS = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
LEAST_FORMS = 10  # hidden in each fold
# So far above the bound, the number of missed entities speaks against a random draw.
RANDOM_DRAW = 2.0


@dataclass(frozen=True)
class Outlook:
    """What suspects of a corpus will probably find."""

    n_entities: int  # labelled
    n_hidden: int  # of them, in all folds
    ratio: float  # of tokens in entities, given or estimated
    n_missed: float  # what the ratio leaves
    n_bound: float  # the most that is possible if labels are a random draw
    rows: List[Expected]
    tops: List[ExpectedTop]

    @property
    def is_random_draw(self) -> bool:
        """Whether labels may be a random draw from the entities."""
        return self.n_missed <= RANDOM_DRAW * self.n_bound

    def to_dict(self) -> Dict[str, Any]:
        """All of it, for JSON.

        RETURNS (Dict[str, Any]): Numbers by name.
        """
        return {
            "entities": self.n_entities,
            "hidden": self.n_hidden,
            "entity_ratio": self.ratio,
            "missed": self.n_missed,
            "missed_bound": self.n_bound,
            "thresholds": [row._asdict() for row in self.rows],
            "tops": [row._asdict() for row in self.tops],
        }


def foresee(
    corpus: CorpusArrays,
    scheme: WeightingScheme,
    *,
    thresholds: Sequence[float] = THRESHOLDS,
    tops: Sequence[int] = TOPS,
    n_folds: int = 3,
    hide: float = 0.2,
    entity_ratio: EntityRatioT = "estimate",
    label_precision: float = 1.0,
    seed: int = 0,
) -> Outlook:
    """Find out which precision and recall of missed entities to expect of suspects.

    corpus (CorpusArrays): The partially annotated corpus.
    scheme (WeightingScheme): How it is weighed.
    thresholds (Sequence[float]): Tokens of less weight are suspected.
    tops (Sequence[int]): How many of the suspects, the most probable ones first.
    n_folds (int): How often to hide entities and weigh.
    hide (float): The share of the labelled entities to hide each time.
    entity_ratio (EntityRatioT): The share of tokens in entities, labelled or not: says
        how many are missing.
    label_precision (float): The share of the labels that are right.
    seed (int): Fixes which entities are hidden.
    RETURNS (Outlook): What to expect.
    """
    _check(n_folds, hide, label_precision)
    if not corpus.is_entity.any():
        raise ValueError(Errors.C154.format(found="no entity"))
    pin_ratio(scheme, corpus)
    numbers = number_entities(corpus)
    forms = number_forms(corpus, numbers)
    ratio = find_ratio(entity_ratio, corpus)
    assert ratio is not None
    n_missed = _count_missed(corpus, len(forms), ratio, label_precision)
    folds = split_forms(forms, n_folds, hide, numpy.random.default_rng(seed))
    _check_folds(forms, folds, n_folds)
    weighed = []
    for fold in range(n_folds):
        logger.info("Fold %d of %d", fold + 1, n_folds)
        weighed.append(weigh_hidden(corpus, scheme, numbers, folds == fold))
    return Outlook(
        n_entities=len(forms),
        n_hidden=int(numpy.count_nonzero(folds >= 0)),
        ratio=ratio,
        n_missed=n_missed,
        n_bound=bound_missed(weighed, label_precision),
        rows=expect(weighed, thresholds, n_missed, label_precision),
        tops=expect_top(weighed, tops, n_missed, label_precision),
    )


def weigh_hidden(
    corpus: CorpusArrays,
    scheme: WeightingScheme,
    numbers: IntArray,
    chosen: BoolArray,
) -> Hidden:
    """Weigh a corpus as if some of its entities had no label.

    corpus (CorpusArrays): The corpus.
    scheme (WeightingScheme): How it is weighed.
    numbers (IntArray): The entity of each token, from 0; -1 outside.
    chosen (BoolArray): Which entities to hide.
    RETURNS (Hidden): The weights, and where the hidden entities are.
    """
    places = numpy.where(chosen, numpy.cumsum(chosen) - 1, -1)
    entities = numpy.where(numbers >= 0, places[numbers], -1)
    hidden = entities >= 0

    def read() -> Iterator[Doc]:
        rows = corpus.split(hidden)
        for doc, is_hidden in zip(corpus.docs(), rows):
            removed = [ent for ent in doc.ents if is_hidden[ent.start]]
            if removed:
                doc.set_ents([], outside=removed, default="unmodified")
            yield doc

    partial = replace(
        corpus,
        is_entity=corpus.is_entity & ~hidden,
        begins=corpus.begins & ~hidden,
        docs=read,
        gold_is_entity=None,
        path=None,
    )
    weights = compute_weights(partial, scheme)
    scores = getattr(scheme, "p_outside", None)
    return Hidden(
        weights=weights,
        scores=weights if scores is None else scores,
        free=~(partial.is_entity | partial.trusted),
        entities=entities,
        sent_starts=corpus.sent_starts,
    )


def pin_ratio(scheme: WeightingScheme, corpus: CorpusArrays) -> None:
    """Let CBL select up to the same entity ratio whatever is hidden.

    scheme (WeightingScheme): The scheme to modify; others than CBL stay as they are.
    corpus (CorpusArrays): The corpus with all its labels.
    """
    if isinstance(scheme, CBLScheme):
        target, _ = find_target(corpus, scheme.settings)
        scheme.settings = replace(scheme.settings, entity_ratio=target)


def number_entities(corpus: CorpusArrays) -> IntArray:
    """Number the labelled entities.

    corpus (CorpusArrays): The corpus.
    RETURNS (IntArray): The entity of each token, from 0; -1 outside.
    """
    return numpy.where(corpus.is_entity, numpy.cumsum(corpus.begins) - 1, -1)


def number_forms(corpus: CorpusArrays, numbers: IntArray) -> IntArray:
    """Number the surface forms of entities.

    corpus (CorpusArrays): The corpus.
    numbers (IntArray): The entity of each token.
    RETURNS (IntArray): The form of each entity, from 0.
    """
    tokens = numpy.flatnonzero(numbers >= 0)
    firsts = numpy.flatnonzero(numpy.diff(numbers[tokens], prepend=-1))
    known: Dict[tuple, int] = {}
    parts = numpy.split(corpus.token_ids[tokens], firsts[1:])
    return numpy.array(
        [known.setdefault(tuple(part.tolist()), len(known)) for part in parts]
    )


def _count_missed(
    corpus: CorpusArrays, n_entities: int, ratio: float, label_precision: float
) -> float:
    n_labelled = int(numpy.count_nonzero(corpus.is_entity))
    labelled = n_labelled / len(corpus)
    if not labelled < ratio < 1:
        raise ValueError(Errors.C240.format(ratio=ratio, labelled=labelled))
    n_tokens = ratio * len(corpus) - label_precision * n_labelled
    return n_tokens * n_entities / n_labelled


def _check(n_folds: int, hide: float, label_precision: float) -> None:
    if n_folds < 1 or not 0 < hide < 1 or n_folds * hide > 1 + 1e-9:
        raise ValueError(Errors.C309.format(n_folds=n_folds, hide=hide))
    if not 0 < label_precision <= 1:
        raise ValueError(Errors.C311.format(value=label_precision))


def _check_folds(forms: IntArray, folds: IntArray, n_folds: int) -> None:
    counts = [len(set(forms[folds == fold].tolist())) for fold in range(n_folds)]
    if min(counts) < LEAST_FORMS:
        found = f"{len(set(forms.tolist()))} surface forms of entities"
        raise ValueError(
            Errors.C310.format(found=found, least=LEAST_FORMS, n_folds=n_folds)
        )
