"""`spacy cbl weigh --scheme cbl`, as its user runs it."""

import subprocess
import sys
import time
from pathlib import Path

import numpy
import pytest
import spacy
import srsly
from numpy.testing import assert_array_equal
from spacy.cli._util import app
from spacy.util import load_config, registry
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401
from spacy_cbl.data.docbin import read_docs, write_docs
from spacy_cbl.training.rounds import rounds_folder

from ..training.toy import LABELLED, NAMES, make_docs

CONFIG = Path(__file__).parents[2] / "configs" / "cbl_train.cfg"


@pytest.fixture
def paths(nlp, tmp_path):
    write_docs(tmp_path / "partial.spacy", make_docs(nlp.vocab, LABELLED, n_docs=10))
    write_docs(tmp_path / "gold.spacy", make_docs(nlp.vocab, NAMES, n_docs=10))
    return tmp_path / "partial.spacy", tmp_path / "gold.spacy"


def read_weights(path):
    docs = read_docs(path, spacy.blank("en").vocab)
    return numpy.concatenate([doc._.cbl_weights for doc in docs])


def run(*arguments):
    ran = CliRunner().invoke(app, ["cbl", "weigh", *map(str, arguments)])
    assert ran.exit_code == 0, ran.output
    return ran.output


def test_weights_history_and_table(paths, tmp_path):
    partial, gold = paths
    output = tmp_path / "w.spacy"
    arguments = ["-s", "cbl", "-b", 0.35, "--gold", gold, "--set", "step=0.1"]
    arguments += ["--set", "refine=false"]
    shown = run(partial, output, *arguments)
    assert "recall at k" in shown
    history = list(srsly.read_jsonl(tmp_path / "w.history.jsonl"))
    assert history[-1]["b"] == pytest.approx(0.4)  # 0.05 beyond the ratio
    assert history[-1]["missed_recall_at_k"] > 0.9
    assert history[-1]["gap"] == 0
    for doc, full in zip(
        read_docs(output, spacy.blank("en").vocab),
        read_docs(gold, spacy.blank("en").vocab),
    ):
        missed = [t.i for t in full if t.ent_type and not doc[t.i].ent_type]
        assert all(doc._.cbl_weights[i] == 0 for i in missed)


def test_the_config_of_spacy_train_gives_the_same_weights(paths, tmp_path):
    partial, _ = paths
    run(partial, tmp_path / "w.spacy", "-s", "config", "--config", CONFIG)
    config = load_config(CONFIG, {"paths.train": str(partial)}, interpolate=True)
    reader = registry.resolve({"train": config["corpora"]["train"]})["train"]
    by_reader = [eg.reference._.cbl_weights for eg in reader(spacy.blank("en"))]
    assert_array_equal(read_weights(tmp_path / "w.spacy"), numpy.concatenate(by_reader))


def test_settings_of_the_config_can_be_replaced(paths, tmp_path):
    partial, _ = paths
    arguments = ["-s", "config", "--config", CONFIG]
    for name, value in (("refine", "false"), ("step", "0.5")):
        arguments += ["--override", f"corpora.train.scheme.{name}={value}"]
    run(partial, tmp_path / "w.spacy", *arguments)
    (record,) = srsly.read_jsonl(tmp_path / "w.history.jsonl")
    assert not record["typed"]


def test_options_replace_settings_of_the_config_too(paths, tmp_path):
    arguments = ["-s", "config", "--config", CONFIG, "--set", "refine=false"]
    run(paths[0], tmp_path / "w.spacy", *arguments, "--entity-ratio", "0.31")
    (record,) = srsly.read_jsonl(tmp_path / "w.history.jsonl")
    overshoot = load_config(CONFIG)["corpora"]["train"]["scheme"]["overshoot"]
    assert record["b"] == pytest.approx(0.31 + overshoot) and not record["typed"]


def test_a_scheme_without_rounds_leaves_none_of_an_earlier_run(paths, tmp_path):
    (tmp_path / "w.history.jsonl").write_text('{"round": 1}\n')
    run(paths[0], tmp_path / "w.spacy", "-s", "raw")
    assert not (tmp_path / "w.history.jsonl").exists()


def test_a_config_without_a_scheme_is_refused(paths, tmp_path):
    arguments = ["cbl", "weigh", str(paths[0]), str(tmp_path / "w.spacy")]
    arguments += ["-s", "config", "--config", str(CONFIG.with_name("cbl_ner_cnn.cfg"))]
    ran = CliRunner().invoke(app, arguments)
    assert ran.exit_code == 1 and "C242" in ran.output


def test_killed_and_started_again(paths, tmp_path):
    partial, _ = paths
    settings = ["-s", "cbl", "-b", "0.4", "--set", "step=0.05", "--lang", "en"]
    settings += ["--set", "refine=false"]
    command = [sys.executable, "-m", "spacy", "cbl", "weigh", str(partial)]
    killed = tmp_path / "killed.spacy"
    process = subprocess.Popen(
        [*command, str(killed), *settings],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None and not list(
        rounds_folder(partial).glob("*/last_round.npz")
    ):
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert not killed.exists(), "it was over before it could be killed"
    (state,) = rounds_folder(partial).glob("*/last_round.npz")
    n_done = int(numpy.load(state)["number"])
    assert n_done >= 1
    run(partial, killed, *settings)
    assert int(numpy.load(state)["number"]) > n_done
    other = tmp_path / "other" / "partial.spacy"
    other.parent.mkdir()
    other.write_bytes(partial.read_bytes())
    run(other, tmp_path / "whole.spacy", *settings)
    assert_array_equal(read_weights(killed), read_weights(tmp_path / "whole.spacy"))
