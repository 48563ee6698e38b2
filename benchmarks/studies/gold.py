"""Train on complete annotation, score on a test set, and compare.

    python -m benchmarks.studies.gold run NAME CONFIG FOLDER OUTPUT.json --setting value

trains on FOLDER/train.spacy with FOLDER/dev.spacy and scores FOLDER/test.spacy.
`python -m benchmarks.studies.gold table FOLDER TABLE.md` renders what runs wrote.
"""

import tempfile
import time
from pathlib import Path
from typing import Any, Dict, List

import spacy
import srsly
import typer
from spacy.cli._util import parse_config_overrides
from spacy.cli.train import train

from spacy_cbl.experiment.jobs import SCORES, score

from ..peers import describe_machine

app = typer.Typer()


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True}
)
def run(
    ctx: typer.Context, name: str, config: Path, folder: Path, output: Path
) -> None:
    """Train, score, write."""
    settings = parse_config_overrides(ctx.args)
    paths = {
        f"paths.{part}": str(folder / f"{part}.spacy") for part in ("train", "dev")
    }
    with tempfile.TemporaryDirectory() as trained:
        start = time.perf_counter()
        train(config, Path(trained), overrides={**paths, **settings})
        seconds = time.perf_counter() - start
        nlp = spacy.load(Path(trained) / "model-best")
        result = {
            "name": name,
            "corpus": folder.name,
            "config": config.name,
            "settings": without_paths(settings),
            "seconds": seconds,
            "machine": describe_machine(),
            "dev": score(nlp, folder / "dev.spacy"),
            "test": score(nlp, folder / "test.spacy"),
        }
    srsly.write_json(output, result)


@app.command()
def table(folder: Path, output: Path) -> None:
    """Render a Markdown table of all results in a folder."""
    rows = [srsly.read_json(path) for path in sorted(folder.glob("*.json"))]
    output.write_text(render(rows), encoding="utf8")


def without_paths(settings: Dict[str, Any]) -> Dict[str, Any]:
    """Leave out where files lie on a machine; say only that vectors were used."""
    return {k: v for k, v in settings.items() if not k.startswith("paths.")}


def render(rows: List[Dict[str, Any]]) -> str:
    """One line per run."""
    lines = [
        "# Trained on gold",
        "",
        "One run each; the model is that with the best F1 on gold dev. P, R and F1 are "
        "of the test set. The JSON files in gold/ hold the settings of each run.",
        "",
        "| corpus | system | config | P | R | F1 | F1 dev |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in sorted(rows, key=lambda row: (row["corpus"], row["name"])):
        P, R, F = (f"{row['test'][name]:.2f}" for name in SCORES)
        cells = [row["corpus"], row["name"], row["config"], P, R, F]
        cells += [f"{row['dev']['ents_f']:.2f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    app()
