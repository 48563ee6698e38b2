"""`spacy cbl threshold`"""

from pathlib import Path
from typing import TYPE_CHECKING, List, Optional, Sequence, Tuple, Union

from spacy.cli._util import Arg, Opt
from wasabi import msg

from ..errors import Errors
from ._app import command
from ._settings import parse_settings

if TYPE_CHECKING:
    from ..core.threshold import Expected, ExpectedTop
    from ..training.threshold import Outlook


@command("threshold")
def threshold_cli(
    partial: Path = Arg(
        ..., help="Partially annotated corpus (.spacy)", exists=True, dir_okay=False
    ),
    scheme: str = Opt("cbl", "--scheme", "-s", help="How the corpus is weighed"),
    entity_ratio: Optional[str] = Opt(
        None,
        "--entity-ratio",
        "-b",
        help="The share of tokens in entities, labelled or not: says how many are "
        "missing. A number or 'estimate' (the default, which CBL does not select by)",
    ),
    label_precision: float = Opt(
        1.0, "--label-precision", help="The share of the labels that are right"
    ),
    n_folds: int = Opt(3, "--folds", help="How often to hide entities and weigh"),
    hide: float = Opt(
        0.2, "--hide", help="The share of the labelled entities to hide each time"
    ),
    vectors: Optional[str] = Opt(
        None, "--vectors", help="Pipeline with word vectors, for schemes that learn"
    ),
    clusters: Optional[str] = Opt(
        None, "--clusters", help="Brown clusters, for schemes that learn"
    ),
    lang: Optional[str] = Opt(
        None,
        "--lang",
        "-l",
        help="Language, for schemes that learn: that of --vectors, or xx, if not given",
    ),
    settings: Optional[List[str]] = Opt(
        None, "--set", help="Setting of the scheme: NAME=VALUE (may be repeated)"
    ),
    seed: int = Opt(0, "--seed", min=0, help="Fixes which entities are hidden"),
    json_path: Optional[Path] = Opt(
        None, "--json", "-j", help="Write the figures as JSON", dir_okay=False
    ),
) -> None:
    """Which weights mean a missed entity? The precision and recall to expect of
    suspects at each threshold, and of the first ones in the list, without gold.

    Labelled entities are hidden, and the corpus is weighed as if nobody had labelled
    them: takes as long as `weigh`, for each fold. Weigh with the same settings.
    """
    import srsly
    from spacy.language import Language

    from ..data.arrays import read_corpus_arrays
    from ..data.docbin import read_docs
    from ..data.files import check_output, write_text
    from ..models.fast_ops import use_fast_ops
    from ..training.entity_ratio import parse_ratio
    from ..training.schemes import get_scheme, place_ratio
    from ..training.setup import make_vocab
    from ..training.threshold import foresee

    if json_path is not None:
        check_output(json_path, partial)
    use_fast_ops(Language)
    ratio = None if entity_ratio is None else parse_ratio(entity_ratio)
    given, _ = place_ratio(scheme, ratio)
    given.update(parse_settings(settings or []))
    if "gold" in (ratio, given.get("entity_ratio")):
        # There is no gold corpus here.
        raise ValueError(Errors.C245.format(found="gold", names="estimate"))
    weighting = get_scheme(scheme, given)
    vocab = make_vocab(None, vectors, lang, clusters)
    outlook = foresee(
        read_corpus_arrays(lambda: read_docs(partial, vocab), vocab),
        weighting,
        n_folds=n_folds,
        hide=hide,
        entity_ratio="estimate" if ratio is None else ratio,
        label_precision=label_precision,
        seed=seed,
    )
    show_outlook(outlook)
    if json_path is not None:
        write_text(json_path, srsly.json_dumps(outlook.to_dict(), indent=2) + "\n")
        msg.good("Wrote the figures", json_path)


def show_outlook(outlook: "Outlook") -> None:
    """Show a row per threshold, and one for each number of first suspects.

    outlook (Outlook): What to expect.
    """
    # Of thresholds that find the same, the highest says all.
    rows = {row[1:]: row for row in outlook.rows}.values()
    _show_table("Weight below", [(f"{r.threshold:g}", r.suspects, r) for r in rows])
    if outlook.tops:
        msg.text("The most probable of a weight below 0.5, as `--top` takes them:")
        _show_table("", [("first", r.top, r) for r in outlook.tops])
    msg.text(
        f"{outlook.n_entities:,} labelled entities, {outlook.n_hidden:,} of them hidden "
        f"in turn. Missed entities: about {outlook.n_missed:,.0f}, by an entity ratio "
        f"of {outlook.ratio:.3f}; by the folds at most {outlook.n_bound:,.0f}"
    )
    if not outlook.is_random_draw:
        msg.warn(
            "The labelled entities seem easier to find than the others",
            "That happens with labels by a list or a knowledge base. Precision is then "
            "between what is foreseen and what the model believes, recall is at most "
            "what is foreseen. Give --entity-ratio if you know it.",
        )


def _show_table(
    name: str, rows: Sequence[Tuple[str, float, Union["Expected", "ExpectedTop"]]]
) -> None:
    shown = []
    for first, n_suspects, row in rows:
        shares = [f"{share:.0%}" for share in (row.precision, row.belief, row.recall)]
        shown.append([first, f"{n_suspects:,.0f}", *shares])
    header = [name, "Suspects", "Precision", "Model believes", "Recall"]
    msg.table(shown, header=header, divider=True, aligns=["r"] * 5)
