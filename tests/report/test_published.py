"""The tables of docs/results are those of the JSON files beside them."""

from pathlib import Path

import pytest

from spacy_cbl.report.compare import compare
from spacy_cbl.report.markdown import START, update_markdown

RESULTS = Path(__file__).parent.parent.parent / "docs" / "results"
# Pages between whose markers nothing is yet wait for their results.
PAGES = [
    page
    for page in sorted(RESULTS.glob("*.md"))
    if "### " in page.read_text("utf8").partition(START)[2]
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_tables_are_made_from_results(page):
    # If this fails: spacy cbl compare docs/results/NAME --output docs/results/NAME.md
    tables = compare([page.with_suffix("")]).tables
    assert page.read_text("utf8") == update_markdown(page, tables)
