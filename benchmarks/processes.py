"""Processes of their own: time and peak memory are measured apart from all else."""

import os
import resource
import subprocess
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any, Callable, List, NamedTuple, Sequence

THREAD_VARIABLES = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"]


class Ran(NamedTuple):
    """What a command took."""

    seconds: float
    peak_mib: float


def in_fresh_process(function: Callable, *args: Any) -> Any:
    """Call a function in a process that has done nothing before, on one thread.

    function (Callable): A function of a module.
    *args (Any): Its arguments.
    RETURNS (Any): What it returns.
    """
    os.environ.update({name: "1" for name in THREAD_VARIABLES})
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *args).result()


def run_command(command: Sequence[str]) -> Ran:
    """Run a command and wait for it.

    command (Sequence[str]): The command and its arguments.
    RETURNS (Ran): Its seconds, start of the interpreter included, and its memory.
    """
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    # Not `process.wait`: this tells the memory of that one process.
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Ran(time.perf_counter() - start, usage.ru_maxrss / 1024)


def peak_mib() -> float:
    """The most memory that this process has had. `ru_maxrss` is not asked first: to it,
    a process begins with what the process that started it has had.
    """
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(x.split()[1]) / 1024 for x in lines if x.startswith("VmHWM:"))
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def seconds_of(function: Callable[[], Any]) -> float:
    """The seconds that a function takes."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def timed(function: Callable[[], Any], repeats: int = 5) -> float:
    """The median of the seconds that a function takes."""
    times: List[float] = [seconds_of(function) for _ in range(repeats)]
    return median(times)


def is_busy(samples: int = 10) -> bool:
    """Whether something else is running on this machine, at this moment.

    samples (int): How often to look, ten times a second.
    RETURNS (bool): Whether it is; False where there is no /proc.
    """
    running = []
    for _ in range(samples):
        try:
            shown = Path("/proc/loadavg").read_text().split()[3]
        except OSError:
            return False
        running.append(int(shown.split("/")[0]) - 1)  # without this process
        time.sleep(0.1)
    return median(running) >= 1
