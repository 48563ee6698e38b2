"""Choose one of the two matrix multiplications that thinc has on a CPU."""

from functools import lru_cache
from time import perf_counter
from typing import Callable, Type

import numpy
from spacy.language import Language
from thinc.api import NumpyOps, get_current_ops, set_current_ops

# numpy's multiplication is taken unless thinc's own (BLIS) is clearly faster. The two
# round differently: where they are about as fast, noise must not choose, or one run on
# a machine would differ from the next.
MIN_RATIO = 0.8


def create_fast_ops() -> Callable[[Type[Language]], Type[Language]]:
    """A callback for `[nlp.before_creation]`: models built from then on multiply
    matrices by numpy, unless thinc's own way is clearly faster here. Leaves GPU and
    other special backends alone.

    RETURNS (Callable[[Type[Language]], Type[Language]]): The callback.
    """
    return use_fast_ops


def use_fast_ops(lang_cls: Type[Language]) -> Type[Language]:
    """Switch thinc to numpy's matrix multiplication where that is not clearly slower.

    lang_cls (Type[Language]): The language class.
    RETURNS (Type[Language]): The same.
    """
    if type(get_current_ops()) is NumpyOps and numpy_is_fast():
        set_current_ops(NumpyOps(use_blis=False))
    return lang_cls


@lru_cache(maxsize=None)
def numpy_is_fast() -> bool:
    """Time both ways on the shapes of a small encoder, once per process.

    RETURNS (bool): Whether numpy's way is as fast, or slower by noise alone.
    """
    X = numpy.ones((512, 288), dtype="f")
    W = numpy.ones((288, 288), dtype="f")
    blis, numpys = NumpyOps(), NumpyOps(use_blis=False)
    return _best_time(blis, X, W) > MIN_RATIO * _best_time(numpys, X, W)


def _best_time(
    ops: NumpyOps, X: numpy.ndarray, W: numpy.ndarray, repeats: int = 5
) -> float:
    def measure() -> float:
        start = perf_counter()
        ops.gemm(X, W, trans2=True)
        return perf_counter() - start

    return min(measure() for _ in range(repeats))
