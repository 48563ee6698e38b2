import math

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spacy_cbl.core.weighting import (
    combined,
    frequency,
    near_entity,
    oracle,
    settle,
    uniform,
    window,
)

# Two sentences: "the cat saw Ann" and "the dog ran to the sea"; Ann is in P.
TOKEN_IDS = numpy.array([0, 1, 2, 3, 0, 4, 5, 6, 0, 7])
COUNTS = numpy.bincount(TOKEN_IDS)
IS_ENTITY = numpy.arange(10) == 3
SENT_STARTS = numpy.isin(numpy.arange(10), [0, 4])


def test_frequency_is_equation_16():
    weights = frequency(TOKEN_IDS, COUNTS)
    third = 1 / 3
    expected = [1, third, third, third, 1, third, third, third, 1, third]
    assert_allclose(weights, expected)
    assert weights.dtype == numpy.float32


def test_log_frequency_takes_logs_before_normalizing():
    weights = frequency(numpy.array([0, 1, 2, 3]), numpy.array([100, 10, 1, 0]), True)
    assert_allclose(weights, [1, math.log(10) / math.log(100), 0, 0])


@pytest.mark.parametrize("log", [False, True])
def test_forms_that_all_occur_once_are_all_as_common(log):
    assert_array_equal(frequency(numpy.arange(4), numpy.ones(4), log), numpy.ones(4))


@pytest.mark.parametrize("log", [False, True])
def test_frequency_of_forms_that_never_occur_is_zero(log):
    assert_array_equal(frequency(numpy.array([0]), numpy.zeros(1), log), [0])


def test_window_is_equation_17_and_stays_in_the_sentence():
    weights = window(IS_ENTITY, SENT_STARTS)
    assert_array_equal(weights, [0, 0, 1, 1, 0, 0, 0, 0, 0, 0])
    assert weights.dtype == numpy.float32


def test_window_of_another_size():
    assert_array_equal(near_entity(IS_ENTITY, SENT_STARTS, 0), IS_ENTITY)
    assert_array_equal(
        near_entity(IS_ENTITY, SENT_STARTS, 2), [0, 1, 1, 1, 0, 0, 0, 0, 0, 0]
    )


def test_combined_is_equation_18():
    weights = combined(frequency(TOKEN_IDS, COUNTS), IS_ENTITY, SENT_STARTS)
    third = 1 / 3
    assert_allclose(weights, [1, third, 1, 1, 1, third, third, third, 1, third])
    assert weights.dtype == numpy.float32


def test_oracle_silences_missed_entities_only():
    gold = IS_ENTITY | (numpy.arange(10) == 9)
    assert_array_equal(oracle(IS_ENTITY, gold), numpy.arange(10) != 9)
    # A token of P that gold calls O is still P.
    assert_array_equal(oracle(IS_ENTITY, numpy.zeros(10, dtype=bool)), numpy.ones(10))


def test_entities_and_trusted_negatives_weigh_1():
    trusted = numpy.arange(10) == 0
    before = uniform(10, 0.25)
    weights = settle(before, IS_ENTITY | trusted)
    assert_array_equal(weights, numpy.where(IS_ENTITY | trusted, 1, 0.25))
    assert_array_equal(before, uniform(10, 0.25))


@given(st.data())
def test_window_agrees_with_distances_measured_one_by_one(data):
    n = data.draw(st.integers(0, 20))
    masks = st.lists(st.booleans(), min_size=n, max_size=n)
    is_entity = numpy.array(data.draw(masks), dtype=bool)
    sent_starts = numpy.array(data.draw(masks), dtype=bool)
    sent_starts[:1] = True
    distance = data.draw(st.integers(0, 4))
    sentence = numpy.cumsum(sent_starts)
    expected = [
        any(
            is_entity[j] and sentence[i] == sentence[j] and abs(i - j) <= distance
            for j in range(n)
        )
        for i in range(n)
    ]
    assert_array_equal(near_entity(is_entity, sent_starts, distance), expected)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=50), st.booleans())
def test_frequency_weights_lie_between_0_and_1(token_ids, log):
    ids = numpy.array(token_ids)
    counts = numpy.bincount(ids, minlength=10)
    weights = frequency(ids, counts, log)
    assert ((weights >= 0) & (weights <= 1)).all()
    assert weights.max() == 1
    order = numpy.argsort(counts[ids])
    assert (numpy.diff(weights[order]) >= 0).all()
