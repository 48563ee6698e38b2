"""What each merge of two clusters would cost a bigram model over clusters."""

from typing import Tuple

import numpy

from ..types import FloatArray


class MergeLosses:
    """A table of the mutual information that merging any two clusters would lose, kept
    up to date while clusters are added and merged.

    With n(a, c) the bigrams of a word of cluster a followed by one of c, and l(a) and
    r(c) all bigrams with a word of a first and with one of c second, the clusters of
    the table share

        I = sum over a, c of n(a, c) log(n(a, c) N / (l(a) r(c)))

    which is the average mutual information of Brown et al. (1992, section 3) times the
    number N of bigrams. As merging adds up n, l and r, with f(x) = x log x it loses

        loss(a, b) = sum over c of g(n(a, c), n(b, c)) + g(n(c, a), n(c, b))
                     + corner(a, b) + h(a, b),    g(x, y) = f(x) + f(y) - f(x + y)

    where the corner corrects the sum for c = a and c = b, whose four counts become one,
    and h is what l and r add: s log((l(a) + l(b)) / l(a)) with s = sum over c of
    n(a, c), the same for b, and both again for r.

    g is 0 where either count is 0. So a cluster that meets k others, when it is added
    or merged, changes only k rows of the table: O(k C) for C clusters, where Liang
    (2005) has O(C^2). For most words k is small.
    """

    def __init__(self, size: int) -> None:
        self.counts = numpy.zeros((size, size))
        # l and r, and how much of each is in `counts`: words may be yet to come.
        self.totals = numpy.zeros((2, size))
        self.sums = numpy.zeros((2, size))
        self.is_used = numpy.zeros(size, dtype=bool)
        # Infinite on the diagonal and where there is no cluster.
        self.losses = numpy.full((size, size), numpy.inf)

    def add(
        self, new: int, row: FloatArray, column: FloatArray, totals: FloatArray
    ) -> None:
        """Add a cluster.

        new (int): Its number; free so far.
        row (FloatArray): Bigrams of it followed by each cluster, itself included.
        column (FloatArray): Bigrams of each cluster followed by it.
        totals (FloatArray): All bigrams with it first, and all with it second.
        """
        self._add_context(0, column)
        self._add_context(1, row)
        self.counts[new], self.counts[:, new] = row, column
        self.totals[:, new] = totals
        self.sums[:, new] = row.sum(), column.sum()
        losses = self._own_terms(new)
        for counts in (self.counts, self.counts.T):
            met = counts[new].nonzero()[0]
            others = counts.T[met]
            losses += _x_log_x(others).sum(axis=0) + _pool(counts[new, met], others)
        losses[~self.is_used] = numpy.inf
        self.losses[new] = self.losses[:, new] = losses
        self.is_used[new] = True

    def merge(self, kept: int, gone: int) -> None:
        """Merge two clusters.

        kept (int): The cluster that becomes both.
        gone (int): The cluster whose number becomes free. The fewer others it meets,
            the quicker.
        """
        self._change(kept, -self._own_terms(kept))
        # First the columns become one, then the rows.
        for counts in (self.counts, self.counts.T):
            self._merge_columns(counts, kept, gone)
        for values in (self.totals, self.sums):
            values[:, kept] += values[:, gone]
            values[:, gone] = 0
        self._change(kept, self._own_terms(kept))
        self.losses[gone] = self.losses[:, gone] = numpy.inf
        self.is_used[gone] = False

    def find_best(self) -> Tuple[int, int]:
        """Find the two clusters whose merge loses the least.

        RETURNS (Tuple[int, int]): The clusters, the one that meets more others first.
        """
        a, b = divmod(int(self.losses.argmin()), len(self.losses))
        n_a, n_b = (numpy.count_nonzero(self.counts[i]) for i in (a, b))
        return (a, b) if n_a >= n_b else (b, a)

    def get_information(self) -> float:
        """The average mutual information of neighbours, as far as it is in the table.

        RETURNS (float): I / N, in bits.
        """
        left, right = self.totals
        n_bigrams = left.sum()
        information = _x_log_x(self.counts).sum() + self.counts.sum() * _log(n_bigrams)
        information -= (self.sums * _log(self.totals)).sum()
        return float(information / n_bigrams / numpy.log(2))

    def _add_context(self, side: int, context: FloatArray) -> None:
        """Change the losses of others, which form these bigrams with a new cluster."""
        met = context.nonzero()[0]
        new, totals = context[met], self.totals[side]
        change = _log(totals[met, None] + totals)
        change -= _log(totals[met, None])
        change *= new[:, None]
        self.losses[met] += change
        self.losses[:, met] += change.T
        gain = _x_log_x(new)
        shared = gain[:, None] + gain - _x_log_x(new[:, None] + new)
        self.losses[met[:, None], met] += shared
        self.sums[side, met] += new

    def _merge_columns(self, counts: FloatArray, kept: int, gone: int) -> None:
        """Make one of two columns: as clusters, and as contexts of the rows."""
        met = counts[:, gone].nonzero()[0]
        others = counts[met]
        before = others[:, kept]
        after = before + others[:, gone]
        self._merge_contexts(counts[:, kept], counts[:, gone])
        self._change(kept, _pool(after, others) - _pool(before, others))
        counts[met, kept], counts[met, gone] = after, 0

    def _merge_contexts(self, x: FloatArray, y: FloatArray) -> None:
        """Change the losses of pairs with counts x_i, x_j in one context and y_i, y_j
        in another, which become one: by g(x_i + y_i, x_j + y_j) - g(x_i, x_j)
        - g(y_i, y_j). That is 0 unless i or j has some y, and both have x or y.
        """
        rows, columns = y.nonzero()[0][:, None], (x + y).nonzero()[0]
        gain = _x_log_x(x + y) - _x_log_x(x) - _x_log_x(y)
        change = gain[rows] + gain[columns]
        change -= _x_log_x((x + y)[rows] + (x + y)[columns])
        change += _x_log_x(x[rows] + x[columns])
        change += _x_log_x(y[rows] + y[columns])
        # Pairs with both y_i and y_j are in `change` twice.
        change[:, y[columns] > 0] /= 2
        self.losses[rows, columns] += change
        self.losses[columns[:, None], rows[:, 0]] += change.T

    def _own_terms(self, a: int) -> FloatArray:
        """corner(a, b) + h(a, b) for each b."""
        row, column = self.counts[a], self.counts[:, a]
        own, theirs = row[a], self.counts.diagonal()
        terms = _x_log_x(own + row) + _x_log_x(own + column)
        terms += _x_log_x(theirs + row) + _x_log_x(theirs + column)
        terms -= _x_log_x(own) + _x_log_x(row) + _x_log_x(column) + _x_log_x(theirs)
        terms -= _x_log_x(own + row + column + theirs)
        for totals, sums in zip(self.totals, self.sums):
            logs = _log(totals)
            terms += (sums[a] + sums) * _log(totals[a] + totals)
            terms -= sums[a] * logs[a] + sums * logs
        return terms

    def _change(self, a: int, change: FloatArray) -> None:
        self.losses[a] += change
        self.losses[:, a] = self.losses[a]


def _pool(counts: FloatArray, others: FloatArray) -> FloatArray:
    """The sum over contexts of f(x) - f(x + y), for one cluster and each other."""
    return _x_log_x(counts).sum() - _x_log_x(counts[:, None] + others).sum(axis=0)


def _x_log_x(counts: FloatArray) -> FloatArray:
    return counts * _log(counts)


def _log(counts: FloatArray) -> FloatArray:
    # Counts are whole numbers, so this changes only log 0, which 0 always multiplies.
    return numpy.log(numpy.maximum(counts, 1))
