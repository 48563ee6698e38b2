"""The tables of `benchmarks.inference` in Markdown."""

from typing import Any, Dict, List

from .peers import describe


def render(results: Dict[str, Any]) -> str:
    """All tables.

    results (Dict[str, Any]): What was measured.
    RETURNS (str): Markdown.
    """
    machine = results["machine"]
    lines = [
        "# Inference: speed, memory, exactness",
        "",
        "Written by `python -m benchmarks.inference` (with `--corpus` for the last "
        f"rows); the figures are those of inference.json. {describe(machine)}.",
        "",
        *render_base(results),
        "",
        "## Beside naive HiGHS",
        "",
        f"Naive: the whole problem as one model, {results['limit']:.0f} seconds at "
        "most. The difference is our objective less that of HiGHS.",
    ]
    for title, key in (("Two constraints", "naive"), ("All six", "naive_six")):
        lines += render_naive(title, results[key])
    lines += ["", "## All six constraints", "", *render_six(results["six"])]
    return "\n".join(lines) + "\n"


def render_base(results: Dict[str, Any]) -> List[str]:
    lines = [
        "## The paper's problem (EntityRatio, KeepLabelled)",
        "",
        f"Medians of {results['repeats']} runs, each after one `numpy.argsort` of the "
        "same scores. Memory is the peak of a fresh process above what it had before "
        "the data was made, so the inputs are included; below a million tokens it is "
        "that of the libraries.",
        "",
        "| tokens | argsort, s | inference, s | × argsort | bytes/token "
        "| inputs alone |",
        "|--:|--:|--:|--:|--:|--:|",
    ]
    for row in results["base"]:
        memory = ["", ""]
        if row["tokens"] >= 1_000_000:
            keys = ("bytes_per_token", "bytes_per_token_of_inputs")
            memory = [f"{row[key]:.0f}" for key in keys]
        lines.append(
            f"| {row['tokens']:,} | {row['argsort_seconds']:.4f} "
            f"| {row['seconds']:.4f} | {row['ratio']:.2f} | {memory[0]} | {memory[1]} |"
        )
    exponent = results["exponent"]
    said = f"From 100,000 tokens on, seconds grow as n^{exponent['measured']:.2f} "
    return [*lines, "", said + f"(n log n: n^{exponent['n log n']:.2f})."]


def render_naive(title: str, rows: List[Dict[str, Any]]) -> List[str]:
    lines = [
        "",
        f"| {title}: tokens | naive, s | naive status | inference, s | status "
        "| difference |",
        "|--:|--:|---|--:|---|--:|",
    ]
    for row in rows:
        difference = row["difference"]
        said = "no solution" if difference is None else f"{difference:.1e}"
        lines.append(
            f"| {row['tokens']:,} | {row['naive_seconds']:.2f} | {row['naive_status']} "
            f"| {row['seconds']:.3f} | {row['status']} | {said} |"
        )
    return lines


def render_six(tables: List[Dict[str, Any]]) -> List[str]:
    lines = [
        "| data | tokens | forms | ratio | status | gap | seconds | core for HiGHS |",
        "|---|--:|--:|--:|---|--:|--:|--:|",
    ]
    for table in tables:
        for run in table["runs"]:
            lines.append(
                f"| {table['data']} | {table['tokens']:,} | {table['forms']:,} "
                f"| {run['ratio']} | {run['status']} | {run['gap']:.1e} "
                f"| {run['seconds']:.2f} | {run['n_core']:,} |"
            )
    return lines
