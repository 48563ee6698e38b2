"""`spacy cbl romanize`"""

from pathlib import Path
from typing import Optional

from spacy.cli._util import Arg, Opt
from wasabi import msg

from ._app import command


@command("romanize")
def romanize_cli(
    input_path: Path = Arg(
        ..., help="Corpus (.spacy, or what convert reads)", exists=True
    ),
    output_path: Path = Arg(..., help="File to write (.spacy or .iob2)"),
    language: Optional[str] = Opt(
        None,
        "--language",
        "-l",
        help="ISO 639-3 code of the language, such as ben; some scripts need none",
    ),
) -> None:
    """Write a corpus in Latin script, token by token, by the package uroman. Labels,
    weights and sentences stay with their tokens.
    """
    from ..data.romanize import romanize

    counts = romanize(input_path, output_path, language)
    msg.good(
        f"Romanized {counts['forms']} forms of {counts['tokens']} tokens in "
        f"{counts['docs']} documents",
        output_path,
    )
