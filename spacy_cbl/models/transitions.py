"""A learned table of tag-to-tag scores beside the scores of the tokens."""

from typing import Callable, List, Optional, Tuple, cast

from thinc.api import Model
from thinc.types import Floats2d

InT = List[Floats2d]
OutT = Tuple[List[Floats2d], Floats2d]


def transitions(nO: Optional[int] = None) -> Model[InT, OutT]:
    """Pair token scores with a table of transition scores. The table has a row and a
    column more than there are tags: scores of the first and of the last tag.

    nO (Optional[int]): The number of tags.
    RETURNS (Model[InT, OutT]): The layer.
    """
    return Model("transitions", forward, init=init, dims={"nO": nO}, params={"T": None})


def forward(
    model: Model[InT, OutT], X: InT, is_train: bool
) -> Tuple[OutT, Callable[[OutT], InT]]:
    T = cast(Floats2d, model.get_param("T"))

    def backprop(dY: OutT) -> InT:
        d_scores, dT = dY
        model.inc_grad("T", dT)
        return d_scores

    return (X, T), backprop


def init(
    model: Model[InT, OutT], X: Optional[InT] = None, Y: Optional[OutT] = None
) -> None:
    size = model.get_dim("nO") + 1
    model.set_param("T", model.ops.alloc2f(size, size))
