import numpy
import pytest
from numpy.testing import assert_allclose

from spacy_cbl.core.selection import (
    binary_soft_labels,
    doubted_labels,
    final_weights,
    log_scores,
    missed_recall_at_k,
    next_weights,
    selection_scores,
    taken_back,
)

# P, N chosen by the program, N not chosen, trusted negative
IS_ENTITY = numpy.array([True, False, False, False])
LABELS = numpy.array([True, True, False, False])
TRUSTED = numpy.array([False, False, False, True])
P = numpy.array([0.2, 0.7, 0.3, 0.6])


def test_scores_are_log_probabilities_and_finite_at_the_ends():
    C0, C1 = log_scores(numpy.array([0.0, 0.25, 1.0]))
    assert numpy.isfinite(C0).all() and numpy.isfinite(C1).all()
    assert_allclose([C0[1], C1[1]], numpy.log([0.75, 0.25]))
    assert C0[0] == pytest.approx(0.0, abs=1e-9) and C1[0] < -20


def test_binary_soft_labels_are_the_papers():
    labels = numpy.array([True, False, False, False])
    G = binary_soft_labels(labels, numpy.array([0.3, 0.0, 0.6, 1.7]))
    assert_allclose(G, [[0, 1], [0.5, 0.5], [0.6, 0.4], [1, 0]])


def test_weights_of_the_next_round():
    assert_allclose(next_weights(LABELS, P, TRUSTED), [1, 1, 0.7, 1])


@pytest.mark.parametrize(
    "selected,p,expected",
    [
        ("soft", 0.3, [1, 0.3, 0.7, 1]),
        ("zero", 0.3, [1, 0, 0.7, 1]),
        ("zero", 0.9, [1, 0, 0.1, 1]),
        ("capped", 0.3, [1, 0, 0.7, 1]),
        ("capped", 0.9, [1, 0, 0.5, 1]),
    ],
)
def test_weights_of_phase_two(selected, p, expected):
    p_entity = numpy.array([0.2, 0.7, p, 0.6])  # p: of the token that was not chosen
    found = final_weights(IS_ENTITY, LABELS, p_entity, TRUSTED, selected)
    assert_allclose(found, expected)


def test_missed_recall_counts_among_the_most_suspected_of_n():
    gold = numpy.array([True, True, False, True, False])
    is_entity = numpy.array([True, False, False, False, False])
    p = numpy.array([1.0, 0.9, 0.8, 0.1, 0.05])
    assert missed_recall_at_k(is_entity, gold, p) == 0.5
    assert missed_recall_at_k(gold, gold, p) is None


def test_selection_scores():
    gold = numpy.array([True, True, True, False])
    assert selection_scores(IS_ENTITY, gold, LABELS) == {
        "selected_precision": 1.0,
        "selected_recall": 0.5,
    }


@pytest.mark.parametrize(
    "n_least,expected",
    [
        (0, [False, False, True, True, True, False]),
        (2, [False, False, True, True, True, False]),
        (3, [False, False, False, True, True, False]),
        (4, [False, False, False, True, False, False]),
        (9, [False, False, False, False, False, False]),
    ],
)
def test_the_least_believed_are_taken_back_until_few_enough_are_left(n_least, expected):
    is_entity = numpy.array([True, False, False, False, False, False])
    labels = numpy.array([True, True, True, True, True, False])
    p = numpy.array([0.1, 0.6, 0.4, 0.1, 0.2, 0.0])
    assert taken_back(is_entity, labels, p, 0.5, n_least).tolist() == expected


def test_labels_are_doubted_where_no_token_of_the_entity_is_likely():
    is_entity = numpy.array([True, True, True, False, True, True])
    begins = numpy.array([True, False, True, False, True, False])
    p = numpy.array([0.1, 0.9, 0.1, 0.05, 0.1, 0.15])
    doubted = doubted_labels(is_entity, begins, p, 0.2)
    assert doubted.tolist() == [False, False, True, False, True, True]
    assert not doubted_labels(is_entity, begins, p, 0.0).any()
    none = numpy.zeros(6, dtype=bool)
    assert not doubted_labels(none, none, p, 0.2).any()


def test_doubted_labels_weigh_nothing():
    doubted = numpy.array([True, False, False, False])
    found = final_weights(IS_ENTITY, LABELS, P, TRUSTED, "zero", doubted)
    assert_allclose(found, [0, 0, 0.7, 1])
