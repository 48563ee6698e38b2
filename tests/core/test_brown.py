from itertools import combinations
from os.path import commonprefix

import numpy
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from spacy_cbl.core.brown import Bigrams, BrownClusters, count_bigrams
from spacy_cbl.core.merge_losses import MergeLosses


def random_bigrams(seed, n_words, density=0.5):
    """Counts large enough that no two merges lose the same. Some words are never
    first, or never second.
    """
    rng = numpy.random.default_rng(seed)
    counts = rng.integers(1, 1000, (n_words, n_words))
    counts[rng.random(counts.shape) > density] = 0
    counts[n_words // 2], counts[:, n_words // 3] = 0, 0
    left, right = counts.nonzero()
    return Bigrams(left, right, counts[left, right])


def information(bigrams, groups):
    """The mutual information of groups of words, from its definition: sum of
    n log(n / (l r)). Words without a group count in l and r alone.
    """
    total = 0.0
    for first in groups:
        for second in groups:
            is_first = numpy.isin(bigrams.left, first)
            is_second = numpy.isin(bigrams.right, second)
            n = bigrams.counts[is_first & is_second].sum()
            if n:
                totals = bigrams.counts[is_first].sum(), bigrams.counts[is_second].sum()
                total += n * numpy.log(n / totals[0] / totals[1])
    return total


def join(groups, a, b):
    return [g for g in groups if g not in (a, b)] + [sorted(a + b)]


def cluster_slowly(bigrams, n_words, n_clusters):
    """The algorithm in plain words: try each merge, keep the best."""
    groups = []
    for word in range(n_words):
        groups.append([word])
        if len(groups) > n_clusters:
            groups = merge_slowly(bigrams, groups)
    return groups


def merge_slowly(bigrams, groups):
    tried = [join(groups, a, b) for a, b in combinations(groups, 2)]
    return max(tried, key=lambda merged: information(bigrams, merged))


def get_groups(clusters):
    return {
        int(c): numpy.flatnonzero(clusters.cluster_of == c).tolist()
        for c in clusters.losses.is_used.nonzero()[0]
    }


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("density", [0.15, 0.8])
def test_losses_are_what_merging_takes_from_the_information(seed, density):
    bigrams = random_bigrams(seed, 10, density)
    clusters = BrownClusters(bigrams, 10, 5)
    for word in range(10):
        clusters.add_word(word)
        groups = get_groups(clusters)
        before = information(bigrams, list(groups.values()))
        expected = numpy.full((6, 6), numpy.inf)
        for a, b in combinations(groups, 2):
            merged = join(list(groups.values()), groups[a], groups[b])
            expected[a, b] = expected[b, a] = before - information(bigrams, merged)
        assert_allclose(clusters.losses.losses, expected, rtol=0, atol=1e-8)


def test_losses_stay_exact_over_many_words():
    bigrams = random_bigrams(0, 200, density=0.1)
    clusters = BrownClusters(bigrams, 200, 20)
    for word in range(200):
        clusters.add_word(word)
    kept = clusters.losses
    fresh = MergeLosses(21)
    order = kept.is_used.nonzero()[0]
    for i, c in enumerate(order):
        present = numpy.isin(numpy.arange(21), order[: i + 1])
        row, column = kept.counts[c] * present, kept.counts[:, c] * present
        fresh.add(c, row, column, kept.totals[:, c])
    assert_allclose(kept.losses, fresh.losses, rtol=0, atol=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_clusters_are_those_of_the_slow_algorithm(seed):
    bigrams = random_bigrams(seed, 12)
    clusters = BrownClusters(bigrams, 12, 4)
    for word in range(12):
        clusters.add_word(word)
    expected = cluster_slowly(bigrams, 12, 4)
    assert sorted(get_groups(clusters).values()) == sorted(expected)


@pytest.mark.parametrize("seed", range(4))
def test_tree_is_that_of_the_slow_algorithm(seed):
    bigrams = random_bigrams(seed, 7)
    clusters = BrownClusters(bigrams, 7, 7)
    for word in range(7):
        clusters.add_word(word)
    paths = clusters.build_tree()
    word_paths = [paths[c] for c in clusters.cluster_of.tolist()]
    groups = [[word] for word in range(7)]
    while len(groups) > 1:
        groups = merge_slowly(bigrams, groups)
        # The newest group has a node of the tree to itself.
        prefix = commonprefix([word_paths[word] for word in groups[-1]])
        below = [w for w in range(7) if word_paths[w].startswith(prefix)]
        assert below == groups[-1]


def test_words_once_together_stay_together():
    clusters = BrownClusters(random_bigrams(0, 100, density=0.1), 100, 10)
    n_moved = 0
    for word in range(100):
        before = clusters.cluster_of.copy()
        clusters.add_word(word)
        assert len(set(clusters.cluster_of[: word + 1])) == min(word + 1, 10)
        for cluster in set(before[:word]):
            now = clusters.cluster_of[before == cluster]
            assert (now == now[0]).all()
            n_moved += len(now) > 1 and now[0] != cluster
    assert n_moved  # words of old clusters that went, not new words alone


def test_information_is_that_of_the_definition():
    bigrams = random_bigrams(0, 10)
    clusters = BrownClusters(bigrams, 10, 4)
    for word in range(10):
        clusters.add_word(word)
    n = bigrams.counts.sum()
    expected = information(bigrams, get_groups(clusters).values()) / n + numpy.log(n)
    assert clusters.losses.get_information() == pytest.approx(expected / numpy.log(2))


def test_no_path_is_the_start_of_another():
    clusters = BrownClusters(random_bigrams(3, 30, 0.2), 30, 12)
    for word in range(30):
        clusters.add_word(word)
    paths = sorted(clusters.build_tree().values())
    assert len(set(paths)) == 12
    assert not any(b.startswith(a) for a, b in zip(paths, paths[1:]))


def test_words_without_neighbours_get_a_cluster_too():
    bigrams = Bigrams(*map(numpy.array, ([0, 1, 0], [1, 0, 2], [5, 4, 3])))
    clusters = BrownClusters(bigrams, 5, 2)
    for word in range(5):
        clusters.add_word(word)
    assert set(clusters.cluster_of.tolist()) == set(clusters.build_tree())


def test_bigrams_stay_within_sentences_and_among_counted_words():
    words = numpy.array([0, 1, 0, 1, -1, 0, 2, 2])
    sentences = numpy.array([0, 0, 1, 1, 1, 1, 1, 2])
    left, right, counts = count_bigrams(words, sentences)
    assert_array_equal(left, [0, 0])
    assert_array_equal(right, [1, 2])
    assert_array_equal(counts, [2, 1])


def test_bigrams_of_no_words():
    nothing = numpy.zeros(0, dtype=int)
    assert len(count_bigrams(nothing, nothing).counts) == 0
