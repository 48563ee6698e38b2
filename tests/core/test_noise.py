import numpy
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from spacy_cbl.core.noise import (
    clean_loss,
    count_confusions,
    decode_io,
    kernel_of,
    log_softmax,
    noisy_loss,
)
from spacy_cbl.core.soft_labels import MISSING

N_LABELS = 3
LABELS = numpy.array([0, 2, MISSING, 1, 0])
WEIGHTS = numpy.array([1.0, 0.3, 1.0, 2.0, 0.0])


@pytest.fixture
def logits():
    return numpy.random.default_rng(0).normal(size=(5, N_LABELS))


@pytest.fixture
def kernel():
    return numpy.random.default_rng(1).normal(size=(N_LABELS, N_LABELS))


def softmax(scores):
    return numpy.exp(scores) / numpy.exp(scores).sum(axis=1, keepdims=True)


def numeric_gradient(function, array, eps=1e-6):
    gradient = numpy.zeros(array.shape)
    for i in numpy.ndindex(array.shape):
        kept = array[i]
        array[i] = kept + eps
        above = function()
        array[i] = kept - eps
        gradient[i] = (above - function()) / (2 * eps)
        array[i] = kept
    return gradient


def test_noisy_loss_is_the_product_with_the_noise_matrix(logits, kernel):
    p_noisy = softmax(logits) @ softmax(kernel)
    counted = [0, 1, 3]
    expected = -(WEIGHTS[counted] * numpy.log(p_noisy[counted, LABELS[counted]])).sum()
    assert_allclose(noisy_loss(logits, kernel, LABELS, WEIGHTS)[0], expected)
    p_clean = softmax(logits)[counted, LABELS[counted]]
    expected = -(WEIGHTS[counted] * numpy.log(p_clean)).sum()
    assert_allclose(clean_loss(logits, LABELS, WEIGHTS)[0], expected)


def test_gradients_are_exact(logits, kernel):
    def noisy():
        return noisy_loss(logits, kernel, LABELS, WEIGHTS)[0]

    def clean():
        return clean_loss(logits, LABELS, WEIGHTS)[0]

    _, d_logits, d_kernel = noisy_loss(logits, kernel, LABELS, WEIGHTS)
    assert_allclose(d_logits, numeric_gradient(noisy, logits), atol=1e-8)
    assert_allclose(d_kernel, numeric_gradient(noisy, kernel), atol=1e-8)
    assert abs(d_kernel).min() > 1e-4  # or the check would be empty
    _, d_clean = clean_loss(logits, LABELS, WEIGHTS)
    assert_allclose(d_clean, numeric_gradient(clean, logits), atol=1e-8)
    assert not d_logits[[2, 4]].any() and not d_clean[[2, 4]].any()


def test_no_noise_is_plain_cross_entropy(logits):
    plain, d_plain = clean_loss(logits, LABELS, WEIGHTS)
    loss, d_logits, _ = noisy_loss(logits, kernel_of(numpy.eye(3)), LABELS, WEIGHTS)
    assert_allclose(loss, plain, atol=1e-5)
    assert_allclose(d_logits, d_plain, atol=1e-5)


def test_extreme_scores_stay_finite():
    logits = numpy.array([[900.0, 0.0, -900.0]], dtype=numpy.float32)
    kernel = kernel_of(numpy.diag([5, 5, 5])) * 50
    labels, weights = numpy.array([2]), numpy.ones(1)
    for value in noisy_loss(logits, kernel, labels, weights):
        assert numpy.isfinite(value).all()
    assert_allclose(clean_loss(logits, labels, weights)[0], 1800.0)
    none = noisy_loss(logits[:0], kernel, labels[:0], weights[:0])
    assert none[0] == 0 and none[1].shape == (0, 3) and not none[2].any()


def test_the_kernel_of_a_sample_by_hand():
    clean = numpy.array([0, 0, 0, 1, 1, 1, 1, MISSING, 1])
    noisy = numpy.array([0, 0, 0, 1, 0, 0, 0, 1, MISSING])
    counts = count_confusions(clean, noisy, N_LABELS)
    assert_array_equal(counts, [[3, 0, 0], [3, 1, 0], [0, 0, 0]])
    kernel = kernel_of(counts)
    assert_allclose(kernel[1], numpy.log([0.75 + 1e-8, 0.25 + 1e-8, 1e-8]))
    # Label 2 is not in the sample, so nothing is known against it.
    expected = [[1, 0, 0], [0.75, 0.25, 0], [0, 0, 1]]
    assert_allclose(numpy.exp(log_softmax(kernel)), expected, atol=1e-7)


def test_entities_are_runs_of_a_label_within_a_sentence():
    labels = numpy.array([1, 1, 2, 0, 2, 2, 2, 0, 1])
    starts = numpy.zeros(9, dtype=bool)
    starts[[0, 5]] = True
    found = [column.tolist() for column in decode_io(labels, starts)]
    assert found == [[0, 2, 4, 5, 8], [2, 3, 5, 7, 9], [0, 1, 1, 1, 0]]
    assert not starts[2]  # the caller's array is left alone
    assert [len(column) for column in decode_io(labels[:0], starts[:0])] == [0, 0, 0]
