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
        help="Folder for the page or list, or a file whose name ends like the format",
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
    format: Format = Opt(Format.html, "--format", "-f", help="What to write"),
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
    from ..report.inspect_lists import make_table, write_inspection
    from ..report.inspection import inspect

    found = inspect(weighted, gold=gold, model=model, threshold=threshold, top=top)
    table = make_table(found, N_SHOWN)
    if table.rows:
        aligns = ["r", "l", "l"] + ["r"] * (len(table.header) - 3)
        msg.table(table.rows, header=table.header, divider=True, aligns=aligns)
    else:
        msg.info(f"No unlabelled token weighs less than {threshold}")
    msg.text(table.note)
    if output is not None:
        path = write_inspection(found, output, format.value)
        msg.good("Wrote what was found", path)
