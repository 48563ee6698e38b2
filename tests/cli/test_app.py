import pytest
from typer import Typer
from typer.testing import CliRunner

from spacy_cbl.cli._app import command
from spacy_cbl.errors import Errors


def run(error):
    """A command that ends in an error."""
    group = Typer()

    @command("fail", group)
    def fail() -> None:
        raise error

    return CliRunner().invoke(group, [])


@pytest.mark.parametrize("kind", [ValueError, RuntimeError, ImportError])
def test_coded_errors_of_any_kind_are_shown(kind):
    ran = run(kind(Errors.C330))
    assert ran.exit_code == 1
    assert "[C330]" in ran.output
    assert isinstance(ran.exception, SystemExit)  # no traceback


@pytest.mark.parametrize("kind", [ValueError, RuntimeError, ImportError])
def test_errors_without_a_code_are_bugs_and_stay_whole(kind):
    assert isinstance(run(kind("no code")).exception, kind)
