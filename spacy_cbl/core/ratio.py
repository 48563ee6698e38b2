"""Estimate the true entity ratio from partial labels alone (Elkan and Noto, 2008).

If labelled entity tokens are drawn at random from all entity tokens, a classifier g of
labelled against unlabelled tokens has g(x) = c on entities, with c the share of them
that is labelled, and the true ratio is (|P| / |T|) / c. Their estimators of c from
held-out scores are

- e1: the mean score of labelled tokens,
- e2: the sum of the scores of labelled tokens over the sum of all scores,
- e3: the highest score.

e1 and e2 need entities that the features tell apart without doubt: where they do not, c
comes out too low and the ratio too high. e3 needs no more than some sure entities, but
one overconfident score spoils it, and the ratio comes out too low. `top` lies between:
it takes the mean of the |P| highest scores in place of the highest. It is not of the
paper; in most of what we measured it came nearer than the three (docs/entity-ratio.md).
Names that are missing as a whole are no random draw: take the figure as a guide.
"""

import re
from typing import Callable, Dict, Iterator, List, NamedTuple, Sequence, Tuple
from zlib import crc32

import numpy

from ..types import BoolArray, FloatArray, IntArray
from .tag_features import shift

BITS = 18
EPOCHS, BATCH, RATE = 3, 512, 0.2
HIGHEST_RATIO = 0.99
LEAST_TOKENS = 20  # of each class
SENTS_PER_BLOCK = 10  # neighbouring sentences share names: they share a fold
AROUND = (-2, -1, 1, 2)
N_FEATURES = 8 + 2 * len(AROUND)

EstimatorT = Callable[[FloatArray, BoolArray], float]


class RatioEstimate(NamedTuple):
    """The entity ratio, estimated.

    ratio (float): By the estimator `top`.
    std (float): Its standard deviation over the folds: sampling error alone.
    lower (float): By e3, never above `ratio`.
    upper (float): By e1, never below `ratio`.
    by_estimator (Dict[str, float]): The ratio by each estimator.
    """

    ratio: float
    std: float
    lower: float
    upper: float
    by_estimator: Dict[str, float]


def estimate_ratio(
    words: Sequence[str],
    is_entity: BoolArray,
    sent_starts: BoolArray,
    *,
    n_folds: int = 5,
    seed: int = 0,
) -> RatioEstimate:
    """Estimate which share of the tokens belongs to entities, labelled or not.

    words (Sequence[str]): The tokens of a corpus, sentences laid end to end.
    is_entity (BoolArray): Whether each is labelled; LEAST_TOKENS or more of each class.
    sent_starts (BoolArray): Whether a sentence starts with it.
    n_folds (int): How many classifiers are trained, each on the other folds.
    seed (int): For the order of training.
    RETURNS (RatioEstimate): The estimate.
    """
    features = token_features(words, sent_starts)
    blocks = (numpy.cumsum(sent_starts) - 1) // SENTS_PER_BLOCK
    folds = blocks % min(n_folds, int(blocks[-1]) + 1)
    if folds.max() == 0:
        folds = numpy.arange(len(folds)) * n_folds // len(folds)
    scores = score_held_out(features, is_entity, folds, seed)
    ratios = {name: _ratio(name, scores, is_entity) for name in ESTIMATORS}
    parts = [folds == fold for fold in numpy.unique(folds)]
    spread = [
        _ratio("top", scores[part], is_entity[part])
        for part in parts
        if is_entity[part].any()
    ]
    return RatioEstimate(
        ratio=ratios["top"],
        std=float(numpy.std(spread)),
        lower=ratios["e3"],
        upper=ratios["e1"],
        by_estimator=ratios,
    )


def token_features(words: Sequence[str], sent_starts: BoolArray) -> IntArray:
    """Hashed features of shape, affix, frequency and context. The word itself is none
    of them: a name that was never labelled would teach that it is no entity.

    words (Sequence[str]): The tokens.
    sent_starts (BoolArray): Whether a sentence starts with each.
    RETURNS (IntArray): One row per token, one column per feature.
    """
    known: Dict[str, int] = {}
    ids = numpy.fromiter(
        (known.setdefault(word, len(known)) for word in words), numpy.int32, len(words)
    )
    features = numpy.empty((len(ids), N_FEATURES), dtype=numpy.int32)
    columns = _columns([*known], ids, numpy.cumsum(sent_starts))
    for column, values in zip(features.T, columns, strict=True):
        column[:] = values
    return features


def score_held_out(
    features: IntArray, labels: BoolArray, folds: IntArray, seed: int = 0
) -> FloatArray:
    """Score each token by a logistic regression trained on the other folds.

    features (IntArray): As `token_features` gives them.
    labels (BoolArray): The class of each token.
    folds (IntArray): The fold of each token; two or more distinct.
    seed (int): For the order of training.
    RETURNS (FloatArray): The probability of being labelled.
    """
    scores = numpy.zeros(len(labels))
    for fold in numpy.unique(folds):
        held_out = folds == fold
        others = numpy.flatnonzero(~held_out)
        weights = _train(features, labels, others, seed + int(fold))
        for batch in _batches(numpy.flatnonzero(held_out)):
            scores[batch] = _predict(weights, features.take(batch, axis=0))
    return scores


def _ratio(name: str, scores: FloatArray, labels: BoolArray) -> float:
    ratio = labels.mean() / max(ESTIMATORS[name](scores, labels), 1e-9)
    return float(min(ratio, HIGHEST_RATIO))


def _e1(scores: FloatArray, labels: BoolArray) -> float:
    return float(scores[labels].mean())


def _e2(scores: FloatArray, labels: BoolArray) -> float:
    return float(scores[labels].sum() / scores.sum())


def _e3(scores: FloatArray, labels: BoolArray) -> float:
    return float(scores.max())


def _top(scores: FloatArray, labels: BoolArray) -> float:
    n = int(labels.sum())
    return float(numpy.partition(scores, -n)[-n:].mean())


ESTIMATORS: Dict[str, EstimatorT] = {"e1": _e1, "e2": _e2, "e3": _e3, "top": _top}


def _train(
    features: IntArray, labels: BoolArray, tokens: IntArray, seed: int
) -> FloatArray:
    """Adagrad on minibatches. Few epochs: a memorised label is of no use here. The last
    weight is the bias.
    """
    rng = numpy.random.default_rng(seed)
    weights = numpy.zeros((1 << BITS) + 1)
    squares = numpy.full(len(weights), 1e-4)
    places = numpy.empty(len(weights), dtype=numpy.int32)
    share = numpy.clip(labels[tokens].mean(), 1e-6, 1 - 1e-6)
    weights[-1] = numpy.log(share / (1 - share))
    for _ in range(EPOCHS):
        for batch in _batches(rng.permutation(tokens)):
            x = features.take(batch, axis=0)
            error = (_predict(weights, x) - labels[batch]) / len(batch)
            errors = numpy.repeat(error, x.shape[1])
            touched, gradient = _sum_by_key(x.ravel(), errors, places)
            touched = numpy.append(touched, len(weights) - 1)
            gradient = numpy.append(gradient, error.sum())
            squares[touched] += gradient**2
            weights[touched] -= RATE * gradient / numpy.sqrt(squares[touched])
    return weights


def _sum_by_key(
    keys: IntArray, values: FloatArray, places: IntArray
) -> Tuple[IntArray, FloatArray]:
    """The distinct keys, and the sum of the values of each. `places` is room to work
    in, one for each possible key: numpy.unique sorts, half of the training's time.
    """
    order = numpy.arange(len(keys))
    places[keys] = order
    last_equal = places[keys]
    last = numpy.flatnonzero(last_equal == order)
    return keys[last], numpy.bincount(last_equal, values)[last]


def _batches(tokens: IntArray) -> Iterator[IntArray]:
    for start in range(0, len(tokens), BATCH):
        yield tokens[start : start + BATCH]


def _predict(weights: FloatArray, features: IntArray) -> FloatArray:
    logits = weights.take(features).sum(axis=1) + weights[-1]
    return 1 / (1 + numpy.exp(-numpy.clip(logits, -30, 30)))


def _columns(
    known: Sequence[str], ids: IntArray, sents: IntArray
) -> Iterator[IntArray]:
    """Give one feature of all tokens at a time."""
    forms = [*known, ""]  # the last stands for what lies beyond the sentence
    shapes, lower = [_shape(form) for form in forms], [form.lower() for form in forms]
    own = {"shape": shapes, **_own_features(forms, lower, ids)}
    for name, values in own.items():
        yield _hash(name, values)[ids]
    for distance in AROUND:
        there = shift(ids, distance, sents, len(known))
        yield _hash(f"shape{distance}", shapes)[there]
        yield _hash(f"word{distance}", lower)[there]
    shape = _hash("pair", shapes)
    before, after = (shape[shift(ids, by, sents, len(known))] for by in (1, -1))
    yield (31 * shape[ids] + 17 * before + 7) % (1 << BITS)
    yield (13 * shape[ids] + 29 * after + 11) % (1 << BITS)


def _own_features(
    forms: Sequence[str], lower: Sequence[str], ids: IntArray
) -> Dict[str, List[str]]:
    counts = numpy.bincount(ids, minlength=len(forms)).tolist()
    lower_counts = {form: n for form, n in zip(forms, counts) if form.islower()}
    return {
        "length": [str(min(len(form), 12)) for form in forms],
        "count": [_magnitude(n) for n in counts],
        "count in lower case": [_magnitude(lower_counts.get(f, 0)) for f in lower],
        **{f"last {n}": [f[-n:] if len(f) > n else "" for f in lower] for n in (2, 3)},
    }


def _shape(form: str) -> str:
    kinds = (
        "X" if c.isupper()
        else "x" if c.islower()
        else "d" if c.isdigit()
        else "c" if c.isalpha()
        else c
        for c in form
    )  # fmt: skip
    return re.sub(r"(.)\1{2,}", r"\1\1", "".join(kinds))[:12]


def _magnitude(count: int) -> str:
    return str(count.bit_length())


def _hash(name: str, values: Sequence[str]) -> IntArray:
    mask = (1 << BITS) - 1
    hashes = (crc32(f"{name}={v}".encode()) & mask for v in values)
    return numpy.fromiter(hashes, numpy.int32, len(values))
