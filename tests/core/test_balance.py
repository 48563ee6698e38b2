import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spacy_cbl.core.balance import balance, get_scale, weighted_ratio

# One token of P and four of N.
IS_ENTITY = numpy.array([False, True, False, False, False])
WEIGHTS = numpy.array([0.5, 1.0, 0.25, 1.0, 0.25], dtype="f")


@st.composite
def weighted_tokens(draw):
    n = draw(st.integers(2, 60))
    is_entity = numpy.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    is_entity[0], is_entity[-1] = True, False
    value = st.floats(0, 1, width=32)
    weights = numpy.array(draw(st.lists(value, min_size=n, max_size=n)), dtype="f")
    weights[-1] = 0.5
    return is_entity, weights


def test_weighted_ratio_is_equation_3():
    assert weighted_ratio(IS_ENTITY, numpy.ones(5)) == 1 / 5
    assert weighted_ratio(IS_ENTITY, WEIGHTS) == 1 / (1 + 0.5 + 0.25 + 1 + 0.25)


def test_weighted_ratio_ignores_the_weights_of_entities():
    changed = WEIGHTS.copy()
    changed[1] = 0.1
    assert weighted_ratio(IS_ENTITY, changed) == weighted_ratio(IS_ENTITY, WEIGHTS)


def test_ratio_of_no_entity_and_no_weight_is_zero():
    assert weighted_ratio(numpy.zeros(3, dtype=bool), numpy.zeros(3)) == 0


def test_scale_is_equation_5():
    # (1 - 0.2) * 1 / (0.2 * 2)
    assert get_scale(1, 2.0, 0.2) == pytest.approx(2.0)
    # (1 - 0.1) * 30 / (0.1 * 540)
    assert get_scale(30, 540.0, 0.1) == pytest.approx(0.5)


def test_balanced_weights_are_equation_6_and_may_pass_1():
    balanced = balance(IS_ENTITY, WEIGHTS, 0.2)
    assert_allclose(balanced, [1.0, 1.0, 0.5, 2.0, 0.5])
    assert balanced.dtype == WEIGHTS.dtype


def test_trusted_negatives_keep_weight_1():
    trusted = numpy.array([True, False, False, False, False])
    balanced = balance(IS_ENTITY, WEIGHTS, 0.2, trusted)
    # (0.8 * 1 / 0.2 - 1) / 1.5 = 2
    assert_allclose(balanced, [1.0, 1.0, 0.5, 2.0, 0.5])
    assert weighted_ratio(IS_ENTITY, balanced) == pytest.approx(0.2)


@given(weighted_tokens(), st.floats(0.001, 0.999))
def test_balancing_reaches_the_ratio(tokens, ratio):
    is_entity, weights = tokens
    before = weights.copy()
    balanced = balance(is_entity, weights, ratio)
    assert abs(weighted_ratio(is_entity, balanced) - ratio) < 1e-6
    assert (balanced[is_entity] == 1).all()
    assert_array_equal(weights, before)


def test_balancing_many_tokens_in_single_precision_reaches_the_ratio():
    rng = numpy.random.default_rng(0)
    is_entity = rng.random(300_000) < 0.1
    weights = rng.random(300_000, dtype="f")
    balanced = balance(is_entity, weights, 0.15)
    assert abs(weighted_ratio(is_entity, balanced) - 0.15) < 1e-6


@pytest.mark.parametrize("ratio", [0, 1, -0.1, 15, float("nan")])
def test_ratio_out_of_range(ratio):
    with pytest.raises(ValueError, match="C160"):
        balance(IS_ENTITY, WEIGHTS, ratio)


def test_no_weight_on_negatives():
    with pytest.raises(ValueError, match="C161"):
        balance(IS_ENTITY, numpy.zeros(5, dtype="f"), 0.1)


def test_no_entity():
    with pytest.raises(ValueError, match="C154"):
        balance(numpy.zeros(5, dtype=bool), WEIGHTS, 0.1)


def test_too_many_trusted_negatives():
    trusted = numpy.array([True, False, True, True, False])
    with pytest.raises(ValueError, match="C162.*less than 0.2500"):
        balance(IS_ENTITY, WEIGHTS, 0.25, trusted)
    assert weighted_ratio(
        IS_ENTITY, balance(IS_ENTITY, WEIGHTS, 0.24, trusted)
    ) == pytest.approx(0.24)
