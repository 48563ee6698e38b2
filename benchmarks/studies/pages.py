"""Put tables into pages that people wrote."""

from ..options import ROOT

DOCS = ROOT / "docs"


def fill_page(page: str, name: str, text: str) -> None:
    """Replace what is between two markers, `<!-- NAME -->` and `<!-- end of NAME -->`.

    page (str): A page of the docs.
    name (str): What the markers are called.
    text (str): What is to be between them; ends with a line break.
    """
    path = DOCS / page
    start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    before, _, rest = path.read_text("utf8").partition(start)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"{path} has no {start.strip()} ... {end}")
    path.write_text(before + start + text + end + after, encoding="utf8")
