import numpy
import pytest

from spacy_cbl.core.threshold import (
    Hidden,
    bound_missed,
    count_found,
    count_top,
    expect,
    expect_top,
    split_forms,
)


def test_folds_share_no_form_and_hide_about_what_is_asked():
    rng = numpy.random.default_rng(0)
    forms = rng.zipf(1.6, size=5000) % 400
    folds = split_forms(numpy.unique(forms, return_inverse=True)[1], 3, 0.2, rng)
    assert set(folds.tolist()) == {-1, 0, 1, 2}
    for form in set(forms.tolist()):
        assert len(set(folds[forms == form].tolist())) == 1
    sizes = [numpy.mean(folds == fold) for fold in range(3)]
    # The most frequent form alone may be a quarter of all.
    assert 0.4 < sum(sizes) < 0.8


def test_suspects_are_runs_and_count_once():
    #  one sentence: a hidden entity of two tokens, another suspect; then a hidden
    #  entity whose suspect goes on into no other sentence, and a labelled token
    fold = Hidden(
        weights=numpy.array([0.1, 0.2, 1, 0.1, 0.1, 0.3, 0.0]),
        scores=numpy.array([0.1, 0.2, 1, 0.1, 0.1, 0.3, 0.0]),
        free=numpy.array([True] * 6 + [False]),
        entities=numpy.array([0, 0, -1, -1, 1, -1, -1]),
        sent_starts=numpy.array([True, False, False, False, True, False, False]),
    )
    assert count_found([fold], 0.25, "weights") == (2, 2, 2, 1.0, 0.9)
    assert count_found([fold], 0.15, "scores") == (2, 2, 2, 1.0, 0.9)
    assert count_found([fold, fold], 0.05, "weights") == (4, 0, 0, 0.0, 0.0)


def make_fold(label_precision, rng, n_tokens=60_000):
    """One-token sentences. A tenth are entities, half of which are labelled."""
    is_entity = rng.random(n_tokens) < 0.1
    labelled = is_entity & (rng.random(n_tokens) < 0.5)
    n_false = labelled.sum() * (1 - label_precision) / label_precision
    labelled |= ~is_entity & (rng.random(n_tokens) < n_false / (~is_entity).sum())
    weights = numpy.where(
        is_entity, rng.beta(0.5, 3, size=n_tokens), rng.beta(4, 0.5, size=n_tokens)
    )
    hidden = labelled & (rng.random(n_tokens) < 0.3)
    fold = Hidden(
        weights=weights,
        scores=weights,
        free=~labelled | hidden,
        entities=numpy.where(hidden, numpy.cumsum(hidden) - 1, -1),
        sent_starts=numpy.ones(n_tokens, dtype=bool),
    )
    return fold, is_entity & ~labelled, ~labelled


@pytest.mark.parametrize("label_precision", [1.0, 0.8])
def test_what_is_expected_comes_true_where_labels_are_a_random_draw(label_precision):
    rng = numpy.random.default_rng(1)
    fold, is_missed, unlabelled = make_fold(label_precision, rng)
    n_missed = bound_missed([fold], label_precision)
    assert n_missed == pytest.approx(is_missed.sum(), rel=0.1)
    rows = expect([fold], [0.1, 0.3, 0.5, 0.9], n_missed, label_precision)
    for row in rows:
        low = (fold.weights < row.threshold) & unlabelled
        right = (low & is_missed).sum()
        assert row.suspects == low.sum()
        assert row.precision == pytest.approx(right / low.sum(), abs=0.06)
        assert row.recall == pytest.approx(right / is_missed.sum(), abs=0.03)
    assert rows[0].recall < 0.7 and rows[-1].precision < 0.9


@pytest.mark.parametrize("label_precision", [1.0, 0.8])
def test_the_first_suspects_are_as_good_as_foreseen(label_precision):
    rng = numpy.random.default_rng(4)
    fold, is_missed, unlabelled = make_fold(label_precision, rng)
    tops = [500, 2000, 4000, 60_001]
    foreseen = expect_top([fold], tops, is_missed.sum(), label_precision, 1.0)
    order = numpy.argsort(numpy.where(unlabelled, fold.scores, 2))
    assert [row.top for row in foreseen] == tops[:-1]
    for row in foreseen:
        n_right = is_missed[order[: row.top]].sum()
        assert row.precision == pytest.approx(n_right / row.top, abs=0.06)
        assert row.recall == pytest.approx(n_right / is_missed.sum(), abs=0.05)
    beliefs = [row.belief for row in foreseen]
    assert beliefs == sorted(beliefs, reverse=True)
    assert foreseen[0].recall < 0.3 and foreseen[-1].precision < 0.8
    # Where what is missing is known, nothing is foreseen, but counted.
    entities = numpy.where(is_missed, numpy.cumsum(is_missed) - 1, -1)
    true = fold._replace(entities=entities, free=unlabelled)
    for row in count_top(true, tops, 1.0):
        n_right = is_missed[order[: row.top]].sum()
        assert row.precision == pytest.approx(n_right / row.top)
        assert row.recall == pytest.approx(n_right / is_missed.sum())


def test_a_suspect_has_the_mean_score_of_its_tokens():
    fold = Hidden(
        weights=numpy.array([0.0, 0.0, 1.0, 0.0, 1.0, 0.0]),
        scores=numpy.array([0.1, 0.5, 1.0, 0.2, 1.0, 0.4]),
        free=numpy.ones(6, dtype=bool),
        entities=numpy.array([-1, 0, -1, -1, -1, -1]),
        sent_starts=numpy.array([True] + [False] * 5),
    )
    # Suspects: 0.3 (right), 0.2, 0.4
    rows = count_top(fold, [1, 2, 3, 4])
    assert [row[:3] for row in rows] == [(1, 0, 0), (2, 1, 0.5), (3, 1, 1 / 3)]
    assert [row.belief for row in rows] == pytest.approx([0.8, 0.75, 0.7])


def test_weights_that_tell_nothing_make_no_false_promise():
    rng = numpy.random.default_rng(2)
    fold, is_missed, _ = make_fold(1.0, rng)
    fold = fold._replace(weights=numpy.zeros(len(is_missed)))
    # Scores still tell how many are missing.
    (row,) = expect([fold], [0.5], bound_missed([fold]))
    assert row.recall == 1 and row.precision < 0.07


def test_nothing_found_is_no_division():
    fold, *_ = make_fold(1.0, numpy.random.default_rng(3), 100)
    fold = fold._replace(weights=numpy.ones(100), scores=numpy.ones(100))
    (row,) = expect([fold], [0.5], 10.0)
    assert (row.suspects, row.recall, row.precision) == (0, 0, 0)


def test_suspects_of_equal_score_count_in_proportion():
    """Where all are suspected alike, the first of them are a random draw."""
    n, n_hidden = 1000, 100
    fold = Hidden(
        weights=numpy.zeros(n),
        scores=numpy.zeros(n),
        free=numpy.ones(n, dtype=bool),
        entities=numpy.where(numpy.arange(n) < n_hidden, numpy.arange(n), -1),
        sent_starts=numpy.ones(n, dtype=bool),
    )
    (top,) = count_top(fold, [100])
    assert (top.recall, top.precision) == pytest.approx((0.1, 0.1))
    (foreseen,) = expect_top([fold], [90], n_missed=n_hidden)
    assert foreseen.recall == pytest.approx(0.1)
    assert foreseen.precision == pytest.approx(n_hidden * 0.1 / 90)
