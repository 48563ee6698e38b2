"""CBL end to end, beside one plain training on the same partially labelled file.

Run as `python -m benchmarks.cbl [--corpus FOLDER] [--vectors PIPELINE]`. The peer `cbl`
runs `spacy cbl weigh --scheme cbl` and trains on the result, `plain` trains on the file
as it is: the commands that one would type, start of the interpreter included. Both
train with the same config for the same number of epochs, without a dev set, so that
nothing stops early. Repeats are interleaved.
"""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional

import typer

from . import options
from .peers import report, run_peers
from .processes import Ran, run_command

CONFIG = options.ROOT / "configs" / "cbl_ner_cnn.cfg"
PEERS = ["plain", "cbl"]
N_TOKENS, QUICK_TOKENS = 200_000, 15_000
NEVER = "1000000"  # steps from one look at the dev set, which is empty, to the next


def measure(
    peer: str, partial: Path, epochs: int, vectors: Optional[str]
) -> Dict[str, Any]:
    """Run the commands of a peer, from the partially labelled file on."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        # Rounds are kept beside the corpus: on a copy, none are there yet.
        data = Path(shutil.copy(partial, work))
        phases: Dict[str, Ran] = {}
        if peer == "cbl":
            phases["weigh"] = weigh(data, work / "weighted.spacy", vectors)
            data = work / "weighted.spacy"
        phases["train"] = train(data, work / "trained", epochs, vectors)
    return {
        "seconds": sum(ran.seconds for ran in phases.values()),
        **{f"{name}_seconds": ran.seconds for name, ran in phases.items()},
        **{f"{name}_peak_mib": ran.peak_mib for name, ran in phases.items()},
        "peak_mib": max(ran.peak_mib for ran in phases.values()),
    }


def weigh(source: Path, target: Path, vectors: Optional[str]) -> Ran:
    """Weigh a corpus by CBL with its defaults."""
    command = [sys.executable, "-m", "spacy", "cbl", "weigh", str(source), str(target)]
    command += ["--scheme", "cbl", "--lang", "en"]
    return run_command(command + (["--vectors", vectors] if vectors else []))


def train(data: Path, target: Path, epochs: int, vectors: Optional[str]) -> Ran:
    """Train a recognizer for so many epochs."""
    command = [sys.executable, "-m", "spacy", "train", str(CONFIG)]
    command += ["--output", str(target), "--paths.train", str(data)]
    command += ["--training.max_epochs", str(epochs), "--training.patience", "0"]
    command += ["--training.eval_frequency", NEVER]
    if vectors:
        command += ["--paths.vectors", vectors, "--features.vectors", "true"]
    return run_command(command)


def main(
    corpus: options.Corpus = None,
    vectors: Optional[str] = typer.Option(None, help="Pipeline with word vectors"),
    epochs: int = typer.Option(
        10, help="Of the recognizer; half of those of the config. More lower the ratio"
    ),
    repeats: options.Repeats = None,
    quick: options.Quick = False,
    output: options.Output = None,
    peer: options.Peer = None,
) -> None:
    """Measure both peers and write JSON and Markdown."""
    if peer is not None and corpus is not None:
        report(measure(peer, corpus / "partial.spacy", epochs, vectors))
        return
    from .corpora import describe_corpus, open_corpus

    arguments: List[str] = ["--epochs", str(epochs)]
    arguments += ["--vectors", vectors] if vectors else []
    with open_corpus(corpus, QUICK_TOKENS if quick else N_TOKENS) as folder:
        run_peers(
            "benchmarks.cbl",
            PEERS,
            ["--corpus", str(folder), *arguments],
            repeats or (1 if quick else 3),
            options.make_folder(output, quick) / "cbl",
            title=f"CBL end to end: seconds on one thread, {epochs} epochs of "
            f"{CONFIG.name}, {'with' if vectors else 'no'} vectors",
            baselines=[("cbl", "plain")],
            notes=[f"Corpus: {describe_corpus(folder)}."],
        )


if __name__ == "__main__":
    typer.run(main)
