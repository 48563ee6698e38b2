"""`spacy cbl experiment`"""

from fnmatch import fnmatchcase
from pathlib import Path
from typing import List, Optional

from spacy.cli._util import Arg, Opt
from wasabi import msg

from ..errors import Errors
from ._app import command


@command("experiment")
def experiment_cli(
    # fmt: off
    grid_path: Path = Arg(
        ..., help="Grid of experiments (.yml)", exists=True, dir_okay=False
    ),
    corpora: Path = Opt(
        Path("assets"),
        "--corpora",
        help="Folder of corpora",
        exists=True,
        file_okay=False,
    ),
    output: Path = Opt(
        Path("results"),
        "--output",
        "-o",
        help="Folder for results, one JSON file per cell",
        file_okay=False,
    ),
    work: Path = Opt(
        Path("corpus/experiment"),
        "--work",
        help="Folder for converted and weighted corpora",
        file_okay=False,
    ),
    workers: Optional[int] = Opt(
        None,
        "--workers",
        "-w",
        min=1,
        help="Jobs at once, each on one core (all cores if not given)",
    ),
    only: str = Opt(
        "",
        "--only",
        help="Run cells alone whose name (CORPUS-METHOD-MODEL-SEED) begins so; may "
        "have wildcards: '*-cnn-0'",
    ),
    dry: bool = Opt(False, "--dry", help="Say what is not done, and run nothing"),
    # fmt: on
) -> None:
    """Run a grid of experiments: corpora x methods x models x seeds.

    Each cell writes its result when it is done. Interrupt it and start it again as you
    like: cells that are done and unchanged are passed over.
    """
    from ..data.files import check_output
    from ..experiment.grid import read_grid
    from ..experiment.places import Places
    from ..experiment.runner import count_cores, find_open, run_cells

    grid = read_grid(grid_path)
    cells = [cell for cell in grid.cells if fnmatchcase(cell.name, f"{only}*")]
    if not cells:
        example = grid.cells[0].name
        raise ValueError(Errors.C262.format(only=only, path=grid_path, name=example))
    places = Places(grid.root, corpora, work, output)
    if dry:
        _show_open([cell.name for cell in find_open(cells, places)], len(cells))
        return
    for folder in (output, work):
        check_output(folder / "any.json")  # before hours of work
    outcomes = run_cells(cells, places, workers or count_cores())
    failed = {name: error for name, error in outcomes.items() if error is not None}
    if failed:
        name, error = next(iter(failed.items()))
        message = Errors.C261.format(
            n_failed=len(failed), n_jobs=len(outcomes), name=name, error=error
        )
        raise ValueError(message)
    msg.good(f"{len(cells)} cells are done", output)


def _show_open(names: List[str], n_cells: int) -> None:
    msg.info(f"{n_cells - len(names)} of {n_cells} cells are done")
    for name in names:
        msg.text(name)
