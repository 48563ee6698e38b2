"""Run peers in processes of their own and compare them."""

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Dict, List

import srsly
from tqdm import tqdm
from wasabi import msg

PACKAGES = [
    "spacy",
    "thinc",
    "numpy",
    "blis",
    "torch",
    "transformers",
    "pytorch-crf",
    "spacy-cbl",
]
THREAD_VARIABLES = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"]


def one_thread() -> None:
    """Keep torch, where it is there, to one thread as well."""
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


def report(result: Dict[str, Any]) -> None:
    """Hand the result of a peer, with its peak memory, to the process above."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write("\n" + json.dumps({**result, "peak_mib": peak}) + "\n")


def run_peers(
    module: str,
    peers: List[str],
    arguments: List[str],
    repeats: int,
    output: Path,
    title: str,
    baselines: Dict[str, str],
) -> None:
    """Run each peer several times, in turn, and write medians, spreads and ratios.

    module (str): The module to run with `--peer NAME`.
    peers (List[str]): The names of the peers.
    arguments (List[str]): Further arguments of the module.
    repeats (int): How often each peer runs.
    output (Path): Where to write, less the suffixes .json and .md.
    title (str): Title of the table.
    baselines (Dict[str, str]): What to divide each peer by.
    """
    runs: Dict[str, List[Dict[str, float]]] = {peer: [] for peer in peers}
    for _, peer in tqdm([(r, p) for r in range(repeats) for p in peers], disable=None):
        result = run_peer(module, peer, arguments)
        if result is not None:
            runs[peer].append(result)
    medians = {
        peer: {key: statistics.median(r[key] for r in results) for key in results[0]}
        for peer, results in runs.items()
        if results
    }
    ratios = {
        peer: {
            "to": base,
            **{k: medians[peer][k] / v for k, v in medians[base].items()
               if k in medians[peer]},
        }
        for peer, base in baselines.items()
        if peer in medians and base in medians
    }  # fmt: skip
    data = {
        "title": title,
        "machine": describe_machine(),
        "repeats": repeats,
        "runs": runs,
        "medians": medians,
        "ratios": ratios,
    }
    output.parent.mkdir(parents=True, exist_ok=True)
    srsly.write_json(output.with_suffix(".json"), data)
    output.with_suffix(".md").write_text(render(data), encoding="utf8")
    msg.good("Wrote", f"{output}.json, {output}.md")


def run_peer(
    module: str,
    peer: str,
    arguments: List[str],
    python: str = sys.executable,
    threads: int = 1,
) -> Any:
    """Run a peer.

    module (str): The module to run with `--peer NAME`.
    peer (str): The name of the peer.
    arguments (List[str]): Further arguments of the module.
    python (str): The interpreter of its environment.
    threads (int): How many threads it may use.
    RETURNS (Any): Its result; None if it did not run.
    """
    env = {**os.environ, **{name: str(threads) for name in THREAD_VARIABLES}}
    ran = subprocess.run(
        [python, "-m", module, "--peer", peer, *arguments],
        capture_output=True,
        text=True,
        env=env,
    )
    if ran.returncode:
        last = ran.stderr.strip().splitlines()[-1:] or ["no message"]
        msg.warn(f"'{peer}' did not run", last[0])
        return None
    return json.loads(ran.stdout.strip().splitlines()[-1])


def describe_machine() -> Dict[str, Any]:
    """The processor and the versions that a result belongs to."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "versions": versions,
    }


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
        ratio = data["ratios"].get(peer)
        said = ""
        if ratio:
            parts = [f"{k} {v:.2f}" for k, v in ratio.items() if k != "to"]
            said = f"{', '.join(parts)} × {ratio['to']}"
        rows.append([peer, *cells, said])
    machine = data["machine"]
    versions = ", ".join(f"{k} {v}" for k, v in machine["versions"].items())
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    n = data["repeats"]
    said = f"Medians of {n} interleaved runs" if n > 1 else "One run each"
    said += f"; {machine['processor']}, Python {machine['python']}, {versions}."
    return f"# {data['title']}\n\n{table}\n\n{said}\n"


def _number(value: float, key: str) -> str:
    if key in ("f1", "precision", "recall"):
        return f"{value:.1f}"
    return f"{value:,.0f}" if value >= 10 else f"{value:.3f}"
