import numpy
import pytest
from numpy.testing import assert_allclose

from spacy_cbl.core.lstm import lstm_backward, lstm_forward
from spacy_cbl.core.packing import pack

LENGTHS = [2, 0, 4, 1, 3]
nI, nH = 3, 2


@pytest.fixture
def problem():
    rng = numpy.random.default_rng(0)
    X = rng.normal(size=(sum(LENGTHS), nI))
    Wx = rng.normal(size=(2, nI, 4 * nH))
    Wh = rng.normal(size=(2, nH, 4 * nH))
    b = rng.normal(size=(2, 4 * nH))
    return X, Wx, Wh, b


def one_direction(X, Wx, Wh, b):
    """The textbook LSTM, one sequence, one direction, one step at a time."""
    h, c, outputs = numpy.zeros(nH), numpy.zeros(nH), []
    for x in X:
        gates = x @ Wx + h @ Wh + b
        i, f, o = (1 / (1 + numpy.exp(-gates[k * nH : (k + 1) * nH])) for k in range(3))
        c = f * c + i * numpy.tanh(gates[3 * nH :])
        h = o * numpy.tanh(c)
        outputs.append(h)
    return numpy.array(outputs).reshape((-1, nH))


def test_forward_equals_the_textbook_lstm(problem):
    X, Wx, Wh, b = problem
    Y, _ = lstm_forward(X, Wx, Wh, b, pack(LENGTHS))
    start = 0
    for length in LENGTHS:
        x, y = X[start : start + length], Y[start : start + length]
        assert_allclose(y[:, :nH], one_direction(x, Wx[0], Wh[0], b[0]))
        assert_allclose(y[:, nH:], one_direction(x[::-1], Wx[1], Wh[1], b[1])[::-1])
        start += length


def test_gradients_equal_central_differences(problem):
    packing = pack(LENGTHS)
    direction = numpy.random.default_rng(1).normal(size=(sum(LENGTHS), 2 * nH))
    _, state = lstm_forward(*problem, packing)
    gradients = lstm_backward(direction.copy(), *problem[1:3], state, packing)

    def loss():
        return (lstm_forward(*problem, packing)[0] * direction).sum()

    for array, gradient in zip(problem, gradients):
        for i in numpy.ndindex(array.shape):
            kept = array[i]
            array[i] = kept + 1e-5
            above = loss()
            array[i] = kept - 1e-5
            below = loss()
            array[i] = kept
            assert_allclose(gradient[i], (above - below) / 2e-5, atol=1e-6)


@pytest.mark.parametrize("lengths", [[1], [1, 1]])
def test_sequences_of_one_token(problem, lengths):
    X, Wx, Wh, b = problem
    packing = pack(lengths)
    Y, state = lstm_forward(X[: sum(lengths)], Wx, Wh, b, packing)
    dX, _, dWh, _ = lstm_backward(Y, Wx, Wh, state, packing)
    assert dX.shape == (sum(lengths), nI)
    assert_allclose(dWh, 0.0)
