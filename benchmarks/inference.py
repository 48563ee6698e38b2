"""Inference: speed, memory and exactness, beside a sort and beside naive HiGHS.

    python -m benchmarks.inference
    python -m benchmarks.inference --corpus partial.spacy --gold gold.spacy

Writes results/inference.json and results/inference.md beside this file. Without a
corpus the tables are of synthetic tokens alone.
"""

import time
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, Dict, List, Optional, Tuple

import numpy
import spacy
import srsly
import typer

from spacy_cbl.core.ratio import score_held_out, token_features
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
from spacy_cbl.training.arrays import read_corpus_arrays
from spacy_cbl.training.docbin import read_docs
from tests.inference.oracles import solve_naively

from .inference_tables import render
from .peers import describe_machine
from .weigh import in_fresh_process, peak_mib, zipfian

RESULTS = Path(__file__).parent / "results"
SIZES = [10_000, 100_000, 200_000, 1_000_000, 3_000_000, 10_000_000]
NAIVE_SIZES = [1000, 2000, 5000, 10_000, 20_000]
NAIVE_SIX_SIZES = [500, 1000, 2000, 5000]
ENGLISH = 203_621
LIMIT = 60.0
REPEATS = 7

Data = Tuple[Tokens, numpy.ndarray, numpy.ndarray]


def main(
    corpus: Optional[Path] = typer.Option(None, help="Partially labelled .spacy file"),
    gold: Optional[Path] = typer.Option(None, help="The same, completely labelled"),
    max_tokens: int = typer.Option(SIZES[-1], help="Leave out larger sizes"),
) -> None:
    """Measure and write the tables."""
    base = [in_fresh_process(measure_base, n) for n in SIZES if n <= max_tokens]
    results: Dict[str, Any] = {
        "machine": {**describe_machine(), "highspy": version("highspy")},
        "repeats": REPEATS,
        "limit": LIMIT,
        "base": base,
        "exponent": fit_exponent(base),
        "naive": [measure_naive(n, base_constraints()) for n in NAIVE_SIZES],
        "naive_six": [measure_naive(n, six_constraints(0.15)) for n in NAIVE_SIX_SIZES],
        "six": [measure_six("synthetic", *make_data(ENGLISH), ratios=[0.12, 0.15])],
    }
    if corpus is not None:
        tokens, c0, c1, gold_ratio = read_data(corpus, gold)
        start = float(tokens.labelled.mean()) + 0.02
        ratios = sorted({round(start, 4), 0.15, round(gold_ratio, 4)})
        results["six"].append(measure_six("corpus", tokens, c0, c1, ratios=ratios))
    RESULTS.mkdir(exist_ok=True)
    srsly.write_json(RESULTS / "inference.json", results)
    (RESULTS / "inference.md").write_text(render(results), encoding="utf8")


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
        "bytes_per_token": (after - before) * 2**20 / n_tokens,
        "bytes_per_token_of_inputs": (with_data - before) * 2**20 / n_tokens,
    }


def seconds_of(function: Any) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def fit_exponent(rows: List[Dict[str, Any]]) -> Dict[str, float]:
    """The slope of log seconds over log tokens, beside that of n log n."""
    n = numpy.array([float(row["tokens"]) for row in rows])
    seconds = numpy.array([row["seconds"] for row in rows])
    large = n >= 100_000 if (n >= 100_000).sum() > 1 else n > 0
    x = numpy.log(n[large])
    slope = numpy.polyfit(x, numpy.log(seconds[large]), 1)[0]
    of_n_log_n = numpy.polyfit(x, numpy.log(n[large] * x), 1)[0]
    return {"measured": float(slope), "n log n": float(of_n_log_n)}


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


def read_data(
    path: Path, gold: Optional[Path]
) -> Tuple[Tokens, numpy.ndarray, numpy.ndarray, float]:
    """Scores of a logistic regression on shape, affixes and context, held out."""
    vocab = spacy.blank("xx").vocab
    corpus = read_corpus_arrays(
        lambda: read_docs(path, vocab),
        vocab,
        gold=None if gold is None else lambda: read_docs(gold, vocab),
    )
    words = [corpus.forms[i] for i in corpus.token_ids]
    features = token_features(words, corpus.sent_starts)
    folds = (numpy.cumsum(corpus.sent_starts) - 1) // 10 % 3
    scores = score_held_out(features, corpus.is_entity, folds)
    scores = numpy.clip(scores, 1e-6, 1 - 1e-6)
    truth = corpus.gold_is_entity
    ratio = 0.15 if truth is None else float(truth.mean())
    tokens = Tokens.from_corpus(corpus)
    return tokens, numpy.log1p(-scores), numpy.log(scores), ratio


if __name__ == "__main__":
    typer.run(main)
