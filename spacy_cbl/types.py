"""Types that several modules share.

The arrays are numpy's, or cupy's where a layer runs on a GPU, of any precision. thinc's
own array types are nominal, so neither is one of them to a type checker.
"""

from typing import Any

FloatArray = Any
IntArray = Any
BoolArray = Any
