import numpy
import pytest
from numpy.testing import assert_array_equal

from benchmarks.naive_highs import solve_naively
from spacy_cbl.inference import Count, Rows, Tokens, infer, search
from spacy_cbl.inference.branch import decide
from spacy_cbl.inference.constraints import (
    Affix,
    Capitalization,
    EntityRatio,
    KeepLabelled,
    OutsidePunctuation,
    SurfaceConsistency,
)
from spacy_cbl.inference.problem import build_problem

from .oracles import solve_by_sorting

ALL_SIX = [
    EntityRatio(0.15, 0.001),
    KeepLabelled(0.99),
    OutsidePunctuation(0.98),
    SurfaceConsistency(0.9),
    Capitalization(0.98),
    Affix(("b",), ("0", "5"), 0.9),
]


def make_tokens(n, seed=0, n_forms=None):
    """Tokens whose forms are distributed as in text, a tenth of them labelled."""
    rng = numpy.random.default_rng(seed)
    forms = [f"{'abAB.'[i % 5]}{i}" for i in range(n_forms or n // 5)]
    ids = rng.zipf(1.3, size=n) % len(forms)
    return Tokens(
        forms=forms,
        form_ids=ids.astype(numpy.int32),
        labelled=rng.random(n) < 0.1,
        trusted=numpy.zeros(n, dtype=bool),
        sent_starts=numpy.arange(n) % 20 == 0,
    )


def make_scores(tokens, seed=0):
    """Log-probabilities, higher for labelled tokens and for capitals."""
    rng = numpy.random.default_rng(seed)
    capital = tokens.where(lambda form: form[0] in "AB")
    logits = 3 * tokens.labelled + 2 * capital - 3 + rng.normal(size=len(tokens))
    return -numpy.logaddexp(0, logits), -numpy.logaddexp(0, -logits)


@pytest.mark.parametrize("ratio", [0.1, 0.15, 0.4])
def test_closed_form_of_the_papers_problem(ratio):
    tokens = make_tokens(100_000)
    c0, c1 = make_scores(tokens)
    solution = infer(tokens, c0, c1, [EntityRatio(ratio), KeepLabelled(0.99)])
    labels, objective = solve_by_sorting(tokens.labelled, c0, c1, ratio, 0.001, 0.99)
    assert solution.objective == pytest.approx(objective, rel=1e-12)
    assert_array_equal(solution.labels, labels)
    assert (solution.status, solution.gap, solution.n_core) == ("optimal", 0.0, 0)


@pytest.mark.parametrize("seed", range(3))
def test_all_six_are_equal_to_the_full_model(seed):
    tokens = make_tokens(400, seed)
    c0, c1 = make_scores(tokens, seed)
    constraints = [EntityRatio(0.15, 0.005), *ALL_SIX[1:]]
    solution = infer(tokens, c0, c1, constraints)
    status, worth = solve_naively(build_problem(tokens, c0, c1, constraints))
    assert status == solution.status == "optimal"
    assert solution.objective == pytest.approx(c0.sum() + worth, abs=1e-5)


def test_all_six_at_scale_are_proven_optimal():
    tokens = make_tokens(50_000)
    c0, c1 = make_scores(tokens)
    solution = infer(tokens, c0, c1, ALL_SIX)
    assert solution.status == "optimal" and solution.gap <= 1e-9
    assert solution.bound >= solution.objective
    assert 0.149 <= solution.labels.mean() <= 0.151


def test_the_same_result_each_time():
    tokens = make_tokens(5000)
    c0, c1 = (numpy.round(scores, 1) for scores in make_scores(tokens))
    first, second = (infer(tokens, c0, c1, ALL_SIX) for _ in range(2))
    assert_array_equal(first.labels, second.labels)


def test_of_equal_tokens_the_first_are_chosen():
    tokens = Tokens.from_words(["a"] * 10, [False] * 10)
    ratio = EntityRatio(0.3, 0.0)
    zeros = numpy.zeros(10)
    expected = numpy.arange(10) < 3
    assert_array_equal(infer(tokens, zeros, zeros, [ratio]).labels, expected)
    # Overlapping rows, so that HiGHS has to choose.
    rows = [ratio, make_count(slice(0, 6), 0, 6), make_count(slice(2, 8), 0, 1)]
    labels = infer(tokens, zeros, zeros - 1, rows).labels
    for part in (slice(0, 2), slice(2, 6), slice(6, 8), slice(8, 10)):
        assert sorted(labels[part], reverse=True) == list(labels[part])


def make_count(part, lower, upper):
    def count(tokens):
        where = numpy.zeros(len(tokens), dtype=bool)
        where[part] = True
        return [Count(where, lower, upper)]

    return count


def test_more_rows_than_there_are_classes_for():
    tokens = make_tokens(60)
    c0, c1 = make_scores(tokens)
    rows = [make_count(slice(i, i + 5), 1, 2) for i in range(0, 55, 2)]
    solution = infer(tokens, c0, c1, rows)
    status, worth = solve_naively(build_problem(tokens, c0, c1, rows))
    assert solution.objective == pytest.approx(c0.sum() + worth, abs=1e-7)


def test_rows_at_scale_are_equal_to_the_closed_form():
    """The window of the ratio, written as a row of a third party."""
    tokens = make_tokens(5000)
    c0, c1 = make_scores(tokens)
    n = len(tokens)

    def window(tokens):
        zeros, ones = numpy.zeros(n, dtype=int), numpy.ones(n)
        bounds = numpy.array([750.0]), numpy.array([760.0])
        return [Rows(zeros, numpy.arange(n), ones, *bounds)]

    solution = infer(tokens, c0, c1, [window, KeepLabelled(0.99)])
    expected = infer(tokens, c0, c1, [EntityRatio(0.151, 0.001), KeepLabelled(0.99)])
    assert solution.objective == pytest.approx(expected.objective, abs=1e-6)


def test_time_limit():
    tokens = make_tokens(5000)
    c0, c1 = make_scores(tokens)
    best = infer(tokens, c0, c1, ALL_SIX)
    with pytest.warns(UserWarning, match="C230.*limit of 0 seconds"):
        solution = infer(tokens, c0, c1, ALL_SIX, time_limit=0)
    assert solution.status == "time_limit"
    assert solution.objective <= best.objective <= solution.bound
    assert solution.gap > 0
    assert 745 <= solution.labels.sum() <= 755
    assert solution.labels[tokens.labelled].mean() >= 0.99


def test_no_time_to_find_any_labels():
    tokens = make_tokens(2000)

    def hard(tokens):
        rng = numpy.random.default_rng(0)
        columns = numpy.tile(numpy.arange(2000), 5)
        weights = rng.integers(10_000, 99_999, len(columns)).astype(float)
        half = numpy.full(5, numpy.floor(weights.sum() / 10))
        return [Rows(numpy.arange(5).repeat(2000), columns, weights, half, half)]

    with pytest.raises(RuntimeError, match="C212"):
        infer(tokens, *make_scores(tokens), [hard], time_limit=0)


def test_problems_are_split_by_frequent_forms(monkeypatch):
    """Half of the tokens have the same form: the linear relaxation is far off."""
    tokens = make_tokens(600, n_forms=10)
    c0, c1 = make_scores(tokens)
    constraints = [EntityRatio(0.3, 0.002), *ALL_SIX[1:]]
    splits = []
    monkeypatch.setattr(search, "FIRST_CORE", 20)
    monkeypatch.setattr(
        search, "decide", lambda *args: splits.append(args) or decide(*args)
    )
    solution = infer(tokens, c0, c1, constraints)
    status, worth = solve_naively(build_problem(tokens, c0, c1, constraints))
    assert status == solution.status == "optimal"
    assert solution.objective == pytest.approx(c0.sum() + worth, abs=1e-5)
    assert splits


def test_nothing_to_choose():
    empty = Tokens.from_words([], [])
    solution = infer(empty, numpy.zeros(0), numpy.zeros(0), ALL_SIX)
    assert len(solution.labels) == 0 and solution.objective == 0
    fixed = Tokens.from_words(["a", "a", "B"], [False] * 3, [True] * 3)
    solution = infer(fixed, numpy.zeros(3), numpy.ones(3), ALL_SIX[1:])
    assert not solution.labels.any() and solution.status == "optimal"


def test_no_constraints_and_no_labelled_tokens():
    tokens = Tokens.from_words(list("aBcD"), [False] * 4)
    scores = numpy.array([1.0, -1.0, 0.0, 2.0])
    for constraints in ([], [KeepLabelled(1.0)]):
        labels = infer(tokens, numpy.zeros(4), scores, constraints).labels
        assert_array_equal(labels, [True, False, False, True])


def test_scores_of_half_precision():
    tokens = make_tokens(1000)
    c0, c1 = (scores.astype("float32") for scores in make_scores(tokens))
    solution = infer(tokens, c0, c1, [EntityRatio(0.15), KeepLabelled()])
    labels, objective = solve_by_sorting(
        tokens.labelled, c0.astype(float), c1.astype(float), 0.15, 0.001, 0.99
    )
    assert_array_equal(solution.labels, labels)


@pytest.mark.parametrize("more", [[], [SurfaceConsistency(0.9)]])
@pytest.mark.parametrize(
    "bounds,n", [((8.5, 20), 9), ((0.99 * 100 / 11, 20), 9), ((0, 8.9), 8), ((9, 9), 9)]
)
def test_bounds_between_whole_numbers_are_kept_by_whole_numbers(bounds, n, more):
    """The closed form and the general way alike."""
    tokens = make_tokens(50, n_forms=50)
    weights = numpy.full(50, -1.0 if bounds[0] else 1.0) + numpy.arange(50) / 1000
    rules = [lambda tokens: [Count(None, *bounds)], *more]
    assert infer(tokens, numpy.zeros(50), weights, rules).labels.sum() == n
