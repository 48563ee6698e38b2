"""`spacy cbl experiment`: what it says. Grids are run in tests/experiment."""

from pathlib import Path

from spacy.cli._util import app
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401

GRID = Path(__file__).parents[2] / "configs" / "experiments" / "bengali.yml"


def test_jobs_that_fail_are_counted_and_the_first_is_named(tmp_path, monkeypatch):
    outcomes = {"prepare bn": None, "weigh bn": "[C154] ...", "train bn": "not run"}
    monkeypatch.setattr("spacy_cbl.experiment.runner.run_cells", lambda *args: outcomes)
    arguments = ["cbl", "experiment", str(GRID), "--corpora", str(tmp_path)]
    ran = CliRunner().invoke(app, arguments)
    shown = " ".join(ran.output.split())
    assert ran.exit_code == 1
    assert "[C261] 2 of 3 jobs failed, the first of them 'weigh bn': [C154]" in shown
