import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import catalogue
import numpy
import pytest
from numpy.testing import assert_array_equal
from spacy import registry
from spacy.vocab import Vocab

from spacy_cbl.data.arrays import read_corpus_arrays
from spacy_cbl.inference import Tokens, infer, least, most
from spacy_cbl.inference.constraints import (
    Affix,
    Capitalization,
    EntityRatio,
    KeepLabelled,
    OutsidePunctuation,
    SurfaceConsistency,
    is_punctuation_or_number,
)
from spacy_cbl.registry import cbl_constraints

from ..data.small_corpus import make_doc

DOCS = Path(__file__).parents[2] / "docs"


def test_the_tokens_of_a_corpus():
    sentence = [("Ada", "PER"), ("met", ""), ("Ada", ""), (".", "")]
    doc = make_doc(Vocab(), [sentence, sentence])
    tokens = Tokens.from_corpus(read_corpus_arrays(lambda: [doc], doc.vocab))
    assert [tokens.forms[i] for i in tokens.form_ids] == ["Ada", "met", "Ada", "."] * 2
    assert_array_equal(numpy.flatnonzero(tokens.labelled), [0, 4])
    assert_array_equal(numpy.flatnonzero(tokens.sent_starts), [0, 4])
    assert_array_equal(numpy.flatnonzero(tokens.where(str.istitle)), [0, 2, 4, 6])


def test_predicates_are_asked_once_for_each_form():
    tokens = Tokens.from_words(list("abab" * 100), [False] * 400)
    asked = []
    tokens.where(lambda form: bool(asked.append(form)))
    assert asked == ["a", "b"]


@pytest.mark.parametrize("share", [k / 100 for k in range(101)])
def test_shares_are_exact(share):
    """0.99 · 100 = 99, whatever floating point makes of it."""
    percent = round(share * 100)
    for n in (100, 10_000, 10_000_000):
        assert least(share, n) == most(share, n) == percent * n // 100
    assert least(share, 7) == -(-percent * 7 // 100)
    assert most(share, 7) == percent * 7 // 100
    assert_array_equal(least(share, numpy.array([100, 200])), [percent, 2 * percent])


def test_bounds_are_exact():
    tokens = Tokens.from_words(["a"] * 1000, [True] * 100 + [False] * 900)
    (count,) = EntityRatio(0.57, 0.001)(tokens)
    assert (count.lower, count.upper) == (569, 571)
    (count,) = KeepLabelled(0.99)(tokens)
    assert count.lower == 99
    (count,) = Capitalization(0.7)(tokens)
    assert (count.lower, count.upper) == (0, 270)
    (count,) = Affix(("a",), (), 0.07, True)(tokens)
    assert count.lower == 63
    (agreement,) = SurfaceConsistency(0.7)(tokens)
    assert_array_equal(agreement.at_least, [630])
    assert_array_equal(agreement.at_most, [270])
    assert_array_equal(agreement.groups, [-1] * 100 + [0] * 900)


def test_rare_forms_need_not_agree():
    tokens = Tokens.from_words(list("aabcca"), [False] * 5 + [True])
    (agreement,) = SurfaceConsistency(0.9, min_count=2)(tokens)
    assert_array_equal(agreement.groups, [0, 0, -1, 1, 1, -1])
    assert SurfaceConsistency(0.9, min_count=3)(tokens) == []


@pytest.mark.parametrize(
    "form,expected",
    [
        (".", True), ("--", True), ("1996-08-22", True), ("১৯৭১", True), ("$", True),
        ("।", True), ("\n", True), ("10th", False), ("U.S.", False), ("বাংলা", False),
        ("্", False),
    ],
)  # fmt: skip
def test_punctuation_and_numbers(form, expected):
    assert is_punctuation_or_number(form) == expected


def test_constraints_without_tokens_add_nothing():
    tokens = Tokens.from_words(["A", "B"], [False, False])
    for constraint in (
        KeepLabelled(),
        OutsidePunctuation(),
        Capitalization(),
        Affix(),
        SurfaceConsistency(),
    ):
        assert constraint(tokens) == []
    assert EntityRatio(0.5)(Tokens.from_words([], [])) == []


@pytest.mark.parametrize(
    "name,settings,n_parts",
    [
        ("Affix", {"suffixes": ["ing", "ed"]}, 1),
        ("Capitalization", {"epsilon": 0.5}, 1),
        ("EntityRatio", {"ratio": 0.15}, 1),
        ("KeepLabelled", {}, 1),
        ("OutsidePunctuation", {}, 1),
        ("SurfaceConsistency", {"min_count": 3}, 0),
    ],
)
def test_configs_reach_constraints(name, settings, n_parts):
    config = {"@cbl_constraints": f"spacy_cbl.{name}.v1", **settings}
    constraint = registry.resolve({"constraint": config})["constraint"]
    tokens = Tokens.from_words(["sing", "ring", "ring", "."], [True] + [False] * 3)
    assert len(constraint(tokens)) == n_parts
    found = asdict(constraint)
    assert {key: found[key] for key in settings} == settings


@pytest.mark.parametrize(
    "name,settings,code",
    [
        ("EntityRatio", {"ratio": 0.0}, "C207.*ratio 0.0"),
        ("EntityRatio", {"ratio": 1.5}, "C207"),
        ("EntityRatio", {"ratio": 0.1, "delta": -1}, "C208.*delta -1 for EntityRatio"),
        ("KeepLabelled", {"xi": 1.1}, "C208.*xi 1.1"),
        ("OutsidePunctuation", {"epsilon": float("nan")}, "C208.*epsilon nan"),
        ("Capitalization", {"epsilon": 2}, "C208"),
        ("Affix", {"share": 2}, "C208.*share 2"),
        ("Affix", {"suffixes": "ing"}, "C209"),
        ("Affix", {"prefixes": [""]}, "C209"),
        ("SurfaceConsistency", {"alpha": 2}, "C208.*alpha 2"),
        ("SurfaceConsistency", {"min_count": 0}, "C210.*min_count 0"),
    ],
)
def test_bad_settings(name, settings, code):
    with pytest.raises(ValueError, match=code):
        cbl_constraints.get(f"spacy_cbl.{name}.v1")(**settings)


def test_the_examples_of_the_documentation_work():
    page = (DOCS / "constraints.md").read_text(encoding="utf8")
    examples = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert all(len(code.splitlines()) <= 20 for code in examples)
    namespace = {}
    for code in examples:
        exec(code, namespace)
    cbl_constraints.register("test.short.v1", func=namespace["make_short_words"])
    try:
        config = {"@cbl_constraints": "test.short.v1", "max_length": 1, "share": 0.25}
        short = registry.resolve({"constraint": config})["constraint"]
    finally:
        catalogue._remove(("spacy", "cbl_constraints", "test.short.v1"))
    tokens = Tokens.from_words(["Mr", "Wu", "a", "b", "c", "d"], [False] * 6)
    c0, c1 = numpy.zeros(6), numpy.array([2.0, -1.0, 1.0, 3.0, 2.0, 1.0])
    assert_array_equal(
        infer(tokens, c0, c1, [short]).labels, [True, False, False, True, False, False]
    )
    titles = namespace["make_titles"](["Mr"])
    assert_array_equal(
        infer(tokens, c0, c1, [titles]).labels, [True, True, *[True] * 4]
    )
    with pytest.raises(ValueError, match="short_words.*raise its `share`"):
        infer(tokens, c0, c1, [short, EntityRatio(0.9, 0.1)])


def test_importing_does_not_import_highs():
    code = "import sys, spacy_cbl.inference; assert 'highspy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
