"""Give memory that was freed back to the system."""

import ctypes
import sys
from typing import Any, Callable, Dict

from spacy.language import Language

M_MMAP_THRESHOLD = -3  # as malloc.h has it


def create_trim_heap(every: int = 10) -> Callable[[Language, Dict[str, Any]], None]:
    """A callback for `[training.before_update]` that trims the heap: batches of ever
    new shapes leave it full of holes.

    every (int): Trim the heap once in so many updates.
    RETURNS (Callable[[Language, Dict[str, Any]], None]): The callback.
    """

    def before_update(nlp: Language, info: Dict[str, Any]) -> None:
        if info["step"] % every == 0:
            trim_heap()

    return before_update


def create_map_large_blocks(
    above: int = 2**22,
) -> Callable[[Language, Dict[str, Any]], None]:
    """A callback for `[training.before_update]` that gives large blocks memory of their
    own, which goes back as soon as they are freed. Left alone, the C library moves that
    limit up to the largest block it has seen, and the heap gets full of holes.

    above (int): The limit in bytes. The lower, the less memory, and the slower.
    RETURNS (Callable[[Language, Dict[str, Any]], None]): The callback.
    """

    def before_update(nlp: Language, info: Dict[str, Any]) -> None:
        if info["step"] == 0:
            map_large_blocks(above)

    return before_update


def trim_heap() -> None:
    """Give back what is free in the heap. Where the C library is not that of GNU,
    nothing happens.
    """
    _call_libc("malloc_trim", 0)


def map_large_blocks(above: int) -> None:
    """Take larger blocks from the system one by one, from now on. Where the C library
    is not that of GNU, nothing happens.

    above (int): The limit in bytes.
    """
    _call_libc("mallopt", M_MMAP_THRESHOLD, above)


def _call_libc(name: str, *args: int) -> None:
    if sys.platform != "linux":
        return
    function = getattr(ctypes.CDLL(None), name, None)
    if function is not None:
        function(*args)
