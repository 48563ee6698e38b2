"""`spacy cbl floret`"""

from pathlib import Path

from spacy.cli._util import Arg, Opt
from wasabi import msg

from ._app import command


@command("floret")
def floret_cli(
    input_path: Path = Arg(
        ...,
        help="Corpus (.spacy), or text with a sentence per line and white space between words (.txt)",
        exists=True,
        dir_okay=False,
    ),
    output_path: Path = Arg(
        ..., help="Where to write the vectors (.floret)", dir_okay=False
    ),
    dim: int = Opt(50, "--dim", "-d", min=1, help="Width of the vectors"),
    rows: int = Opt(5000, "--rows", "-r", min=1, help="Rows of the table"),
    epochs: int = Opt(20, "--epochs", "-e", min=1, help="How often to read the text"),
    min_count: int = Opt(
        2,
        "--min-count",
        "-m",
        min=1,
        help="Rarer words have the vectors of their parts alone",
    ),
    min_part: int = Opt(3, "--min-part", min=1, help="Shortest part of a word"),
    max_part: int = Opt(5, "--max-part", min=1, help="Longest part of a word"),
) -> None:
    """Train vectors of words and their parts on plain text, by the package floret. No
    labels are needed. `spacy init vectors LANG FILE FOLDER --mode floret` makes a folder
    of the output, for --paths.vectors.
    """
    from ..data.floret import train_floret

    report = train_floret(
        input_path,
        output_path,
        dim=dim,
        rows=rows,
        epochs=epochs,
        min_count=min_count,
        min_part=min_part,
        max_part=max_part,
    )
    msg.good(
        f"Trained {report['rows']} rows of {report['dim']} dimensions on "
        f"{report['tokens']} tokens, {report['words']} words",
        output_path,
    )
