"""Wrong settings of `spacy cbl weigh` end with a code and change nothing."""

import re
from pathlib import Path

import pytest
from spacy.cli._util import app
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401
from spacy_cbl.data.docbin import write_docs

CONFIG = Path(__file__).parents[2] / "configs" / "cbl_train.cfg"


@pytest.mark.parametrize(
    "arguments,code",
    [
        (["-s", "window", "--set", "distance=1.5"], "C243"),
        (["-s", "uniform", "--set", "value=abc"], "C243"),
        (["-s", "cbl", "--set", "max_rounds=abc"], "C243"),
        (["-s", "cbl", "--set", "step=NaN"], "C243"),
        (["-s", "cbl", "--set", "time_limit=nan"], "C243"),
        (["-s", "cbl", "--set", 'overshoot="0.05"'], "C243"),
        (["-s", "uniform", "--set", "value=-.5"], "C172"),
        (["-s", "uniform", "--set", "value=-inf"], "C172"),
        (["-s", "config"], "C175"),
        (["-s", "raw", "--override", "nlp.lang=en"], "C176"),
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


def test_a_config_says_the_language_itself(gold_docs, tmp_path):
    write_docs(tmp_path / "in.spacy", gold_docs)
    command = ["cbl", "weigh", str(tmp_path / "in.spacy"), str(tmp_path / "o.spacy")]
    command += ["-s", "raw", "--lang", "nl", "--config", str(CONFIG)]
    ran = CliRunner().invoke(app, command)
    assert ran.exit_code == 1 and "C177" in ran.output, ran.output


@pytest.mark.parametrize("setting", ["step=NaN", 'overshoot="0.05"'])
def test_wrong_settings_of_the_scheme_of_a_config(gold_docs, tmp_path, setting):
    write_docs(tmp_path / "in.spacy", gold_docs)
    command = ["cbl", "weigh", str(tmp_path / "in.spacy"), str(tmp_path / "o.spacy")]
    command += ["-s", "config", "--config", str(CONFIG), "--set", setting]
    ran = CliRunner().invoke(app, command)
    assert ran.exit_code == 1 and "C243" in ran.output, ran.output


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
