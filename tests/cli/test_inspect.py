"""`spacy cbl inspect` and `spacy cbl review`, as their user runs them."""

import csv

import pytest
import srsly
from spacy.cli._util import app
from spacy.tokens import Doc
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401
from spacy_cbl.data.docbin import write_docs

from ..report.doubted import EVIL, write_corpora
from ..training.test_threshold import make_docs


@pytest.fixture
def folder(tmp_path, nlp):
    return write_corpora(tmp_path, nlp.vocab)


def run(*arguments, code=0):
    ran = CliRunner().invoke(app, ["cbl", *map(str, arguments)])
    assert ran.exit_code == code, ran.output
    return ran.output


def test_inspect_shows_the_top_and_writes_every_format(folder):
    weighted, output = folder / "weighted.spacy", folder / "report"
    shown = run("inspect", weighted)
    assert "Paris" in shown and "Entity ratio, labelled: 11.5%" in shown
    gold = ["--gold", folder / "gold.spacy"]
    for name in ("html", "md", "json", "csv"):
        run("inspect", weighted, *gold, "-o", output, "--format", name)
    assert "What did we miss" in (output / "inspect.html").read_text("utf8")
    assert "| 3 | Bob Smith | PER | 1.00 | 0.90 | 2 | 2 |" in (
        output / "inspect.md"
    ).read_text("utf8")
    forms = srsly.read_json(output / "inspect.json")
    assert forms[1]["form"] == f"Monday {EVIL}" and forms[1]["count"] == 1
    assert [s["gold"] for s in forms[2]["suspects"]] == ["PER", "PER"]
    with (output / "inspect.csv").open(encoding="utf8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["in_gold"] for row in rows] == ["1", "1", "2", "1"]
    run("inspect", weighted, "-o", folder / "top.csv", "-f", "csv", "--top", 1)
    assert len((folder / "top.csv").read_text("utf8").splitlines()) == 2


@pytest.mark.parametrize("ending", ["html", "md", "json", "csv"])
def test_the_name_of_a_file_says_its_format(folder, ending):
    weighted = folder / "weighted.spacy"
    run("inspect", weighted, "-o", folder / f"list.{ending}")
    run("inspect", weighted, "-o", folder / "lists", "-f", ending)
    expected = (folder / "lists" / f"inspect.{ending}").read_text("utf8")
    assert (folder / f"list.{ending}").read_text("utf8") == expected


def test_names_of_other_formats_are_refused(folder):
    weighted = folder / "weighted.spacy"
    assert "C312" in run("inspect", weighted, "-o", folder / "list.txt", code=1)
    shown = run("inspect", weighted, "-o", folder / "list.md", "-f", "csv", code=1)
    assert "C313" in shown
    assert not (folder / "list.txt").exists() and not (folder / "list.md").exists()


def test_a_folder_that_exists_may_have_a_dot(folder):
    (folder / "report.1").mkdir()
    run("inspect", folder / "weighted.spacy", "-o", folder / "report.1")
    assert (folder / "report.1" / "inspect.html").exists()


def test_tables_show_text_as_text(tmp_path, nlp):
    words = ["\x1b[31mred\x1b[0m", "met", EVIL, "on", "x" * 200, "a|b"]
    doc = Doc(nlp.vocab, words=words, ents=["O"] * 6)
    doc._.cbl_weights = [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]
    write_docs(tmp_path / "w.spacy", [doc])
    shown = run("inspect", tmp_path / "w.spacy", "-o", tmp_path / "w.md", "-f", "md")
    assert "[31mred [0m" in shown and "\x1b[31m" not in shown
    assert "x" * 79 + "…" in shown and "x" * 80 not in shown
    text = (tmp_path / "w.md").read_text("utf8")
    assert EVIL not in text and "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_bad_input_is_refused(folder):
    weighted = folder / "weighted.spacy"
    assert "C300" in run("inspect", weighted, "--threshold", 2, code=1)
    assert "C307" in run("inspect", weighted, "--top", 0, code=1)
    assert "C298" in run("inspect", folder / "gold.spacy", code=1)
    shown = run("inspect", weighted, "--model", "nowhere", code=1)
    assert "C244" in shown and "pipeline 'nowhere'" in shown


def test_review_there_and_back(folder):
    tasks, answers = folder / "tasks.jsonl", folder / "answers.jsonl"
    shown = run("review", "export", folder / "weighted.spacy", tasks, "--top", 2)
    assert "Wrote 2 suspects" in shown
    records = list(srsly.read_jsonl(tasks))
    records[0].update(answer="accept")
    records[0]["spans"][0]["label"] = "LOC"
    srsly.write_jsonl(answers, records)
    output = folder / "reviewed.spacy"
    shown = run("review", "import", folder / "partial.spacy", answers, output)
    assert "entities added" in shown and output.exists()
    again = run("review", "import", output, answers, folder / "again.spacy")
    assert "overlaps" not in again  # the same entity is there already
    # Without a name for the output, answers of before are not written over.
    partial = folder / "partial.spacy"
    run("review", "import", partial, answers)
    shown = run("review", "import", partial, answers, code=1)
    assert "C315" in shown
    answers.write_text('{"text": "x"}\n', encoding="utf8")
    shown = run("review", "import", output, answers, folder / "no.spacy", code=1)
    assert "C301" in shown and not (folder / "no.spacy").exists()


def test_threshold_says_what_to_expect(tmp_path, nlp):
    partial = tmp_path / "partial.spacy"
    write_docs(partial, make_docs(nlp.vocab))
    arguments = ["threshold", partial, "--scheme", "frequency", "--hide", 0.3]
    shown = run(*arguments, "--json", tmp_path / "expected.json")
    assert "Suspects   Precision   Model believes   Recall" in shown
    assert "80 labelled entities, 72 of them hidden in turn" in shown
    rows = srsly.read_json(tmp_path / "expected.json")["thresholds"]
    assert rows[0]["recall"] == 0 and rows[-1]["recall"] == 1
    assert "C309" in run(*arguments, "--folds", 9, code=1)
    assert "C164" in run("threshold", partial, "--scheme", "none", code=1)
    shown = run("threshold", partial, "--entity-ratio", "gold", code=1)
    assert "C245" in shown and "estimate" in shown
    assert "C154" in run("threshold", write_unlabelled(tmp_path, nlp), code=1)


def write_unlabelled(folder, nlp):
    write_docs(folder / "none.spacy", [nlp("Nobody came .")])
    return folder / "none.spacy"
