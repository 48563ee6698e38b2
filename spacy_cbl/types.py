"""Types that several modules share."""

from typing import Any

import numpy.typing as npt

# `core/` works on plain numpy arrays of either precision.
FloatArray = npt.NDArray[Any]
IntArray = npt.NDArray[Any]
BoolArray = npt.NDArray[Any]
