"""What a corpus holds, and how good its labels are beside gold."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set

import numpy
from spacy.tokens import Doc

from ..attrs import get_weights
from ..core.ratio import LEAST_TOKENS, RatioEstimate, estimate_ratio
from ..core.tag_schemes import SpanT
from ..errors import Errors
from ..types import BoolArray, FloatArray, IntArray
from .convert import read_corpus
from .convert.spans import filter_overlaps

COMBINED = "combined"


@dataclass
class Scores:
    """Exact spans beside gold, micro-averaged."""

    precision: float
    recall: float
    f1: float


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


class Corpus(NamedTuple):
    """A file laid end to end.

    path (str): The file, or what stands for it.
    words (List[str]): All tokens.
    lengths (List[int]): The number of tokens of each document.
    sent_starts (BoolArray): Where a sentence starts.
    spans (List[SpanT]): All entities.
    missing (BoolArray): Which tokens are missing.
    weights (FloatArray): One per token.
    """

    path: str
    words: List[str]
    lengths: List[int]
    sent_starts: BoolArray
    spans: List[SpanT]
    missing: BoolArray
    weights: FloatArray


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
    corpora = [_load(path) for path in paths]
    if gold_path is not None:
        gold = _load(gold_path)
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


def count(corpus: Corpus) -> Stats:
    """Count what a corpus holds.

    corpus (Corpus): The corpus.
    RETURNS (Stats): The figures, without scores and estimate.
    """
    is_entity = _entity_mask(corpus)
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


def align(corpus: Corpus, gold: Corpus) -> IntArray:
    """Where each token stands in gold. Documents may be cut differently if the tokens
    are the same from the first to the last; otherwise each document must be one of
    gold's, in gold's order (an annotator may have done a part).

    corpus (Corpus): The corpus.
    gold (Corpus): The gold corpus.
    RETURNS (IntArray): The places.
    """
    if corpus.words == gold.words:
        return numpy.arange(len(gold.words))
    places = []
    start = gold_doc = gold_start = 0
    for doc, length in enumerate(corpus.lengths):
        words = corpus.words[start : start + length]
        found, at = gold_doc, gold_start
        while found < len(gold.lengths):
            end = at + gold.lengths[found]
            if words == gold.words[at:end]:
                break
            found, at = found + 1, end
        else:
            _raise_misaligned(corpus.path, doc, words, gold, gold_doc, gold_start)
        places.append(numpy.arange(at, at + length))
        gold_doc, gold_start, start = found + 1, at + length, start + length
    return numpy.concatenate(places)


def combine(
    corpora: Sequence[Corpus], places: Sequence[IntArray], gold: Corpus
) -> Corpus:
    """Join the annotations of several annotators: of overlapping spans the longer wins,
    of equally long ones the one in the file given first. The documents are those that
    at least one file has; a token is missing, or light, only where it is so in all.

    corpora (Sequence[Corpus]): The annotators' files.
    places (Sequence[IntArray]): Where the tokens of each stand in gold.
    gold (Corpus): The gold corpus.
    RETURNS (Corpus): The joined corpus.
    """
    n_tokens = len(gold.words)
    covered = numpy.zeros(n_tokens, dtype=bool)
    missing = numpy.ones(n_tokens, dtype=bool)
    weights = numpy.zeros(n_tokens)
    spans: List[SpanT] = []
    for corpus, place in zip(corpora, places):
        covered[place] = True
        missing[place] &= corpus.missing
        weights[place] = numpy.maximum(weights[place], corpus.weights)
        spans.extend(_move(corpus.spans, place))
    kept = filter_overlaps(dict.fromkeys(spans))
    for start, end, _ in kept:
        missing[start:end] = False
    doc_ids = numpy.repeat(numpy.arange(len(gold.lengths)), gold.lengths)
    lengths = numpy.bincount(doc_ids[covered], minlength=len(gold.lengths))
    new_places = numpy.cumsum(covered) - 1
    return Corpus(
        path=COMBINED,
        words=[gold.words[i] for i in numpy.flatnonzero(covered).tolist()],
        lengths=lengths[lengths > 0].tolist(),
        sent_starts=gold.sent_starts[covered],
        spans=_move(kept, new_places),
        missing=missing[covered],
        weights=weights[covered],
    )


def score(corpus: Corpus, places: IntArray, gold: Corpus) -> Scores:
    """Score labels beside gold, over the documents that the corpus has.

    corpus (Corpus): The corpus.
    places (IntArray): Where its tokens stand in gold.
    gold (Corpus): The gold corpus.
    RETURNS (Scores): Precision, recall and F1 of exact spans with their labels.
    """
    covered = numpy.zeros(len(gold.words), dtype=bool)
    covered[places] = True
    expected = {span for span in gold.spans if covered[span[0]]}
    found: Set[SpanT] = set(_move(corpus.spans, places))
    n_right = len(expected & found)
    precision = n_right / len(found) if found else 0.0
    recall = n_right / len(expected) if expected else 0.0
    total = precision + recall
    return Scores(precision, recall, 2 * precision * recall / total if total else 0.0)


def lay_out(path: str, docs: Iterable[Doc]) -> Corpus:
    """Lay documents end to end.

    path (str): The name of the corpus.
    docs (Iterable[Doc]): The documents.
    RETURNS (Corpus): The corpus.
    """
    words: List[str] = []
    lengths: List[int] = []
    spans: List[SpanT] = []
    columns: Dict[str, List] = {"starts": [], "missing": [], "weights": []}
    for doc in docs:
        if not len(doc):
            continue
        iobs, starts = doc.to_array(["ENT_IOB", "SENT_START"]).T
        starts = starts == 1
        starts[0] = True
        weights = get_weights(doc)
        columns["starts"].append(starts)
        columns["missing"].append(iobs == 0)
        columns["weights"].append(numpy.ones(len(doc)) if weights is None else weights)
        offset = len(words)
        spans.extend((e.start + offset, e.end + offset, e.label_) for e in doc.ents)
        words.extend(token.text for token in doc)
        lengths.append(len(doc))
    if not words:
        raise ValueError(Errors.C123.format(path=path))
    starts, missing, weights = (numpy.concatenate(c) for c in columns.values())
    return Corpus(path, words, lengths, starts, spans, missing, weights)


def _load(path: Path) -> Corpus:
    _, docs, _ = read_corpus(path)
    return lay_out(str(path), docs)


def _move(spans: Iterable[SpanT], places: IntArray) -> List[SpanT]:
    return [(int(places[s]), int(places[e - 1]) + 1, label) for s, e, label in spans]


def _entity_mask(corpus: Corpus) -> BoolArray:
    mask = numpy.zeros(len(corpus.words), dtype=bool)
    for start, end, _ in corpus.spans:
        mask[start:end] = True
    return mask


def _estimate(corpus: Corpus, n_folds: int, seed: int) -> RatioEstimate:
    is_entity = _entity_mask(corpus)
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


def _raise_misaligned(
    path: str, doc: int, words: Sequence[str], gold: Corpus, gold_doc: int, start: int
) -> None:
    """Compare with the document of gold that would have been next."""
    length = gold.lengths[gold_doc] if gold_doc < len(gold.lengths) else 0
    expected = gold.words[start : start + length]
    differ = (i for i, (a, b) in enumerate(zip(words, expected)) if a != b)
    i = next(differ, min(len(words), len(expected)))
    raise ValueError(
        Errors.C132.format(
            path=path,
            doc=doc,
            i=i,
            found=f"'{words[i]}'" if i < len(words) else "not there",
            gold_doc=gold_doc,
            expected=f"'{expected[i]}'" if i < len(expected) else "no more tokens",
        )
    )
