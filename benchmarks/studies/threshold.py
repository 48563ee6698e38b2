"""How near `spacy cbl threshold` comes to the truth, for docs/inspect.md.

    python -m benchmarks.studies.threshold "CoNLL English=partial.spacy,gold.spacy" \
        --vectors vectors/glove

Weighs partial corpora whose gold is known by CBL, with and without hiding entities. A
missed entity is one with a token that has no label.
Writes figures, no text, to docs/results/threshold.json as they come, and the table
between the markers of the page. Results that are there already are kept.
"""

import time
from pathlib import Path
from typing import Any, Dict, List, Optional

import numpy
import srsly
import typer
from spacy.language import Language

from spacy_cbl.core.threshold import Hidden, count_found, count_top
from spacy_cbl.data.arrays import CorpusArrays, read_corpus_arrays
from spacy_cbl.data.docbin import read_docs
from spacy_cbl.models.fast_ops import use_fast_ops
from spacy_cbl.training.schemes import get_scheme
from spacy_cbl.training.setup import make_vocab
from spacy_cbl.training.threshold import THRESHOLDS, TOPS, foresee, pin_ratio
from spacy_cbl.training.weigh import compute_weights

from .pages import DOCS, fill_page

RESULTS = DOCS / "results" / "threshold.json"
SHOWN = (0.5, 0.9)


def main(
    corpora: List[str] = typer.Argument(None, help="NAME=PARTIAL.spacy,GOLD.spacy"),
    vectors: Optional[str] = None,
    lang: str = "en",
    n_folds: int = 3,
    seed: int = 0,
) -> None:
    """Foresee, look, write the table."""
    use_fast_ops(Language)
    rows = srsly.read_json(RESULTS) if RESULTS.exists() else []
    done = {row["corpus"] for row in rows}
    for corpus in corpora or []:
        name, _, paths = corpus.partition("=")
        if name not in done:
            partial, gold = map(Path, paths.split(","))
            settings = {"vectors": vectors, "lang": lang, "seed": seed}
            measured = measure(partial, gold, n_folds, **settings)
            rows.append({"corpus": name, **measured})
            srsly.write_json(RESULTS, rows)
    fill_page("inspect.md", "thresholds", render(rows))


def measure(
    partial: Path,
    gold: Path,
    n_folds: int,
    vectors: Optional[str],
    lang: str,
    seed: int,
) -> Dict[str, Any]:
    """What was foreseen of one corpus, and what is true."""
    vocab = make_vocab(None, vectors, lang)
    corpus = read_corpus_arrays(lambda: read_docs(partial, vocab), vocab)
    with_gold = read_corpus_arrays(lambda: read_docs(gold, vocab), vocab)
    scheme = get_scheme("cbl")
    start = time.perf_counter()
    outlook = foresee(corpus, scheme, n_folds=n_folds, seed=seed)
    seconds = time.perf_counter() - start
    ratio = float(with_gold.is_entity.mean())
    pin_ratio(scheme, corpus)
    weights = compute_weights(corpus, scheme)
    truth = look(corpus, with_gold, weights, scheme.p_outside)
    return {
        "seed": seed,
        "folds": n_folds,
        "seconds": round(seconds, 1),
        "labelled_ratio": float(corpus.is_entity.mean()),
        "gold_ratio": ratio,
        "missed": truth.pop("missed"),
        "outlook": outlook.to_dict(),
        "truth": truth,
    }


def look(
    corpus: CorpusArrays, gold: CorpusArrays, weights: Any, scores: Any
) -> Dict[str, Any]:
    """Precision and recall of the entities of gold of which a token has no label."""
    numbers = numpy.where(gold.is_entity, numpy.cumsum(gold.begins) - 1, -1)
    numbers[corpus.is_entity] = -1
    _, places = numpy.unique(numbers, return_inverse=True)
    whole = Hidden(
        weights=weights,
        scores=scores,
        free=~(corpus.is_entity | corpus.trusted),
        entities=places - 1,  # the first is that of no entity
        sent_starts=corpus.sent_starts,
    )
    thresholds = []
    for threshold in THRESHOLDS:
        counts = count_found([whole], threshold, "weights")
        suspects = counts.right + counts.others
        thresholds.append(
            {
                "threshold": threshold,
                "suspects": suspects,
                "recall": counts.found / counts.hidden,
                "precision": counts.right / max(suspects, 1),
            }
        )
    return {
        "missed": int(places.max()),
        "thresholds": thresholds,
        "tops": [row._asdict() for row in count_top(whole, TOPS)],
    }


def render(rows: List[Dict[str, Any]]) -> str:
    """A table of what was foreseen beside what is true."""
    lines = [
        "| corpus | missed, foreseen | true | at most | suspects | precision | belief "
        "| true | recall | true |",
        "|---|--:|--:|--:|---|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        outlook, truth = row["outlook"], row["truth"]
        missed = f"{outlook['missed']:,.0f} | {row['missed']:,}"
        head = f"{row['corpus']} | {missed} | {outlook['missed_bound']:,.0f}"
        true_tops = {true["top"]: true for true in truth["tops"]}
        for foreseen in outlook["tops"]:
            if foreseen["top"] in true_tops:
                cells = _cells(foreseen, true_tops[foreseen["top"]])
                lines.append(f"| {head} | first {foreseen['top']:,} | {cells} |")
                head = " |  |  | "
        for foreseen, true in zip(outlook["thresholds"], truth["thresholds"]):
            if foreseen["threshold"] in SHOWN:
                what = f"weight below {foreseen['threshold']:g}: "
                what += f"{foreseen['suspects']:,.0f} (true: {true['suspects']:,.0f})"
                lines.append(f"| {head} | {what} | {_cells(foreseen, true)} |")
                head = " |  |  | "
    return "\n".join(lines) + "\n"


def _cells(foreseen: Dict[str, float], true: Dict[str, float]) -> str:
    shares = [foreseen["precision"], foreseen["belief"], true["precision"]]
    shares += [foreseen["recall"], true["recall"]]
    return " | ".join(f"{100 * share:.0f}" for share in shares)


if __name__ == "__main__":
    typer.run(main)
