"""How long one waits before anything happens: commands beside those of spaCy alone.

Run as `python -m benchmarks.startup`. The peer `spacy --help, without plug-ins` does
not look for commands of other packages. Repeats are interleaved.
"""

import sys
from typing import Any, Dict, List

import typer

from . import options
from .peers import report, run_peers
from .processes import run_command

WITHOUT = "spacy --help, without plug-ins"
NO_PLUG_INS = """
import sys
from spacy.util import registry
registry.cli.entry_points = False
from spacy.cli._util import setup_cli
sys.argv[1:] = ["--help"]
setup_cli()
"""
SPACY = [sys.executable, "-m", "spacy"]
COMMANDS: Dict[str, List[str]] = {
    WITHOUT: [sys.executable, "-c", NO_PLUG_INS],
    "spacy --help": [*SPACY, "--help"],
    "spacy cbl --help": [*SPACY, "cbl", "--help"],
    "spacy cbl weigh --help": [*SPACY, "cbl", "weigh", "--help"],
    "import spacy": [sys.executable, "-c", "import spacy"],
    "import spacy_cbl": [sys.executable, "-c", "import spacy_cbl"],
}
BASELINES = [
    ("spacy --help", WITHOUT),
    ("spacy cbl --help", WITHOUT),
    ("spacy cbl --help", "spacy --help"),
    ("spacy cbl weigh --help", "spacy --help"),
    ("import spacy_cbl", "import spacy"),
]


def measure(peer: str) -> Dict[str, Any]:
    """Run the command of a peer."""
    return run_command(COMMANDS[peer])._asdict()


def main(
    repeats: options.Repeats = None,
    quick: options.Quick = False,
    output: options.Output = None,
    peer: options.Peer = None,
) -> None:
    """Measure all peers and write JSON and Markdown."""
    if peer is not None:
        report(measure(peer))
        return
    run_peers(
        "benchmarks.startup",
        list(COMMANDS),
        [],
        repeats or (2 if quick else 9),
        options.make_folder(output, quick) / "startup",
        title="Start-up: seconds, start of the interpreter included",
        baselines=BASELINES,
        notes=[],
    )


if __name__ == "__main__":
    typer.run(main)
