"""Put tables into Markdown files, beside what people wrote there."""

from pathlib import Path
from typing import Optional, Sequence

from ..data.files import read_text
from ..errors import Errors
from .tables import Table, to_markdown

START = "<!-- spacy cbl compare: start (do not edit below) -->"
END = "<!-- spacy cbl compare: end -->"
DEFAULT_TITLE = "Methods compared"


def make_markdown(tables: Sequence[Table], title: Optional[str] = None) -> str:
    """All tables between the two markers.

    tables (Sequence[Table]): The tables.
    title (Optional[str]): A heading above them.
    RETURNS (str): The text.
    """
    heading = [f"## {title}", ""] if title else []
    return "\n".join([START, "", *heading, *map(to_markdown, tables), END])


def update_markdown(
    path: Path, tables: Sequence[Table], title: Optional[str] = None
) -> str:
    """What a Markdown file is to hold: what it holds, with new tables.

    path (Path): The file. If it exists it has the markers; only what is between them
        changes.
    tables (Sequence[Table]): The tables.
    title (Optional[str]): A heading above them.
    RETURNS (str): The text.
    """
    made = make_markdown(tables, title)
    if not path.exists():
        return f"# {DEFAULT_TITLE}\n\n{made}\n"
    before, start, rest = read_text(path).partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise ValueError(Errors.C299.format(path=path, start=START, end=END))
    return before + made + after
