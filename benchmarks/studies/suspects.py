"""How many of the first suspects are missed entities, for docs/inspect.md.

    python -m benchmarks.studies.suspects "CoNLL English=weighted.spacy,gold.spacy"

Takes weighted corpora whose gold is known. Writes counts and shares, no text, to
docs/results/suspects.json, and the table between the markers of the page. Results of
other corpora that are there already are kept.
"""

from pathlib import Path
from typing import Any, Dict, List

import numpy
import spacy
import srsly
import typer

from spacy_cbl.data.arrays import read_corpus_arrays
from spacy_cbl.data.docbin import read_docs
from spacy_cbl.report.inspection import inspect
from spacy_cbl.report.suspects import Suspect

from .pages import DOCS, fill_page
from .review import score_labels

RESULTS = DOCS / "results" / "suspects.json"
FIRST = (100, 500, 2000)


def main(
    corpora: List[str] = typer.Argument(None, help="NAME=WEIGHTED.spacy,GOLD.spacy"),
) -> None:
    """Look at each corpus and write the table."""
    rows = srsly.read_json(RESULTS) if RESULTS.exists() else []
    for corpus in corpora or []:
        name, _, paths = corpus.partition("=")
        weighted, gold = map(Path, paths.split(","))
        rows = [row for row in rows if row["corpus"] != name]
        rows.append({"corpus": name, **measure(weighted, gold)})
        srsly.write_json(RESULTS, rows)
    fill_page("inspect.md", "suspects", render(rows))


def measure(weighted: Path, gold: Path) -> Dict[str, Any]:
    """Shares of the first suspects, and of all."""
    vocab = spacy.blank("xx").vocab
    corpus = read_corpus_arrays(
        lambda: read_docs(weighted, vocab), vocab, gold=lambda: read_docs(gold, vocab)
    )
    suspects = inspect(weighted, gold=gold).suspects
    golds = list(read_docs(gold, vocab))
    ends = numpy.cumsum(corpus.doc_lengths)
    offsets = (ends - corpus.doc_lengths).tolist()
    kinds = [
        _compare(suspect, golds[suspect.doc], corpus.is_entity, offsets[suspect.doc])
        for suspect in suspects
    ]
    unlabelled = ~corpus.is_entity
    is_gold = numpy.asarray(corpus.gold_is_entity)
    return {
        "tokens": len(corpus),
        "labelled_ratio": float(corpus.is_entity.mean()),
        "gold_ratio": float(is_gold.mean()),
        # What a token drawn blindly would be
        "base_rate": float(is_gold[unlabelled].mean()),
        "labels": score_labels(gold, weighted),
        "suspects": len(suspects),
        "first": [
            {"n": n, **_share(kinds[:n])}
            for n in (*FIRST, len(kinds))
            if n <= len(kinds)
        ],
    }


def _compare(
    suspect: Suspect, gold: Any, is_entity: Any, offset: int
) -> Dict[str, bool]:
    """Whether a suspect touches an entity, one without any label, and just fits it."""
    ents = [e for e in gold.ents if e.start < suspect.end and suspect.start < e.end]
    missed = [e for e in ents if not is_entity[offset + e.start : offset + e.end].any()]
    places = [(e.start, e.end) for e in missed]
    return {
        "entity": bool(ents),
        "missed": bool(missed),
        "exact": (suspect.start, suspect.end) in places,
    }


def _share(kinds: List[Dict[str, bool]]) -> Dict[str, float]:
    return {
        name: float(numpy.mean([kind[name] for kind in kinds]))
        for name in ("entity", "missed", "exact")
    }


def render(rows: List[Dict[str, Any]]) -> str:
    """A table of shares in percent."""
    lines = [
        "| corpus | first suspects | touch an entity | a missed one | with its bounds "
        "| tokens drawn blindly |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        name, base = row["corpus"], f"{100 * row['base_rate']:.1f}"
        for part in row["first"]:
            shares = [f"{100 * part[k]:.1f}" for k in ("entity", "missed", "exact")]
            lines.append(f"| {name} | {part['n']:,} | {' | '.join(shares)} | {base} |")
            name = base = ""
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    typer.run(main)
