"""`spacy cbl compare`"""

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, List, Optional

import typer
from spacy.cli._util import Arg, Opt
from wasabi import msg
from wasabi.util import can_render

from ._app import command

if TYPE_CHECKING:
    from ..report.tables import Table


BLOCK = "█"


class Format(str, Enum):
    table = "table"
    md = "md"


@command("compare")
def compare_cli(
    # fmt: off
    results: List[Path] = Arg(
        ...,
        help="Results: files of `spacy cbl experiment` or `spacy evaluate`, or folders",
        exists=True,
    ),
    output: Optional[Path] = Opt(
        None,
        "--output",
        "-o",
        help="Folder for compare.md and compare.html, or a file that ends in .md or .html",
    ),
    format: Format = Opt(Format.table, "--format", "-f", help="What to show on screen"),
    weighted: Optional[List[Path]] = Opt(
        None,
        "--weighted",
        "-w",
        help="Weighted corpus, named for its method: its rounds, and with --gold its "
        "weights, are shown too (may be repeated)",
        exists=True,
        dir_okay=False,
    ),
    gold: Optional[Path] = Opt(
        None,
        "--gold",
        "-g",
        help="The completely annotated corpus, for histograms of weights",
        exists=True,
        dir_okay=False,
    ),
    title: Optional[str] = Opt(None, "--title", "-t", help="Heading of the page"),
    # fmt: on
) -> None:
    """Compare results: tables on screen, as Markdown, and a page with plots.

    In a Markdown file that exists, what is between its two markers is replaced.
    """
    from ..report.compare import choose_files, compare, write_comparison
    from ..report.markdown import make_markdown

    if gold is not None and not weighted:
        msg.warn("--gold is for histograms of weights: name a corpus with --weighted")
    paths = [] if output is None else choose_files(output)
    comparison = compare(results, weighted or [], gold)
    if format is Format.md:
        typer.echo(make_markdown(comparison.tables, title))
    else:
        for table in comparison.tables:
            _show(table)
    write_comparison(comparison, paths, title)
    for path in paths:
        msg.good("Wrote the comparison", path)


def _draw_bars(table: "Table") -> List[str]:
    """F1 of each row as a bar of at most 20 blocks, where there is F1 and the terminal
    has such signs.
    """
    if "F1" not in table.header or not can_render(BLOCK):
        return []
    column = table.header.index("F1")
    means = [row[column].split(" ")[0] for row in table.rows]
    return [BLOCK * round(float(mean) / 5) for mean in means]


def _show(table: "Table") -> None:
    msg.divider(table.title)
    n_figures = len(table.header) - table.n_names
    bars = _draw_bars(table)
    msg.table(
        [[*row, bar] for row, bar in zip(table.rows, bars)] if bars else table.rows,
        header=[*table.header, ""] if bars else table.header,
        divider=True,
        aligns=["l"] * table.n_names + ["r"] * n_figures + ["l"] * bool(bars),
    )
    if table.note:
        msg.text(table.note)
