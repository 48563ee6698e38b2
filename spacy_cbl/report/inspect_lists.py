"""The ranked list of probable missed entities as Markdown, JSON and CSV, and files."""

import csv
from dataclasses import asdict
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

import srsly

from ..data.files import read_format, write_text
from ..errors import Errors
from .inspect_page import list_figures
from .inspection import Inspection
from .suspects import Form
from .tables import EMPTY, Table, to_markdown

LONGEST = 80  # characters of a form in a table
JOINERS = "\u200c\u200d"
HEADER = ["Rank", "Form", "Type", "Confidence", "Score", "Count"]


def make_table(inspection: Inspection, n_rows: int) -> Table:
    """The top of the list as a table.

    inspection (Inspection): What was found.
    n_rows (int): How many forms to show.
    RETURNS (Table): The table, with a column on gold where it is known.
    """
    has_gold = inspection.n_gold_tokens is not None
    rows = []
    for rank, form in enumerate(inspection.forms[:n_rows], 1):
        row = [str(rank), _shorten(form.text), form.label or EMPTY]
        row.append(f"{form.confidence:.2f}" if form.label else EMPTY)
        row += [f"{form.score:.2f}", str(len(form.suspects))]
        rows.append(row + ([str(_count_gold(form))] if has_gold else []))
    return Table(
        title=f"Probable missed entities of {inspection.name}",
        header=HEADER + (["In gold"] if has_gold else []),
        rows=rows,
        n_names=3,
        note=". ".join(
            f"{name}: {figure}" for name, figure in list_figures(inspection)
        ),
    )


def to_json(inspection: Inspection) -> str:
    """The list as JSON, each form with its places.

    inspection (Inspection): What was found.
    RETURNS (str): The text.
    """
    return srsly.json_dumps([_to_dict(form) for form in inspection.forms], indent=2)


def to_csv(inspection: Inspection) -> str:
    """The list as CSV, one row per form.

    inspection (Inspection): What was found.
    RETURNS (str): The text.
    """
    names = ["form", "label", "confidence", "score", "weight", "count"]
    if inspection.n_gold_tokens is not None:
        names.append("in_gold")
    text = StringIO()
    writer = csv.DictWriter(text, names, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(_to_dict(form) for form in inspection.forms)
    return text.getvalue()


WRITERS: Dict[str, Callable[[Inspection], str]] = {
    "html": Inspection.to_html,
    "md": lambda found: (
        "# What did we miss?\n\n"
        # Markdown may hold HTML: tokens must not.
        + escape(to_markdown(make_table(found, len(found.forms))), quote=False)
    ),
    "json": to_json,
    "csv": to_csv,
}


def choose_file(output: Path, format: Optional[str] = None) -> Path:
    """Where to write what was found.

    output (Path): A file whose name ends like its format, or a folder for it.
    format (Optional[str]): html, md, json or csv; for folders html if not given.
    RETURNS (Path): The file.
    """
    named = read_format(output, WRITERS)
    if named is None:
        return output / f"inspect.{format or 'html'}"
    if format not in (None, named):
        raise ValueError(Errors.C313.format(format=format, path=output))
    return output


def write_inspection(inspection: Inspection, path: Path) -> None:
    """Write what was found.

    inspection (Inspection): What was found.
    path (Path): The file, as `choose_file` gave it.
    """
    write_text(path, WRITERS[path.suffix[1:]](inspection))


def _to_dict(form: Form) -> Dict[str, Any]:
    known = any(suspect.gold is not None for suspect in form.suspects)
    suspects: List[Dict[str, Any]] = [asdict(suspect) for suspect in form.suspects]
    for suspect in suspects:
        del suspect["text"]
    return {
        "form": form.text,
        "label": form.label,
        "confidence": round(form.confidence, 4),
        "score": round(form.score, 4),
        "weight": round(form.weight, 4),
        "count": len(form.suspects),
        **({"in_gold": _count_gold(form)} if known else {}),
        "suspects": suspects,
    }


def _count_gold(form: Form) -> int:
    return sum(bool(suspect.gold) for suspect in form.suspects)


def _shorten(text: str) -> str:
    """As much as fits a cell. Tokens may hold line ends, and codes for terminals;
    joiners are part of words in some scripts.
    """
    text = "".join(c if c.isprintable() or c in JOINERS else " " for c in text)
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
