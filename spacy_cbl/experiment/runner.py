"""Run the cells of a grid that are not done, several at a time."""

import os
import signal
import sys
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Set

from spacy.util import logger
from tqdm import tqdm

from .grid import GOLD, Cell
from .jobs import is_done, limit_threads, prepare, train_cell, weigh_cell
from .places import Places, partial_path, weighted_path


class Job(NamedTuple):
    """A piece of work, and the names of those that come before it."""

    run: Callable[[Cell, Places], Any]
    cell: Cell
    needs: Sequence[str]


class Workers:
    """Processes that run jobs. Where one is killed, the jobs that run at that time
    fail, and new processes take over.
    """

    def __init__(self, n_workers: int) -> None:
        """Start none yet.

        n_workers (int): How many run at once.
        """
        self.n_workers = n_workers
        self.pool = self._make_pool()

    def submit(self, job: Job, places: Places) -> Future:
        """Have a job run.

        job (Job): The job.
        places (Places): Where files are.
        RETURNS (Future): Tells when it is done.
        """
        try:
            return self.pool.submit(job.run, job.cell, places)
        except BrokenProcessPool:
            self.pool = self._make_pool()
            return self.pool.submit(job.run, job.cell, places)

    def stop(self) -> None:
        """Begin no other job."""
        self.pool.shutdown(wait=False, cancel_futures=True)

    def _make_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self.n_workers,
            mp_context=get_context("spawn"),
            initializer=end_with_parent,
        )


def end_with_parent() -> None:
    """Have this worker end when the process that started it does, however that was
    killed: another run may soon be at work on the same files.
    """
    parent = parent_process()
    assert parent is not None  # there is one in a worker

    def watch() -> None:
        parent.join()
        os._exit(1)

    # Ctrl-C reaches all processes: this one ends without a word.
    signal.signal(signal.SIGINT, lambda *_: sys.exit(130))

    Thread(target=watch, daemon=True).start()


def run_cells(
    cells: Sequence[Cell], places: Places, n_workers: int
) -> Dict[str, Optional[str]]:
    """Run the cells that have no result yet. What several of them need is done once.

    cells (Sequence[Cell]): The cells.
    places (Places): Where files are.
    n_workers (int): How many jobs run at once, each on one core.
    RETURNS (Dict[str, Optional[str]]): What became of each job that ran: None, or the
        error that ended it.
    """
    jobs = plan(find_open(cells, places), places)
    if not jobs:
        return {}
    limit_threads()  # inherited by the workers
    outcomes: Dict[str, Optional[str]] = {}
    running: Dict[Future, str] = {}
    workers = Workers(n_workers)
    try:
        with tqdm(total=len(jobs), desc="Jobs", disable=None) as progress:
            while len(outcomes) < len(jobs):
                for name in _ready(jobs, outcomes, set(running.values()), n_workers):
                    running[workers.submit(jobs[name], places)] = name
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    name = running.pop(future)
                    outcomes[name] = _outcome(future)
                    logger.info("%s: %s", name, outcomes[name] or "done")
                    progress.update()
                _give_up(jobs, outcomes)
    finally:
        workers.stop()
    return outcomes


def find_open(cells: Sequence[Cell], places: Places) -> List[Cell]:
    """The cells that have no result yet, or one of other settings.

    cells (Sequence[Cell]): The cells.
    places (Places): Where files are.
    RETURNS (List[Cell]): Those that are to be run.
    """
    return [cell for cell in cells if not is_done(cell, places)]


def count_cores() -> int:
    """How many cores this process may use: containers may have fewer than the machine.

    RETURNS (int): One at least.
    """
    if hasattr(os, "sched_getaffinity"):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def plan(cells: Sequence[Cell], places: Places) -> Dict[str, Job]:
    """List the jobs behind cells, in the order of the cells.

    cells (Sequence[Cell]): The cells.
    places (Places): Where files are.
    RETURNS (Dict[str, Job]): Jobs by name.
    """
    jobs: Dict[str, Job] = {}
    for cell in cells:
        # A corpus is converted by one job, so jobs of other seeds wait for the first.
        first = f"prepare {cell.corpus.name}"
        jobs.setdefault(first, Job(prepare, cell, []))
        partial = f"prepare {partial_path(cell, places).name} of {cell.corpus.name}"
        jobs.setdefault(partial, Job(prepare, cell, [first]))
        needs = [partial]
        if cell.method.name != GOLD:
            weighted = f"weigh {cell.corpus.name} {weighted_path(cell, places).name}"
            jobs.setdefault(weighted, Job(weigh_cell, cell, needs))
            needs = [weighted]
        jobs[f"train {cell.name}"] = Job(train_cell, cell, needs)
    return jobs


def _ready(
    jobs: Dict[str, Job], outcomes: Dict[str, Any], running: Set[str], n_workers: int
) -> List[str]:
    free = n_workers - len(running)
    waiting = (name for name in jobs if name not in outcomes and name not in running)
    ready = [name for name in waiting if all(n in outcomes for n in jobs[name].needs)]
    return ready[:free]


def _outcome(future: Future) -> Optional[str]:
    error = future.exception()
    return None if error is None else f"{type(error).__name__}: {error}"


def _give_up(jobs: Dict[str, Job], outcomes: Dict[str, Optional[str]]) -> None:
    """Jobs that need one that failed, fail."""
    for name, job in jobs.items():
        failed = [n for n in job.needs if outcomes.get(n) is not None]
        if failed and name not in outcomes:
            outcomes[name] = f"needs '{failed[0]}', which failed"
