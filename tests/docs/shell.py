"""Runs the lines of bash blocks: as they are, but in this process, which saves starting
Python several dozen times, and with little training.
"""

import shlex

import srsly
from spacy.cli._util import app
from spacy.util import load_config
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401
from spacy_cbl.training.crf_learner import CRFLearner

# What makes commands short, added to those that begin so. The models inside CBL and
# self-training see the data once (`train_little`), whoever trains them. What a project
# runs is tested in tests/test_project.py; here, that there is a workflow of that name.
SHORTENED = {
    "train": ["--training.max_steps", "2", "--training.eval_frequency", "2"],
    "project run": ["--dry"],
}


def train_little(monkeypatch):
    monkeypatch.setattr(CRFLearner, "_count_epochs", lambda self, *counts: 1)


def run_line(line):
    words = shlex.split(line)
    if words[:2] == ["python", "-m"]:
        words = words[2:]
    assert words[0] == "spacy", f"Add to NOT_RUN, or find a way to run it: {line}"
    check_settings(words[1:])
    for start, more in SHORTENED.items():
        if line.split("spacy ", 1)[1].startswith(start):
            words += more
    ran = CliRunner().invoke(app, words[1:])
    if ran.exit_code != 0:
        raise AssertionError(f"{line}\n{ran.output}") from ran.exception
    return ran.output


def check_settings(words):
    """Settings that are replaced must exist: spaCy would add others in silence."""
    if words[:2] == ["project", "run"]:
        config, given = srsly.read_yaml("project.yml"), words
    else:
        configs = [word for word in words if word.endswith(".cfg")]
        if not configs:
            return
        config = load_config(configs[0])
        after = zip(words, words[1:])
        given = [f"--{word}" for before, word in after if before == "--override"]
        given += words
    for word in given:
        if word.startswith("--") and "." in word:
            block = config
            for name in word[2:].split("=")[0].split("."):
                assert name in block, f"No such setting: {word}"
                block = block[name]
