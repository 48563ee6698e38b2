"""Compare the gradients of thinc layers with central differences."""

import numpy
from numpy.testing import assert_allclose


def check_gradients(model, X, loss, *, eps=3e-3, atol=2e-4):
    """Check every parameter; `loss` gives a float64 loss and the gradient of Y."""
    model.finish_update(lambda key, param, grad, **kwargs: (param, grad * 0))
    Y, backprop = model.begin_update(X)
    backprop(loss(Y)[1])
    checked = 0
    for (_, name), (param, grad) in model.get_gradients().items():
        grad = numpy.array(grad)
        for i in numpy.ndindex(param.shape):
            kept = float(param[i])
            param[i] = kept + eps
            above = loss(model.predict(X))[0]
            param[i] = kept - eps
            below = loss(model.predict(X))[0]
            param[i] = kept
            expected = (above - below) / (2 * eps)
            assert_allclose(grad[i], expected, atol=atol, err_msg=f"{name}{i}")
            checked += 1
    assert checked


def random_loss(shape_like, seed=0):
    """A linear loss of a list of arrays, with random coefficients."""
    rng = numpy.random.default_rng(seed)
    coefficients = [rng.normal(size=Y.shape) for Y in shape_like]

    def loss(Ys):
        total = sum((Y.astype("d") * c).sum() for Y, c in zip(Ys, coefficients))
        return total, [c.astype("f") for c in coefficients]

    return loss
