"""Write the results in brief, from what runs wrote: the table in README.md, the
pictures in docs/results, and what has not been run.

python scripts/readme_results.py
"""

import re
from collections import Counter
from pathlib import Path
from typing import Dict, List

from spacy_cbl.experiment.grid import read_grid
from spacy_cbl.report.picture import make_picture
from spacy_cbl.report.plots import Series, column_plot
from spacy_cbl.report.results import read_results
from spacy_cbl.report.summary import Summary, summarize
from spacy_cbl.report.tables import EMPTY, show

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
FINDINGS = ROOT / "docs" / "results" / "README.md"
PART = re.compile(r"(<!-- results -->\n).*(\n<!-- end of results -->)", re.DOTALL)
# Grids, and the folders of docs/results with what they wrote
GRIDS = {
    "paper": "paper",
    "paper_perceptron": "paper",
    "bengali": "bengali",
    "floret": "floret",
    "cbl": "cbl",
    "peers": "peers",
    "perceptron": "perceptron",
    "contextual": "contextual",
}
CORPORA = {"eng": "English", "deu": "German", "esp": "Spanish", "ned": "Dutch"}
# Folder of results, method, model -> what the table calls it
ROWS = {
    ("peers", "spacy_raw", "cnn"): "spaCy `ner` on the partial labels",
    ("peers", "spacy_missing", "cnn"): "spaCy `ner`, unlabelled tokens missing",
    ("peers", "spacy_cbl", "cnn"): "spaCy `ner`, what CBL suspects missing",
    ("paper", "raw", "cnn"): "`cbl_ner` on the partial labels",
    ("paper", "noise_adaptation", "cnn"): "noise adaptation",
    ("paper", "self_training", "cnn"): "self-training",
    ("peers", "eer", "cnn"): "expected entity ratio",
    ("paper", "cbl", "cnn"): "**CBL**",
    ("cbl", "cbl_estimate", "cnn"): "CBL, entity ratio estimated",
    ("paper", "oracle", "cnn"): "oracle: missed entities left out",
    ("paper", "cbl", "bilstm"): "**CBL**, BiLSTM",
    ("contextual", "cbl", "frozen"): "**CBL**, frozen vectors of MiniLM",
    ("contextual", "cbl", "fine_tuned"): "**CBL**, MiniLM fine-tuned",
    ("paper", "raw", "perceptron"): "`cbl_perceptron` on the partial labels",
    ("paper", "cbl_combined", "perceptron"): "**CBL**, perceptron",
}

# The methods of the pictures, and what these call them
DRAWN = {
    "raw": "partial labels as they are",
    "self_training": "self-training",
    "cbl": "CBL",
    "oracle": "oracle",
}
PICTURES = {
    ROOT / "docs" / "results" / "conll.svg": CORPORA,
    ROOT / "docs" / "results" / "languages.svg": {
        name: name for name in [*CORPORA, "amh", "ara", "hin", "hau"]
    },
}


def make_table() -> str:
    """The table; rows that nothing has been run for are left out."""
    found = {folder: read_summaries(folder) for folder, *_ in ROWS}
    lines = [
        "| | " + " | ".join(CORPORA.values()) + " |",
        "|---|" + "--:|" * len(CORPORA),
    ]
    for (folder, method, model), name in ROWS.items():
        cells = [_cell(found[folder], c, method, model) for c in CORPORA]
        if set(cells) != {EMPTY}:
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def make_progress() -> str:
    """How much of each grid has been run, by model and seed."""
    lines = ["| grid | cells | run | not run, by model and seed |", "|---|--:|--:|---|"]
    for name, folder in GRIDS.items():
        page = ROOT / "configs" / "experiments" / f"{name}.yml"
        cells = read_grid(page).cells
        results = FINDINGS.parent / folder
        left = [c for c in cells if not (results / f"{c.name}.json").exists()]
        counts = Counter(f"{cell.model.name} {cell.seed}" for cell in left)
        said = ", ".join(f"{key}: {n}" for key, n in counts.items()) or EMPTY
        link = f"[{name}](../../configs/experiments/{page.name})"
        lines.append(f"| {link} | {len(cells)} | {len(cells) - len(left)} | {said} |")
    return "\n".join(lines)


def read_summaries(folder: str) -> Dict[str, Summary]:
    """Means over seeds by corpus, method and model."""
    results = read_results([ROOT / "docs" / "results" / folder])
    summaries: List[Summary] = summarize(results)
    return {f"{s.key.corpus}-{s.key.method}-{s.key.model}": s for s in summaries}


def _cell(found: Dict[str, Summary], corpus: str, method: str, model: str) -> str:
    summary = found.get(f"{corpus}-{method}-{model}")
    return EMPTY if summary is None else show(summary.f)


def put(text: str, table: str) -> str:
    """A page with the present table between its markers."""
    return PART.sub(lambda m: f"{m[1]}{table}{m[2]}", text)


def draw(corpora: Dict[str, str]) -> str:
    """F1 of some methods with the CNN, as an SVG file.

    corpora (Dict[str, str]): Corpora, and what the picture calls them.
    """
    found = read_summaries("paper")
    series = [
        Series(shown, [found[f"{c}-{method}-cnn"].f.mean for c in corpora])
        for method, shown in DRAWN.items()
    ]
    caption = "F1 on the test set; half of the entities are labelled"
    plot = column_plot(
        series, list(corpora.values()), "corpus", caption, top=100, shown="{:.0f}"
    )
    return make_picture(caption, list(DRAWN.values()), plot)


if __name__ == "__main__":
    for path, corpora in PICTURES.items():
        path.write_text(draw(corpora), "utf8")
    for page, table in {README: make_table(), FINDINGS: make_progress()}.items():
        page.write_text(put(page.read_text("utf8"), table), "utf8")
