"""A bidirectional LSTM encoder without torch."""

from typing import Callable, List, Optional, Tuple, cast

from thinc.api import (
    Dropout,
    Model,
    chain,
    get_width,
    glorot_uniform_init,
    list2ragged,
    ragged2list,
)
from thinc.types import Floats2d, Floats3d, Ragged

from ..core.lstm import lstm_backward, lstm_forward
from ..core.packing import pack
from ..errors import check_settings


def build_bilstm_encoder_v1(
    width: int, depth: int, variational_dropout: bool
) -> Model[List[Floats2d], List[Floats2d]]:
    """Build a stack of bidirectional LSTM layers. Dropout is applied to the input of
    each layer, never to weights; its rate is `training.dropout`. The output is left to
    the layer above, such as that of `spacy_cbl.MarginalCRF.v1`, which has dropout.

    width (int): Output width: the two directions have half of it each.
    depth (int): The number of layers.
    variational_dropout (bool): Whether all tokens of a sequence share a dropout mask.
    RETURNS (Model[List[Floats2d], List[Floats2d]]): The encoder.
    """
    even = "an even number above 0: half of it for each direction"
    is_even = width > 0 and width % 2 == 0
    check_settings("the BiLSTM", ("width", width, is_even, even))
    drop = sequence_dropout if variational_dropout else Dropout
    layers: List[Model] = []
    for i in range(depth):
        layers += [drop(), bilstm(width, width if i else None)]
    return chain(list2ragged(), *layers, ragged2list())


def bilstm(nO: Optional[int] = None, nI: Optional[int] = None) -> Model[Ragged, Ragged]:
    """One bidirectional LSTM layer.

    nO (Optional[int]): Output width, even.
    nI (Optional[int]): Input width.
    RETURNS (Model[Ragged, Ragged]): The layer.
    """
    return Model(
        "bilstm",
        forward,
        init=init,
        dims={"nO": nO, "nI": nI},
        params={"Wx": None, "Wh": None, "b": None},
    )


def forward(
    model: Model[Ragged, Ragged], X: Ragged, is_train: bool
) -> Tuple[Ragged, Callable[[Ragged], Ragged]]:
    Wx, Wh, b = (cast(Floats3d, model.get_param(name)) for name in ("Wx", "Wh", "b"))
    packing = pack(model.ops.to_numpy(X.lengths))
    if not len(packing.order):
        empty = model.ops.alloc2f(0, model.get_dim("nO"))
        return Ragged(empty, X.lengths), lambda dY: X
    Y, state = lstm_forward(X.dataXd, Wx, Wh, b, packing)

    def backprop(dY: Ragged) -> Ragged:
        dX, dWx, dWh, db = lstm_backward(dY.dataXd, Wx, Wh, state, packing)
        model.inc_grad("Wx", dWx)
        model.inc_grad("Wh", dWh)
        model.inc_grad("b", db)
        return Ragged(dX, dY.lengths)

    return Ragged(Y, X.lengths), backprop


def init(
    model: Model[Ragged, Ragged],
    X: Optional[Ragged] = None,
    Y: Optional[Ragged] = None,
) -> None:
    if X is not None and model.has_dim("nI") is None:
        model.set_dim("nI", get_width(X))
    if Y is not None and model.has_dim("nO") is None:
        model.set_dim("nO", get_width(Y))
    nI, nH = model.get_dim("nI"), model.get_dim("nO") // 2
    # Each gate gets the range of a square or input-sized layer of its own.
    for name, width in (("Wx", nI), ("Wh", nH)):
        gates = [
            [glorot_uniform_init(model.ops, (width, nH)) for _ in range(4)]
            for _ in range(2)
        ]
        xp = model.ops.xp
        model.set_param(name, xp.stack([xp.concatenate(g, axis=1) for g in gates]))
    b = model.ops.alloc2f(2, 4 * nH)
    b[:, nH : 2 * nH] = 1.0  # a forget gate that starts open keeps early gradients
    model.set_param("b", b)


def sequence_dropout(rate: float = 0.0) -> Model[Ragged, Ragged]:
    """Dropout whose mask is drawn once per sequence and shared by its tokens.

    rate (float): The dropout rate.
    RETURNS (Model[Ragged, Ragged]): The layer.
    """
    return Model("sequence_dropout", forward_dropout, attrs={"dropout_rate": rate})


def forward_dropout(
    model: Model[Ragged, Ragged], X: Ragged, is_train: bool
) -> Tuple[Ragged, Callable[[Ragged], Ragged]]:
    rate = model.attrs["dropout_rate"]
    if not is_train or not rate:
        return X, lambda dY: dY
    masks = model.ops.get_dropout_mask((len(X.lengths), get_width(X)), rate)
    mask = model.ops.xp.repeat(masks, model.ops.to_numpy(X.lengths), axis=0)

    def backprop(dY: Ragged) -> Ragged:
        return Ragged(dY.dataXd * mask, dY.lengths)

    return Ragged(X.dataXd * mask, X.lengths), backprop
