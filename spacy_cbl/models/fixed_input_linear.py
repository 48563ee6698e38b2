"""A linear layer over input that does not learn."""

from typing import Callable, Optional, Tuple, cast

from thinc.api import Model, Ops, glorot_uniform_init
from thinc.types import Floats1d, Floats2d


def fixed_input_linear(nO: int) -> Model[Floats2d, Floats2d]:
    """A linear layer with dropout before it. The gradient of its input is not worked
    out, it is 0: that saves a third of the work where the input is wide.

    nO (int): Output width.
    RETURNS (Model[Floats2d, Floats2d]): The layer.
    """
    return Model(
        "fixed_input_linear",
        forward,
        init=init,
        dims={"nO": nO, "nI": None},
        params={"W": None, "b": None},
        attrs={"dropout_rate": 0.0},
    )


def forward(
    model: Model[Floats2d, Floats2d], X: Floats2d, is_train: bool
) -> Tuple[Floats2d, Callable[[Floats2d], Floats2d]]:
    W, b = cast(Floats2d, model.get_param("W")), cast(Floats1d, model.get_param("b"))
    if is_train:
        X = drop(model.ops, X, model.attrs["dropout_rate"])
    Y = model.ops.gemm(X, W, trans2=True) + b

    def backprop(dY: Floats2d) -> Floats2d:
        model.inc_grad("W", model.ops.gemm(dY, X, trans1=True))
        model.inc_grad("b", dY.sum(axis=0))
        xp = model.ops.xp
        return xp.broadcast_to(xp.float32(0), X.shape)  # takes no memory

    return Y, backprop


def init(
    model: Model[Floats2d, Floats2d],
    X: Optional[Floats2d] = None,
    Y: Optional[Floats2d] = None,
) -> None:
    if X is not None:
        model.set_dim("nI", X.shape[1], force=True)
    nO, nI = model.get_dim("nO"), model.get_dim("nI")
    model.set_param("W", glorot_uniform_init(model.ops, (nO, nI)))
    model.set_param("b", model.ops.alloc1f(nO))


def drop(ops: Ops, X: Floats2d, rate: float) -> Floats2d:
    """Set a share of numbers to 0, and scale the others up. A random byte decides on
    each, which is several times as fast as a random number, and shows where the input
    is wide.

    ops (Ops): The backend.
    X (Floats2d): The numbers.
    rate (float): The share, to the next 256th.
    RETURNS (Floats2d): The numbers that are left.
    """
    n_dropped = round(256 * rate)
    if not n_dropped:
        return X
    if n_dropped >= 256:
        return ops.alloc2f(*X.shape)
    bits = ops.xp.frombuffer(ops.xp.random.bytes(X.size), dtype="uint8")
    kept = X * ops.xp.float32(256 / (256 - n_dropped))
    kept *= bits.reshape(X.shape) >= n_dropped
    return kept
