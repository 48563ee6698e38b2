import math

import numpy
import pytest

from spacy_cbl.inference import Agreement, Count, Rows, Tokens, infer
from spacy_cbl.inference.constraints import (
    Affix,
    Capitalization,
    EntityRatio,
    KeepLabelled,
    OutsidePunctuation,
    SurfaceConsistency,
)

from .test_solver import make_count


@pytest.mark.parametrize(
    "constraints,clash,others",
    [
        (
            [EntityRatio(0.1, 0.01), KeepLabelled(0.99), SurfaceConsistency(0.9)],
            ["EntityRatio (2 of 20 tokens", "KeepLabelled (5 of 5", "lower its `xi`"],
            ["SurfaceConsistency", "trusted"],
        ),
        (
            [EntityRatio(0.33, 0.001), KeepLabelled(0.5), Capitalization(0.5)],
            ["EntityRatio (at least 7 and at most 6 of 20", "raise its `delta`"],
            ["KeepLabelled", "Capitalization"],
        ),
        (
            [Capitalization(0.9), Affix(("a",), (), 0.9, True), KeepLabelled(0.99)],
            ["Capitalization (0 of 5", "Affix (5 of 5", "lower its `share`"],
            ["KeepLabelled"],
        ),
        (
            [
                EntityRatio(0.5, 0.01),
                OutsidePunctuation(1.0),
                Capitalization(1.0),
                KeepLabelled(0.5),
            ],
            ["EntityRatio", "OutsidePunctuation (0 of 5", "Capitalization (0 of 5"],
            ["KeepLabelled"],
        ),
        (
            [make_count(slice(0, 2), 1, 1), SurfaceConsistency(1.0, 2)],
            ["count (1 of 2", "SurfaceConsistency (agreement in 3 groups"],
            [],
        ),
        (
            [EntityRatio(0.9, 0.01), KeepLabelled(0.99)],
            ["EntityRatio (18 of 20", "the trusted negatives (3 tokens)"],
            ["KeepLabelled"],
        ),
    ],
)
def test_what_clashes_is_named(constraints, clash, others):
    words = ["a"] * 5 + ["B"] * 5 + [","] * 5 + ["C"] * 5
    labelled = [word == "C" for word in words]
    trusted = [5 <= i < 8 for i in range(20)]
    tokens = Tokens.from_words(words, labelled, trusted)
    with pytest.raises(ValueError, match="C200") as error:
        infer(tokens, numpy.zeros(20), numpy.zeros(20), constraints)
    for said in clash:
        assert said in str(error.value)
    for name in others:
        assert name not in str(error.value)


@pytest.mark.parametrize("value", [math.nan, -math.inf])
def test_scores_that_are_not_finite(value):
    tokens = Tokens.from_words(list("ab"), [False, True])
    with pytest.raises(ValueError, match=f"C203.*C1 = {value}.*token 1"):
        infer(tokens, numpy.zeros(2), numpy.array([0.0, value]), [])


def test_arrays_of_wrong_lengths():
    tokens = Tokens.from_words(list("ab"), [False, True])
    with pytest.raises(ValueError, match=r"C202.*C0.*\(3,\).*2 tokens"):
        infer(tokens, numpy.zeros(3), numpy.zeros(2), [])
    with pytest.raises(ValueError, match="C201.*1 values in `labelled` for 2"):
        Tokens.from_words(list("ab"), [False])


ONE = numpy.array([1.0])


@pytest.mark.parametrize(
    "part,fault",
    [
        (Count(numpy.ones(3, dtype=bool)), r"shape \(3,\)"),
        (Count(numpy.zeros(2, dtype=int)), "Count over int64"),
        (Count(None, math.nan), "not a number"),
        (Agreement(numpy.zeros(3, dtype=int), ONE, ONE), "groups of shape"),
        (Agreement(numpy.ones(2, dtype=int), ONE, ONE), "per group"),
        (Agreement(numpy.zeros(2, dtype=int), ONE, ONE), "int64, float64, float64"),
        (Rows(numpy.array([0]), numpy.array([2]), ONE, ONE, ONE), "variable 2"),
        (Rows(numpy.array([1]), numpy.array([0]), ONE, ONE, ONE), "bound per row"),
        (Rows(numpy.array([0]), numpy.array([-1]), ONE, ONE, ONE), "negative"),
        (Rows(numpy.array([0, 0]), numpy.array([0]), ONE, ONE, ONE), "lengths"),
        (Rows(numpy.array([0]), numpy.array([0]), ONE * math.inf, ONE, ONE), "finite"),
        (Rows(numpy.array([0]), numpy.array([0]), ONE, ONE * math.nan, ONE), "bound"),
        ("row", "type str"),
    ],
)
def test_parts_that_do_not_fit(part, fault):
    def wrong(tokens):
        return [part]

    tokens = Tokens.from_words(list("ab"), [False, True])
    with pytest.raises(ValueError, match=f"C204.*'wrong'.*{fault}"):
        infer(tokens, numpy.zeros(2), numpy.zeros(2), [wrong])
