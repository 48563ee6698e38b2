"""How many distinct features of the perceptron share a row of its table.

    python -m benchmarks.studies.collisions --corpus train.spacy --clusters en

Features of word forms are counted before hashing to rows and after, for several table
sizes.
"""

import argparse
from pathlib import Path
from typing import Any, Dict

import numpy
import srsly

from spacy_cbl.data.docbin import read_docs
from spacy_cbl.data.sentences import sentence_starts
from spacy_cbl.models import form_features
from spacy_cbl.models.form_table import FormTable
from spacy_cbl.training.setup import make_vocab

from ..peers import describe_machine

ROOT = Path(__file__).parents[2]
SIZES = [2**16, 2**18, 2**20, 2**22]
LARGE = 2**31 - 1  # hashes into so many rows hardly ever meet


def count_rows(docs: Any, n_rows: int, with_clusters: bool) -> int:
    """How many rows of a table the features of documents use."""
    paths = (4, 6, 10, 20) if with_clusters else ()
    templates = {
        "forms": form_features.make_forms(),
        "lower_forms": form_features.make_lower_forms(),
        "form_pairs": form_features.make_form_pairs(),
        "capitalization": form_features.make_capitalization(),
        "word_type": form_features.make_word_type(),
        "affixes": form_features.make_affixes(),
        "brown": form_features.make_brown_paths(paths, window=2),
        "brown_pairs": form_features.make_brown_pairs(paths),
    }
    table = FormTable(templates, n_rows, tag_window=-1)
    starts = numpy.concatenate([sentence_starts(doc) for doc in docs])
    rows = table.around(table.look_up(docs), numpy.cumsum(starts))
    return len(numpy.unique(rows))


def main() -> None:
    """Count and write JSON and Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=ROOT / "corpus" / "train.spacy")
    parser.add_argument("--clusters", default=None)
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results")
    args = parser.parse_args()
    vocab = make_vocab(None, None, "xx", args.clusters)
    docs = [doc for doc in read_docs(args.corpus, vocab) if len(doc)]
    distinct = count_rows(docs, LARGE, args.clusters is not None)
    rows = []
    for size in SIZES:
        used = count_rows(docs, size, args.clusters is not None)
        rows.append({"rows": size, "used": used, "lost": 1 - used / distinct})
    data: Dict[str, Any] = {
        "tokens": sum(map(len, docs)),
        "features": distinct,
        "sizes": rows,
        "machine": describe_machine(),
    }
    srsly.write_json(args.output / "collisions.json", data)
    lines = [
        "# Features that share a row",
        "",
        f"{data['tokens']:,} tokens have {distinct:,} distinct features of word forms.",
        "",
        "| rows of the table | rows used | features lost to collisions |",
        "|--:|--:|--:|",
    ]
    lines += [f"| {r['rows']:,} | {r['used']:,} | {r['lost']:.1%} |" for r in rows]
    text = "\n".join(lines) + "\n"
    (args.output / "collisions.md").write_text(text, encoding="utf8")


if __name__ == "__main__":
    main()
