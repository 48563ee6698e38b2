import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from spacy_cbl.core.crf import marginal_loss, posterior, span_marginals, viterbi
from spacy_cbl.core.soft_labels import MISSING, soft_labels
from spacy_cbl.core.tags import TagSet

from .brute_force import all_paths, best_path, event_probability, log_partition

TAG_SETS = [TagSet(["A"], "biluo"), TagSet(["A", "B"], "bio")]
LENGTHS = [3, 0, 1, 4, 2]


@pytest.fixture(params=TAG_SETS, ids=lambda tags: tags.scheme)
def tags(request):
    return request.param


def make_problem(tags, lengths, seed=0, scale=1.0):
    rng = numpy.random.default_rng(seed)
    n_tags = len(tags)
    emissions = scale * rng.normal(size=(sum(lengths), n_tags))
    transitions = scale * rng.normal(size=(n_tags + 1, n_tags + 1))
    # Weights across the range, entity tokens and missing tokens; always a legal path.
    weights = rng.choice([0.0, 0.3, 0.9, 1.0, 2.5], size=sum(lengths))
    gold = numpy.where(rng.random(sum(lengths)) < 0.3, MISSING, 0)
    start = 0
    for length in lengths:
        if length >= 2:
            gold[start : start + 2] = tags.encode(2, [(0, 2, tags.labels[-1])])
        start += length
    return emissions, transitions, tags.legal, soft_labels(gold, n_tags, weights)


def each_sequence(lengths, *arrays):
    start = 0
    for length in lengths:
        yield [array[start : start + length] for array in arrays]
        start += length


@pytest.mark.parametrize("scale", [1.0, 60.0])  # the fast way and log space
def test_losses_equal_enumeration(tags, scale):
    E, T, legal, G = make_problem(tags, LENGTHS, scale=scale)
    loss, _, _ = marginal_loss(E, T, legal, LENGTHS, G)
    for s, (e, g) in enumerate(each_sequence(LENGTHS, E, G)):
        if len(e):
            expected = log_partition(e, T, legal) - log_partition(e, T, legal, g)
            assert_allclose(loss[s], expected, rtol=1e-9, atol=1e-9)
        else:
            assert loss[s] == 0.0


@pytest.mark.parametrize("scale", [1.0, 60.0])
def test_token_marginals_equal_enumeration(tags, scale):
    E, T, legal, _ = make_problem(tags, LENGTHS, seed=1, scale=scale)
    marginals = posterior(E, T, legal, LENGTHS).marginals
    for e, p in each_sequence(LENGTHS, E, marginals):
        for i, j in numpy.ndindex(p.shape):
            expected = event_probability(e, T, legal, lambda path: path[i] == j)
            assert_allclose(p[i, j], expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("scale", [1.0, 60.0])
@pytest.mark.parametrize("start,end", [(0, 1), (1, 3), (2, 4), (0, 4)])
def test_span_marginals_equal_enumeration(tags, scale, start, end):
    E, T, legal, _ = make_problem(tags, [4], seed=2, scale=scale)
    wanted = tags.encode(4, [(start, end, "A")])
    closing = None
    if tags.scheme == "bio":
        closing = numpy.array([2 if end < 4 else -1])

    def is_that_span(path):
        starts, ends, labels = tags.decode(numpy.array(path))
        return (start, end, 0) in set(zip(starts, ends, labels))

    chain = posterior(E, T, legal, [4])
    found = span_marginals(
        chain, wanted, numpy.array([start]), numpy.array([end]), closing
    )
    expected = event_probability(E, T, legal, is_that_span)
    assert_allclose(found, [expected], rtol=1e-8, atol=1e-12)


def test_conditioning_on_allowed_tags_equals_leaving_the_others_out(tags):
    E, T, legal, _ = make_problem(tags, [4], seed=3)
    allowed = numpy.ones(E.shape)
    allowed[1, 1:] = 0.0
    marginals = posterior(E, T, legal, [4], allowed).marginals
    paths = [(p, s) for p, s in all_paths(E, T, legal) if p[1] == 0]
    total = sum(numpy.exp(score) for _, score in paths)
    expected = numpy.zeros(E.shape)
    for path, score in paths:
        expected[range(4), path] += numpy.exp(score) / total
    assert_allclose(marginals, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_viterbi_equals_enumeration(tags, seed):
    E, T, legal, _ = make_problem(tags, LENGTHS, seed=seed, scale=2.0)
    found = viterbi(E, T, legal, LENGTHS)
    expected = [best_path(e, T, legal) for (e,) in each_sequence(LENGTHS, E) if len(e)]
    assert found.tolist() == [tag for path in expected for tag in path]


@pytest.mark.parametrize("scale", [1.0, 40.0])
def test_gradients_equal_central_differences(tags, scale):
    E, T, legal, G = make_problem(tags, LENGTHS, seed=4, scale=scale)
    _, dE, dT = marginal_loss(E, T, legal, LENGTHS, G)
    eps = 1e-5

    def loss():
        return marginal_loss(E, T, legal, LENGTHS, G)[0].sum()

    for array, gradient in ((E, dE), (T, dT)):
        for i in numpy.ndindex(array.shape):
            kept = array[i]
            array[i] = kept + eps
            above = loss()
            array[i] = kept - eps
            below = loss()
            array[i] = kept
            assert_allclose(gradient[i], (above - below) / (2 * eps), atol=1e-6)


def test_distribution_over_some_of_the_tags_is_exact(tags):
    """Soft labels that allow several tags but not all take the careful way."""
    E, T, legal, _ = make_problem(tags, [4], seed=5)
    G = numpy.zeros(E.shape)
    G[:, :2] = [0.7, 0.3]
    G[1:, 2] = 0.2
    loss, dE, _ = marginal_loss(E, T, legal, [4], G)
    expected = log_partition(E, T, legal) - log_partition(E, T, legal, G)
    assert_allclose(loss, [expected], rtol=1e-9)
    assert numpy.isfinite(dE).all()


def test_soft_labels_of_several_tags_do_not_lose_a_path_that_wins_late():
    """Two chains that never meet: one is far ahead until the other overtakes it."""
    tags = TagSet(["A", "B"], "bio")
    n_tokens = 40
    G = numpy.zeros((n_tokens, len(tags)))
    G[0, [1, 3]] = 0.5
    G[1:, [2, 4]] = 0.5
    E = numpy.zeros(G.shape)
    E[: n_tokens // 2, [1, 2]] = 50.0
    E[n_tokens // 2 :, [3, 4]] = 60.0
    T = numpy.zeros((len(tags) + 1, len(tags) + 1))
    _, dE, _ = marginal_loss(E, T, tags.legal, [n_tokens], G)
    free = posterior(E, T, tags.legal, [n_tokens]).marginals
    constrained = free - dE
    assert_allclose(constrained[0], [0, 0, 0, 1, 0], atol=1e-9)


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
    E, T, legal, G = make_problem(tags, lengths, seed=seed, scale=scale)
    loss, dE, dT = marginal_loss(E, T, legal, lengths, G)
    assert numpy.isfinite(loss).all() and (loss >= -1e-6 * (1 + scale)).all()
    assert numpy.isfinite(dE).all() and numpy.isfinite(dT).all()
    # Both chains put a mass of one on each token, so the gradient sums to nothing.
    assert_allclose(dE.sum(axis=1), 0.0, atol=1e-9)
    chain = posterior(E, T, legal, lengths)
    assert_allclose(chain.marginals.sum(axis=1), 1.0, atol=1e-9)
    best = viterbi(E, T, legal, lengths)
    start = 0
    for length in lengths:
        path = [len(tags), *best[start : start + length], len(tags)]
        if length:
            assert all(legal[step] for step in zip(path, path[1:]))
        start += length


@pytest.mark.parametrize("n_tokens,n_labels", [(20_000, 1), (50, 50)])
def test_long_sequences_and_many_tags_stay_finite(n_tokens, n_labels):
    tags = TagSet([str(k) for k in range(n_labels)])
    E, T, legal, G = make_problem(tags, [n_tokens], scale=3.0)
    loss, dE, dT = marginal_loss(E, T, legal, [n_tokens], G)
    assert numpy.isfinite(loss).all()
    assert numpy.isfinite(dE).all() and numpy.isfinite(dT).all()


def test_weight_one_everywhere_is_a_standard_crf(tags):
    E, T, legal, _ = make_problem(tags, [4], seed=6)
    gold = tags.encode(4, [(1, 3, "A")])
    loss, dE, _ = marginal_loss(E, T, legal, [4], soft_labels(gold, len(tags)))
    score = dict(all_paths(E, T, legal))[tuple(gold.tolist())]
    assert_allclose(loss, [log_partition(E, T, legal) - score], rtol=1e-9)
    one_hot = numpy.eye(len(tags))[gold]
    assert_allclose(dE, posterior(E, T, legal, [4]).marginals - one_hot, atol=1e-9)


def test_weight_zero_is_missing_and_teaches_nothing(tags):
    E, T, legal, _ = make_problem(tags, [4], seed=7)
    outside = numpy.zeros(4, dtype=int)
    G = soft_labels(outside, len(tags), numpy.zeros(4))
    assert_allclose(G, soft_labels(outside + MISSING, len(tags)))
    _, dE, dT = marginal_loss(E, T, legal, [4], G)
    assert_allclose(dE, 0.0, atol=1e-12)
    assert_allclose(dT, 0.0, atol=1e-12)
