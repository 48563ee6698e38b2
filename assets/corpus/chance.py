"""Random draws, by `Random.random` alone, which is the same on every machine."""

from bisect import bisect
from functools import lru_cache
from itertools import accumulate
from random import Random
from typing import Dict, Iterator, List, Optional, Sequence, TypeVar

T = TypeVar("T")


@lru_cache(maxsize=None)
def zipf(size: int, offset: float, power: float) -> List[float]:
    """Give the cumulative weights of ranks 1 to size."""
    return list(accumulate((rank + offset) ** -power for rank in range(1, size + 1)))


def pick(rng: Random, items: Sequence[T], sums: Optional[List[float]] = None) -> T:
    """Draw one item, evenly or by cumulative weights."""
    if sums is None:
        return items[int(rng.random() * len(items))]
    return items[bisect(sums, rng.random() * sums[-1])]


def between(rng: Random, low: int, high: int) -> int:
    """Draw a whole number, both ends included."""
    return low + int(rng.random() * (high - low + 1))


def shuffled(rng: Random, items: Sequence[T]) -> List[T]:
    """Give the items in a random order."""
    order = sorted((rng.random(), i) for i in range(len(items)))
    return [items[i] for _, i in order]


def endless(rng: Random, items: Sequence[T]) -> Iterator[T]:
    """Give all items in random order, again and again."""
    while True:
        yield from shuffled(rng, items)


def draw_part(rng: Random, shares: Dict[str, float]) -> str:
    """Draw the part of the corpus something is kept for, or "shared"."""
    chance = rng.random()
    for part, share in shares.items():
        if chance < share:
            return part
        chance -= share
    return "shared"
