"""The options that all suites understand."""

from pathlib import Path
from typing import Annotated, Optional

import typer

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"

Corpus = Annotated[
    Optional[Path],
    typer.Option(
        "--corpus",
        help="Folder with train and test, as .spacy or .iob2, and partial.spacy if you "
        "have it; the embedded corpus, repeated as often as needed, if not given",
        exists=True,
        file_okay=False,
    ),
]
Quick = Annotated[
    bool, typer.Option("--quick", help="Little data and few repeats, to see it run")
]
Repeats = Annotated[
    Optional[int], typer.Option("--repeats", help="How often each peer runs")
]
Output = Annotated[
    Optional[Path],
    typer.Option(
        "--output",
        help="Folder for the results; benchmarks/results, or benchmarks/results/quick",
        file_okay=False,
    ),
]
# A suite runs itself with this option, once for each peer.
Peer = Annotated[Optional[str], typer.Option("--peer", hidden=True)]


def make_folder(output: Optional[Path], quick: bool) -> Path:
    """Make the folder for the results. Quick ones do not replace the others.

    output (Optional[Path]): The folder that was given, if any.
    quick (bool): Whether the run is a quick one.
    RETURNS (Path): The folder.
    """
    folder = output or (RESULTS / "quick" if quick else RESULTS)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
