"""`spacy cbl stats`."""

from pathlib import Path
from typing import TYPE_CHECKING, Callable, List, Optional, Tuple

from spacy.cli._util import Arg, Opt
from wasabi import msg

from ._app import command

if TYPE_CHECKING:
    from ..data.stats import Stats


@command("stats")
def stats_cli(
    paths: List[Path] = Arg(
        ..., help="Files to count (.spacy, or what convert reads)", exists=True
    ),
    gold_path: Optional[Path] = Opt(
        None,
        "--gold",
        "-g",
        help="The same documents with complete labels: adds scores of the labels",
        exists=True,
        dir_okay=False,
    ),
    estimate: bool = Opt(
        False,
        "--estimate-ratio",
        "-r",
        help="Estimate the true entity ratio without gold",
    ),
    n_folds: int = Opt(5, "--folds", min=2, help="Folds of the estimate"),
    seed: int = Opt(0, "--seed", min=0, help="Seed of the estimate"),
    json_path: Optional[Path] = Opt(
        None, "--json", "-j", help="Write the figures as JSON", dir_okay=False
    ),
) -> None:
    """Count sentences, tokens, entities, missing tokens; score labels beside gold."""
    import srsly

    from ..data.files import check_output, write_text
    from ..data.stats import corpus_stats

    if json_path is not None:
        check_output(json_path, *paths, gold_path)
    rows = corpus_stats(
        paths, gold_path=gold_path, with_estimate=estimate, n_folds=n_folds, seed=seed
    )
    msg.table(
        [[show(row) for _, show in _COUNTS] for row in rows],
        header=[name for name, _ in _COUNTS],
        divider=True,
        max_col=120,
        aligns=["l"] + ["r"] * (len(_COUNTS) - 1),
    )
    _show_types(rows)
    if gold_path is not None:
        _show_scores(rows)
    if estimate:
        _show_estimates(rows)
    if json_path is not None:
        write_text(json_path, srsly.json_dumps([r.to_dict() for r in rows], indent=2))
        msg.good("Wrote the figures", str(json_path))


ColumnT = Tuple[str, Callable[["Stats"], str]]
_COUNTS: List[ColumnT] = [
    ("File", lambda row: row.path),
    ("Docs", lambda row: str(row.docs)),
    ("Sents", lambda row: str(row.sents)),
    ("Tokens", lambda row: str(row.tokens)),
    ("Spans", lambda row: str(row.spans)),
    ("b %", lambda row: _percent(row.ratio)),
    ("Weighted b %", lambda row: _percent(row.weighted_ratio)),
    ("Missing", lambda row: str(row.missing)),
    ("Name tokens", lambda row: str(row.entity_tokens)),
    ("Unique", lambda row: str(row.unique_entity_tokens)),
]


def _percent(share: float) -> str:
    return f"{100 * share:.2f}"


def _show_types(rows: List["Stats"]) -> None:
    labels = sorted({label for row in rows for label in row.types})
    msg.table(
        [
            [row.path, *(str(row.types.get(label, 0)) for label in labels)]
            for row in rows
        ],
        header=["Spans per type", *labels],
        divider=True,
        max_col=120,
        aligns=["l"] + ["r"] * len(labels),
    )


def _show_scores(rows: List["Stats"]) -> None:
    data = [
        (row.path, *map(_percent, (s.precision, s.recall, s.f1)))
        for row in rows
        if (s := row.scores) is not None
    ]
    msg.table(
        data,
        header=["Labels beside gold", "P", "R", "F1"],
        divider=True,
        max_col=120,
        aligns=["l", "r", "r", "r"],
    )


def _show_estimates(rows: List["Stats"]) -> None:
    data = [
        (row.path, *map(_percent, (row.ratio, e.ratio, e.std, e.lower, e.upper)))
        for row in rows
        if (e := row.estimate) is not None
    ]
    msg.table(
        data,
        header=[
            "Entity ratio",
            "Labelled %",
            "Estimate %",
            "Std",
            "Low (e3)",
            "High (e1)",
        ],
        divider=True,
        max_col=120,
        aligns=["l"] + ["r"] * 5,
    )
