"""What a corpus holds, and how good its labels are beside gold."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

import numpy

from ..core.ratio import LEAST_TOKENS, RatioEstimate, estimate_ratio
from ..errors import Errors
from .agreement import Scores, align, combine, score
from .laid_out import LaidOut, load


@dataclass
class Stats:
    """The figures of one file. Ratios are shares of the tokens, from 0 to 1.

    ratio (float): Entity tokens over tokens: the paper's b.
    weighted_ratio (float): |P| / (|P| + the sum of the weights of all other tokens);
        missing tokens weigh 0.
    """

    path: str
    docs: int = 0
    sents: int = 0
    tokens: int = 0
    spans: int = 0
    types: Dict[str, int] = field(default_factory=dict)
    entity_tokens: int = 0
    unique_entity_tokens: int = 0
    missing: int = 0
    ratio: float = 0.0
    weighted_ratio: float = 0.0
    scores: Optional[Scores] = None
    estimate: Optional[RatioEstimate] = None

    def to_dict(self) -> Dict[str, Any]:
        """The figures as JSON takes them; those not asked for are left out."""
        data = {
            name: value for name, value in asdict(self).items() if value is not None
        }
        if self.estimate is not None:
            data["estimate"] = self.estimate._asdict()
        return data


def corpus_stats(
    paths: Sequence[Path],
    *,
    gold_path: Optional[Path] = None,
    with_estimate: bool = False,
    n_folds: int = 5,
    seed: int = 0,
) -> List[Stats]:
    """Count what files hold.

    paths (Sequence[Path]): `.spacy` files, or files that `convert` reads as they are.
    gold_path (Optional[Path]): The same documents with complete labels: adds scores,
        and for several files a row with their annotations joined.
    with_estimate (bool): Whether to estimate the true entity ratio.
    n_folds (int): Folds of the estimate.
    seed (int): Seed of the estimate.
    RETURNS (List[Stats]): One per file, and the joined row.
    """
    corpora = [load(path) for path in paths]
    if gold_path is not None:
        gold = load(gold_path)
        places = [align(corpus, gold) for corpus in corpora]
        if len(corpora) > 1:
            corpora.append(combine(corpora, places, gold))
            places.append(align(corpora[-1], gold))
    rows = [count(corpus) for corpus in corpora]
    for i, (row, corpus) in enumerate(zip(rows, corpora)):
        if gold_path is not None:
            row.scores = score(corpus, places[i], gold)
        if with_estimate:
            row.estimate = _estimate(corpus, n_folds, seed)
    return rows


def count(corpus: LaidOut) -> Stats:
    """Count what a corpus holds.

    corpus (LaidOut): The corpus.
    RETURNS (Stats): The figures, without scores and estimate.
    """
    is_entity = corpus.is_entity
    n_entity = int(is_entity.sum())
    weights = numpy.where(corpus.missing, 0.0, corpus.weights)
    mass = n_entity + float(weights[~is_entity].sum())
    return Stats(
        path=corpus.path,
        docs=len(corpus.lengths),
        sents=int(corpus.sent_starts.sum()),
        tokens=len(corpus.words),
        spans=len(corpus.spans),
        types=dict(sorted(Counter(label for _, _, label in corpus.spans).items())),
        entity_tokens=n_entity,
        unique_entity_tokens=len(
            {corpus.words[i] for i in numpy.flatnonzero(is_entity).tolist()}
        ),
        missing=int(corpus.missing.sum()),
        ratio=n_entity / len(corpus.words),
        weighted_ratio=n_entity / mass if mass else 0.0,
    )


def _estimate(corpus: LaidOut, n_folds: int, seed: int) -> RatioEstimate:
    is_entity = corpus.is_entity
    n_entity = int(is_entity.sum())
    if not n_entity:
        raise ValueError(Errors.C130.format(path=corpus.path))
    n_other = len(is_entity) - n_entity
    if min(n_entity, n_other) < LEAST_TOKENS:
        raise ValueError(
            Errors.C131.format(
                path=corpus.path,
                n_positive=n_entity,
                n_other=n_other,
                least=LEAST_TOKENS,
            )
        )
    return estimate_ratio(
        corpus.words, is_entity, corpus.sent_starts, n_folds=n_folds, seed=seed
    )
