"""The command that runs all suites, without running them."""

import pytest
import typer
from typer.testing import CliRunner

from benchmarks import __main__ as command


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Run the command with some suite that fails; gives what ran, and the result."""
    started = []

    def pretend(name, arguments):
        started.append((name, arguments))
        return None if name == "weigh" else 1.0

    monkeypatch.setattr(command, "run", pretend)
    monkeypatch.setattr(command, "prepare", lambda source, target, n_tokens: n_tokens)
    monkeypatch.setattr(command, "is_busy", lambda: False)
    app = typer.Typer()
    app.command()(command.main)

    def invoke(*arguments):
        started.clear()
        result = CliRunner().invoke(app, ["--output", str(tmp_path), *arguments])
        return dict(started), result

    return invoke


def test_others_go_on_when_one_fails(run, tmp_path):
    started, result = run("--quick", "--vectors", "glove")
    assert {"weigh", "inference", "scaling"} < set(started)
    assert "contextual" not in started
    assert result.exit_code == 1
    text = (tmp_path / "README.md").read_text("utf8")
    assert "- weigh: failed" in text
    assert "- contextual: needs `--transformer`" in text
    assert all("--quick" in arguments for arguments in started.values())
    assert [n for n, given in started.items() if "glove" in given] == ["cbl"]


def test_one_suite_alone(run):
    started, result = run("--only", "brown")
    assert list(started) == ["brown"]
    assert result.exit_code == 0


def test_unknown_suite_is_told(run):
    started, result = run("--only", "browm")
    assert not started
    assert result.exit_code == 1
