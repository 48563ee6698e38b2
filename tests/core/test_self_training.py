import numpy
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from spacy_cbl.core.self_training import (
    FLOOR,
    allowed_tags,
    constrained_marginals,
    constrained_tags,
    fix_known,
    initial_beliefs,
    known_tags,
    share_changed,
    soft_beliefs,
)
from spacy_cbl.core.soft_labels import MISSING
from spacy_cbl.core.tags import TagSet

from .brute_force import all_paths, best_path, event_probability

TAG_SETS = [TagSet(["A"], "biluo"), TagSet(["A", "B"], "bio")]
# Five tokens of three tags: a known entity, a known O, and three to be found
KNOWN = numpy.array([1, MISSING, 0, MISSING, MISSING])
FORMS = numpy.array([0, 1, 1, 0, 2])


def test_entities_and_trusted_negatives_are_known():
    tags = numpy.array([3, 0, 0, -1, -1])
    is_entity = numpy.array([True, False, False, False, False])
    trusted = numpy.array([False, True, False, False, True])
    found = known_tags(tags, is_entity, trusted)
    assert_array_equal(found, [3, 0, MISSING, MISSING, 0])


def test_outside_at_first():
    q = initial_beliefs(KNOWN, 3, "outside", FORMS)
    assert_array_equal(q, [[0, 1, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0]])


def test_uniform_at_first():
    q = initial_beliefs(KNOWN, 3, "uniform", FORMS)
    third = [1 / 3] * 3
    assert_allclose(q, [[0, 1, 0], third, [1, 0, 0], third, third], rtol=1e-6)


def test_prior_counts_the_tags_of_the_form_and_one_for_outside():
    """Form 0 was labelled twice with tag 1 and once with tag 2."""
    known = numpy.array([1, 1, 2, MISSING, MISSING, 0])
    forms = numpy.array([0, 0, 0, 0, 1, 0])
    q = initial_beliefs(known, 3, "prior", forms)
    assert_allclose(q[3], [1 / 4, 2 / 4, 1 / 4], rtol=1e-5)
    assert_allclose(q[4], [1, 0, 0], atol=3 * FLOOR)
    assert_array_equal(q[[0, 1, 2, 5]], numpy.eye(3)[[1, 1, 2, 0]])


def test_soft_beliefs_rule_nothing_out_and_stay_so_in_half_precision():
    marginals = numpy.array([[0.2, 0.8, 0.0], [1.0, 0.0, 0.0]])
    q = soft_beliefs(marginals, numpy.array([MISSING, MISSING]))
    assert_allclose(q, marginals, atol=3 * FLOOR)
    assert_allclose(q.sum(axis=1), 1, rtol=1e-6)
    assert (q.astype("float16") > 0).all()


def test_known_tags_are_not_touched_by_beliefs():
    q = soft_beliefs(numpy.full((5, 3), 0.5), KNOWN)
    assert_array_equal(q[[0, 2]], [[0, 1, 0], [1, 0, 0]])


def test_share_changed_counts_unknown_tokens_alone():
    before = fix_known(numpy.eye(3)[[0, 0, 0, 0, 2]], KNOWN)
    after = fix_known(numpy.eye(3)[[2, 0, 2, 1, 2]], KNOWN)
    assert share_changed(before, after, KNOWN) == pytest.approx(1 / 3)
    assert share_changed(before, after, numpy.zeros(5, dtype=int)) == 0


@pytest.fixture(params=TAG_SETS, ids=lambda tags: tags.scheme)
def problem(request):
    """Four tokens, the second of which begins an entity and the last is O."""
    tags = request.param
    rng = numpy.random.default_rng(0)
    emissions = rng.normal(size=(4, len(tags))) * 2
    transitions = rng.normal(size=(len(tags) + 1, len(tags) + 1))
    known = numpy.array([MISSING, 1, MISSING, 0])
    return emissions, transitions, tags.legal, known


def test_constrained_marginals_equal_enumeration(problem):
    emissions, transitions, legal, known = problem

    def is_allowed(path):
        return path[1] == 1 and path[3] == 0

    allowed = allowed_tags(known, emissions.shape[1])
    found = constrained_marginals(emissions, transitions, legal, [4], allowed)
    total = event_probability(emissions, transitions, legal, is_allowed)
    for i, j in numpy.ndindex(found.shape):
        joint = event_probability(
            emissions, transitions, legal, lambda p: is_allowed(p) and p[i] == j
        )
        assert_allclose(found[i, j], joint / total, rtol=1e-9, atol=1e-12)
    # ... which is not what the free model says.
    free = constrained_marginals(emissions, transitions, legal, [4], None)
    assert abs(free - found).max() > 0.1


def test_constrained_best_path_equals_enumeration(problem):
    emissions, transitions, legal, known = problem
    allowed = allowed_tags(known, emissions.shape[1])
    paths = [
        path
        for path in all_paths(emissions, transitions, legal)
        if path[0][1] == 1 and path[0][3] == 0
    ]
    found = constrained_tags(emissions, transitions, legal, [4], allowed)
    assert tuple(found) == max(paths, key=lambda path: path[1])[0]
    free = constrained_tags(emissions, transitions, legal, [4], None)
    assert tuple(free) == best_path(emissions, transitions, legal)
