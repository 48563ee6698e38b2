"""Speed and memory of weighing: the arrays up to 10 million tokens, files apart.

    python benchmarks/weigh.py

Writes results/weigh.json and results/weigh.md beside this file.
"""

import os
import platform
import resource
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

import numpy
import spacy
import srsly
import typer
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_cbl.core.balance import balance
from spacy_cbl.core.weighting import frequency, settle, window
from spacy_cbl.training.arrays import CorpusArrays, read_corpus_arrays
from spacy_cbl.training.docbin import read_docs, write_docs
from spacy_cbl.training.schemes import get_scheme
from spacy_cbl.training.weigh import attach_weights, compute_weights

RESULTS = Path(__file__).parent / "results"
SENT_LENGTH, DOC_LENGTH = 20, 300
RATIO = 0.15


def main(
    sizes: Optional[List[int]] = typer.Option(None, help="Tokens in memory"),
    file_sizes: Optional[List[int]] = typer.Option(None, help="Tokens in a file"),
) -> None:
    """Measure and write the tables."""
    arrays = [
        in_fresh_process(measure_arrays, n) for n in sizes or [10**5, 10**6, 10**7]
    ]
    files = [in_fresh_process(measure_files, n) for n in file_sizes or [10**6, 10**7]]
    machine = {
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "spacy": spacy.__version__,
        "machine": platform.machine(),
        "cores": os.cpu_count(),
    }
    RESULTS.mkdir(exist_ok=True)
    results = {"machine": machine, "arrays": arrays, "files": files}
    srsly.write_json(RESULTS / "weigh.json", results)
    (RESULTS / "weigh.md").write_text(render(results), encoding="utf8")


def in_fresh_process(function: Callable, *args: Any) -> Any:
    """Peak memory is that of a process, so each measurement has its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *args).result()


def measure_arrays(n_tokens: int) -> Dict[str, Any]:
    rng = numpy.random.default_rng(0)
    is_entity = rng.random(n_tokens) < 0.1
    trusted = (rng.random(n_tokens) < 0.001) & ~is_entity
    sent_starts = numpy.arange(n_tokens) % SENT_LENGTH == 0
    hashes = zipfian(n_tokens, rng).astype(numpy.uint64) * numpy.uint64(2**63 - 25)
    base_mib = peak_mib()
    start = time.perf_counter()
    orths, token_ids = numpy.unique(hashes, return_inverse=True)
    seconds = {"index": time.perf_counter() - start}
    token_ids = token_ids.astype(numpy.int32)
    counts = numpy.bincount(token_ids)
    weights = frequency(token_ids, counts)
    seconds["frequency"] = timed(
        lambda: frequency(token_ids, numpy.bincount(token_ids))
    )
    seconds["window"] = timed(lambda: window(is_entity, sent_starts))
    seconds["settle"] = timed(lambda: settle(weights, is_entity | trusted))
    seconds["balance"] = timed(lambda: balance(is_entity, weights, RATIO, trusted))
    corpus = CorpusArrays(
        forms=[""] * len(orths),
        token_ids=token_ids,
        is_entity=is_entity,
        begins=is_entity,
        is_missing=numpy.zeros(n_tokens, dtype=bool),
        sent_starts=sent_starts,
        trusted=trusted,
        doc_lengths=numpy.full(n_tokens // DOC_LENGTH, DOC_LENGTH),
        docs=list,
    )
    scheme = get_scheme("combined")
    seconds["combined, all steps"] = timed(
        lambda: compute_weights(corpus, scheme, RATIO)
    )
    three = seconds["frequency"] + seconds["window"] + seconds["balance"]
    return {
        "tokens": n_tokens,
        "forms": len(orths),
        "seconds": {name: round(value, 5) for name, value in seconds.items()},
        "tokens_per_second": {
            "frequency + window + balance": round(n_tokens / three),
            "combined, all steps": round(n_tokens / seconds["combined, all steps"]),
        },
        "peak_mib": round(peak_mib()),
        "peak_mib_of_making_the_data": round(base_mib),
    }


def measure_files(n_tokens: int) -> Dict[str, Any]:
    vocab = Vocab()
    seconds: Dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder) / "partial.spacy", Path(folder) / "weighted.spacy"
        in_fresh_process(write_synthetic, source, n_tokens)
        start = time.perf_counter()
        corpus = read_corpus_arrays(lambda: read_docs(source, vocab), vocab)
        seconds["read into arrays"] = time.perf_counter() - start
        start = time.perf_counter()
        weights = compute_weights(corpus, get_scheme("combined"), RATIO)
        seconds["weigh"] = time.perf_counter() - start
        start = time.perf_counter()
        write_docs(output, attach_weights(corpus, weights))
        seconds["read again and write"] = time.perf_counter() - start
        size = output.stat().st_size
    return {
        "tokens": len(corpus),
        "docs": len(corpus.doc_lengths),
        "seconds": {name: round(value, 3) for name, value in seconds.items()},
        "tokens_per_second": {
            name: round(len(corpus) / value) for name, value in seconds.items()
        },
        "peak_mib": round(peak_mib()),
        "file_mib": round(size / 2**20, 1),
    }


def write_synthetic(path: Path, n_tokens: int) -> None:
    rng, vocab = numpy.random.default_rng(0), Vocab()
    starts = [i % SENT_LENGTH == 0 for i in range(DOC_LENGTH)]

    def make_docs():
        for _ in range(n_tokens // DOC_LENGTH):
            words = [f"w{k}" for k in zipfian(DOC_LENGTH, rng).tolist()]
            doc = Doc(vocab, words=words, sent_starts=starts)
            doc.set_ents(
                [
                    Span(doc, i, i + 2, label="X")
                    for i in range(3, DOC_LENGTH, SENT_LENGTH)
                ]
            )
            yield doc

    write_docs(path, make_docs())


def zipfian(n: int, rng: numpy.random.Generator) -> numpy.ndarray:
    """Forms as they are distributed in text: few common, many rare."""
    return rng.zipf(1.3, size=n) % 1_000_003


def timed(function: Callable[[], Any], repeat: int = 3) -> float:
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return best


def peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def render(results: Dict[str, Any]) -> str:
    machine = results["machine"]
    lines = [
        "# Weighing: speed and memory",
        "",
        "Written by `python benchmarks/weigh.py`; the figures are those of weigh.json.",
        f"Python {machine['python']}, numpy {machine['numpy']}, "
        f"spaCy {machine['spacy']}, {machine['machine']}, {machine['cores']} cores.",
        "",
        "## Arrays",
        "",
        f"Synthetic tokens in sentences of {SENT_LENGTH}. Seconds, the best of three "
        "runs (one for the index). Peak memory is that of the process, making the data "
        "included.",
        "",
        "| tokens | forms | index forms | frequency | window | balance "
        "| frequency + window + balance, tokens/s | combined, all steps, tokens/s "
        "| peak MiB |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in results["arrays"]:
        seconds, speed = row["seconds"], row["tokens_per_second"]
        lines.append(
            f"| {row['tokens']:,} | {row['forms']:,} | {seconds['index']:.3f} "
            f"| {seconds['frequency']:.3f} | {seconds['window']:.3f} "
            f"| {seconds['balance']:.3f} "
            f"| {speed['frequency + window + balance']:,} "
            f"| {speed['combined, all steps']:,} | {row['peak_mib']:,} |"
        )
    lines += [
        "",
        "## Files",
        "",
        f"Documents of {DOC_LENGTH} tokens. Reading and writing are spaCy's DocBin.",
        "",
        "| tokens | read into arrays, tokens/s | weigh, tokens/s "
        "| read again and write, tokens/s | peak MiB | file MiB |",
        "|--:|--:|--:|--:|--:|--:|",
    ]
    for row in results["files"]:
        speed = row["tokens_per_second"]
        lines.append(
            f"| {row['tokens']:,} | {speed['read into arrays']:,} "
            f"| {speed['weigh']:,} | {speed['read again and write']:,} "
            f"| {row['peak_mib']:,} | {row['file_mib']:,} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    typer.run(main)
