"""A grid run as its user runs it, on a toy language."""

import os
import time
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import pytest
import spacy
import srsly
from spacy.cli._util import app
from spacy.cli.train import train
from spacy.util import load_config
from spacy.vocab import Vocab
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401
from spacy_cbl.attrs import CLEAN_GROUP
from spacy_cbl.data.convert import convert
from spacy_cbl.data.docbin import read_docs, write_docs
from spacy_cbl.experiment.grid import read_grid
from spacy_cbl.experiment.jobs import (
    is_done,
    make_scheme,
    prepare,
    read_report,
    train_cell,
    weigh_cell,
)
from spacy_cbl.experiment.places import Places, gold_path, result_path, weighted_path
from spacy_cbl.experiment.runner import Job, Workers, plan, run_cells

from ..training.toy import NAMES, make_docs

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.fixture
def places(nlp, tmp_path):
    """A corpus, a quick config and a grid."""
    for seed, part in enumerate(("train", "dev", "test")):
        docs = make_docs(nlp.vocab, NAMES, n_docs=8, seed=seed)
        write_docs(tmp_path / f"{part}.spacy", docs)
        convert(
            tmp_path / f"{part}.spacy",
            tmp_path / "corpora" / "toy" / f"{part}.iob2",
            to="iob2",
        )
    config = load_config(CONFIGS / "cbl_perceptron.cfg")
    config["training"]["max_epochs"] = 2
    config["components"]["cbl_perceptron"]["model"]["n_rows"] = 4096
    config.to_disk(tmp_path / "quick.cfg")
    srsly.write_yaml(
        tmp_path / "grid.yml",
        {
            "corpora": {"toy": {"folder": "toy", "lang": "en"}},
            "methods": {
                "gold": None,
                "raw": {"scheme": "raw"},
                "oracle": {"scheme": "oracle", "entity_ratio": "gold"},
            },
            "models": {"perceptron": {"config": "quick.cfg"}},
            "runs": [{}],
        },
    )
    return Places(
        tmp_path, tmp_path / "corpora", tmp_path / "work", tmp_path / "results"
    )


def test_a_grid_from_the_command_line(places, monkeypatch):
    arguments = ["cbl", "experiment", str(places.root / "grid.yml"), "--workers", "1"]
    arguments += ["--corpora", str(places.corpora), "--work", str(places.work)]
    arguments += ["--output", str(places.results)]
    ran = CliRunner().invoke(app, arguments)
    assert ran.exit_code == 0, ran.output
    results = {p.stem: srsly.read_json(p) for p in places.results.glob("*.json")}
    assert set(results) == {f"toy-{m}-perceptron-0" for m in ("gold", "raw", "oracle")}
    gold, raw = (results[f"toy-{m}-perceptron-0"] for m in ("gold", "raw"))
    assert gold["test"]["ents_f"] > 95 > raw["test"]["ents_f"]
    assert gold["weighing"] == {} and raw["weighing"]["mean_negative_weight"] == 1
    assert raw["cell"]["seed"] == 0 and "spacy" in raw["versions"]
    assert raw["config"]["training"]["max_epochs"] == 2
    assert str(places.root) not in srsly.json_dumps(raw)  # no paths of the machine

    def refuse(*args, **kwargs):
        raise AssertionError("it was done already")

    monkeypatch.setattr("spacy_cbl.experiment.runner.ProcessPoolExecutor", refuse)
    grid = read_grid(places.root / "grid.yml")
    assert run_cells(grid.cells, places, 1) == {}
    config = places.root / "quick.cfg"
    config.write_text(config.read_text("utf8") + "\n# changed\n", "utf8")
    assert not any(is_done(cell, places) for cell in grid.cells)
    ran = CliRunner().invoke(app, [*arguments, "--dry"])
    assert ran.exit_code == 0 and "0 of 3 cells are done" in ran.output
    assert "toy-oracle-perceptron-0" in ran.output


@pytest.mark.parametrize("text", ["", "[]", "null", '{"key": 1}', "{"])
def test_a_damaged_result_is_made_again(places, text):
    cell = read_grid(places.root / "grid.yml").cells[0]
    prepare(cell, places)
    train_cell(cell, places)
    assert is_done(cell, places)
    result_path(cell, places).write_text(text)
    assert not is_done(cell, places)


def test_labels_that_are_placed_after_a_run_count(places):
    cell = read_grid(places.root / "grid.yml").cells[1]
    partial = prepare(cell, places)
    weigh_cell(cell, places)
    train_cell(cell, places)
    assert is_done(cell, places)
    partial.with_suffix(".json").unlink()
    partial.write_bytes(gold_path(cell, places).read_bytes())
    assert not is_done(cell, places)
    weigh_cell(cell, places)
    train_cell(cell, places)
    result = srsly.read_json(result_path(cell, places))
    gold = list(read_docs(gold_path(cell, places), Vocab()))
    n_entity = sum(bool(token.ent_type) for doc in gold for token in doc)
    assert result["weighing"]["entity_tokens"] == n_entity


def test_a_cell_that_another_run_has_done_is_not_done_again(places, monkeypatch):
    cell = read_grid(places.root / "grid.yml").cells[0]
    prepare(cell, places)
    path = train_cell(cell, places)
    monkeypatch.setattr("spacy_cbl.experiment.jobs.train", None)
    assert train_cell(cell, places) == path


def test_what_cells_share_is_done_once(places):
    jobs = plan(read_grid(places.root / "grid.yml").cells, places)
    kinds = [name.split()[0] for name in jobs]
    assert [kinds.count(k) for k in ("prepare", "weigh", "train")] == [2, 2, 3]
    assert list(jobs)[0] == "prepare toy"


def test_a_job_that_fails_takes_those_along_that_need_it(places):
    (places.corpora / "toy" / "dev.iob2").unlink()
    cells = read_grid(places.root / "grid.yml").cells[:2]
    outcomes = run_cells(cells, places, 1)
    assert "C122" in outcomes["prepare toy"]
    assert all(outcomes.values())
    assert not places.results.exists()


def die(cell, places):
    os._exit(9)  # as one that the system kills for want of memory


def live(cell, places):
    return None


def test_a_job_whose_process_is_killed_fails_and_others_go_on(places, monkeypatch):
    cells = read_grid(places.root / "grid.yml").cells[:1]
    jobs = {"a": Job(die, cells[0], []), "b": Job(live, cells[0], [])}
    jobs["c"] = Job(live, cells[0], ["a"])
    monkeypatch.setattr("spacy_cbl.experiment.runner.plan", lambda *args: jobs)
    outcomes = run_cells(cells, places, 1)
    assert "BrokenProcessPool" in outcomes["a"]
    assert outcomes["b"] is None
    assert "'a', which failed" in outcomes["c"]


def wait_long(cell, places):
    Path("pid").write_text(str(os.getpid()))
    time.sleep(600)


def run_long():
    Workers(1).submit(Job(wait_long, None, []), None).result()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
def test_workers_end_with_the_run_that_is_killed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = get_context("spawn").Process(target=run_long)
    run.start()
    written = tmp_path / "pid"
    wait_until(lambda: written.exists() and written.read_text())
    worker = int(written.read_text())
    assert is_alive(worker)
    run.kill()
    run.join()
    wait_until(lambda: not is_alive(worker))


def wait_until(is_so, seconds=300):
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_alive(pid):
    stat = Path(f"/proc/{pid}/stat")
    # One that ended is a zombie until somebody asks how.
    return stat.exists() and ") Z" not in stat.read_text()


def test_cells_that_are_not_there_are_an_error(places):
    arguments = ["cbl", "experiment", str(places.root / "grid.yml"), "--only", "no"]
    ran = CliRunner().invoke(app, [*arguments, "--corpora", str(places.corpora)])
    assert ran.exit_code == 1
    assert "C262" in ran.output and "toy-gold-perceptron-0" in ran.output


def test_a_result_names_the_weighing_it_came_from(places):
    cell = read_grid(places.root / "grid.yml").cells[1]
    prepare(cell, places)
    weighted = weigh_cell(cell, places)
    before = weighted.stat().st_mtime_ns
    assert weigh_cell(cell, places).stat().st_mtime_ns == before
    result = srsly.read_json(train_cell(cell, places))
    assert result["seconds_train"] > 0 and result["weighing"]["seconds"] > 0
    assert is_done(cell, places)


def test_another_corpus_of_the_same_name_is_not_taken_for_the_old_one(places):
    cell = read_grid(places.root / "grid.yml").cells[1]
    prepare(cell, places)
    weigh_cell(cell, places)
    train_cell(cell, places)
    assert is_done(cell, places)
    train = places.corpora / "toy" / "train.iob2"
    text = train.read_text("utf8")
    train.write_text(text + "\nnew\tO\n", "utf8")
    assert not is_done(cell, places)
    prepare(cell, places)
    docs = list(read_docs(gold_path(cell, places), Vocab()))
    assert docs[-1][-1].text == "new"
    assert list(read_docs(weigh_cell(cell, places), Vocab()))[-1][-1].text == "new"
    # Results are read without the corpora, too, and what was made of them stays.
    train.unlink()
    assert is_done(cell, places)
    prepare(cell, places)
    assert weighted_path(cell, places).exists()


def test_other_vectors_and_labels_under_the_same_name_are_not_taken_for_the_old(places):
    vectors, clusters = places.root / "vectors", places.root / "clusters.tsv"
    spacy.blank("en").to_disk(vectors)
    clusters.write_text("010\tAda\n011\tmet\n", "utf8")
    cell = read_grid(places.root / "grid.yml").cells[1]
    corpus = replace(cell.corpus, vectors=str(vectors), clusters=str(clusters))
    cell = replace(cell, corpus=corpus)
    partial = prepare(cell, places)
    written = weigh_cell(cell, places).stat().st_mtime_ns
    train_cell(cell, places)
    for path, text in {vectors / "notes.txt": "new", clusters: "1\tAda\n"}.items():
        assert is_done(cell, places)
        path.write_text(text, "utf8")
        assert not is_done(cell, places)
        train_cell(cell, places)
    assert weigh_cell(cell, places).stat().st_mtime_ns > written
    # Perturbed labels follow from the cell, others may be corrected.
    partial.with_suffix(".json").unlink()
    result_path(cell, places).unlink()
    train_cell(cell, places)
    assert is_done(cell, places)
    partial.write_bytes(gold_path(cell, places).read_bytes())
    assert not is_done(cell, places)


def test_weighing_that_was_cut_off_before_its_report_is_done_again(places):
    cell = read_grid(places.root / "grid.yml").cells[1]
    prepare(cell, places)
    weigh_cell(cell, places).with_suffix(".json").unlink()
    weigh_cell(cell, places)
    assert read_report(cell, places)["seconds"] > 0


def run_method(places, method, **spec):
    """Prepare and weigh the data of a method, and give it back."""
    grid = srsly.read_yaml(places.root / "grid.yml")
    grid["methods"] = {method: spec}
    srsly.write_yaml(places.root / "grid.yml", grid)
    cell = read_grid(places.root / "grid.yml").cells[0]
    prepare(cell, places)
    return cell, list(read_docs(weigh_cell(cell, places), Vocab()))


def test_weights_of_other_features_are_not_used_again(places):
    cell = read_grid(places.root / "grid.yml").cells[1]
    prepare(cell, places)
    written = weigh_cell(cell, places).stat().st_mtime_ns
    assert weigh_cell(cell, places).stat().st_mtime_ns == written
    other = replace(cell, corpus=replace(cell.corpus, settings={"features.x": True}))
    assert weigh_cell(other, places).stat().st_mtime_ns > written


def test_a_scheme_that_takes_the_entity_ratio_gets_it(places):
    cell = read_grid(places.root / "grid.yml").cells[1]
    method = replace(cell.method, scheme="cbl", entity_ratio=0.3)
    scheme, ratio = make_scheme(replace(cell, method=method), places)
    assert scheme.settings.entity_ratio == 0.3 and ratio is None
    method = replace(cell.method, scheme="raw", entity_ratio=0.3)
    assert make_scheme(replace(cell, method=method), places)[1] == 0.3


def test_a_setting_that_no_config_has_is_an_error(places):
    cell = read_grid(places.root / "grid.yml").cells[0]
    prepare(cell, places)
    model = replace(cell.model, settings={"training.max_epoch": 8})
    with pytest.raises(ValueError, match="C263.*training.max_epoch,?"):
        train_cell(replace(cell, model=model), places)
    # Corpora may have features that not every model has.
    corpus = replace(cell.corpus, settings={"features.vectors": True})
    assert train_cell(replace(cell, corpus=corpus), places).exists()


def test_tokens_of_low_weight_can_be_marked_as_missing(places):
    spec = {"scheme": "uniform", "settings": {"value": 0.0}, "missing_below": 0.5}
    _, docs = run_method(places, "missing", **spec)
    assert {token.ent_iob for doc in docs for token in doc if not token.ent_type} == {0}
    assert any(doc.ents for doc in docs)


def test_a_sample_of_clean_tokens_travels_along(places):
    _, docs = run_method(places, "noise", clean_tokens=20)
    assert sum(len(span) for doc in docs for span in doc.spans[CLEAN_GROUP]) == 20


def test_a_method_may_train_in_its_own_way(places, monkeypatch):
    """The config of the model is not looked at, the ratio is that of gold."""
    config = load_config(places.root / "quick.cfg")
    config["training"]["max_epochs"] = 1
    config.to_disk(places.root / "own.cfg")
    (places.root / "quick.cfg").write_text("[nonsense]", "utf8")
    cell, _ = run_method(
        places,
        "own",
        train_configs={"perceptron": "own.cfg"},
        train_settings={"training.eval_frequency": 1},
        gold_ratio_setting="training.dropout",
    )
    given = {}

    def train_and_tell(config, output, overrides):
        given.update(overrides)
        train(config, output, overrides=overrides)

    monkeypatch.setattr("spacy_cbl.experiment.jobs.train", train_and_tell)
    result = srsly.read_json(train_cell(cell, places))
    assert result["cell"]["method"]["train_configs"] == {"perceptron": "own.cfg"}
    gold = list(read_docs(gold_path(cell, places), Vocab()))
    n_inside = sum(token.ent_iob in (1, 3) for doc in gold for token in doc)
    assert given["training.dropout"] == n_inside / sum(map(len, gold))
    assert given["training.eval_frequency"] == 1


def test_what_was_made_elsewhere_is_not_removed(places):
    """Real partial labels in the place of simulated ones, and other files."""
    cell = read_grid(places.root / "grid.yml").cells[1]
    partial = prepare(cell, places)
    notes = places.work / "toy" / "notes.txt"
    notes.write_text("mine")
    test = places.corpora / "toy" / "test.iob2"
    test.write_text(test.read_text("utf8") + "Bob\tB-PER\n", "utf8")
    prepare(cell, places)  # simulated anew
    assert notes.exists() and partial.with_suffix(".json").exists()
    partial.with_suffix(".json").unlink()  # not made by perturbing
    kept = partial.read_bytes()
    test.write_text(test.read_text("utf8") + "Ada\tB-PER\n", "utf8")
    with pytest.raises(ValueError, match="C264.*partial"):
        prepare(cell, places)
    assert partial.read_bytes() == kept and notes.exists()
