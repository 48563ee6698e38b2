"""`spacy cbl review export` and `spacy cbl review import`"""

from enum import Enum
from pathlib import Path
from typing import Optional

from spacy.cli._util import Arg, Opt
from typer import Typer
from wasabi import msg

from ..errors import Errors
from ._app import cbl_cli, command

review_cli = Typer(
    name="review",
    help="Have annotators answer the probable missed entities",
    no_args_is_help=True,
)
cbl_cli.add_typer(review_cli)


SUFFIXES = {
    "prodigy": "jsonl",
    "doccano": "jsonl",
    "labelstudio": "json",
    "iob2": "iob2",
}


class Format(str, Enum):
    prodigy = "prodigy"
    doccano = "doccano"
    labelstudio = "labelstudio"
    iob2 = "iob2"


class Order(str, Enum):
    ranked = "ranked"
    random = "random"
    uncertain = "uncertain"


@command("export", review_cli)
def review_export_cli(
    weighted: Path = Arg(
        ..., help="Weighted corpus (.spacy)", exists=True, dir_okay=False
    ),
    output: Optional[Path] = Arg(
        None,
        help="Where to write the suspects; beside the corpus by default",
        dir_okay=False,
    ),
    top: int = Opt(500, "--top", "-n", help="How many suspects to write"),
    format: Format = Opt(Format.prodigy, "--format", "-f", help="For which tool"),
    model: Optional[str] = Opt(
        None, "--model", "-m", help="Pipeline that gives suspects their probable types"
    ),
    threshold: float = Opt(
        0.5, "--threshold", "-t", help="Unlabelled tokens of less weight are suspected"
    ),
    order: Order = Opt(
        Order.ranked,
        "--order",
        help="Which come first: the most probable, any, or the most doubtful",
    ),
    seed: int = Opt(0, "--seed", min=0, help="For the random order"),
) -> None:
    """Write probable missed entities with their sentences, for annotators."""
    from ..report.review_export import export_suspects

    if output is None:
        output = weighted.with_suffix(f".suspects.{SUFFIXES[format.value]}")
    n_written = export_suspects(
        weighted,
        output,
        format=format.value,
        top=top,
        model=model,
        threshold=threshold,
        order=order.value,
        seed=seed,
    )
    msg.good(f"Wrote {n_written} suspects", output)
    if model is None:
        what = (
            "Annotators must choose one: what is accepted without a type is left out."
        )
        msg.warn("Suspects have no type", f"{what} --model gives probable types.")


@command("import", review_cli)
def review_import_cli(
    corpus: Path = Arg(
        ..., help="Corpus to add to (.spacy)", exists=True, dir_okay=False
    ),
    answers: Path = Arg(
        ..., help="Answers, as the tool exported them", exists=True, dir_okay=False
    ),
    output: Optional[Path] = Arg(
        None,
        help="Where to write the corpus; NAME.reviewed.spacy beside it by default",
        dir_okay=False,
    ),
) -> None:
    """Merge the answers of annotators into a corpus. Entities that are there already
    win over answers; such conflicts are listed.
    """
    from ..report.review_import import import_answers

    if output is None:
        output = corpus.with_suffix(".reviewed.spacy")
        if output.exists():
            raise ValueError(Errors.C315.format(path=output))
    report = import_answers(corpus, answers, output)
    for conflict in report.conflicts:
        msg.warn(conflict)
    msg.table(list(report.counts.items()))
    msg.good("Wrote the corpus", output)
