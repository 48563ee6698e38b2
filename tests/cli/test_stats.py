import pytest
import spacy.cli
import srsly
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401

GOLD = "Ada\tB-PER\nMoreau\tI-PER\nrows\tO\n\nto\tO\nLund\tB-LOC\n"


def run(*args):
    return CliRunner().invoke(spacy.cli.app, ["cbl", "stats", *map(str, args)])


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_table_and_json_over_several_files(tmp_path):
    first = write(tmp_path / "a.tsv", GOLD)
    second = write(tmp_path / "b.tsv", GOLD.replace("B-LOC", "-"))
    shown = run(first, second, "--json", tmp_path / "stats.json")
    assert shown.exit_code == 0, shown.stdout
    assert "60.00" in shown.stdout and "LOC" in shown.stdout
    one, other = srsly.read_json(tmp_path / "stats.json")
    assert one["path"] == str(first)
    assert one["types"] == {"LOC": 1, "PER": 1}
    assert (one["docs"], one["sents"], one["tokens"], one["spans"]) == (1, 2, 5, 2)
    assert one["ratio"] == one["weighted_ratio"] == pytest.approx(0.6)
    assert (other["ratio"], other["weighted_ratio"]) == pytest.approx((0.4, 0.5))
    assert other["missing"] == 1
    assert "scores" not in one and "estimate" not in one


def test_annotators_beside_gold(tmp_path):
    gold = write(tmp_path / "gold.tsv", GOLD)
    one = write(tmp_path / "one.tsv", GOLD.replace("B-LOC", "O"))
    two = write(
        tmp_path / "two.tsv", GOLD.replace("B-PER", "O").replace("I-PER", "B-PER")
    )
    shown = run(one, two, "--gold", gold, "--json", tmp_path / "stats.json")
    assert shown.exit_code == 0, shown.stdout
    rows = srsly.read_json(tmp_path / "stats.json")
    assert [row["scores"]["precision"] for row in rows] == [1.0, 0.5, 1.0]
    assert [row["scores"]["recall"] for row in rows] == [0.5, 0.5, 1.0]
    assert rows[2]["path"] == "combined"


def test_misalignment_names_document_and_token(tmp_path):
    gold = write(tmp_path / "gold.tsv", GOLD)
    other = write(tmp_path / "other.tsv", GOLD.replace("rows", "sails"))
    output = write(tmp_path / "stats.json", "kept")
    shown = run(other, "--gold", gold, "--json", output)
    assert shown.exit_code == 1
    said = " ".join(shown.stdout.split())
    assert "[C132]" in said and "document 0, token 2 is 'sails'" in said
    assert output.read_text(encoding="utf-8") == "kept"


def test_estimate(tmp_path):
    many = write(tmp_path / "many.tsv", f"{GOLD}\n" * 40)
    shown = run(many, "--estimate-ratio", "--json", tmp_path / "stats.json")
    assert shown.exit_code == 0, shown.stdout
    assert "Estimate %" in shown.stdout
    (row,) = srsly.read_json(tmp_path / "stats.json")
    assert 0.6 <= row["estimate"]["ratio"] < 1
    assert set(row["estimate"]["by_estimator"]) == {"e1", "e2", "e3", "top"}


def test_nothing_to_estimate_from(tmp_path):
    few = run(write(tmp_path / "few.tsv", GOLD), "--estimate-ratio")
    none = run(write(tmp_path / "none.tsv", "a\tO\n"), "--estimate-ratio")
    assert (few.exit_code, none.exit_code) == (1, 1)
    assert "[C131]" in few.stdout and "[C130]" in none.stdout


def test_no_token(tmp_path):
    shown = run(write(tmp_path / "empty.tsv", ""))
    assert shown.exit_code == 1 and "[C123]" in shown.stdout


def test_wrong_seed_and_json_that_cannot_be_written(tmp_path):
    source = write(tmp_path / "a.tsv", GOLD)
    assert run(source, "--seed", -1).exit_code == 2
    assert run(source, "--json", tmp_path).exit_code == 2
    shown = run(source, "--json", source / "stats.json")
    assert shown.exit_code == 1
    assert "Can'treadorwrite" in "".join(shown.stdout.split())
