import numpy
from numpy.testing import assert_allclose

from spacy_cbl.core.calibration import Calibration, fit_calibration, outside_margins


def test_finds_the_line_that_made_the_labels():
    rng = numpy.random.default_rng(0)
    margins = rng.normal(0, 20, 50_000)
    truth = Calibration(0.1, -1.0)
    is_outside = rng.random(len(margins)) < truth.p_outside(margins)
    found = fit_calibration(margins, is_outside, numpy.ones(len(margins)))
    assert_allclose(found, truth, rtol=0.05)


def test_weights_count_as_repetition():
    rng = numpy.random.default_rng(1)
    margins, is_outside = rng.normal(0, 1, 300), rng.random(300) < 0.5
    weights = rng.integers(0, 3, 300)
    weighted = fit_calibration(margins, is_outside, weights.astype(float))
    repeated = numpy.repeat(numpy.arange(300), weights)
    plain = fit_calibration(
        margins[repeated], is_outside[repeated], numpy.ones(len(repeated))
    )
    assert_allclose(weighted, plain, rtol=1e-4, atol=1e-6)


def test_rises_with_the_margin_even_where_labels_say_otherwise():
    margins = numpy.linspace(-5, 5, 100)
    found = fit_calibration(margins, margins < 0, numpy.ones(100))
    assert (numpy.diff(found.p_outside(margins)) > 0).all()


def test_separable_labels_give_finite_lines():
    margins = numpy.concatenate([numpy.full(10, -3.0), numpy.full(1000, 900.0)])
    found = fit_calibration(margins, margins > 0, numpy.ones(len(margins)))
    assert numpy.isfinite(found).all()
    assert found.p_outside(margins)[0] < 0.5 < found.p_outside(margins)[-1]


def test_one_class_alone_leaves_the_scores_as_they_are():
    found = fit_calibration(numpy.ones(3), numpy.ones(3, bool), numpy.ones(3))
    assert found == Calibration()


def test_margins_are_of_outside_over_the_best_other():
    assert outside_margins(numpy.array([[1.0, 3.0, 2.0]])).tolist() == [-2.0]
