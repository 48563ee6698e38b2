import importlib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_reference_is_that_of_the_commands(monkeypatch):
    # If this fails: python scripts/cli_docs.py
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    script = importlib.import_module("cli_docs")
    page = script.make_page()
    assert (ROOT / "docs" / "cli.md").read_text("utf8") == page
    assert "## spacy cbl weigh\n" in page and "## spacy cbl review export\n" in page
    assert "`--entity-ratio`, `-b`" in page
