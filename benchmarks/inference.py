"""Inference: speed, memory and exactness, beside a sort and beside naive HiGHS.

    python -m benchmarks.inference
    python -m benchmarks.inference --corpus FOLDER

Writes inference.json and inference.md. Without a corpus the tables are of synthetic
tokens alone.
"""

import time
from pathlib import Path
from statistics import median
from typing import Any, Dict, List, Tuple

import numpy
import spacy
import srsly
import typer

from spacy_cbl.core.ratio import score_held_out, token_features
from spacy_cbl.data.arrays import read_corpus_arrays
from spacy_cbl.data.docbin import read_docs
from spacy_cbl.inference import Tokens, infer
from spacy_cbl.inference.constraints import (
    Affix,
    Capitalization,
    EntityRatio,
    KeepLabelled,
    OutsidePunctuation,
    SurfaceConsistency,
)
from spacy_cbl.inference.problem import Constraint, build_problem

from . import options
from .corpora import open_corpus
from .exponent import fit_exponent
from .inference_tables import render
from .naive_highs import solve_naively
from .peers import describe_machine
from .processes import in_fresh_process, peak_mib, seconds_of
from .weigh import zipfian

SIZES = [10_000, 100_000, 200_000, 1_000_000, 3_000_000, 10_000_000]
NAIVE_SIZES = [1000, 2000, 5000, 10_000, 20_000]
NAIVE_SIX_SIZES = [500, 1000, 2000, 5000]
ENGLISH = 203_621
LIMIT = 60.0
REPEATS = 7

Data = Tuple[Tokens, numpy.ndarray, numpy.ndarray]


def main(
    corpus: options.Corpus = None,
    quick: options.Quick = False,
    output: options.Output = None,
) -> None:
    """Measure and write the tables."""
    most, naive_most = (1_000_000, 2000) if quick else (SIZES[-1], NAIVE_SIZES[-1])
    base = [in_fresh_process(measure_base, n) for n in SIZES if n <= most]
    naive, naive_six = (
        [n for n in sizes if n <= naive_most]
        for sizes in (NAIVE_SIZES, NAIVE_SIX_SIZES)
    )
    results: Dict[str, Any] = {
        "machine": describe_machine(),
        "repeats": REPEATS,
        "limit": LIMIT,
        "base": base,
        "exponent": fit_base(base),
        "naive": [measure_naive(n, base_constraints()) for n in naive],
        "naive_six": [measure_naive(n, six_constraints(0.15)) for n in naive_six],
        "six": [measure_six("synthetic", *make_data(ENGLISH), ratios=[0.12, 0.15])],
    }
    if corpus is not None:
        with open_corpus(corpus) as folder:
            tokens, c0, c1, gold_ratio = read_data(folder)
        start = float(tokens.labelled.mean()) + 0.02
        ratios = sorted({round(start, 4), 0.15, round(gold_ratio, 4)})
        results["six"].append(measure_six("corpus", tokens, c0, c1, ratios=ratios))
    target = options.make_folder(output, quick)
    srsly.write_json(target / "inference.json", results)
    (target / "inference.md").write_text(render(results), encoding="utf8")


def base_constraints(ratio: float = 0.15) -> List[Constraint]:
    """Those of the paper."""
    return [EntityRatio(ratio, 0.001), KeepLabelled(0.99)]


def six_constraints(ratio: float) -> List[Constraint]:
    return [
        *base_constraints(ratio),
        OutsidePunctuation(0.99),
        SurfaceConsistency(0.9),
        Capitalization(0.99),
        Affix((), ("ing", "ed", "ly"), 0.98),
    ]


def make_data(n_tokens: int, seed: int = 0) -> Data:
    """Forms as in text; scores that know most of the entities."""
    rng = numpy.random.default_rng(seed)
    ids = zipfian(n_tokens, rng)
    _, ids = numpy.unique(ids, return_inverse=True)
    ids = ids.astype(numpy.int32)
    ends = ["", "ing", "ed", "x", "y", "z"]
    forms = [f"{'aaAA.'[i % 5]}{i}{ends[i % 6]}" for i in range(int(ids.max()) + 1)]
    is_name = rng.random(len(forms)) < numpy.array([f[0] == "A" for f in forms]) / 3
    is_entity = is_name[ids]
    labelled = is_entity & (rng.random(n_tokens) < 0.5)
    logits = rng.normal(size=n_tokens)
    logits += 4 * is_entity - 2.5
    c0, c1 = -numpy.logaddexp(0, logits), -numpy.logaddexp(0, -logits)
    none = numpy.zeros(n_tokens, dtype=bool)
    return Tokens(forms, ids, labelled, none, none), c0, c1


def make_base_data(n_tokens: int) -> Data:
    """Tokens of one form, made piece by piece so that making them takes little."""
    rng = numpy.random.default_rng(0)
    labelled = rng.random(n_tokens, dtype=numpy.float32) < 0.1
    c0 = numpy.empty(n_tokens)
    c1 = numpy.empty(n_tokens)
    for start in range(0, n_tokens, 100_000):
        part = slice(start, start + 100_000)
        logits = rng.normal(size=len(c0[part])) + 3 * labelled[part] - 2
        c0[part] = -numpy.logaddexp(0, logits)
        c1[part] = -numpy.logaddexp(0, -logits)
    # Written to, or they would take no memory.
    none = numpy.full(n_tokens, False)
    ids = numpy.full(n_tokens, 0, dtype=numpy.int32)
    return Tokens(["a"], ids, labelled, none, none), c0, c1


def measure_base(n_tokens: int) -> Dict[str, Any]:
    """Run in a process of its own, for its memory."""
    infer(*make_base_data(1000), base_constraints())
    before = peak_mib()
    data = make_base_data(n_tokens)
    with_data = peak_mib()
    infer(*data, base_constraints())
    after = peak_mib()
    _, c0, c1 = data
    sorts, runs = [], []
    for _ in range(REPEATS):
        sorts.append(seconds_of(lambda: numpy.argsort(c1 - c0)))
        runs.append(seconds_of(lambda: infer(*data, base_constraints())))
    return {
        "tokens": n_tokens,
        "argsort_seconds": median(sorts),
        "seconds": median(runs),
        "ratio": median(runs) / median(sorts),
        "spread": [f(a / b for a, b in zip(runs, sorts)) for f in (min, max)],
        "peak_mib": after,
        "bytes_per_token": (after - before) * 2**20 / n_tokens,
        "bytes_per_token_of_inputs": (with_data - before) * 2**20 / n_tokens,
    }


def fit_base(rows: List[Dict[str, Any]]) -> Dict[str, float]:
    """The exponent of seconds over tokens, beside that of n log n."""
    large = [row for row in rows if row["tokens"] >= 100_000]
    n = numpy.array([float(row["tokens"]) for row in large])
    seconds = [row["seconds"] for row in large]
    return {
        "measured": fit_exponent(n, seconds),
        "n log n": fit_exponent(n, n * numpy.log(n)),
    }


def measure_naive(n_tokens: int, constraints: List[Constraint]) -> Dict[str, Any]:
    tokens, c0, c1 = make_data(n_tokens)
    # A window of less than one token has no solution.
    constraints = [EntityRatio(0.15, max(0.001, 1 / n_tokens)), *constraints[1:]]
    solution = infer(tokens, c0, c1, constraints)
    problem = build_problem(tokens, c0, c1, constraints)
    start = time.perf_counter()
    status, worth = solve_naively(problem, LIMIT)
    seconds = time.perf_counter() - start
    objective = None if worth is None else float(c0.sum()) + worth
    return {
        "tokens": n_tokens,
        "naive_status": status,
        "naive_seconds": seconds,
        "naive_objective": objective,
        "status": solution.status,
        "seconds": solution.seconds,
        "objective": solution.objective,
        "difference": None if objective is None else solution.objective - objective,
    }


def measure_six(
    name: str,
    tokens: Tokens,
    c0: numpy.ndarray,
    c1: numpy.ndarray,
    ratios: List[float],
) -> Dict[str, Any]:
    runs = []
    for ratio in ratios:
        solution = infer(tokens, c0, c1, six_constraints(ratio), time_limit=LIMIT)
        runs.append(
            {
                "ratio": ratio,
                "status": solution.status,
                "gap": solution.gap,
                "seconds": solution.seconds,
                "n_core": solution.n_core,
                "objective": solution.objective,
                "positives": int(solution.labels.sum()),
            }
        )
    return {
        "data": name,
        "tokens": len(tokens),
        "forms": len(tokens.forms),
        "runs": runs,
    }


def read_data(folder: Path) -> Tuple[Tokens, numpy.ndarray, numpy.ndarray, float]:
    """Scores of a logistic regression on shape, affixes and context, held out."""
    vocab = spacy.blank("xx").vocab
    corpus = read_corpus_arrays(
        lambda: read_docs(folder / "partial.spacy", vocab),
        vocab,
        gold=lambda: read_docs(folder / "train.spacy", vocab),
    )
    words = [corpus.forms[i] for i in corpus.token_ids]
    features = token_features(words, corpus.sent_starts)
    folds = (numpy.cumsum(corpus.sent_starts) - 1) // 10 % 3
    scores = score_held_out(features, corpus.is_entity, folds)
    scores = numpy.clip(scores, 1e-6, 1 - 1e-6)
    assert corpus.gold_is_entity is not None
    ratio = float(corpus.gold_is_entity.mean())
    tokens = Tokens.from_corpus(corpus)
    return tokens, numpy.log1p(-scores), numpy.log(scores), ratio


if __name__ == "__main__":
    typer.run(main)
