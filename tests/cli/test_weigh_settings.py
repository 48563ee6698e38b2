"""Wrong settings of `spacy cbl weigh` end with a code and change nothing."""

import re

import pytest
from spacy.cli._util import app
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401
from spacy_cbl.data.docbin import write_docs


@pytest.mark.parametrize(
    "arguments,code",
    [
        (["-s", "window", "--set", "distance=1.5"], "C243"),
        (["-s", "uniform", "--set", "value=abc"], "C243"),
        (["-s", "cbl", "--set", "max_rounds=abc"], "C243"),
        (["-s", "raw", "-l", "zz"], "C244"),
        (["-s", "raw", "--vectors", "no-such-pipeline"], "C244"),
    ],
)
def test_wrong_settings(gold_docs, tmp_path, arguments, code):
    write_docs(tmp_path / "in.spacy", gold_docs)
    output = tmp_path / "out.spacy"
    output.write_text("kept")
    command = ["cbl", "weigh", str(tmp_path / "in.spacy"), str(output), *arguments]
    ran = CliRunner().invoke(app, command)
    assert ran.exit_code == 1 and code in ran.output, ran.output
    assert output.read_text() == "kept"


def test_a_config_that_is_none(gold_docs, tmp_path):
    write_docs(tmp_path / "in.spacy", gold_docs)
    (tmp_path / "x.cfg").write_text("not a config")
    command = ["cbl", "weigh", str(tmp_path / "in.spacy"), str(tmp_path / "o.spacy")]
    command += ["-s", "raw", "--config", str(tmp_path / "x.cfg")]
    ran = CliRunner().invoke(app, command)
    assert ran.exit_code == 1 and "C244" in ran.output


@pytest.mark.parametrize(
    "config,scheme,code",
    [
        ("[corpora]\n", "raw", "C247.*nlp.lang"),
        ('[nlp]\nlang = "en"\n', "raw", "C247.*initialize"),
        ('[nlp]\nlang = "en"\n', "config", "C242"),
    ],
)
def test_a_config_that_lacks_a_block(gold_docs, tmp_path, config, scheme, code):
    write_docs(tmp_path / "in.spacy", gold_docs)
    (tmp_path / "x.cfg").write_text(config)
    command = ["cbl", "weigh", str(tmp_path / "in.spacy"), str(tmp_path / "o.spacy")]
    command += ["-s", scheme, "--config", str(tmp_path / "x.cfg")]
    ran = CliRunner().invoke(app, command)
    assert ran.exit_code == 1 and re.search(code, ran.output), ran.output
