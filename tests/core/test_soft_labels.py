import numpy
from numpy.testing import assert_allclose

from spacy_cbl.core.soft_labels import MISSING, soft_labels


def test_the_papers_example_of_two_labels():
    G = soft_labels(numpy.zeros(3, dtype=int), 2, numpy.array([0.0, 0.6, 1.0]))
    assert_allclose(G, [[0.5, 0.5], [0.6, 0.4], [1.0, 0.0]])


def test_rest_is_spread_evenly_and_weights_above_one_count_as_one():
    G = soft_labels(numpy.zeros(3, dtype=int), 5, numpy.array([0.1, 0.6, 7.0]))
    assert_allclose(G[0], 0.2)
    assert_allclose(G[1], [0.6, 0.1, 0.1, 0.1, 0.1])
    assert_allclose(G[2], [1, 0, 0, 0, 0])


def test_entities_believe_their_tag_as_far_as_they_weigh():
    G = soft_labels(numpy.array([2, 2, 2]), 4, numpy.array([1.0, 0.7, 0.0]))
    assert_allclose(G, [[0, 0, 1, 0], [0.1, 0.1, 0.7, 0.1], [0.25] * 4])


def test_missing_tokens_believe_all_tags_alike():
    G = soft_labels(numpy.array([MISSING]), 4, numpy.array([1.0]))
    assert_allclose(G, [[0.25, 0.25, 0.25, 0.25]])
