"""`spacy cbl compare`, as its user runs it."""

from html.parser import HTMLParser

import numpy
import pytest
import srsly
from spacy.cli._util import app
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401
from spacy_cbl.data.docbin import write_docs
from spacy_cbl.report.histogram import read_histogram
from spacy_cbl.report.markdown import END, START

from ..report.cells import HISTORY, write_cell, write_evaluation
from ..training.toy import LABELLED, NAMES, make_docs

F1S = {"raw": 0.5, "cbl": 0.7, "oracle": 0.8, "gold": 0.9}


@pytest.fixture
def metrics(tmp_path):
    for method, f1 in F1S.items():
        write_evaluation(tmp_path / "metrics", method, f1)
    return tmp_path / "metrics"


@pytest.fixture
def corpora(nlp, tmp_path):
    """A weighted corpus whose missed entities weigh 0, and its gold."""
    docs = list(make_docs(nlp.vocab, LABELLED, n_docs=4))
    gold = list(make_docs(nlp.vocab, NAMES, n_docs=4))
    for doc, full in zip(docs, gold):
        missed = [t.ent_type != 0 and not doc[t.i].ent_type for t in full]
        doc._.cbl_weights = numpy.where(missed, 0.0, 1.5)
    write_docs(tmp_path / "cbl.spacy", docs)
    write_docs(tmp_path / "gold.spacy", gold)
    srsly.write_jsonl(tmp_path / "cbl.history.jsonl", HISTORY)
    return tmp_path / "cbl.spacy", tmp_path / "gold.spacy"


def run(*arguments, code=0):
    ran = CliRunner().invoke(app, ["cbl", "compare", *map(str, arguments)])
    assert ran.exit_code == code, ran.output
    return ran.output


class Checker(HTMLParser):
    """Sees that tags are closed in order, and that nothing comes from elsewhere."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        assert not {"src", "href", "xlink:href"} & {name for name, _ in attrs}
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_table_markdown_and_page(metrics, corpora, tmp_path):
    weighted, gold = corpora
    output = tmp_path / "compare"
    shown = run(metrics, "-o", output, "--weighted", weighted, "--gold", gold)
    assert "66.7" in shown  # of the gap
    text = (output / "compare.md").read_text(encoding="utf8")
    assert "| cbl | 70.0 | 70.0 | 70.0 | 87.5 | 66.7 | 80.0 | 1 |" in text
    bars = [line.count("█") for line in shown.splitlines() if "█" in line]
    assert bars == [10, 14, 16, 18]  # F1 of raw to gold, a block for 5 points
    n_missed = read_histogram(weighted, gold).missed.n_tokens
    for table in (shown.replace(" ", ""), text.replace(" | ", "").replace(" ", "")):
        assert "Roundsofcbl" in table and "2–20.020080.090.050.0" in table
        assert f"cblmissedentities{n_missed}0.00100.0" in table
        assert "cbltruenegatives" in table and "1.500.0" in table
    page = (output / "compare.html").read_text(encoding="utf8")
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    assert "url(" not in page and "prefers-color-scheme: dark" in page
    assert "<td>66.7</td>" in page
    for title in (
        "F1 per method",
        "recall at k",
        "selected",
        "missed, mean weight 0.00",
    ):
        assert title in page


def test_names_are_escaped(tmp_path):
    write_evaluation(tmp_path / "metrics", "<b>&", 0.5)
    run(tmp_path / "metrics", "-o", tmp_path / "page.html", "-t", "A <i> title")
    page = (tmp_path / "page.html").read_text(encoding="utf8")
    assert "<b>" not in page and "<i> title" not in page
    assert "&lt;b&gt;&amp;" in page


def test_histogram_tells_missed_entities_from_true_negatives(corpora):
    histogram = read_histogram(*corpora)
    assert histogram.missed.n_tokens > 0
    assert histogram.missed.shares[0] == 1
    assert histogram.outside.shares[-1] == 1  # weights above 1 are in the last bin
    assert histogram.missed.mean == 0
    assert histogram.outside.mean == 1.5


def test_markdown_between_markers_is_made_anew(metrics, tmp_path):
    page = tmp_path / "results.md"
    run(metrics, "-o", page, "-t", "Old")
    made = page.read_text(encoding="utf8")
    page.write_text(f"Before.\n{made}After.\n", "utf8")
    write_evaluation(metrics, "cbl", 0.75)
    run(metrics, "-o", page, "-t", "New")
    text = page.read_text(encoding="utf8")
    assert text.startswith("Before.\n") and text.endswith("After.\n")
    assert "75.0" in text and "70.0" not in text
    assert "## New\n" in text and "Old" not in text
    assert text.count(START) == text.count(END) == 1
    assert run(metrics, "-f", "md", "-t", "New").strip() in text


def test_a_page_of_somebody_else_stays(metrics, tmp_path):
    page = tmp_path / "compare.md"
    page.write_text("Mine.\n", "utf8")
    assert "C299" in run(metrics, "-o", tmp_path, code=1)
    assert page.read_text(encoding="utf8") == "Mine.\n"
    assert not (tmp_path / "compare.html").exists()


def test_the_name_of_a_file_says_its_format(metrics, tmp_path):
    run(metrics, "-o", tmp_path / "x.html")
    assert "<html" in (tmp_path / "x.html").read_text("utf8")
    assert "C312" in run(metrics, "-o", tmp_path / "x.txt", code=1)
    assert not (tmp_path / "x.txt").exists()


def test_bad_input_ends_with_a_message(metrics, corpora, tmp_path):
    weighted, gold = corpora
    (tmp_path / "empty").mkdir()
    assert "C296" in run(tmp_path / "empty", code=1)
    assert "C298" in run(metrics, "-w", gold, "-g", gold, code=1)
    (tmp_path / "list.json").write_text("[]", "utf8")
    assert "C295" in run(tmp_path / "list.json", code=1)


def test_rounds_of_other_schemes(metrics, tmp_path):
    """They record other things than CBL."""
    write_docs(tmp_path / "raw.spacy", [])
    srsly.write_jsonl(
        tmp_path / "raw.history.jsonl", [{"iteration": 1, "changed": 0.1}]
    )
    run(metrics, "-w", tmp_path / "raw.spacy", "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf8")
    assert "labels changed" in page and "tokens selected" not in page


def test_experiments_with_several_corpora_and_seeds(tmp_path):
    for corpus in ("eng", "deu"):
        for method, f1 in F1S.items():
            for seed in (0, 1):
                f1_of_seed = 100 * f1 + seed
                write_cell(tmp_path / "cells", corpus, method, f1_of_seed, seed=seed)
    shown = run(tmp_path / "cells", "-o", tmp_path / "cells.html")
    assert "70.5 ± 0.7" in shown
    assert "BiLSTM-CRF (paper)" in shown
    assert "chosen on gold dev" in " ".join(shown.split())
    page = (tmp_path / "cells.html").read_text(encoding="utf8")
    assert 'class="whisker"' in page
    assert "eng cbl: rounds" in page
