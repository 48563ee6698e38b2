import re
import sys
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

import catalogue
import numpy
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from spacy import registry
from spacy.vocab import Vocab

from spacy_cbl.data.arrays import read_corpus_arrays
from spacy_cbl.data.frequencies import read_frequencies
from spacy_cbl.registry import cbl_weighting
from spacy_cbl.training.schemes import get_scheme, get_scheme_names

from ..data.small_corpus import make_doc

SENTENCE = [
    ("The", ""),
    ("fox", ""),
    ("met", ""),
    ("the", ""),
    ("Fox", "PER"),
    ("!", ""),
]
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def corpus():
    doc = make_doc(Vocab(), [SENTENCE])
    return read_corpus_arrays(lambda: [doc], doc.vocab)


def weights_by_form(corpus, scheme):
    weights = scheme(corpus)
    return {corpus.forms[i]: weights[k] for k, i in enumerate(corpus.token_ids)}


def test_every_entry_point_resolves():
    names = {ep.name for ep in entry_points(group="spacy_cbl_weighting")}
    assert {"spacy_cbl.raw.v1", "spacy_cbl.log_combined.v1"} <= names
    for name in names:
        assert callable(cbl_weighting.get(name))


def test_configs_reach_schemes(corpus):
    config = {"scheme": {"@cbl_weighting": "spacy_cbl.uniform.v1", "value": 0.5}}
    scheme = registry.resolve(config)["scheme"]
    assert_array_equal(scheme(corpus), numpy.full(len(corpus), 0.5))


def test_names_of_others_need_no_dot(corpus):
    cbl_weighting.register("by_hand", func=lambda: lambda corpus: corpus.is_entity * 1)
    assert "by_hand" in get_scheme_names()
    assert_array_equal(get_scheme("by_hand")(corpus), corpus.is_entity)


def test_short_names_are_ours():
    assert {"raw", "combined", "oracle"} <= set(get_scheme_names())


def test_frequency_counts_entities_too(corpus):
    weights = weights_by_form(corpus, get_scheme("frequency"))
    assert set(weights.values()) == {1.0}
    lowered = weights_by_form(corpus, get_scheme("frequency", {"lower": True}))
    assert lowered["The"] == lowered["the"] == lowered["fox"] == 1
    assert lowered["met"] == lowered["!"] == 0.5


def test_frequencies_from_a_file(corpus, tmp_path):
    path = tmp_path / "counts.tsv"
    path.write_text(
        "the\t100\nThe\t20\nfox\t10\nfox\t2\nunseen\t1e6\n", encoding="utf8"
    )
    assert read_frequencies(path)["fox"] == 12
    weights = weights_by_form(corpus, get_scheme("frequency", {"frequencies": path}))
    expected = {"the": 1, "The": 0.2, "fox": 0.12, "met": 0, "Fox": 0, "!": 0}
    assert_allclose([weights[form] for form in expected], list(expected.values()))
    settings = {"frequencies": path, "lower": True}
    lowered = weights_by_form(corpus, get_scheme("frequency", settings))
    assert_allclose([lowered["The"], lowered["the"], lowered["Fox"]], [1, 1, 0.1])


def test_frequencies_from_a_file_that_a_config_names(corpus, tmp_path):
    path = tmp_path / "counts.tsv"
    path.write_text("the\t10\nfox\t5\n", encoding="utf8")
    name = "spacy_cbl.frequency.v1"
    config = {"scheme": {"@cbl_weighting": name, "frequencies": str(path)}}
    weights = weights_by_form(corpus, registry.resolve(config)["scheme"])
    assert weights["fox"] == 0.5


@pytest.mark.parametrize(
    "line", ["fox", "fox\tmany", "fox\t-1", "fox\tnan", "\t3", "", "fox\t1\t2"]
)
def test_malformed_frequencies_say_the_line(tmp_path, line):
    path = tmp_path / "counts.tsv"
    path.write_text(f"the\t3\n{line}\n", encoding="utf8")
    with pytest.raises(ValueError, match="C167.*line 2.*counts.tsv"):
        read_frequencies(path)


def test_frequencies_must_be_utf8(tmp_path):
    path = tmp_path / "counts.tsv"
    path.write_bytes("the\t3\nÅsa\t2\n".encode("latin-1"))
    with pytest.raises(ValueError, match=r"\[C100\].*counts.tsv.*line 2"):
        read_frequencies(path)
    path.write_bytes("\ufeffthe\t3\r\nÅsa\t2".encode())
    assert read_frequencies(path) == {"the": 3, "Åsa": 2}


def test_frequencies_of_other_words(corpus, tmp_path):
    path = tmp_path / "counts.tsv"
    path.write_text("zorro\t3\n", encoding="utf8")
    with pytest.raises(ValueError, match="C168.*6 forms"):
        get_scheme("combined", {"frequencies": path})(corpus)


@pytest.fixture
def wordfreq(monkeypatch):
    """Stands in for the optional package."""
    module = ModuleType("wordfreq")
    module.available_languages = lambda: {"en": "", "de": ""}
    counts = {"the": 1e-2, "fox": 1e-5, "met": 1e-4}
    module.word_frequency = lambda form, lang: counts.get(form.lower(), 0.0)
    monkeypatch.setitem(sys.modules, "wordfreq", module)


def test_a_language_that_is_cut_by_a_package_that_is_missing(
    corpus, wordfreq, monkeypatch
):
    def fail(form, language):
        raise ModuleNotFoundError("No module named 'jieba'", name="jieba")

    monkeypatch.setattr(sys.modules["wordfreq"], "word_frequency", fail)
    with pytest.raises(ValueError, match="C179.*jieba"):
        get_scheme("frequency", {"wordfreq": "en"})(corpus)


def test_word_frequencies_of_a_language(corpus, wordfreq):
    settings = {"wordfreq": "en"}
    weights = weights_by_form(corpus, get_scheme("frequency", settings))
    assert_allclose([weights["The"], weights["met"], weights["!"]], [1, 0.01, 1])
    weights = weights_by_form(corpus, get_scheme("log_frequency", settings))
    # 10 million and 100 thousand in a billion words
    assert_allclose([weights["the"], weights["met"]], [1, 5 / 7], rtol=1e-6)


def test_word_frequencies_of_a_language_that_is_not_there(corpus, wordfreq):
    with pytest.raises(ValueError, match="C169.*'am'.*de, en"):
        get_scheme("frequency", {"wordfreq": "am"})(corpus)


def test_word_frequencies_without_the_package(corpus, monkeypatch):
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    with pytest.raises(ValueError, match="C170"):
        get_scheme("frequency", {"wordfreq": "en"})(corpus)


def test_two_sources_of_frequencies(corpus, tmp_path):
    settings = {"wordfreq": "en", "frequencies": tmp_path / "counts.tsv"}
    with pytest.raises(ValueError, match="C173"):
        get_scheme("frequency", settings)(corpus)


@pytest.mark.parametrize(
    "name,settings,code",
    [
        ("weird", {}, "C164.*'weird'.*combined, frequency"),
        ("other.Scheme.v1", {}, "C164"),
        ("raw", {"value": 1}, "C165.*'value'.*none"),
        ("window", {"lower": True}, "C165.*settings are: distance"),
        ("uniform", {"value": -1.0}, "C172.*value -1.0"),
        ("uniform", {"value": float("inf")}, "C172"),
        ("window", {"distance": -1}, "C172.*distance -1"),
        ("combined", {"distance": -1}, "C172"),
    ],
)
def test_bad_schemes(name, settings, code):
    with pytest.raises(ValueError, match=code):
        get_scheme(name, settings)


def test_the_example_of_the_documentation_works(corpus):
    page = (DOCS / "weighting.md").read_text(encoding="utf8")
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL)[1]
    namespace = {}
    exec(code, namespace)
    cbl_weighting.register("test.capitals.v1", func=namespace["make_capitals"])
    try:
        weights = weights_by_form(
            corpus, get_scheme("test.capitals.v1", {"value": 0.3})
        )
        assert_allclose([weights["The"], weights["fox"]], [0.3, 1])
    finally:
        catalogue._remove(("spacy", "cbl_weighting", "test.capitals.v1"))
