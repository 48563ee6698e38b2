"""Run all suites of speed and memory, one after the other, on the same corpus.

    python -m benchmarks --quick
    python -m benchmarks --corpora FOLDER

Each suite is a process of its own, and so is each of its peers. If one fails the others
go on. Writes JSON and a page per suite, and README.md with one table of all.
"""

import os
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Dict, List, Optional

import srsly
import typer
from wasabi import msg

from . import options
from .corpora import EMBEDDED, ENGLISH, prepare
from .processes import THREAD_VARIABLES, is_busy
from .summary import RUN, SUITES, summarize

N_TOKENS, QUICK_TOKENS = 200_000, 15_000


def main(
    quick: options.Quick = False,
    only: Optional[List[str]] = typer.Option(
        None, help=f"Suite to run: {', '.join(SUITES)} (may be repeated)"
    ),
    corpora: Optional[Path] = typer.Option(
        None,
        help=f"Folder of corpora, of which {ENGLISH}/train.iob2 and test.iob2 are "
        "used; the embedded corpus, repeated, if not given",
        exists=True,
        file_okay=False,
    ),
    transformer: Optional[Path] = typer.Option(
        None, help="Folder of a transformer, for contextual", exists=True
    ),
    rival_python: Optional[Path] = typer.Option(
        None, help="Interpreter with spacy-partial-tagger, for contextual", exists=True
    ),
    vectors: Optional[str] = typer.Option(
        None, help="Pipeline with word vectors, for contextual and cbl"
    ),
    clusters: Optional[str] = typer.Option(
        None, help="Brown clusters, for perceptron: a file, or en, de, es"
    ),
    output: options.Output = None,
) -> None:
    """Run the suites and write their results, and one table of all."""
    unknown = set(only or []) - set(SUITES)
    if unknown:
        suites = f"Suites: {', '.join(SUITES)}"
        msg.fail(f"No suite {', '.join(unknown)}", suites, exits=1)
    busy = is_busy()
    if busy:
        msg.warn("Something else is running: times will be rough")
    folder = options.make_folder(output, quick)
    left_out = find_left_out(transformer)
    with tempfile.TemporaryDirectory() as work:
        n_tokens = QUICK_TOKENS if quick else None if corpora else N_TOKENS
        source = corpora / ENGLISH if corpora else EMBEDDED
        n_tokens = prepare(source, Path(work), n_tokens)
        with_corpus = ["--corpus", work]
        arguments = {
            "ner": with_corpus,
            "weigh": [],
            "inference": with_corpus,
            "perceptron": with_corpus + _given("--clusters", clusters),
            "brown": [],
            "contextual": with_corpus
            + _given("--vectors", vectors)
            + _given("--transformer", transformer)
            + _given("--rival-python", rival_python)
            + ["--again"],
            "cbl": with_corpus + _given("--vectors", vectors),
            "scaling": with_corpus,
            "startup": [],
        }
        common = ["--output", str(folder), *(["--quick"] if quick else [])]
        chosen = [name for name in only or SUITES if name not in left_out]
        seconds = {name: run(name, arguments[name] + common) for name in chosen}
    result = {
        "quick": quick,
        "busy": busy,
        "corpus": ENGLISH if corpora else "the embedded one",
        "tokens": n_tokens,
        "seconds": {name: took for name, took in seconds.items() if took is not None},
        "failed": [name for name, took in seconds.items() if took is None],
        "left_out": left_out,
    }
    srsly.write_json(folder / RUN, result)
    (folder / "README.md").write_text(summarize(folder), encoding="utf8")
    show(result, folder)


def find_left_out(transformer: Optional[Path]) -> Dict[str, str]:
    """The suites that cannot run here, with what would be needed."""
    if transformer is None:
        return {"contextual": "needs `--transformer` and the extra `transformers`"}
    if find_spec("spacy_transformers") is None:
        return {"contextual": "needs the extra `transformers`"}
    return {}


def run(name: str, arguments: List[str]) -> Optional[float]:
    """Run a suite.

    name (str): Its name.
    arguments (List[str]): Its arguments.
    RETURNS (Optional[float]): The seconds it took; None if it failed.
    """
    msg.divider(name)
    env = {**os.environ, **{name: "1" for name in THREAD_VARIABLES}}
    command = [sys.executable, "-m", f"benchmarks.{name}", *arguments]
    start = time.perf_counter()
    ran = subprocess.run(command, env=env)
    return None if ran.returncode else round(time.perf_counter() - start, 1)


def show(result: Dict[str, Any], folder: Path) -> None:
    """Say what was done, and end with 1 if something failed."""
    msg.divider("done")
    for name, took in result["seconds"].items():
        msg.good(f"{name}: {took:,.0f} seconds")
    for name, needs in result["left_out"].items():
        msg.info(f"{name} was left out: {needs}")
    for name in result["failed"]:
        msg.fail(f"{name} failed")
    msg.text(f"All in one table: {folder / 'README.md'}")
    sys.exit(bool(result["failed"]))


def _given(option: str, value: Any) -> List[str]:
    return [] if value is None else [option, str(value)]


if __name__ == "__main__":
    typer.run(main)
