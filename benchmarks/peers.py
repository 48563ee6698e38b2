"""Run peers in processes of their own and compare them."""

import json
import os
import platform
import statistics
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple, Union

import srsly
from tqdm import tqdm
from wasabi import msg

from .processes import THREAD_VARIABLES, peak_mib

PACKAGES = [
    "spacy",
    "thinc",
    "numpy",
    "blis",
    "torch",
    "transformers",
    "pytorch-crf",
    "python-crfsuite",
    "highspy",
    "spacy-cbl",
]
# What numpy's library for matrices is told to be slower or faster with
SPEED_VARIABLES = ["OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"]
NOT_INSTALLED = "ModuleNotFoundError"
RunsT = Dict[str, List[Dict[str, float]]]
BaselinesT = Sequence[Tuple[str, str]]


def one_thread() -> None:
    """Keep torch, where it is there, to one thread as well."""
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


def report(result: Dict[str, Any]) -> None:
    """Hand the result of a peer to the process above, with the peak memory of this one
    where the result has none.
    """
    peak = result.get("peak_mib", peak_mib())
    sys.stdout.write("\n" + json.dumps({**result, "peak_mib": peak}) + "\n")


def run_peers(
    module: str,
    peers: List[str],
    arguments: List[str],
    repeats: int,
    output: Path,
    title: str,
    baselines: BaselinesT,
    notes: Sequence[str],
) -> None:
    """Run each peer several times, in turn, and write medians, ratios and spreads. A
    peer that is not installed is left out; with any other error the suite fails.

    module (str): The module to run with `--peer NAME`.
    peers (List[str]): The names of the peers.
    arguments (List[str]): Further arguments of the module.
    repeats (int): How often each peer runs.
    output (Path): Where to write, less the suffixes .json and .md.
    title (str): Title of the table.
    baselines (BaselinesT): Which peers to divide by which.
    notes (Sequence[str]): Sentences under the table.
    """
    runs: RunsT = {peer: [] for peer in peers}
    left_out: Dict[str, str] = {}
    for _, peer in tqdm([(r, p) for r in range(repeats) for p in peers], disable=None):
        if peer in left_out:
            continue
        result = run_peer(module, peer, arguments)
        if isinstance(result, str):
            msg.warn(f"'{peer}' did not run", result)
            left_out[peer] = result
        else:
            runs[peer].append(result)
    data = {
        "title": title,
        "notes": list(notes),
        "machine": describe_machine(),
        "repeats": repeats,
        "left_out": left_out,
        "runs": runs,
        **compare(runs, baselines),
    }
    srsly.write_json(output.with_suffix(".json"), data)
    output.with_suffix(".md").write_text(render(data), encoding="utf8")
    msg.good("Wrote", f"{output}.json, {output}.md")
    if any(NOT_INSTALLED not in why for why in left_out.values()):
        sys.exit(1)


def compare(runs: RunsT, baselines: BaselinesT) -> Dict[str, Any]:
    """Medians of runs, and ratios to the medians of baselines. Runs were interleaved,
    so the lowest and the highest ratio of those side by side tell the spread.

    runs (RunsT): The results of each peer, in order.
    baselines (BaselinesT): Which peers to divide by which.
    RETURNS (Dict[str, Any]): Under "medians" those of each peer, under "ratios" a
        record for each pair of which both were run.
    """
    medians = {
        peer: {key: statistics.median(r[key] for r in results) for key in results[0]}
        for peer, results in runs.items()
        if results
    }
    ratios = []
    for peer, base in baselines:
        if peer not in medians or base not in medians:
            continue
        keys = [key for key in medians[peer] if medians[base].get(key)]
        sides = list(zip(runs[peer], runs[base]))
        ratios.append(
            {
                "peer": peer,
                "to": base,
                "ratio": {k: medians[peer][k] / medians[base][k] for k in keys},
                "spread": {
                    k: [f(one[k] / two[k] for one, two in sides) for f in (min, max)]
                    for k in keys
                },
            }
        )
    return {"medians": medians, "ratios": ratios}


def run_peer(
    module: str,
    peer: str,
    arguments: List[str],
    python: str = sys.executable,
    threads: int = 1,
) -> Union[Dict[str, Any], str]:
    """Run a peer.

    module (str): The module to run with `--peer NAME`.
    peer (str): The name of the peer.
    arguments (List[str]): Further arguments of the module.
    python (str): The interpreter of its environment.
    threads (int): How many threads it may use.
    RETURNS (Union[Dict[str, Any], str]): Its result; the last line of its message if
        it did not run.
    """
    env = {**os.environ, **{name: str(threads) for name in THREAD_VARIABLES}}
    ran = subprocess.run(
        [python, "-m", module, "--peer", peer, *arguments],
        capture_output=True,
        text=True,
        env=env,
    )
    if ran.returncode:
        return (ran.stderr.strip().splitlines() or ["no message"])[-1]
    return json.loads(ran.stdout.strip().splitlines()[-1])


def describe_machine() -> Dict[str, Any]:
    """The processor, the versions and the settings that a result belongs to."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    machine = {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "versions": versions,
    }
    told = {name: os.environ[name] for name in SPEED_VARIABLES if name in os.environ}
    return {**machine, "environment": told} if told else machine


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        names = [line.split(":")[1].strip() for line in lines if "model name" in line]
        return names[0]
    except (OSError, IndexError):
        return platform.processor()


def render(data: Dict[str, Any]) -> str:
    """A Markdown table of medians, with ratios to the baselines."""
    keys = list(dict.fromkeys(k for m in data["medians"].values() for k in m))
    head = ["peer", *keys, "ratios"]
    rows = [head, ["---"] * len(head)]
    for peer, medians in data["medians"].items():
        cells = [_number(medians[k], k) if k in medians else "" for k in keys]
        rows.append([peer, *cells, _render_ratios(data, peer)])
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    n = data["repeats"]
    said = f"Medians of {n} interleaved runs" if n > 1 else "One run each"
    if n > 1:
        said += ", in brackets the lowest and highest ratio of runs side by side"
    lines = [f"{said}; {describe(data['machine'])}.", *data["notes"]]
    missing = [f"{peer} ({why})" for peer, why in data.get("left_out", {}).items()]
    if missing:
        lines.append(f"Did not run: {'; '.join(missing)}.")
    return f"# {data['title']}\n\n{table}\n\n" + "\n\n".join(lines) + "\n"


def describe(machine: Dict[str, Any]) -> str:
    """The processor, the versions and the settings as a phrase.

    machine (Dict[str, Any]): As `describe_machine` gives it.
    RETURNS (str): Without a full stop.
    """
    names = [machine["processor"]] if "processor" in machine else []
    names += [f"{machine['cores']} cores", f"Python {machine['python']}"]
    names += [f"{name} {v}" for name, v in machine.get("versions", {}).items()]
    names += [f"{name}={v}" for name, v in machine.get("environment", {}).items()]
    return ", ".join(names)


def format_ratio(ratio: float, spread: Sequence[float]) -> str:
    """A ratio and, where there is any, how far it is spread.

    ratio (float): The ratio.
    spread (Sequence[float]): The lowest and the highest, or nothing.
    RETURNS (str): Such as "1.50 (1.42–1.61)".
    """
    ends = [f"{end:.2f}" for end in spread]
    return f"{ratio:.2f}" + (f" ({'–'.join(ends)})" if len(set(ends)) > 1 else "")


def _render_ratios(data: Dict[str, Any], peer: str) -> str:
    said = []
    for found in data["ratios"]:
        if found["peer"] == peer:
            parts = [
                f"{key} {format_ratio(value, found['spread'][key])}"
                for key, value in found["ratio"].items()
            ]
            said.append(f"{', '.join(parts)} × {found['to']}")
    return "; ".join(said)


def _number(value: float, key: str) -> str:
    if key in ("f1", "precision", "recall"):
        return f"{value:.1f}"
    return f"{value:,.0f}" if value >= 10 else f"{value:.3f}"
