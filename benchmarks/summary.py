"""One table of what the suites found, from the JSON that they wrote.

`python -m benchmarks.summary [FOLDER]` writes README.md there anew.
"""

from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple

import srsly
import typer

from .options import RESULTS
from .peers import NOT_INSTALLED, describe, format_ratio

RUN = "run.json"  # what `python -m benchmarks` did
EMPTY = "–"
# What the peers of a suite are compared by.
RATIOS = {"train": "training speed", "predict": "prediction speed"}
SECONDS = {"seconds": "seconds"}


class Row(NamedTuple):
    """A row of the table."""

    compared: str
    ratio: str
    memory: str


def rows_of_peers(data: Dict[str, Any]) -> List[Row]:
    """Each peer beside its baselines."""
    return [
        _row(data, found, f"{found['peer']} beside {found['to']}")
        for found in data["ratios"]
    ]


def rows_of_weigh(data: Dict[str, Any]) -> List[Row]:
    """Weighing a file beside copying it."""
    return [
        _row(row, found, f"a file of {row['tokens']:,} tokens beside a copy of it")
        for row in data["files"]
        for found in row["ratios"]
    ]


def rows_of_inference(data: Dict[str, Any]) -> List[Row]:
    """The largest problem beside a sort, and beside naive HiGHS."""
    base, naive = data["base"][-1], data["naive"][-1]
    ratio = format_ratio(base["ratio"], base.get("spread", ()))
    faster = naive["naive_seconds"] / naive["seconds"]
    memory = f"{base['bytes_per_token']:.0f} bytes per token"
    return [
        Row(
            f"{base['tokens']:,} tokens beside `numpy.argsort`",
            f"seconds × {ratio}",
            memory,
        ),
        Row(
            f"{naive['tokens']:,} tokens beside naive HiGHS ({naive['naive_status']})",
            f"speed × {faster:,.0f}",
            EMPTY,
        ),
    ]


def rows_of_brown(data: Dict[str, Any]) -> List[Row]:
    """No ratio: there is no maintained trainer."""
    compared = f"{data['tokens']:,} tokens, {data['clusters']:,} clusters, no peer"
    return [Row(compared, EMPTY, f"{data['peak_mib']:,} MiB")]


def rows_of_scaling(data: Dict[str, Any]) -> List[Row]:
    """The exponent of each curve."""
    rows = []
    for name, curve in data["curves"].items():
        first, last = (curve["points"][i]["tokens"] for i in (0, -1))
        rows.append(
            Row(
                f"{name}, {first:,} to {last:,} tokens",
                f"seconds ~ n^{curve['exponent']:.2f}, "
                f"at the upper end n^{curve['upper_exponent']:.2f}",
                f"{curve['bytes_per_token']:,.0f} bytes per token",
            )
        )
    return rows


SUITES: Dict[str, Callable[[Dict[str, Any]], List[Row]]] = {
    "ner": rows_of_peers,
    "weigh": rows_of_weigh,
    "inference": rows_of_inference,
    "perceptron": rows_of_peers,
    "brown": rows_of_brown,
    "contextual": rows_of_peers,
    "cbl": rows_of_peers,
    "scaling": rows_of_scaling,
    "startup": rows_of_peers,
}


def summarize(folder: Path) -> str:
    """Make the table of all results in a folder.

    folder (Path): Where suites have written.
    RETURNS (str): Markdown.
    """
    found = {
        name: srsly.read_json(folder / f"{name}.json")
        for name in SUITES
        if (folder / f"{name}.json").exists()
    }
    run = srsly.read_json(folder / RUN) if (folder / RUN).exists() else {}
    lines = [
        "# Speed and memory",
        "",
        "Written by `python -m benchmarks`; the figures are those of the JSON files "
        "here, and each suite has a page of its own. Ratios are those of medians, in "
        "brackets the lowest and highest of runs side by side; they are to the second "
        "of the two that are compared: a speed above 1 is faster, seconds above 1 are "
        "slower.",
        "",
    ]
    if "corpus" in run:
        said = f"{run['corpus']}, {run['tokens']:,} tokens for training"
        lines += [f"Corpus of the last run, where a suite takes one: {said}.", ""]
    if run.get("busy"):
        lines += ["The machine was busy with other work.", ""]
    if run.get("quick"):
        lines += ["This was a quick run, on little data: do not quote it.", ""]
    lines += ["| suite | compared | ratio | memory |", "|---|---|---|---|"]
    for name, data in found.items():
        for row in SUITES[name](data):
            lines.append(f"| [{name}]({name}.md) | {' | '.join(row)} |")
    lines += ["", *_list_machines(found), *_list_missing(found, run)]
    return "\n".join(lines) + "\n"


def _row(data: Dict[str, Any], found: Dict[str, Any], compared: str) -> Row:
    ratios, spreads = found["ratio"], found["spread"]
    shown = RATIOS if any(key in ratios for key in RATIOS) else SECONDS
    said = {key: format_ratio(ratios[key], spreads[key]) for key in ratios}
    parts = [f"{text} × {said[key]}" for key, text in shown.items() if key in said]
    peak = data["medians"][found["peer"]]["peak_mib"]
    return Row(compared, ", ".join(parts), f"× {said['peak_mib']}, {peak:,.0f} MiB")


def _list_machines(found: Dict[str, Any]) -> List[str]:
    suites: Dict[str, List[str]] = {}
    for name, data in found.items():
        suites.setdefault(describe(data["machine"]), []).append(name)
    if len(suites) == 1:
        return [f"{machine}." for machine in suites]
    return [f"- {', '.join(names)}: {machine}." for machine, names in suites.items()]


def _list_missing(found: Dict[str, Any], run: Dict[str, Any]) -> List[str]:
    """What was left out, and what would be needed."""
    missing = [
        f"{name}: {needs}"
        for name, needs in run.get("left_out", {}).items()
        if name not in found  # by an earlier run
    ]
    for name, data in found.items():
        for peer, why in data.get("left_out", {}).items():
            extra = "transformers" if name == "contextual" else "bench"
            needs = f"needs the extra `{extra}`" if NOT_INSTALLED in why else why
            missing.append(f"{name}, {peer}: {needs}")
    missing += [f"{name}: failed" for name in run.get("failed", [])]
    if not missing:
        return []
    return ["", "Left out:", "", *(f"- {text}" for text in missing)]


def main(folder: Path = typer.Argument(RESULTS, exists=True)) -> None:
    """Write README.md in the folder."""
    (folder / "README.md").write_text(summarize(folder), encoding="utf8")


if __name__ == "__main__":
    typer.run(main)
