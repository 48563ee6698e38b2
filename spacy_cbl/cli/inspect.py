"""`spacy cbl inspect`"""

from enum import Enum
from pathlib import Path
from typing import Optional

from spacy.cli._util import Arg, Opt
from wasabi import msg

from ._app import command

N_SHOWN = 15  # rows on screen


class Format(str, Enum):
    html = "html"
    md = "md"
    json = "json"
    csv = "csv"


@command("inspect")
def inspect_cli(
    weighted: Path = Arg(
        ...,
        help="Weighted corpus, as `spacy cbl weigh` wrote it",
        exists=True,
        dir_okay=False,
    ),
    output: Optional[Path] = Opt(
        None,
        "--output",
        "-o",
        help="Folder for the page or list, or a file that ends in .html, .md, .json or "
        ".csv",
    ),
    gold: Optional[Path] = Opt(
        None,
        "--gold",
        "-g",
        help="The same corpus completely annotated, for figures",
        exists=True,
        dir_okay=False,
    ),
    model: Optional[str] = Opt(
        None, "--model", "-m", help="Pipeline that gives suspects their probable types"
    ),
    format: Optional[Format] = Opt(
        None,
        "--format",
        "-f",
        help="What to write: that which the name of the file says, or html to a folder",
    ),
    top: Optional[int] = Opt(
        None, "--top", "-n", help="How many surface forms to list; all by default"
    ),
    threshold: float = Opt(
        0.5, "--threshold", "-t", help="Unlabelled tokens of less weight are suspected"
    ),
) -> None:
    """What did we miss? Rank the probable missed entities of a weighted corpus.

    The rounds of CBL are shown where their history lies beside the corpus.
    """
    from ..report.inspect_lists import choose_file, make_table, write_inspection
    from ..report.inspection import inspect

    name = None if format is None else format.value
    path = None if output is None else choose_file(output, name)
    found = inspect(weighted, gold=gold, model=model, threshold=threshold, top=top)
    table = make_table(found, N_SHOWN)
    if table.rows:
        aligns = ["r", "l", "l"] + ["r"] * (len(table.header) - 3)
        msg.table(table.rows, header=table.header, divider=True, aligns=aligns)
    else:
        msg.info(f"No unlabelled token weighs less than {threshold}")
    msg.text(table.note)
    if path is not None:
        write_inspection(found, path)
        msg.good("Wrote what was found", path)
