import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from spacy_cbl.core.crf import posterior
from spacy_cbl.core.expected_ratio import ratio_penalty
from spacy_cbl.core.tags import TagSet

from .brute_force import all_paths

TAG_SETS = [TagSet(["A"], "biluo"), TagSet(["A", "B"], "bio")]
LENGTHS = [3, 0, 1, 4, 2, 1]
# The fast way, and log space.
SCALES = [1.0, 40.0]


@pytest.fixture(params=TAG_SETS, ids=lambda tags: tags.scheme)
def tags(request):
    return request.param


def make_problem(tags, lengths, seed=0, scale=1.0):
    rng = numpy.random.default_rng(seed)
    n_tags = len(tags)
    emissions = scale * rng.normal(size=(sum(lengths), n_tags))
    transitions = scale * rng.normal(size=(n_tags + 1, n_tags + 1))
    return emissions, transitions, tags.legal


def enumerate_count(emissions, transitions, legal):
    """The expected number of entity tokens and its gradients, as covariances."""
    paths, scores = zip(*all_paths(emissions, transitions, legal))
    probs = numpy.exp(numpy.array(scores) - max(scores))
    probs /= probs.sum()
    counts = numpy.array([sum(tag > 0 for tag in path) for path in paths])
    shifts = probs * (counts - probs @ counts)
    d_emissions = numpy.zeros(emissions.shape)
    d_transitions = numpy.zeros(transitions.shape)
    n_tags = emissions.shape[1]
    for path, shift in zip(paths, shifts):
        d_emissions[range(len(path)), path] += shift
        for step in zip((n_tags, *path), (*path, n_tags)):
            d_transitions[step] += shift
    return probs @ counts, d_emissions, d_transitions


@pytest.mark.parametrize("scale", SCALES)
def test_ratio_and_gradients_equal_enumeration(tags, scale):
    E, T, legal = make_problem(tags, LENGTHS, scale=scale)
    # With target and margin 0 the penalty is the ratio itself.
    found, dE, dT = ratio_penalty(E, T, legal, LENGTHS, 0.0, 0.0)
    total, all_dT, start = 0.0, numpy.zeros(T.shape), 0
    for length in LENGTHS:
        rows = slice(start, start + length)
        start += length
        if length:
            count, expected_dE, expected_dT = enumerate_count(E[rows], T, legal)
            total += count
            all_dT += expected_dT
            assert_allclose(dE[rows], expected_dE / sum(LENGTHS), atol=1e-12)
    assert_allclose(found, total / sum(LENGTHS), rtol=1e-9)
    assert_allclose(dT, all_dT / sum(LENGTHS), atol=1e-12)


@pytest.mark.parametrize("target", [0.05, 0.95])  # too many entities, and too few
@pytest.mark.parametrize("scale", SCALES)
def test_gradients_equal_central_differences(tags, scale, target):
    E, T, legal = make_problem(tags, LENGTHS, seed=1, scale=scale)
    _, dE, dT = ratio_penalty(E, T, legal, LENGTHS, target, 0.02)
    assert abs(dE).max() > 1e-4
    eps = 1e-5
    for array, gradient in ((E, dE), (T, dT)):
        for i in numpy.ndindex(array.shape):
            kept = array[i]
            array[i] = kept + eps
            above = ratio_penalty(E, T, legal, LENGTHS, target, 0.02)[0]
            array[i] = kept - eps
            below = ratio_penalty(E, T, legal, LENGTHS, target, 0.02)[0]
            array[i] = kept
            assert_allclose(gradient[i], (above - below) / (2 * eps), atol=1e-6)


def test_nothing_to_pay_within_the_margin(tags):
    E, T, legal = make_problem(tags, LENGTHS, seed=2)
    ratio = ratio_penalty(E, T, legal, LENGTHS, 0.0, 0.0)[0]
    for off in (-0.04, 0.04):
        penalty, dE, dT = ratio_penalty(E, T, legal, LENGTHS, ratio + off, 0.05)
        assert penalty == 0.0 and not dE.any() and not dT.any()
        penalty, dE, _ = ratio_penalty(E, T, legal, LENGTHS, ratio + off, 0.01)
        assert_allclose(penalty, 0.03)
        # Descending goes to more entities where there are too few.
        assert numpy.sign(dE[:, 0].sum()) == numpy.sign(off)


@settings(max_examples=60)
@given(
    lengths=st.lists(st.integers(0, 12), min_size=0, max_size=6),
    n_labels=st.integers(1, 4),
    scheme=st.sampled_from(["biluo", "bio"]),
    scale=st.sampled_from([0.0, 1.0, 30.0, 1e4]),
    seed=st.integers(0, 10**6),
)
def test_everything_is_finite_and_consistent(lengths, n_labels, scheme, scale, seed):
    tags = TagSet([str(k) for k in range(n_labels)], scheme)
    E, T, legal = make_problem(tags, lengths, seed=seed, scale=scale)
    found, dE, dT = ratio_penalty(E, T, legal, lengths, 0.0, 0.0)
    marginals = posterior(E, T, legal, lengths).marginals
    expected = marginals[:, 1:].mean(axis=0).sum() if len(E) else 0.0
    assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert numpy.isfinite(dE).all() and numpy.isfinite(dT).all()
    # Adding the same to all tags of a token changes nothing, nor to all steps.
    assert_allclose(dE.sum(axis=1), 0.0, atol=1e-9)
    assert_allclose(dT.sum(), 0.0, atol=1e-9)
    assert not dT[~legal].any()


@pytest.mark.parametrize("scale", [3.0, 200.0])
def test_long_sequences_stay_exact(scale):
    """Two halves of a long sequence that are independent of each other."""
    tags = TagSet(["A"])
    n_tokens = 4_000
    E, T, legal = make_problem(tags, [n_tokens], scale=scale)
    middle = n_tokens // 2
    E[middle, 1:] -= 1e5  # certainly O, so what is left of it says nothing of the right
    _, dE, dT = ratio_penalty(E, T, legal, [n_tokens], 0.0, 0.0)
    T_parts = T.copy()
    T_parts[:-1, -1] = T[:-1, 0]
    _, left, _ = ratio_penalty(E[:middle], T_parts, legal, [middle], 0.0, 0.0)
    T_parts = T.copy()
    T_parts[-1, :-1] = T[0, :-1]
    rest = n_tokens - middle - 1
    _, right, _ = ratio_penalty(E[middle + 1 :], T_parts, legal, [rest], 0.0, 0.0)
    assert_allclose(dE[:middle] * n_tokens, left * middle, atol=1e-8)
    assert_allclose(dE[middle + 1 :] * n_tokens, right * rest, atol=1e-8)
    assert numpy.isfinite(dT).all()


def test_a_long_sequence_the_fast_way():
    tags = TagSet([str(k) for k in range(4)])
    E, T, legal = make_problem(tags, [20_000], scale=3.0)
    found, dE, dT = ratio_penalty(E, T, legal, [20_000], 0.0, 0.0)
    assert 0 < found < 1
    assert numpy.isfinite(dE).all() and numpy.isfinite(dT).all()
    # The same sequence among others takes its share.
    E2 = numpy.concatenate([E, E[:5]])
    _, dE2, _ = ratio_penalty(E2, T, legal, [20_000, 5], 0.0, 0.0)
    assert_allclose(dE2[:20_000] * 20_005, dE * 20_000, atol=1e-9)
