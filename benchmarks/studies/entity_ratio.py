"""How near the estimate of the entity ratio comes, for docs/entity-ratio.md.

    python -m benchmarks.studies.entity_ratio English=eng.spacy German=deu.spacy

Takes completely annotated files and perturbs them. Writes figures, no text, to
docs/results/entity-ratio.json as they come, and the tables between the markers of the
page. Results that are there already are kept.
"""

import tempfile
from math import log, sqrt
from pathlib import Path
from typing import Any, Dict, List

import srsly
import typer
from tqdm import tqdm

from spacy_cbl.data.perturb import PerturbOptions, perturb
from spacy_cbl.data.stats import corpus_stats

from .pages import DOCS, fill_page

RESULTS = DOCS / "results" / "entity-ratio.json"
SETTINGS = [(0.5, 0.9), (0.5, 1.0), (0.3, 1.0), (0.7, 1.0)]
ESTIMATORS = ["top", "e1", "e2", "e3"]
FLAT = 0.15


def main(
    corpora: List[str] = typer.Argument(None, help="NAME=FILE.spacy"), seed: int = 0
) -> None:
    """Perturb, estimate, write the tables."""
    rows = srsly.read_json(RESULTS) if RESULTS.exists() else []
    done = {(row["corpus"], row["recall"], row["precision"]) for row in rows}
    cells = [(c, s) for s in SETTINGS for c in corpora or []]
    for corpus, (recall, precision) in tqdm(cells, disable=None):
        name, _, path = corpus.partition("=")
        if (name, recall, precision) not in done:
            rows.append({"corpus": name, **measure(path, recall, precision, seed)})
            RESULTS.parent.mkdir(parents=True, exist_ok=True)
            srsly.write_json(RESULTS, rows)
    fill_page("entity-ratio.md", "tables", render(rows))


def measure(path: str, recall: float, precision: float, seed: int) -> Dict[str, Any]:
    """The estimate on one perturbed corpus."""
    options = PerturbOptions(recall=recall, precision=precision)
    with tempfile.TemporaryDirectory() as folder:
        partial = Path(folder) / "partial.spacy"
        reached = perturb(Path(path), partial, options, seed)
        (stats,) = corpus_stats([partial], with_estimate=True, seed=seed)
    assert stats.estimate is not None
    return {
        "recall": recall,
        "precision": precision,
        "seed": seed,
        "gold": reached["gold_entity_ratio"],
        "labelled": stats.ratio,
        "std": stats.estimate.std,
        "estimates": stats.estimate.by_estimator,
    }


def render(rows: List[Dict[str, Any]]) -> str:
    """A table of the paper's setting, and the errors of all settings."""
    lines = [
        "| corpus | gold | labelled | top | ± | e1 | e2 | e3 |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        if (row["recall"], row["precision"]) == SETTINGS[0]:
            top, e1, e2, e3 = (row["estimates"][name] for name in ESTIMATORS)
            figures = [row["gold"], row["labelled"], top, row["std"], e1, e2, e3]
            cells = " | ".join(f"{100 * figure:.1f}" for figure in figures)
            lines.append(f"| {row['corpus']} | {cells} |")
    lines += [
        "",
        "| recall | precision | corpora | top | e1 | e2 | e3 | flat 15% |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for recall, precision in SETTINGS:
        here = [r for r in rows if (r["recall"], r["precision"]) == (recall, precision)]
        if here:
            errors = [f"{_error(here, name):.2f}" for name in (*ESTIMATORS, "flat")]
            cells = " | ".join([str(len(here)), *errors])
            lines.append(f"| {recall} | {precision} | {cells} |")
    return "\n".join(lines) + "\n"


def _error(rows: List[Dict[str, Any]], name: str) -> float:
    logs = [log(row["estimates"].get(name, FLAT) / row["gold"]) for row in rows]
    return sqrt(sum(value**2 for value in logs) / len(logs))


if __name__ == "__main__":
    typer.run(main)
