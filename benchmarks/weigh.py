"""Speed and memory of weighing: the arrays up to 10 million tokens, and whole files
beside a plain copy of them.

    python -m benchmarks.weigh

Writes weigh.json and weigh.md. The tokens are synthetic.
"""

import tempfile
import time
from pathlib import Path
from typing import Any, Dict, List, Optional

import numpy
import srsly
import typer
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_cbl.core.balance import balance
from spacy_cbl.core.weighting import frequency, settle, window
from spacy_cbl.data.arrays import CorpusArrays, read_corpus_arrays
from spacy_cbl.data.docbin import read_docs, write_docs
from spacy_cbl.training.schemes import get_scheme
from spacy_cbl.training.weigh import attach_weights, compute_weights

from . import options
from .peers import compare, describe, describe_machine, format_ratio
from .processes import in_fresh_process, peak_mib, timed

SENT_LENGTH, DOC_LENGTH = 20, 300
RATIO = 0.15


def main(
    sizes: Optional[List[int]] = typer.Option(None, help="Tokens in memory"),
    file_sizes: Optional[List[int]] = typer.Option(None, help="Tokens in a file"),
    repeats: options.Repeats = None,
    quick: options.Quick = False,
    output: options.Output = None,
) -> None:
    """Measure and write the tables."""
    sizes = sizes or [10**5, 10**6] + [10**7] * (not quick)
    file_sizes = file_sizes or [10**5 if quick else 10**6]
    repeats = repeats or (2 if quick else 3)
    results = {
        "machine": describe_machine(),
        "repeats": repeats,
        "arrays": [in_fresh_process(measure_arrays, n) for n in sizes],
        "files": [measure_files(n, repeats) for n in file_sizes],
    }
    folder = options.make_folder(output, quick)
    srsly.write_json(folder / "weigh.json", results)
    (folder / "weigh.md").write_text(render(results), encoding="utf8")


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


def measure_files(n_tokens: int, repeats: int) -> Dict[str, Any]:
    """Weigh a file and copy it, in turn, each in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "partial.spacy", Path(folder) / "weighted.spacy"
        in_fresh_process(write_synthetic, source, n_tokens)
        runs: Dict[str, Any] = {"weigh": [], "copy": []}
        for _ in range(repeats):
            runs["weigh"].append(in_fresh_process(weigh_file, source, target))
            size = target.stat().st_size
            runs["copy"].append(in_fresh_process(copy_file, source, target))
    return {
        "tokens": n_tokens // DOC_LENGTH * DOC_LENGTH,
        "file_mib": size / 2**20,
        "runs": runs,
        **compare(runs, [("weigh", "copy")]),
    }


def weigh_file(source: Path, target: Path) -> Dict[str, float]:
    """What `spacy cbl weigh --scheme combined` does, its steps apart."""
    vocab = Vocab()
    start = time.perf_counter()
    corpus = read_corpus_arrays(lambda: read_docs(source, vocab), vocab)
    read = time.perf_counter()
    weights = compute_weights(corpus, get_scheme("combined"), RATIO)
    weighed = time.perf_counter()
    write_docs(target, attach_weights(corpus, weights))
    written = time.perf_counter()
    return {
        "seconds": written - start,
        "read into arrays": read - start,
        "weigh": weighed - read,
        "read again and write": written - weighed,
        "peak_mib": peak_mib(),
    }


def copy_file(source: Path, target: Path) -> Dict[str, float]:
    """Read documents and write them as they are."""
    start = time.perf_counter()
    write_docs(target, read_docs(source, Vocab()))
    return {"seconds": time.perf_counter() - start, "peak_mib": peak_mib()}


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


def render(results: Dict[str, Any]) -> str:
    lines = [
        "# Weighing: speed and memory",
        "",
        "Written by `python -m benchmarks.weigh`; the figures are those of weigh.json. "
        f"{describe(results['machine'])}.",
        "",
        "## Arrays",
        "",
        f"Synthetic tokens in sentences of {SENT_LENGTH}. Seconds, medians of five "
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
        f"Documents of {DOC_LENGTH} tokens. Reading and writing are spaCy's DocBin; "
        "the ratios are to reading and writing the same file without weighing. Medians "
        f"of {results['repeats']} interleaved runs.",
        "",
        "| tokens | read into arrays, tokens/s | weigh, tokens/s "
        "| read again and write, tokens/s | peak MiB | file MiB | seconds × copy "
        "| memory × copy |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in results["files"]:
        found, n = row["medians"]["weigh"], row["tokens"]
        (copy,) = row["ratios"]
        ratios, spreads = copy["ratio"], copy["spread"]
        lines.append(
            f"| {n:,} | {n / found['read into arrays']:,.0f} "
            f"| {n / found['weigh']:,.0f} | {n / found['read again and write']:,.0f} "
            f"| {found['peak_mib']:,.0f} | {row['file_mib']:,.1f} "
            f"| {format_ratio(ratios['seconds'], spreads['seconds'])} "
            f"| {format_ratio(ratios['peak_mib'], spreads['peak_mib'])} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    typer.run(main)
