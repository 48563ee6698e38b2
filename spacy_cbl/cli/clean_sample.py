"""`spacy cbl clean-sample`"""

from pathlib import Path

from spacy.cli._util import Arg, Opt
from wasabi import msg

from ._app import command


@command("clean-sample")
def clean_sample_cli(
    partial_path: Path = Arg(
        ..., help="Partially annotated corpus (.spacy)", exists=True, dir_okay=False
    ),
    gold_path: Path = Arg(
        ...,
        help="The same documents, completely annotated (.spacy)",
        exists=True,
        dir_okay=False,
    ),
    output_path: Path = Arg(
        ..., help="Where to write the partial corpus with the sample", dir_okay=False
    ),
    tokens: int = Opt(500, "--tokens", "-n", help="How many tokens to draw"),
    seed: int = Opt(0, "--seed", min=0, help="The same seed gives the same sample"),
):
    """Give a partially annotated corpus the true labels of a few random tokens.

    They go to the span group cbl_clean, for recognizers that estimate the noise of
    labels from them. The entities of the corpus stay as they are.
    """
    from ..data.clean_sample import sample_clean_tokens

    report = sample_clean_tokens(partial_path, gold_path, output_path, tokens, seed)
    msg.good(
        f"Drew {report['tokens']} tokens, {report['entity_tokens']} of them in "
        f"entities; {report['wrong_tokens']} have another label in the partial corpus",
        output_path,
    )
