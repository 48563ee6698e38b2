"""Write the results in brief, in README.md, from what runs wrote.

python scripts/readme_results.py
"""

import re
from pathlib import Path
from typing import Dict, List

from spacy_cbl.report.results import read_results
from spacy_cbl.report.summary import Summary, summarize
from spacy_cbl.report.tables import EMPTY, show

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PART = re.compile(r"(<!-- results -->\n).*(\n<!-- end of results -->)", re.DOTALL)
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


def read_summaries(folder: str) -> Dict[str, Summary]:
    """Means over seeds by corpus, method and model."""
    results = read_results([ROOT / "docs" / "results" / folder])
    summaries: List[Summary] = summarize(results)
    return {f"{s.key.corpus}-{s.key.method}-{s.key.model}": s for s in summaries}


def _cell(found: Dict[str, Summary], corpus: str, method: str, model: str) -> str:
    summary = found.get(f"{corpus}-{method}-{model}")
    return EMPTY if summary is None else show(summary.f)


def put(text: str) -> str:
    """The README with the present table."""
    return PART.sub(lambda m: f"{m[1]}{make_table()}{m[2]}", text)


if __name__ == "__main__":
    README.write_text(put(README.read_text("utf8")), "utf8")
