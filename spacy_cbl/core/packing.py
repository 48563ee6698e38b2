"""Lay sequences of different lengths side by side, without padding."""

from typing import NamedTuple

import numpy

from ..types import IntArray


class Packing(NamedTuple):
    """Rows ordered by time step: row `offsets[t] + k` is step t of the k-th longest
    sequence, so that one slice holds every sequence still going on at step t.
    """

    forward: IntArray  # packed row -> token, sequences read left to right
    backward: IntArray  # packed row -> token, sequences read right to left
    offsets: IntArray  # first packed row of each step, and the number of rows
    order: IntArray  # the sequences that have tokens, longest first
    firsts: IntArray  # first token of each of them, longest first
    lasts: IntArray  # last token of each of them, longest first

    def rows_before(self) -> IntArray:
        """For each row from step 1 on, the row of the same sequence one step before.

        RETURNS (IntArray): Packed rows; the first belongs to row `offsets[1]`.
        """
        sizes = numpy.diff(self.offsets)
        here = numpy.arange(sizes[:1].sum(), self.offsets[-1])
        return here - numpy.repeat(sizes[:-1], sizes[1:])


def pack(lengths: IntArray) -> Packing:
    """Pack sequences that are laid end to end.

    lengths (IntArray): The number of tokens of each sequence; 0 is allowed.
    RETURNS (Packing): Where each token goes.
    """
    lengths = numpy.asarray(lengths, dtype=numpy.int64)
    order = numpy.argsort(-lengths, kind="stable")
    order = order[: numpy.count_nonzero(lengths)]
    kept = lengths[order]
    firsts = (numpy.cumsum(lengths) - lengths)[order]
    lasts = firsts + kept - 1
    n_steps = int(kept[0]) if len(kept) else 0
    # How many sequences are longer than t = how many are still going on at step t.
    active = len(kept) - numpy.searchsorted(kept[::-1], numpy.arange(n_steps), "right")
    offsets = numpy.concatenate([[0], numpy.cumsum(active)]).astype(numpy.int64)
    step = numpy.repeat(numpy.arange(n_steps), active)
    sequence = numpy.arange(offsets[-1]) - offsets[step]
    return Packing(
        forward=firsts[sequence] + step,
        backward=lasts[sequence] - step,
        offsets=offsets,
        order=order,
        firsts=firsts,
        lasts=lasts,
    )
