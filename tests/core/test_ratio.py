import numpy
import pytest
from numpy.testing import assert_allclose

from spacy_cbl.core.ratio import (
    BATCH,
    BITS,
    EPOCHS,
    HIGHEST_RATIO,
    RATE,
    estimate_ratio,
    score_held_out,
    token_features,
)


def make_corpus(n_sents=600, shown=0.5, seed=0):
    """Sentences of six words; capitalised words are names, and the forms of names that
    are shown are labelled wherever they stand."""
    rng = numpy.random.default_rng(seed)
    names = [f"{a}{b}{c}".title() for a in "bdfgk" for b in "aeiou" for c in "lmnrst"]
    common = [f"{a}{b}" for a in "bdfgklmnpr" for b in ("ata", "elo", "ino", "upe")]
    labelled = set(rng.permutation(names)[: int(shown * len(names))])
    words, is_name = [], []
    for _ in range(n_sents):
        kinds = rng.random(6) < 0.2
        is_name.extend(kinds)
        words.extend(str(rng.choice(names if kind else common)) for kind in kinds)
    starts = numpy.arange(len(words)) % 6 == 0
    is_labelled = numpy.array([word in labelled for word in words])
    return words, starts, numpy.array(is_name), is_labelled


def score_slowly(features, labels, held_out, seed):
    """Adagrad with a gradient for all weights at each step."""
    x, y = features[~held_out], labels[~held_out]
    rng = numpy.random.default_rng(seed)
    weights, squares = numpy.zeros(features.max() + 2), 1e-4
    weights[-1] = numpy.log(y.mean() / (1 - y.mean()))
    for _ in range(EPOCHS):
        order = rng.permutation(len(y))
        for batch in numpy.split(order, range(BATCH, len(y), BATCH)):
            gradient = numpy.zeros(len(weights))
            for i in batch:
                logit = weights[x[i]].sum() + weights[-1]
                error = (1 / (1 + numpy.exp(-logit)) - y[i]) / len(batch)
                numpy.add.at(gradient, [*x[i], -1], error)
            squares += gradient**2
            weights -= RATE * gradient / numpy.sqrt(squares)
    logits = weights[features[held_out]].sum(axis=1) + weights[-1]
    return 1 / (1 + numpy.exp(-logits))


@pytest.mark.parametrize("shown", [0.3, 0.5, 0.8])
def test_estimate_is_near_where_the_classes_are_separable(shown):
    words, starts, is_name, is_labelled = make_corpus(shown=shown)
    estimate = estimate_ratio(words, is_labelled, starts)
    assert estimate.upper == pytest.approx(is_name.mean(), rel=0.25)
    assert estimate.ratio == pytest.approx(is_name.mean(), rel=0.35)
    assert is_labelled.mean() <= estimate.lower <= estimate.ratio <= estimate.upper < 1
    assert 0 < estimate.std < 0.1


def test_estimate_depends_on_the_seed_alone():
    words, starts, _, is_labelled = make_corpus(n_sents=100)
    first = estimate_ratio(words, is_labelled, starts, seed=3)
    assert first == estimate_ratio(words, is_labelled, starts, seed=3)
    assert first != estimate_ratio(words, is_labelled, starts, seed=4)


def test_estimate_stays_below_one():
    rng = numpy.random.default_rng(0)
    is_labelled = rng.random(400) < 0.9
    starts = numpy.arange(400) % 5 == 0
    estimate = estimate_ratio(["same"] * 400, is_labelled, starts)
    assert estimate.ratio <= HIGHEST_RATIO
    assert set(estimate.by_estimator) == {"e1", "e2", "e3", "top"}


def test_one_sentence_is_enough_for_folds():
    is_labelled = numpy.arange(80) % 4 == 0
    starts = numpy.arange(80) == 0
    estimate = estimate_ratio(["a", "b", "c", "d"] * 20, is_labelled, starts)
    assert 0.25 <= estimate.ratio < 1


def test_features_do_not_know_the_word():
    # Same shape, length, endings, counts and context: the same features.
    words = ["so", "Rilan", "sat", "so", "Bolan", "sat"]
    starts = numpy.array([True, False, False] * 2)
    features = token_features(words, starts)
    assert (features[1] == features[4]).all()
    assert (features[0] != features[1]).any()


def test_context_ends_at_the_sentence():
    starts = numpy.array([True, False, True, False])
    one = token_features(["ab", "cd", "ef", "gh"], starts)
    other = token_features(["ij", "kl", "ef", "gh"], starts)
    assert (one[2:] == other[2:]).all()


def test_scores_are_of_tokens_not_trained_on():
    # One label, given in the first fold alone, cannot be known there.
    features = numpy.repeat(numpy.arange(2), 50)[:, None]
    labels = numpy.arange(100) < 50
    scores = score_held_out(features, labels, (~labels).astype(int))
    assert scores[labels].max() < 0.1
    assert scores[~labels].min() > 0.9


def test_scores_are_those_of_plain_adagrad():
    # Features recur within a batch and within a token; batches are of unequal sizes.
    rng = numpy.random.default_rng(0)
    features = rng.integers(0, 30, (3 * BATCH + 7, 4)).astype(numpy.int32)
    labels = (features < 8).any(axis=1) & (rng.random(len(features)) < 0.5)
    folds = rng.integers(0, 2, len(features))
    scores = score_held_out(features, labels, folds, seed=5)
    for fold in range(2):
        expected = score_slowly(features, labels, folds == fold, 5 + fold)
        assert_allclose(scores[folds == fold], expected, rtol=0, atol=1e-12)


def test_features_are_within_the_table():
    words, starts, *_ = make_corpus(n_sents=50)
    features = token_features(words, starts)
    assert features.min() >= 0
    assert features.max() < 1 << BITS
