"""Time and memory of Brown clusters on one core.

    python -m benchmarks.brown

Writes brown.json and brown.md. There is no maintained trainer to compare with, so the
figures are absolute. The text is drawn from a hidden
Markov chain over classes of words, so that it is also known what to find.
"""

import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any, Dict, List, Optional

import numpy
import srsly
import typer

from spacy_cbl.data.brown import train_clusters

from . import options
from .peers import describe, describe_machine
from .processes import in_fresh_process, is_busy, peak_mib

SENT_LENGTH = 20


def main(
    tokens: int = 5_000_000,
    types: int = 200_000,
    classes: int = 100,
    clusters: int = 1000,
    min_count: int = 3,
    text: Optional[Path] = typer.Option(None, help="Corpus to use (.spacy or .txt)"),
    quick: options.Quick = False,
    output: options.Output = None,
) -> None:
    """Train once and write the figures."""
    busy = is_busy()
    if quick:
        tokens, types, classes, clusters = 300_000, 20_000, 50, 200
    with tempfile.TemporaryDirectory() as work:
        path, found = text or Path(work) / "text.txt", Path(work) / "clusters.tsv"
        if text is None:
            write_synthetic(path, tokens, types, classes)
        figures = in_fresh_process(measure, path, found, clusters, min_count)
        if text is None:
            figures["purity"] = get_purity(found, classes)
    results = {
        "machine": describe_machine(),
        "threads": 1,
        "busy machine": busy,  # when we began
        "text": "given" if text else f"synthetic: {classes} classes, {types} types",
        "min_count": min_count,
        **figures,
    }
    folder = options.make_folder(output, quick)
    srsly.write_json(folder / "brown.json", results)
    (folder / "brown.md").write_text(render(results), encoding="utf8")


def measure(path: Path, output: Path, clusters: int, min_count: int) -> Dict[str, Any]:
    start, start_cpu = time.perf_counter(), time.process_time()
    figures = train_clusters(path, output, clusters, min_count=min_count)
    figures["seconds"] = round(time.perf_counter() - start, 1)
    # What is left of the seconds on an idle machine.
    figures["cpu_seconds"] = round(time.process_time() - start_cpu, 1)
    return {**figures, "peak_mib": round(peak_mib())}


def write_synthetic(path: Path, n_tokens: int, n_types: int, n_classes: int) -> None:
    """Write sentences of a hidden Markov chain. Word i is of class i % n_classes."""
    rng = numpy.random.default_rng(0)
    follows = rng.dirichlet(numpy.full(n_classes, 0.1), n_classes).cumsum(axis=1)
    states = rng.integers(n_classes, size=(n_tokens // SENT_LENGTH, SENT_LENGTH))
    for i in range(1, SENT_LENGTH):
        drawn = rng.random((len(states), 1))
        reached = (follows[states[:, i - 1]] < drawn).sum(axis=1)
        states[:, i] = numpy.minimum(reached, n_classes - 1)
    frequencies = 1 / (numpy.arange(n_types) + 2.7)  # the law of Zipf and Mandelbrot
    words = numpy.empty_like(states)
    for c in range(n_classes):
        cumulative = frequencies[c::n_classes].cumsum()
        drawn = rng.random(numpy.count_nonzero(states == c)) * cumulative[-1]
        words[states == c] = numpy.searchsorted(cumulative, drawn) * n_classes + c
    with path.open("w", encoding="utf8") as file:
        for sentence in words.tolist():
            file.write(" ".join(f"w{word}" for word in sentence) + "\n")


def get_purity(path: Path, n_classes: int) -> Dict[str, float]:
    """The share of tokens, and of words, of the commonest class of their cluster."""
    tokens: Dict[str, List[int]] = defaultdict(lambda: [0] * n_classes)
    words: Dict[str, List[int]] = defaultdict(lambda: [0] * n_classes)
    for line in path.read_text(encoding="utf8").splitlines():
        bits, word, count = line.split("\t")
        tokens[bits][int(word[1:]) % n_classes] += int(count)
        words[bits][int(word[1:]) % n_classes] += 1
    return {
        name: sum(map(max, table.values())) / sum(map(sum, table.values()))
        for name, table in (("tokens", tokens), ("words", words))
    }


def render(results: Dict[str, Any]) -> str:
    busy = "was busy with other work" if results["busy machine"] else "was idle"
    lines = [
        "# Brown clusters: time and memory",
        "",
        "| tokens | words | clusters | seconds | of them CPU | peak MiB | bits "
        "| longest path |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|",
        f"| {results['tokens']:,} | {results['words']:,} | {results['clusters']:,} "
        f"| {results['seconds']:,} | {results['cpu_seconds']:,} "
        f"| {results['peak_mib']:,} "
        f"| {results['information']:.3f} | {results['longest_path']} |",
        "",
        f"Text: {results['text']}; words that occur {results['min_count']} times or "
        "more. Reading and writing are included; bits are the mutual information of "
        "neighbouring clusters.",
    ]
    if "purity" in results:
        purity = results["purity"]
        lines.append(
            f"{purity['tokens']:.2%} of tokens and {purity['words']:.2%} of words are "
            "of the commonest class of their cluster."
        )
    lines += [
        "",
        f"One thread; the machine {busy}; {describe(results['machine'])}.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    typer.run(main)
