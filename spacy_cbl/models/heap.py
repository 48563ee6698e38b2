"""Give memory that was freed back to the system."""

import ctypes
import sys
from typing import Any, Callable, Dict

from spacy.language import Language


def create_trim_heap(every: int = 10) -> Callable[[Language, Dict[str, Any]], None]:
    """A callback for `[training.before_update]`, batches of ever new shapes leave the
    heap full of holes.

    every (int): Trim the heap once in so many updates.
    RETURNS (Callable[[Language, Dict[str, Any]], None]): The callback.
    """

    def before_update(nlp: Language, info: Dict[str, Any]) -> None:
        if info["step"] % every == 0:
            trim_heap()

    return before_update


def trim_heap() -> None:
    """Give back what is free in the heap. Where the C library is not that of GNU,
    nothing happens.
    """
    if sys.platform != "linux":
        return
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
