import pytest
from spacy.cli import app
from spacy.vocab import Vocab
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401
from spacy_cbl.attrs import get_weights
from spacy_cbl.cli._settings import parse_settings
from spacy_cbl.data.docbin import read_docs, write_docs

from ..data.small_corpus import make_doc, make_docs


@pytest.fixture
def partial(tmp_path):
    path = tmp_path / "partial.spacy"
    write_docs(path, make_docs(Vocab(), n=5))
    return path


def run(*args):
    return CliRunner().invoke(app, ["cbl", "weigh", *map(str, args)])


@pytest.mark.parametrize(
    "options",
    [
        ["raw"],
        ["uniform", "--value", 0.1],
        ["frequency", "--lower"],
        ["log_frequency"],
        ["window", "--distance", 2],
        ["combined", "--set", "distance=2", "--set", "lower=true"],
        ["log_combined"],
        ["spacy_cbl.raw.v1"],
    ],
)
def test_every_scheme_writes_weights(partial, tmp_path, options):
    output = tmp_path / "weighted.spacy"
    result = run(partial, output, "--entity-ratio", 0.2, "--scheme", *options)
    assert result.exit_code == 0, result.output
    assert "0.2000" in result.output
    assert all(get_weights(doc) is not None for doc in read_docs(output, Vocab()))


def test_oracle_takes_gold(partial, tmp_path):
    result = run(
        partial, tmp_path / "weighted.spacy", "-s", "oracle", "--gold", partial
    )
    assert result.exit_code == 0, result.output


def test_frequencies_of_a_file(partial, tmp_path):
    counts, output = tmp_path / "counts.tsv", tmp_path / "weighted.spacy"
    counts.write_text("met\t10\nin\t5\n", encoding="utf8")
    result = run(partial, output, "-s", "frequency", "--frequencies", counts)
    assert result.exit_code == 0, result.output
    doc = next(read_docs(output, Vocab()))
    weights = {token.text: float(get_weights(doc)[token.i]) for token in doc}
    assert (weights["met"], weights["in"], weights["Ann"]) == (1.0, 0.5, 1.0)


def test_missing_tokens_are_announced(tmp_path):
    doc = make_doc(Vocab())
    doc.set_ents([doc.ents[0]], default="missing")
    write_docs(tmp_path / "partial.spacy", [doc])
    result = run(tmp_path / "partial.spacy", tmp_path / "out.spacy", "-s", "raw")
    assert f"{len(doc) - 1} tokens without a label became O" in result.output


def test_doubted_tokens_become_missing_and_are_counted(partial, tmp_path):
    output = tmp_path / "weighted.spacy"
    options = ["-s", "uniform", "--value", 0.3, "--missing-below", 0.5]
    result = run(partial, output, *options)
    assert result.exit_code == 0, result.output
    docs = list(read_docs(output, Vocab()))
    tokens = [token for doc in docs for token in doc]
    n_entity = sum(token.ent_type != 0 for token in tokens)
    n_missing = sum(token.ent_iob == 0 for token in tokens)
    assert n_missing == len(tokens) - n_entity
    said = f"{n_missing} of {n_missing} unlabelled tokens and 0 of {n_entity} labelled"
    assert said in " ".join(result.output.split())
    assert all(get_weights(doc).min() < 0.5 for doc in docs)


@pytest.mark.parametrize(
    "options,code",
    [
        (["--scheme", "weird"], "C164"),
        (["--scheme", "raw", "--value", 1], "C165"),
        (["--scheme", "raw", "--entity-ratio", 0], "C160"),
        (["--scheme", "raw", "--set", "value"], "C171"),
        (["--scheme", "oracle"], "C166"),
        (["--scheme", "raw", "--missing-below", 1.5], "C283"),
    ],
)
def test_errors_end_with_code_1_and_no_output(partial, tmp_path, options, code):
    output = tmp_path / "weighted.spacy"
    result = run(partial, output, *options)
    assert result.exit_code == 1
    assert code in result.output
    assert not output.exists()


def test_help_says_what_happens_to_missing_tokens():
    assert "missing become O" in " ".join(run("--help").output.split())


def test_settings_are_json_numbers_or_strings():
    given = ["a=1", "b=true", "c=en", "d=x=y", 'e="1"', "f=.5", "g="]
    assert parse_settings(given) == {
        "a": 1,
        "b": True,
        "c": "en",
        "d": "x=y",
        "e": "1",
        "f": 0.5,
        "g": "",
    }
