"""How near `spacy cbl threshold` comes to the truth, for docs/inspect.md.

    python -m benchmarks.threshold "CoNLL English=partial.spacy,gold.spacy" \
        --vectors vectors/glove

Weighs partial corpora whose gold is known by CBL, with and without hiding entities.
Writes figures, no text, to docs/results/threshold.json as they come, and the table
between the markers of the page. Results that are there already are kept.
"""

import re
import time
from pathlib import Path
from typing import Any, Dict, List, Optional

import numpy
import srsly
import typer
from spacy.language import Language

from spacy_cbl.attrs import ensure_extensions
from spacy_cbl.core.threshold import Hidden, count_found
from spacy_cbl.models.fast_ops import use_fast_ops
from spacy_cbl.training.arrays import CorpusArrays, read_corpus_arrays
from spacy_cbl.training.docbin import read_docs
from spacy_cbl.training.schemes import get_scheme
from spacy_cbl.training.setup import make_vocab
from spacy_cbl.training.threshold import THRESHOLDS, foresee, pin_ratio
from spacy_cbl.training.weigh import compute_weights

DOCS = Path(__file__).parents[1] / "docs"
RESULTS = DOCS / "results" / "threshold.json"
TABLE = re.compile(r"(<!-- thresholds -->\n).*(<!-- end of thresholds -->)", re.DOTALL)
SHOWN = (0.01, 0.2, 0.5, 0.8, 0.95)


def main(
    corpora: List[str] = typer.Argument(None, help="NAME=PARTIAL.spacy,GOLD.spacy"),
    vectors: Optional[str] = None,
    lang: str = "en",
    n_folds: int = 3,
    refine: bool = False,
    seed: int = 0,
) -> None:
    """Foresee, look, write the table."""
    ensure_extensions()
    use_fast_ops(Language)
    rows = srsly.read_json(RESULTS) if RESULTS.exists() else []
    done = {(row["corpus"], row["refine"]) for row in rows}
    for corpus in corpora or []:
        name, _, paths = corpus.partition("=")
        if (name, refine) not in done:
            partial, gold = map(Path, paths.split(","))
            settings = {"vectors": vectors, "lang": lang, "seed": seed}
            measured = measure(partial, gold, n_folds, refine, **settings)
            rows.append({"corpus": name, "refine": refine, **measured})
            srsly.write_json(RESULTS, rows)
    page = DOCS / "inspect.md"
    text = page.read_text(encoding="utf8")
    page.write_text(TABLE.sub(rf"\1{render(rows)}\2", text), encoding="utf8")


def measure(
    partial: Path,
    gold: Path,
    n_folds: int,
    refine: bool,
    vectors: Optional[str],
    lang: str,
    seed: int,
) -> Dict[str, Any]:
    """What was foreseen of one corpus, and what is true."""
    vocab = make_vocab(None, vectors, lang)
    corpus = read_corpus_arrays(lambda: read_docs(partial, vocab), vocab)
    with_gold = read_corpus_arrays(lambda: read_docs(gold, vocab), vocab)
    scheme = get_scheme("cbl", {"refine": refine})
    start = time.perf_counter()
    outlook = foresee(corpus, scheme, n_folds=n_folds, seed=seed)
    seconds = time.perf_counter() - start
    ratio = float(with_gold.is_entity.mean())
    pin_ratio(scheme, corpus)
    weights = compute_weights(corpus, scheme)
    truth = look(corpus, with_gold, weights)
    return {
        "seed": seed,
        "folds": n_folds,
        "seconds": round(seconds, 1),
        "labelled_ratio": float(corpus.is_entity.mean()),
        "gold_ratio": ratio,
        "missed": truth.pop("missed"),
        "outlook": outlook.to_dict(),
        "truth": truth["thresholds"],
    }


def look(corpus: CorpusArrays, gold: CorpusArrays, weights: Any) -> Dict[str, Any]:
    """Precision and recall of the entities of gold that nobody labelled."""
    numbers = numpy.where(gold.is_entity, numpy.cumsum(gold.begins) - 1, -1)
    touched = numpy.unique(numbers[corpus.is_entity & gold.is_entity])
    is_missed = numpy.ones(int(numbers.max()) + 1, dtype=bool)
    is_missed[touched] = False
    places = numpy.where(is_missed, numpy.cumsum(is_missed) - 1, -1)
    whole = Hidden(
        weights=weights,
        scores=weights,
        free=~(corpus.is_entity | corpus.trusted),
        entities=numpy.where(numbers >= 0, places[numbers], -1),
        sent_starts=corpus.sent_starts,
    )
    rows = []
    for threshold in THRESHOLDS:
        counts = count_found([whole], threshold, "weights")
        suspects = counts.right + counts.others
        rows.append(
            {
                "threshold": threshold,
                "suspects": suspects,
                "recall": counts.found / counts.hidden,
                "precision": counts.right / max(suspects, 1),
            }
        )
    return {"missed": int(is_missed.sum()), "thresholds": rows}


def render(rows: List[Dict[str, Any]]) -> str:
    """A table of what was foreseen beside what is true."""
    lines = [
        "| corpus | missed, foreseen | true | threshold | suspects | true | precision "
        "| true | recall | true |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        name, pairs = row["corpus"], zip(row["outlook"]["thresholds"], row["truth"])
        missed = f"{row['outlook']['missed']:,.0f} | {row['missed']:,}"
        for foreseen, true in pairs:
            if foreseen["threshold"] in SHOWN:
                lines.append(f"| {name} | {missed} | {_cells(foreseen, true)} |")
                name, missed = "", " | "
    return "\n".join(lines) + "\n"


def _cells(foreseen: Dict[str, float], true: Dict[str, float]) -> str:
    cells = [f"{foreseen['threshold']:g}"]
    cells += [f"{row['suspects']:,.0f}" for row in (foreseen, true)]
    for name in ("precision", "recall"):
        cells += [f"{100 * row[name]:.0f}" for row in (foreseen, true)]
    return " | ".join(cells)


if __name__ == "__main__":
    typer.run(main)
