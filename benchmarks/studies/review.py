"""What review is worth: F1 against the number of suspects that an annotator answered.

    python -m benchmarks.studies.review weighted.spacy gold.spacy test.spacy \
        --vectors vectors/glove

Takes a weighted corpus whose gold is known. Suspects are exported, gold plays the
annotator, the answers are imported, and a recognizer is trained on the result, without
a dev set and for a fixed number of epochs. The suspects come in each order that
`spacy cbl review export` knows. Writes scores and counts, no text, to
docs/results/review.json as they come, and beside it a table and plots, review.md.
Results that are there already are kept. With `--epochs 0` nothing is trained: the
labels alone are scored, in a minute.
"""

import tempfile
import time
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import spacy
import srsly
import typer
from spacy.cli.train import train
from spacy.scorer import Scorer
from spacy.tokens import Doc
from spacy.training import Example

from spacy_cbl.data.align import check_aligned
from spacy_cbl.data.docbin import read_docs
from spacy_cbl.report.picture import make_picture
from spacy_cbl.report.plots import Series, line_plot
from spacy_cbl.report.review_export import ORDERS, export_suspects
from spacy_cbl.report.review_ids import FIELD, parse_id
from spacy_cbl.report.review_import import import_answers
from spacy_cbl.training.reader import WeightedCorpus

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "configs" / "cbl_ner_cnn.cfg"
RESULTS = ROOT / "docs" / "results"
ALL = 10**9
POINTS = [0, ALL, 2000, 500, 5000]
# What is drawn
PLOTS = {"test": "F1 on test", "labels": "F1 of the labels"}


def main(
    weighted: Path,
    gold: Path,
    test: Path,
    vectors: Optional[str] = None,
    epochs: int = 5,
    points: List[int] = POINTS,
    seed: int = 0,
) -> None:
    """Simulate, train, write the table and the plots."""
    output = RESULTS / "review.json"
    rows = srsly.read_json(output) if output.exists() else []
    with tempfile.TemporaryDirectory() as folder:
        tasks_by_order = {
            order: answer_all(weighted, gold, Path(folder) / "tasks.jsonl", order, seed)
            for order in ORDERS
        }
        for n, order in [(n, order) for n in points for order in ORDERS]:
            tasks = tasks_by_order[order]
            n = min(n, len(tasks))
            same = [row for row in rows if _is_same(row, n, order, len(tasks))]
            if any(row["test"] or not epochs for row in same):
                continue
            reviewed = review(weighted, tasks[:n], Path(folder))
            row = {"order": order, "reviewed": n, "suspects": len(tasks)}
            row.update(labels=score_labels(gold, reviewed), test=None)
            if epochs:
                row.update(train_and_score(reviewed, test, vectors, epochs, seed))
            rows = [other for other in rows if other not in same]
            rows.append({**row, "epochs": epochs, "seed": seed})
            srsly.write_json(output, rows)
    (RESULTS / "review.md").write_text(render(rows), encoding="utf8")
    for file, picture in draw(rows).items():
        (RESULTS / file).write_text(picture, encoding="utf8")


def answer_all(
    weighted: Path, gold: Path, path: Path, order: str, seed: int
) -> List[Dict[str, Any]]:
    """Export all suspects, and answer each as gold has it."""
    export_suspects(weighted, path, top=ALL, order=order, seed=seed)
    golds = list(read_docs(gold, spacy.blank("xx").vocab))
    return [_answer(record, golds) for record in srsly.read_jsonl(path)]


def _answer(record: Dict[str, Any], golds: List[Doc]) -> Dict[str, Any]:
    place = parse_id(record[FIELD])
    assert place is not None
    tokens, spans = record["tokens"], []
    for ent in golds[place.doc].ents:
        inside = place.sent_start <= ent.start and ent.end <= place.sent_end
        if inside and ent.start < place.end and place.start < ent.end:
            first, last = ent.start - place.sent_start, ent.end - place.sent_start - 1
            start, end = tokens[first]["start"], tokens[last]["end"]
            spans.append({"start": start, "end": end, "label": ent.label_})
    return {**record, "spans": spans, "answer": "accept" if spans else "reject"}


def review(weighted: Path, answers: List[Dict[str, Any]], folder: Path) -> Path:
    """Import answers into the weighted corpus."""
    srsly.write_jsonl(folder / "answers.jsonl", answers)
    output = folder / "reviewed.spacy"
    import_answers(weighted, folder / "answers.jsonl", output)
    return output


def score_labels(gold: Path, reviewed: Path) -> Dict[str, float]:
    """How good the labels are by now."""
    vocab = spacy.blank("xx").vocab
    pairs = check_aligned(read_docs(gold, vocab), read_docs(reviewed, vocab))
    examples = [Example(doc, reference) for reference, doc in pairs]
    return _points(Scorer.score_spans(examples, "ents"))


def train_and_score(
    path: Path, test: Path, vectors: Optional[str], epochs: int, seed: int
) -> Dict[str, Any]:
    """The recognizer that comes of a corpus."""
    settings: Dict[str, Any] = {
        "paths.train": str(path),
        "training.max_epochs": epochs,
        "system.seed": seed,
    }
    if vectors is not None:
        settings.update({"paths.vectors": vectors, "features.vectors": True})
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as trained:
        train(CONFIG, Path(trained), overrides=settings)
        nlp = spacy.load(Path(trained) / "model-last")
    seconds = time.perf_counter() - start
    scores = nlp.evaluate(list(WeightedCorpus(test)(nlp)))
    return {"test": _points(scores), "seconds": round(seconds, 1)}


def _points(scores: Dict[str, Any]) -> Dict[str, float]:
    return {name: round(100 * scores[f"ents_{name}"], 2) for name in "prf"}


def _is_same(row: Dict[str, Any], n: int, order: str, n_all: int) -> bool:
    """The order makes no difference where nothing or everything is reviewed."""
    return row["reviewed"] == n and (row["order"] == order or n in (0, n_all))


def _curves(rows: List[Dict[str, Any]]) -> Tuple[List[int], Dict[str, List[Any]]]:
    """The points that all orders have, and their rows."""
    n_all = rows[0]["suspects"]
    curves: Dict[str, List[Any]] = {order: [] for order in ORDERS}
    shown = []
    for n in sorted({row["reviewed"] for row in rows}):
        found = [
            next((row for row in rows if _is_same(row, n, order, n_all)), None)
            for order in ORDERS
        ]
        if all(found):
            shown.append(n)
            for order, row in zip(ORDERS, found):
                curves[order].append(row)
    return shown, curves


def render(rows: List[Dict[str, Any]]) -> str:
    """The table."""
    shown, curves = _curves(rows)
    epochs = max(row["epochs"] for row in rows)
    trained = "Nothing has been trained on them yet."
    if epochs:
        trained = (
            "F1 on test is that of `configs/cbl_ner_cnn.cfg`, trained for "
            f"{epochs} epochs without dev set, one seed; a dash where it was not."
        )
    heads = [
        f"{what}, {order}"
        for what in ("F1 of labels", "recall of labels", "F1 on test")
        for order in ORDERS
    ]
    lines = [
        "# What review is worth",
        "",
        "Written by `python -m benchmarks.studies.review`; the figures are those of "
        "review.json. Gold answers suspects of a corpus weighed by CBL, "
        f"{rows[0]['suspects']:,} in all, in each order of `review export`. F1 and "
        f"recall of the labels in the training data. {trained}",
        "",
        *(f"![{PLOTS[part]}](review_{part}.svg)" for part in _drawn(shown, curves)),
        "",
        f"| reviewed | {' | '.join(heads)} |",
        "|--:" * (len(heads) + 1) + "|",
    ]
    for n, *found in zip(shown, *(curves[order] for order in ORDERS)):
        cells = [f"{row['labels'][name]:.1f}" for name in "fr" for row in found]
        cells += [f"{row['test']['f']:.1f}" if row["test"] else "–" for row in found]
        lines.append(f"| {n:,} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def draw(rows: List[Dict[str, Any]]) -> Dict[str, str]:
    """The plots, by the names of their files."""
    shown, curves = _curves(rows)
    pictures = {}
    for part, known in _drawn(shown, curves).items():
        lines = [
            Series(f"{order} order", [curves[order][i][part]["f"] for i in known])
            for order in ORDERS
        ]
        places, names = [f"{shown[i]:,}" for i in known], [line.name for line in lines]
        values = [value for line in lines for value in line.values]
        low, top = 10 * (min(values) // 10), 10 * -(-max(values) // 10)
        plot = line_plot(
            lines, places, "suspects reviewed", PLOTS[part], low=low, top=top
        )
        pictures[f"review_{part}.svg"] = make_picture(PLOTS[part], names, plot)
    return pictures


def _drawn(shown: List[int], curves: Dict[str, List]) -> Dict[str, List[int]]:
    """The plots that there are points for, and of each the points that all have."""
    known = {
        part: [i for i in range(len(shown)) if all(curves[o][i][part] for o in ORDERS)]
        for part in PLOTS
    }
    return {part: points for part, points in known.items() if len(points) > 1}


if __name__ == "__main__":
    typer.run(main)
