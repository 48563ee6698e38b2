"""The model of `cbl_noise_ner`: token vectors, a linear layer, a noise matrix."""

from typing import Callable, List, Optional, Tuple, cast

import numpy
from spacy.tokens import Doc
from thinc.api import Dropout, Linear, Model, chain, with_array
from thinc.types import Floats2d

from ..core.noise import kernel_of
from ..types import FloatArray

InT = List[Floats2d]
OutT = Tuple[List[Floats2d], Floats2d]
NoiseModelT = Model[List[Doc], OutT]


def build_noise_adaptation_v1(
    tok2vec: Model[List[Doc], List[Floats2d]], nO: Optional[int] = None
) -> NoiseModelT:
    """Build a token classifier over the output of a tok2vec model, with a noise matrix
    beside it. The layers give scores; softmax and losses are in `core/noise.py`.

    tok2vec (Model[List[Doc], List[Floats2d]]): Any tok2vec model or listener.
    nO (Optional[int]): The number of labels with O. Set by the component when absent.
    RETURNS (NoiseModelT): Docs to token scores per doc and the kernel of the matrix.
    """
    nI = tok2vec.get_dim("nO") if tok2vec.has_dim("nO") else None
    output: Model[Floats2d, Floats2d] = Linear(nO, nI)
    noise = noise_matrix(nO)
    drop: Model[Floats2d, Floats2d] = Dropout()
    model: NoiseModelT = chain(tok2vec, with_array(chain(drop, output)), noise)
    model.set_ref("tok2vec", tok2vec)
    model.set_ref("output", output)
    model.set_ref("noise", noise)
    return model


def set_label_count(model: NoiseModelT, n_labels: int) -> None:
    """Fix the number of labels, before initialization.

    model (NoiseModelT): The model.
    n_labels (int): The number of labels, O among them.
    """
    for name in ("output", "noise"):
        model.get_ref(name).set_dim("nO", n_labels, force=True)


def set_noise(model: NoiseModelT, counts: FloatArray) -> None:
    """Set the noise matrix, after initialization.

    model (NoiseModelT): The model.
    counts (FloatArray): Counts (true label x noisy label).
    """
    kernel = model.ops.asarray2f(kernel_of(counts), dtype="f")
    model.get_ref("noise").set_param("kernel", kernel)


def noise_matrix(nO: Optional[int] = None) -> Model[InT, OutT]:
    """Pair token scores with the kernel of a noise matrix.

    nO (Optional[int]): The number of labels.
    RETURNS (Model[InT, OutT]): The layer.
    """
    return Model(
        "noise_matrix", forward, init=init, dims={"nO": nO}, params={"kernel": None}
    )


def forward(
    model: Model[InT, OutT], X: InT, is_train: bool
) -> Tuple[OutT, Callable[[OutT], InT]]:
    kernel = cast(Floats2d, model.get_param("kernel"))

    def backprop(dY: OutT) -> InT:
        d_scores, d_kernel = dY
        model.inc_grad("kernel", d_kernel)
        return d_scores

    return (X, kernel), backprop


def init(
    model: Model[InT, OutT], X: Optional[InT] = None, Y: Optional[OutT] = None
) -> None:
    # Free of noise, until noise has been counted.
    kernel = kernel_of(numpy.eye(model.get_dim("nO")))
    model.set_param("kernel", model.ops.asarray2f(kernel, dtype="f"))
