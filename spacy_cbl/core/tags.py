"""Tag sets of the BILUO and BIO schemes and which tag may follow which."""

from typing import Dict, List, Sequence, Tuple

import numpy

from ..types import BoolArray, IntArray

OUTSIDE = "O"
PREFIXES: Dict[str, str] = {"biluo": "BILU", "bio": "BI"}
SCHEMES: Tuple[str, ...] = tuple(PREFIXES)


class TagSet:
    """The tags of some entity labels under a scheme. Index 0 is O; the tags of label
    number k are the `len(prefixes)` indices after `1 + k * len(prefixes)`.
    """

    def __init__(self, labels: Sequence[str], scheme: str = "biluo") -> None:
        """Build the tag set.

        labels (Sequence[str]): Entity labels, distinct.
        scheme (str): "biluo" or "bio".
        """
        self.labels = tuple(labels)
        self.scheme = scheme
        self.prefixes = PREFIXES[scheme]

    def __len__(self) -> int:
        return 1 + len(self.prefixes) * len(self.labels)

    @property
    def names(self) -> List[str]:
        """The names of the tags: O, B-PER, I-PER and so on."""
        return [OUTSIDE] + [
            f"{p}-{label}" for label in self.labels for p in self.prefixes
        ]

    @property
    def types(self) -> IntArray:
        """The type of each tag: 0 for O, then the number of its label from 1 on."""
        return (numpy.arange(len(self)) + len(self.prefixes) - 1) // len(self.prefixes)

    @property
    def is_inside(self) -> BoolArray:
        """Which tags neither begin nor end an entity: O, and the I of each label."""
        inside = [OUTSIDE, *(f"I-{label}" for label in self.labels)]
        return numpy.isin(self.names, inside)

    @property
    def legal(self) -> BoolArray:
        """`legal[i, j]`: may tag j follow tag i? The last row and column stand for the
        boundary: where a sequence may start and where it may end.
        """
        n = len(self)
        kind = numpy.array(
            [OUTSIDE, *(p for _ in self.labels for p in self.prefixes), "|"]
        )
        label = numpy.array(
            [-1, *(k for k in range(len(self.labels)) for _ in self.prefixes), -1]
        )
        starts = numpy.isin(kind, ["O", "B", "U", "|"])
        if self.scheme == "biluo":
            closes = numpy.isin(kind, ["O", "L", "U", "|"])
            opens = ~closes
        else:
            # In BIO an entity may end anywhere and may go on after B and I.
            closes = numpy.ones(n + 1, dtype=bool)
            opens = numpy.isin(kind, ["B", "I"])
        inside = opens[:, None] & ~starts[None, :] & (label[:, None] == label[None, :])
        return (closes[:, None] & starts[None, :]) | inside

    def encode(self, n_tokens: int, spans: Sequence[Tuple[int, int, str]]) -> IntArray:
        """Tag indices for non-overlapping spans.

        n_tokens (int): The length of the sequence.
        spans (Sequence[Tuple[int, int, str]]): Start, end (exclusive) and label.
        RETURNS (IntArray): One tag index per token, 0 outside spans.
        """
        tags = numpy.zeros(n_tokens, dtype=numpy.int32)
        offsets = {
            label: 1 + k * len(self.prefixes) for k, label in enumerate(self.labels)
        }
        inside = self.prefixes.index("I")
        for start, end, label in spans:
            first = offsets[label]
            tags[start] = first
            tags[start + 1 : end] = first + inside
            if self.scheme == "biluo":
                if end - start == 1:
                    tags[start] = first + self.prefixes.index("U")
                else:
                    tags[end - 1] = first + self.prefixes.index("L")
        return tags

    def decode(self, tags: IntArray) -> Tuple[IntArray, IntArray, IntArray]:
        """The spans of a legal tag sequence. Several sequences may be laid end to end.

        tags (IntArray): Tag indices.
        RETURNS (Tuple[IntArray, IntArray, IntArray]): Start, end (exclusive) and label
            index of each span, in order.
        """
        tags = numpy.asarray(tags)
        width = len(self.prefixes)
        position = (tags - 1) % width
        is_entity = tags > 0
        if self.scheme == "biluo":
            first = is_entity & numpy.isin(position, [0, 3])
            last = is_entity & numpy.isin(position, [2, 3])
        else:
            first = is_entity & (position == 0)
            goes_on = numpy.zeros(len(tags), dtype=bool)
            goes_on[:-1] = is_entity[1:] & (position[1:] == 1)
            last = is_entity & ~goes_on
        starts = numpy.flatnonzero(first)
        return starts, numpy.flatnonzero(last) + 1, (tags[starts] - 1) // width
