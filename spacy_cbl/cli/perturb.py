"""`spacy cbl perturb`"""

from enum import Enum
from pathlib import Path
from typing import List, Optional

from spacy.cli._util import Arg, Opt
from wasabi import msg

from ._app import command


class Removal(str, Enum):
    forms = "forms"
    mentions = "mentions"


@command("perturb")
def perturb_cli(
    gold_path: Path = Arg(
        ..., help="Completely annotated corpus (.spacy)", exists=True, dir_okay=False
    ),
    output_path: Path = Arg(
        ...,
        help="Where to write the partially annotated corpus (.spacy)",
        dir_okay=False,
    ),
    recall: float = Opt(1.0, "--recall", "-r", help="Share of the entities to keep"),
    precision: float = Opt(
        1.0,
        "--precision",
        "-p",
        help="Share of true entities in the result, reached by labelling random spans "
        "of 1 to 3 tokens",
    ),
    seed: int = Opt(0, "--seed", min=0, help="The same seed gives the same file"),
    remove: Removal = Opt(
        Removal.forms,
        "--remove",
        help="Remove all mentions of randomly chosen surface forms, or single mentions",
    ),
    drop_label: Optional[List[str]] = Opt(
        None, "--drop-label", help="Remove all entities of this label (may be repeated)"
    ),
    per_doc: Optional[int] = Opt(
        None, "--per-doc", help="Keep the first entities of a document, so many at most"
    ),
    total: Optional[int] = Opt(
        None,
        "--total",
        help="Keep so many entities in all at most, from documents in random order",
    ),
    overlook: float = Opt(
        0.0, "--overlook", help="Chance to overlook an entity with --per-doc or --total"
    ),
):
    """Remove entities and add false ones, to have partial data whose truth is known.

    Steps are taken in this order: --drop-label, --per-doc and --total, --recall,
    --precision. What was reached is written as JSON beside the output,
    under its name with .json.
    """
    from ..data.perturb import PerturbOptions, perturb

    options = PerturbOptions(
        drop_labels=tuple(drop_label or ()),
        per_doc=per_doc,
        total=total,
        overlook=overlook,
        recall=recall,
        remove=remove.value,
        precision=precision,
    )
    report = perturb(gold_path, output_path, options, seed)
    counts = report["counts"]
    msg.good(
        f"Kept {counts['kept']} of {counts['gold']} entities, added {counts['added']} "
        f"false ones",
        output_path,
    )
    msg.table(
        [
            ("Precision", f"{report['precision']:.4f}"),
            ("Recall", f"{report['recall']:.4f}"),
            ("Entity ratio", f"{report['entity_ratio']:.4f}"),
            ("Entity ratio of gold", f"{report['gold_entity_ratio']:.4f}"),
        ]
    )
