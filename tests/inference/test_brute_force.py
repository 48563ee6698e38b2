"""Equal to enumeration on few tokens, with every mix of constraints."""

import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spacy_cbl.inference import Count, Rows, Tokens, branch, infer, search
from spacy_cbl.inference.constraints import (
    Affix,
    Capitalization,
    EntityRatio,
    KeepLabelled,
    OutsidePunctuation,
    SurfaceConsistency,
)

from .oracles import keeps, solve_by_enumeration

WORDS = ["the", "The", "Paris", ",", "12", "Berlin"]
shares = st.sampled_from([0.0, 0.2, 0.5, 0.6, 0.75, 0.9, 0.99, 1.0])


def make_rows(seed):
    """Rows over random tokens, with a variable of their own."""

    def random_rows(tokens):
        rng = numpy.random.default_rng(seed)
        n, n_rows, n_entries = len(tokens), 2, 6
        return [
            Rows(
                rows=rng.integers(0, n_rows, n_entries),
                columns=rng.integers(0, n + 1, n_entries),
                values=rng.integers(-2, 3, n_entries).astype(float),
                lower=rng.choice([-numpy.inf, -1, 0], n_rows),
                upper=rng.choice([1, 2, numpy.inf], n_rows),
                n_extra=1,
            )
        ]

    return random_rows


def make_cut(seed):
    """A row over random tokens, so that tokens of one form are told apart."""

    def random_count(tokens):
        rng = numpy.random.default_rng(seed)
        return [Count(rng.random(len(tokens)) < 0.5, *sorted(rng.integers(0, 4, 2)))]

    return random_count


ONE_OF_EACH = [
    st.builds(EntityRatio, st.sampled_from([0.15, 0.3, 0.5, 0.7]), shares),
    st.builds(KeepLabelled, shares),
    st.builds(OutsidePunctuation, shares),
    st.builds(SurfaceConsistency, shares, st.integers(1, 3)),
    st.builds(Capitalization, shares),
    st.builds(Affix, st.just(("t", "P")), st.just(("e", "n")), shares, st.booleans()),
]
OF_OTHERS = [
    st.builds(make_rows, st.integers(0, 999)),
    st.builds(make_cut, st.integers(0, 999)),
    st.just(SurfaceConsistency(0.6)),
]


@st.composite
def problems(draw, kinds):
    n = draw(st.integers(1, 11))
    words = draw(st.lists(st.sampled_from(WORDS), min_size=n, max_size=n))
    flags = st.lists(st.integers(0, 9), min_size=n, max_size=n)
    labelled = [value < 3 for value in draw(flags)]
    trusted = [value < 1 for value in draw(flags)]
    rng = numpy.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    c0, c1 = numpy.log(rng.random((2, n)))
    if draw(st.booleans()):  # many ties
        c0, c1 = numpy.rint(c0), numpy.rint(c1)
    constraints = [draw(kind) for kind in kinds if draw(st.booleans())]
    return Tokens.from_words(words, labelled, trusted), c0, c1, constraints


def check(problem):
    tokens, c0, c1, constraints = problem
    expected = solve_by_enumeration(tokens, c0, c1, constraints)
    if expected is None:
        with pytest.raises(ValueError, match="C200"):
            infer(tokens, c0, c1, constraints)
        return
    solution = infer(tokens, c0, c1, constraints)
    labels = solution.labels
    assert solution.status == "optimal" and solution.gap <= 1e-6
    assert solution.objective == pytest.approx(expected, abs=1e-7)
    assert c0[~labels].sum() + c1[labels].sum() == pytest.approx(expected, abs=1e-7)
    assert not labels[tokens.trusted].any()
    for constraint in constraints:
        assert keeps(constraint, tokens, labels[None].astype(int)).all()


@settings(max_examples=250)
@given(problems(ONE_OF_EACH))
def test_our_constraints(problem):
    check(problem)


@settings(max_examples=150)
@given(problems([*ONE_OF_EACH, *OF_OTHERS]))
def test_constraints_of_others(problem):
    check(problem)


@pytest.fixture
def small_cores(monkeypatch):
    """So that few tokens are enough for cores to grow and for problems to be split."""
    monkeypatch.setattr(search, "FIRST_CORE", 1)
    monkeypatch.setattr(search, "GROWTH", 2)
    monkeypatch.setattr(branch, "LEAST_SIZE", 1)


@settings(
    max_examples=250,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
    ],
)
@given(problems([*ONE_OF_EACH, *OF_OTHERS]))
def test_parts_of_problems(small_cores, problem):
    check(problem)
