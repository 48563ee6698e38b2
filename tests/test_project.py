"""`spacy project run`, on the first sentences of the embedded corpora."""

import subprocess
import sys
from functools import partial
from pathlib import Path
from shutil import copyfile, copytree
from types import SimpleNamespace

import pytest
import spacy
import srsly
import weasel.cli.run
from spacy.cli._util import app
from typer.testing import CliRunner
from weasel.cli.run import project_run

import spacy_cbl.cli  # noqa: F401
from spacy_cbl.data.docbin import read_docs
from spacy_cbl.experiment.grid import read_grid
from spacy_cbl.training import cbl_scheme

ROOT = Path(__file__).parent.parent
PROJECT = srsly.read_yaml(ROOT / "project.yml")
COMMANDS = {command["name"]: command for command in PROJECT["commands"]}
ALL = [COMMANDS[name] for name in PROJECT["workflows"]["all"]]
METHODS = ["raw", "combined", "cbl", "oracle", "gold"]
FEW_STEPS = {"vars.epochs": 2}


@pytest.fixture
def project(tmp_path):
    """The project with about 60 sentences in each part."""
    copyfile(ROOT / "project.yml", tmp_path / "project.yml")
    copytree(ROOT / "configs", tmp_path / "configs")
    copytree(ROOT / "scripts", tmp_path / "scripts")
    for folder in ("news", "bengali"):
        cut_corpus(ROOT / "assets" / folder, tmp_path / "assets" / folder)
    return tmp_path


def cut_corpus(source, target, n_sents=60):
    target.mkdir(parents=True)
    for part in ("train", "dev", "test"):
        text = (source / f"{part}.iob2").read_text(encoding="utf8")
        cut = "\n\n".join(text.split("\n\n")[:n_sents]) + "\n"
        (target / f"{part}.iob2").write_text(cut, "utf8")


def cut_grid(path, methods, **corpora):
    """Few cells of little training, on corpora that need nothing else."""
    grid = srsly.read_yaml(path)
    for model in grid["models"].values():
        model["settings"] = {"training.max_epochs": 1}
    first = next(iter(grid["models"]))
    grid["runs"] = [{"methods": methods, "models": [first]}]
    for name in grid["corpora"]:
        grid["corpora"][name] = {**grid["corpora"][name], **corpora}
    srsly.write_yaml(path, grid)


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
        if command[1].startswith("scripts/"):
            subprocess.run(command, check=True)
            return
        assert command[:3] == [sys.executable, "-m", "spacy"]
        result = CliRunner().invoke(app, command[3:])
        assert result.exit_code == 0, (command, result.output, result.exception)
        ran.append(command)

    monkeypatch.setattr(weasel.cli.run, "run_command", run_command)

    def run_project(root, workflow="all", **variables):
        ran.clear()
        overrides = {f"vars.{name}": value for name, value in variables.items()}
        project_run(root, workflow, overrides={**FEW_STEPS, **overrides})
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


def check_exist(root, commands):
    for command in commands:
        for output in command["outputs"]:
            assert (root / output).exists(), (command["name"], output)


def check_outputs(root):
    check_exist(root, ALL)
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
    assert len(first) == 4 + 1 + 4 + 5 + 5 + 1
    check_outputs(project)
    assert run_here(project) == []
    changed = run_here(project, entity_ratio="0.3")
    assert changed[0] == "weigh cbl"
    assert changed[1:] == ["train cbl", "evaluate cbl.json", "compare"]


@pytest.fixture
def uroman(monkeypatch):
    """Stands in for the package: Latin letters for all others."""

    class Uroman:
        def romanize_string(self, text, lcode):
            assert lcode == "ben"
            return "".join(c if c.isascii() else chr(97 + ord(c) % 26) for c in text)

    monkeypatch.setitem(sys.modules, "uroman", SimpleNamespace(Uroman=Uroman))


def test_the_bengali_study_has_both_scripts_and_the_papers_tables(
    project, run_here, uroman
):
    cut_grid(project / "configs" / "experiments" / "bengali.yml", ["gold", "raw"])
    run_here(project, "bengali")
    check_exist(project, [COMMANDS[name] for name in PROJECT["workflows"]["bengali"]])
    native, latin = (
        [token for doc in read_docs(path, spacy.blank("bn").vocab) for token in doc]
        for path in sorted(
            (project / "corpus" / "experiment").glob("*/partial-p0.83-r0.32-s0.spacy")
        )
    )
    assert len(native) == len(latin)
    assert [t.ent_type_ for t in native] == [t.ent_type_ for t in latin]
    assert all(token.is_ascii for token in latin)
    assert not all(token.is_ascii for token in native)
    table = (project / "compare" / "bengali" / "compare.md").read_text("utf8")
    assert "| raw | ben_latin | cnn |" in table
    assert "| raw | paper | BiLSTM-CRF (paper) | 73.0 | 23.8 | 35.9 |" in table
    assert "| annotator 1 | ours |" in table
    assert run_here(project, "bengali") == []


@pytest.mark.slow
def test_the_papers_experiments_end_with_its_tables(project, run_here):
    source = project / "corpora"
    for folder in ("conll2003_eng", "conll2003_deu", "conll2002_esp", "conll2002_ned"):
        cut_corpus(ROOT / "assets" / "news", source / folder)
    for folder in ("amharic_say", "arabic_anercorp", "hindi_hiner", "masakhaner_hau"):
        cut_corpus(ROOT / "assets" / "bengali", source / folder)
    plain = {"vectors": None, "clusters": None, "settings": {}}
    for name in ("paper", "paper_perceptron"):
        grid = project / "configs" / "experiments" / f"{name}.yml"
        cut_grid(grid, ["gold", "raw"], **plain)
    (project / "vectors" / "glove").mkdir(parents=True)
    for name in PROJECT["workflows"]["paper"]:
        if name != "paper-vectors":
            run_here(project, name, corpora=str(source))
    check_exist(project, [COMMANDS[name] for name in PROJECT["workflows"]["paper"]])
    table = (project / "compare" / "paper" / "compare.md").read_text("utf8")
    assert "| hau | ours |" in table
    assert "| raw | perceptron |" in table
    assert "| raw | cnn |" in table


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


def test_every_command_is_in_a_workflow_and_every_variable_is_used():
    named = [name for names in PROJECT["workflows"].values() for name in names]
    assert list(dict.fromkeys(named)) == list(COMMANDS)
    scripts = "\n".join(line for c in COMMANDS.values() for line in c["script"])
    for name in PROJECT["vars"]:
        assert f"${{vars.{name}}}" in scripts, name


def test_files_that_commands_read_are_dependencies():
    made = {output for command in COMMANDS.values() for output in command["outputs"]}
    for command in COMMANDS.values():
        lines = [line for line in command["script"] if "clear.py" not in line]
        words = " ".join(lines).split()
        files = {word for word in words if word.startswith(("configs/", "scripts/"))}
        read = files | {word for word in words if word in made}
        assert read <= {*command["deps"], *command["outputs"]}, command["name"]
        assert not set(command["deps"]) & set(command["outputs"])


@pytest.mark.parametrize(
    "name", ["paper-neural", "paper-perceptron", "bengali-train", "floret-train"]
)
def test_configs_of_grids_are_dependencies(name):
    deps = set(COMMANDS[name]["deps"])
    (grid,) = [ROOT / dep for dep in deps if dep.endswith(".yml")]
    for cell in read_grid(grid).cells:
        for config in (cell.train_config, cell.method.config):
            if config is not None:
                path = (grid.parent / config).resolve().relative_to(ROOT)
                assert path.as_posix() in deps
        if cell.corpus.vectors is not None:
            assert cell.corpus.vectors in deps


@pytest.mark.slow
def test_the_workflow_as_users_start_it(project):
    command = [sys.executable, "-m", "spacy", "project", "run", "all", str(project)]
    subprocess.run([*command, "--vars.epochs", "2"], check=True)
    check_outputs(project)


@pytest.mark.slow
def test_the_whole_workflow_comes_out_as_the_readme_says(tmp_path):
    copyfile(ROOT / "project.yml", tmp_path / "project.yml")
    for folder in ("configs", "assets"):
        copytree(ROOT / folder, tmp_path / folder)
    command = [sys.executable, "-m", "spacy", "project", "run", "all", str(tmp_path)]
    subprocess.run(command, check=True)
    scores = {
        method: srsly.read_json(tmp_path / "metrics" / f"{method}.json")["ents_f"]
        for method in METHODS
    }
    assert scores["raw"] < scores["cbl"] < scores["oracle"] <= scores["gold"]
    assert scores["cbl"] - scores["raw"] > (scores["oracle"] - scores["raw"]) / 2
    assert 0.85 <= scores["gold"] <= 0.97  # neither trivial nor too hard
