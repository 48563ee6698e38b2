"""What perturbing reaches on whole corpora, for docs/perturbation.md.

    python -m benchmarks.studies.perturbation English=eng.spacy German=deu.spacy

Takes completely annotated files. Writes counts and scores, no text, to
docs/results/perturbation.json, and the table between the markers of the page.
"""

import tempfile
from pathlib import Path
from typing import Any, Dict, List

import srsly
import typer

from spacy_cbl.data.perturb import PerturbOptions, perturb

from .pages import DOCS, fill_page


def main(
    corpora: List[str] = typer.Argument(..., help="NAME=FILE.spacy"),
    recall: float = 0.5,
    precision: float = 0.9,
    seeds: List[int] = [0, 1, 2],
) -> None:
    """Perturb each corpus with each seed and write the table."""
    options = PerturbOptions(recall=recall, precision=precision)
    rows = []
    for corpus in corpora:
        name, _, path = corpus.partition("=")
        for seed in seeds:
            rows.append({"corpus": name, **measure(Path(path), options, seed)})
    (DOCS / "results").mkdir(parents=True, exist_ok=True)
    srsly.write_json(DOCS / "results" / "perturbation.json", rows)
    fill_page("perturbation.md", "table", render(rows))


def measure(path: Path, options: PerturbOptions, seed: int) -> Dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        return perturb(path, Path(folder) / "partial.spacy", options, seed)


def render(rows: List[Dict[str, Any]]) -> str:
    lines = [
        "| corpus | seed | entities | kept | added | forms kept | precision | recall "
        "| entity ratio | of gold |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        counts = row["counts"]
        lines.append(
            f"| {row['corpus']} | {row['seed']} | {counts['gold']:,} "
            f"| {counts['kept']:,} | {counts['added']:,} "
            f"| {counts['kept_forms']:,} of {counts['gold_forms']:,} "
            f"| {row['precision']:.4f} | {row['recall']:.4f} "
            f"| {row['entity_ratio']:.4f} | {row['gold_entity_ratio']:.4f} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    typer.run(main)
