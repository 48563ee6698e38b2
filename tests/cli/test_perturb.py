import srsly
from spacy.cli import app
from spacy.vocab import Vocab
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401
from spacy_cbl.data.docbin import read_docs, write_docs

from ..data.small_corpus import make_docs


def run(*args):
    return CliRunner().invoke(app, ["cbl", "perturb", *map(str, args)])


def test_perturb_says_and_stores_what_it_reached(tmp_path):
    gold, partial = tmp_path / "gold.spacy", tmp_path / "out" / "partial.spacy"
    write_docs(gold, make_docs(Vocab(), n=10))
    result = run(gold, partial, "--recall", 0.5, "--precision", 0.8, "--seed", 0)
    assert result.exit_code == 0, result.output
    report = srsly.read_json(partial.with_suffix(".json"))
    assert report["seed"] == 0
    for name in ("precision", "recall", "entity_ratio"):
        assert f"{report[name]:.4f}" in result.output
    n_ents = sum(len(doc.ents) for doc in read_docs(partial, Vocab()))
    assert n_ents == report["counts"]["kept"] + report["counts"]["added"]


def test_perturb_takes_all_its_options(tmp_path):
    gold, partial = tmp_path / "gold.spacy", tmp_path / "partial.spacy"
    write_docs(gold, make_docs(Vocab(), n=10))
    options = ["--drop-label", "ORG", "--per-doc", 3, "--total", 9, "--overlook", 0.1]
    result = run(
        gold, partial, "--remove", "mentions", "-r", 0.9, "--seed", 5, *options
    )
    assert result.exit_code == 0, result.output
    assert srsly.read_json(tmp_path / "partial.json")["options"] == {
        "drop_labels": ["ORG"],
        "per_doc": 3,
        "total": 9,
        "overlook": 0.1,
        "recall": 0.9,
        "remove": "mentions",
        "precision": 1.0,
    }


def test_errors_end_with_code_1_and_no_output(tmp_path):
    gold, partial = tmp_path / "gold.spacy", tmp_path / "partial.spacy"
    write_docs(gold, make_docs(Vocab()))
    result = run(gold, partial, "--recall", 0)
    assert result.exit_code == 1
    assert "C153" in result.output
    assert not partial.exists()


def test_wrong_output_and_seed(tmp_path):
    gold, output = tmp_path / "gold.spacy", tmp_path / "out.spacy"
    write_docs(gold, make_docs(Vocab()))
    result = run(gold, tmp_path / "out.json")
    assert (result.exit_code, "C174" in result.output) == (1, True)
    assert run(gold, output, "--seed", -1).exit_code == 2
    (tmp_path / "out.json").mkdir()
    result = run(gold, output)
    assert result.exit_code == 1
    assert "Can'treadorwrite" in "".join(result.output.split())
    assert not output.exists()
    output.mkdir()
    assert run(gold, output).exit_code == 2
