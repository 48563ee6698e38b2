import importlib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_results_in_brief_are_those_of_the_runs(monkeypatch):
    # If this fails: python scripts/readme_results.py
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    script = importlib.import_module("readme_results")
    for page, table in (
        (script.README, script.make_table()),
        (script.FINDINGS, script.make_progress()),
    ):
        text = page.read_text("utf8")
        assert script.put(text, table) == text
        assert table in text
    for path, corpora in script.PICTURES.items():
        assert path.read_text("utf8") == script.draw(corpora)
