import numpy
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from spacy.util import fix_random_seed
from thinc.api import get_current_ops, set_dropout_rate

from spacy_cbl.models.fixed_input_linear import drop, fixed_input_linear

from .check_gradients import check_gradients

X = numpy.random.RandomState(0).normal(size=(5, 3)).astype("f")


def test_gradients_of_the_linear_layer():
    model = fixed_input_linear(2)
    model.initialize(X=X)

    def loss(Y):
        return float((Y.astype(float) ** 2).sum()), 2 * Y

    check_gradients(model, X, loss, atol=5e-3)
    dX = model.begin_update(X)[1](numpy.ones((5, 2), dtype="f"))
    assert_array_equal(dX, numpy.zeros_like(X))


def test_what_is_left_after_dropout_makes_up_for_the_rest():
    fix_random_seed(0)
    ones = numpy.ones((400, 500), dtype="f")
    dropped = drop(get_current_ops(), ones, 0.2)
    assert dropped.dtype == ones.dtype
    assert set(numpy.unique(dropped)) == {0, numpy.float32(256 / 205)}
    assert (dropped == 0).mean() == pytest.approx(0.2, abs=0.005)
    assert dropped.mean() == pytest.approx(1, abs=0.005)
    # Neither rows nor columns are dropped as a whole.
    for axis in (0, 1):
        assert 0.1 < (dropped == 0).mean(axis=axis).min()
    fix_random_seed(0)
    assert_array_equal(drop(get_current_ops(), ones, 0.2), dropped)


@pytest.mark.parametrize("rate,expected", [(0.0, X), (1.0, X * 0)])
def test_dropping_nothing_and_everything(rate, expected):
    assert_array_equal(drop(get_current_ops(), X, rate), expected)


def test_dropout_is_for_training_alone():
    model = fixed_input_linear(2)
    model.initialize(X=X)
    expected = model.predict(X)
    set_dropout_rate(model, 0.5)
    assert_array_equal(model.predict(X), expected)
    assert not numpy.allclose(model(X, is_train=True)[0], expected)
    set_dropout_rate(model, 0.0)
    assert_allclose(model(X, is_train=True)[0], expected)
