"""Brown clusters: groups of words that stand beside the same groups of words."""

from array import array
from typing import Dict, NamedTuple, Tuple

import numpy

from ..types import IntArray
from .merge_losses import MergeLosses


class Bigrams(NamedTuple):
    """Distinct pairs of neighbours and how often each occurs."""

    left: IntArray
    right: IntArray
    counts: IntArray


def count_bigrams(words: IntArray, sentences: IntArray) -> Bigrams:
    """Count the pairs of neighbours of a text.

    words (IntArray): The words of the text by number; those below 0 have no part in
        any pair.
    sentences (IntArray): The number of the sentence that each stands in.
    RETURNS (Bigrams): The pairs, none across sentences.
    """
    left, right = words[:-1].astype(numpy.int64), words[1:]
    counted = (sentences[:-1] == sentences[1:]) & (left >= 0) & (right >= 0)
    n_words = max(int(words.max(initial=0)) + 1, 1)
    pairs, counts = numpy.unique(
        left[counted] * n_words + right[counted], return_counts=True
    )
    return Bigrams(pairs // n_words, pairs % n_words, counts)


class BrownClusters:
    """Clusters of words by the algorithm of Brown et al. (1992, section 3), with the
    window of Liang (2005): the commonest words start as clusters of their own; each
    further word is added as one more cluster, and then the two clusters are merged
    whose merge loses the least mutual information, be the new word among them or not.
    At last the clusters are merged one by one into a tree.

    Nothing is approximated: each merge is the best of all pairs. Among equals the first
    in the table is taken, so that the same bigrams always give the same clusters.

    bigrams (Bigrams): The pairs of neighbours. Words are numbered from the commonest.
    n_words (int): The number of words.
    n_clusters (int): The number of clusters, at least 2 and at most that of words.
    """

    def __init__(self, bigrams: Bigrams, n_words: int, n_clusters: int) -> None:
        self.cluster_of = numpy.full(n_words, -1)
        self._words = [array("q") for _ in range(n_clusters + 1)]
        self.losses = MergeLosses(n_clusters + 1)
        self._free = list(reversed(range(n_clusters + 1)))
        self._totals = numpy.stack(
            [
                numpy.bincount(words, bigrams.counts, n_words)
                for words in (bigrams.left, bigrams.right)
            ],
            axis=1,
        )
        # A bigram enters the table with the rarer of its words.
        rarer = numpy.maximum(bigrams.left, bigrams.right)
        order = numpy.argsort(rarer, kind="stable")
        self._bigrams = Bigrams(*(values[order] for values in bigrams))
        self._ends = numpy.cumsum(numpy.bincount(rarer, minlength=n_words))

    def add_word(self, word: int) -> None:
        """Add a word, and merge two clusters if there are too many then.

        word (int): The word. Words are added in order.
        """
        new = self._free.pop()
        self.cluster_of[word] = new
        self._words[new].append(word)
        row, column = self._count_neighbours(word)
        self.losses.add(new, row, column, self._totals[word])
        if not self._free:
            self._relabel(*self._merge_best())

    def build_tree(self) -> Dict[int, str]:
        """Merge the clusters into one. No word can be added any more.

        RETURNS (Dict[int, str]): For each cluster its path from the root of the tree of
            merges, a 0 or 1 per branch.
        """
        n_merges = numpy.count_nonzero(self.losses.is_used) - 1
        merges = [self._merge_best() for _ in range(n_merges)]
        paths = {merges[-1][0]: ""}
        for kept, gone in reversed(merges):
            paths[gone] = paths[kept] + "1"
            paths[kept] += "0"
        return paths

    def _count_neighbours(self, word: int) -> Tuple[IntArray, IntArray]:
        """How often each cluster follows the word, and how often each precedes it."""
        start = self._ends[word - 1] if word else 0
        left, right, counts = (v[start : self._ends[word]] for v in self._bigrams)
        is_left, is_right = left == word, right == word
        size = len(self.losses.is_used)
        after, before = self.cluster_of[right[is_left]], self.cluster_of[left[is_right]]
        return (
            numpy.bincount(after, counts[is_left], size),
            numpy.bincount(before, counts[is_right], size),
        )

    def _relabel(self, kept: int, gone: int) -> None:
        # What is gone meets fewer others, so it is small: mostly the new word alone.
        moved, self._words[gone] = self._words[gone], array("q")
        self.cluster_of[moved] = kept
        self._words[kept] += moved

    def _merge_best(self) -> Tuple[int, int]:
        kept, gone = self.losses.find_best()
        self.losses.merge(kept, gone)
        self._free.append(gone)
        return kept, gone
