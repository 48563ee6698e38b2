"""What the benchmarks make of their measurements."""

from pathlib import Path

import pytest
import srsly

from benchmarks.exponent import fit_exponent
from benchmarks.peers import compare, describe, describe_machine
from benchmarks.scaling import fit
from benchmarks.summary import summarize

RESULTS = Path(__file__).parent.parent.parent / "benchmarks" / "results"
MACHINE = {"processor": "P", "cores": 2, "python": "3", "versions": {"spacy": "3.8"}}


def test_exponent_is_that_of_the_power():
    sizes = [1000, 3000, 10_000, 100_000]
    seconds = [0.002 * n**1.5 for n in sizes]
    assert fit_exponent(sizes, seconds) == pytest.approx(1.5)


def test_upper_exponent_does_not_see_what_a_run_costs_anyway():
    sizes = [100, 10_000, 100_000, 1_000_000]
    points = [
        {"tokens": n, "seconds": 0.01 + 1e-6 * n, "peak_mib": 200 + n / 2**20}
        for n in sizes
    ]
    found = fit(points)
    assert found["exponent"] < 0.6
    assert 0.9 < found["upper_exponent"] <= 1.0
    assert found["bytes_per_token"] == pytest.approx(1.0)


def test_ratio_is_of_medians_and_spread_of_runs_side_by_side():
    # The machine was slow in the last round: both peers, so the ratio stays.
    runs = {
        "ours": [{"seconds": s} for s in (2.0, 3.0, 20.0)],
        "theirs": [{"seconds": s} for s in (1.0, 2.0, 10.0)],
    }
    found = compare(runs, [("ours", "theirs"), ("ours too", "theirs")])
    assert found["medians"]["ours"] == {"seconds": 3.0}
    (beside,) = found["ratios"]
    assert (beside["peer"], beside["to"]) == ("ours", "theirs")
    assert beside["ratio"] == {"seconds": 1.5}
    assert beside["spread"] == {"seconds": [1.5, 2.0]}


def test_table_has_ratios_and_names_what_is_missing(tmp_path):
    runs = {
        "plain": [{"seconds": 10.0, "peak_mib": 400.0}] * 2,
        "cbl": [{"seconds": s, "peak_mib": 500.0} for s in (21.0, 23.0)],
    }
    data = {
        "machine": MACHINE,
        "left_out": {"rival": "ModuleNotFoundError: No module named 'rival'"},
        **compare(runs, [("cbl", "plain")]),
    }
    srsly.write_json(tmp_path / "cbl.json", data)
    run = {"quick": True, "left_out": {"contextual": "needs X"}, "failed": ["weigh"]}
    srsly.write_json(tmp_path / "run.json", run)
    text = summarize(tmp_path)
    row = "cbl beside plain | seconds × 2.20 (2.10–2.30) | × 1.25, 500 MiB |"
    assert f"| [cbl](cbl.md) | {row}" in text
    assert "quick" in text
    assert "P, 2 cores, Python 3, spacy 3.8." in text
    for line in ("contextual: needs X", "cbl, rival: needs the extra", "weigh: failed"):
        assert f"- {line}" in text


def test_machine_tells_settings_that_change_speed(monkeypatch):
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    assert "CORETYPE" not in describe(describe_machine())
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    assert "OPENBLAS_CORETYPE=Haswell" in describe(describe_machine())


@pytest.mark.skipif(not (RESULTS / "README.md").exists(), reason="not measured yet")
def test_published_table_is_that_of_the_json_beside_it():
    # If this fails: python -m benchmarks.summary
    assert (RESULTS / "README.md").read_text("utf8") == summarize(RESULTS)
