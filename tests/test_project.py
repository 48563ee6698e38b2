"""`spacy project run all`, on the first sentences of the embedded corpus."""

import subprocess
import sys
from functools import partial
from pathlib import Path
from shutil import copyfile, copytree

import pytest
import spacy
import srsly
import weasel.cli.run
from spacy.cli._util import app
from typer.testing import CliRunner
from weasel.cli.run import project_run

import spacy_cbl.cli  # noqa: F401
from spacy_cbl.training import cbl_scheme
from spacy_cbl.training.docbin import read_docs

ROOT = Path(__file__).parent.parent
PROJECT = srsly.read_yaml(ROOT / "project.yml")
COMMANDS = {command["name"]: command for command in PROJECT["commands"]}
METHODS = ["raw", "combined", "cbl", "oracle", "gold"]
FEW_STEPS = {"vars.epochs": 2}


@pytest.fixture
def project(tmp_path):
    """The project with about 60 sentences in each part."""
    copyfile(ROOT / "project.yml", tmp_path / "project.yml")
    copytree(ROOT / "configs", tmp_path / "configs")
    (tmp_path / "assets" / "news").mkdir(parents=True)
    for part in ("train", "dev", "test"):
        text = (ROOT / "assets" / "news" / f"{part}.iob2").read_text(encoding="utf8")
        cut = "\n\n".join(text.split("\n\n")[:60]) + "\n"
        (tmp_path / "assets" / "news" / f"{part}.iob2").write_text(cut, "utf8")
    return tmp_path


@pytest.fixture
def run_here(monkeypatch):
    """Run commands in this process, which saves starting Python two dozen times, with
    little training in CBL. Lists what was run.
    """
    for name in ("make_default_learner", "make_default_refiner"):
        make = partial(getattr(cbl_scheme, name), epochs=1, min_updates=5)
        monkeypatch.setattr(cbl_scheme, name, make)
    ran = []

    def run_command(command, **kwargs):
        assert command[:3] == [sys.executable, "-m", "spacy"]
        result = CliRunner().invoke(app, command[3:])
        assert result.exit_code == 0, (command, result.output, result.exception)
        ran.append(command)

    monkeypatch.setattr(weasel.cli.run, "run_command", run_command)

    def run_project(root, **variables):
        ran.clear()
        overrides = {f"vars.{name}": value for name, value in variables.items()}
        project_run(root, "all", overrides={**FEW_STEPS, **overrides})
        return [_subject(command) for command in ran]

    return run_project


def _subject(command):
    """What a command line does and writes, such as "weigh cbl"."""
    words = command[3:]
    verb = words[1] if words[0] == "cbl" else words[0]
    if verb == "weigh":
        return f"weigh {Path(words[3]).stem}"
    if verb in ("train", "evaluate"):
        return f"{verb} {Path(words[words.index('--output') + 1]).name}"
    return verb


def check_outputs(root):
    for command in COMMANDS.values():
        for output in command["outputs"]:
            assert (root / output).exists(), (command["name"], output)
    vocab = spacy.blank("en").vocab
    for method in METHODS[:-1]:
        doc = next(read_docs(root / "corpus" / f"{method}.spacy", vocab))
        assert len(doc._.cbl_weights) == len(doc)
    for method in METHODS:
        nlp = spacy.load(root / "training" / method / "model-best")
        assert nlp.get_pipe("cbl_ner").labels == ("LOC", "MISC", "ORG", "PER")
        scores = srsly.read_json(root / "metrics" / f"{method}.json")
        assert 0 <= scores["ents_f"] <= 1
    history = list(srsly.read_jsonl(root / "corpus" / "cbl.history.jsonl"))
    assert "missed_recall_at_k" in history[-1]
    table = (root / "compare" / "compare.md").read_text(encoding="utf8")
    page = (root / "compare" / "compare.html").read_text(encoding="utf8")
    for method in METHODS:
        assert f"| {method} |" in table
        assert f">{method}</text>" in page
    assert "Rounds of cbl" in page
    assert "true negatives" in page


def test_the_workflow_runs_once_and_then_what_has_changed(project, run_here):
    first = run_here(project)
    assert len(first) == 4 + 1 + 4 + 5 + 10 + 1
    check_outputs(project)
    assert run_here(project) == []
    changed = run_here(project, entity_ratio="0.3")
    assert changed[0] == "weigh cbl"
    assert {word for line in changed[1:-1] for word in line.split(" ")[1:]} == {
        "cbl",
        "cbl.json",
        "cbl.dev.json",
    }
    assert changed[-1] == "compare"


def test_commands_of_methods_differ_in_the_method_alone():
    """They are copies of each other, since the lock knows commands by name."""
    for verb in ("train", "evaluate"):
        texts = set()
        for method in METHODS:
            command = dict(COMMANDS[f"{verb}-{method}"], help="")
            text = srsly.json_dumps(command, sort_keys=True)
            data = "train" if method == "gold" else method
            text = text.replace(f"corpus/{data}.spacy", "corpus/METHOD.spacy")
            for before, after in (("/", "/"), ("/", "."), ("/", " "), ("-", '"')):
                name = before + method + after
                text = text.replace(name, before + "METHOD" + after)
            texts.add(text)
        assert len(texts) == 1, texts


def test_every_command_is_in_the_workflow_and_every_variable_is_used():
    assert PROJECT["workflows"]["all"] == list(COMMANDS)
    scripts = "\n".join(line for c in COMMANDS.values() for line in c["script"])
    for name in PROJECT["vars"]:
        assert f"${{vars.{name}}}" in scripts, name


def test_files_that_commands_read_are_dependencies():
    made = {output for command in COMMANDS.values() for output in command["outputs"]}
    for command in COMMANDS.values():
        words = " ".join(command["script"]).split()
        read = {word for word in words if word in made or word.startswith("configs/")}
        assert read <= {*command["deps"], *command["outputs"]}, command["name"]
        assert not set(command["deps"]) & set(command["outputs"])


@pytest.mark.slow
def test_the_workflow_as_users_start_it(project):
    command = [sys.executable, "-m", "spacy", "project", "run", "all", str(project)]
    subprocess.run([*command, "--vars.epochs", "2"], check=True)
    check_outputs(project)
