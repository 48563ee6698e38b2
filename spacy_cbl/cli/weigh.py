"""`spacy cbl weigh`"""

from pathlib import Path
from typing import Any, Dict, List, Optional

from spacy.cli._util import Arg, Opt
from wasabi import msg

from ..errors import Errors
from ._app import command
from ._settings import parse_settings


@command("weigh")
def weigh_cli(
    input_path: Path = Arg(
        ..., help="Partially annotated corpus (.spacy)", exists=True, dir_okay=False
    ),
    output_path: Path = Arg(
        ..., help="Where to write the weighted corpus", dir_okay=False
    ),
    scheme: str = Opt(
        ...,
        "--scheme",
        "-s",
        help="raw, uniform, frequency, log_frequency, window, combined, log_combined, "
        "oracle, cbl, self_training, or any registered name; 'config' for that of --config",
    ),
    entity_ratio: Optional[str] = Opt(
        None,
        "--entity-ratio",
        "-b",
        help="Scale the weights of unlabelled tokens to this weighted entity ratio; for "
        "cbl: the share of tokens in entities, labelled or not. A number, 'estimate' "
        "(from the labels) or 'gold' (that of --gold)",
    ),
    gold_path: Optional[Path] = Opt(
        None,
        "--gold",
        "-g",
        help="The same corpus completely annotated, for oracle and for figures",
        exists=True,
        dir_okay=False,
    ),
    value: Optional[float] = Opt(
        None, "--value", help="Weight of unlabelled tokens, for uniform"
    ),
    lower: bool = Opt(
        False, "--lower", help="Count forms that differ in case together, for frequency"
    ),
    frequencies: Optional[Path] = Opt(
        None,
        "--frequencies",
        help="File of forms and counts, separated by a tab, to use for frequency "
        "instead of the counts of the corpus",
        exists=True,
        dir_okay=False,
    ),
    wordfreq: Optional[str] = Opt(
        None,
        "--wordfreq",
        help="Language whose word frequencies to use instead of the counts of the "
        "corpus (needs the package wordfreq)",
    ),
    distance: Optional[int] = Opt(
        None, "--distance", help="How far an entity's neighbour may be, for window"
    ),
    missing_below: Optional[float] = Opt(
        None,
        "--missing-below",
        "-m",
        help="Mark tokens of less weight as missing, and entities that have such a "
        "token: for recognizers that know no weights, such as spaCy's ner",
    ),
    config_path: Optional[Path] = Opt(
        None,
        "--config",
        "-c",
        help="Training config: vectors, lookups and, with --scheme config, the scheme "
        "are those of `spacy train` with it",
        exists=True,
        dir_okay=False,
    ),
    overrides: Optional[List[str]] = Opt(
        None,
        "--override",
        help="Setting of --config to replace: SECTION.NAME=VALUE (may be repeated)",
    ),
    vectors: Optional[str] = Opt(
        None, "--vectors", help="Pipeline with word vectors, for schemes that learn"
    ),
    clusters: Optional[str] = Opt(
        None,
        "--clusters",
        help="Brown clusters, for schemes that learn: a file of bits, word and count, "
        "or a language of the package spacy-lookups-data (en, de, es)",
    ),
    lang: Optional[str] = Opt(
        None,
        "--lang",
        "-l",
        help="Language, for schemes that learn: if not given, that of --config or of --vectors, or xx",
    ),
    settings: Optional[List[str]] = Opt(
        None, "--set", help="Other setting of the scheme: NAME=VALUE (may be repeated)"
    ),
):
    """Give each token a weight: how far to trust that an unlabelled one is no entity.

    Tokens of entities and trusted negatives (span group "cbl_outside") weigh 1.
    Tokens whose label is missing become O: in training a missing token counts nothing
    whatever its weight. With --missing-below, doubtful tokens are missing instead.
    """
    from spacy.language import Language

    from ..models.fast_ops import use_fast_ops
    from ..training.entity_ratio import parse_ratio
    from ..training.schemes import get_scheme, place_ratio
    from ..training.setup import make_vocab, read_config, resolve_scheme, scheme_name
    from ..training.weigh import weigh

    _check_options(scheme, config_path, overrides, lang)
    use_fast_ops(Language)
    replaced = parse_settings(overrides or [])
    if vectors is not None:
        replaced["paths.vectors"] = vectors
    config = None if config_path is None else read_config(config_path, replaced)
    named = {
        "value": value,
        "lower": lower or None,
        "frequencies": frequencies,
        "wordfreq": wordfreq,
        "distance": distance,
    }
    ratio = None if entity_ratio is None else parse_ratio(entity_ratio)
    from_config = scheme == "config"
    name = scheme_name(config, config_path) if from_config else scheme
    given = {name: setting for name, setting in named.items() if setting is not None}
    of_scheme, ratio = place_ratio(name, ratio)
    given.update(of_scheme)
    given.update(parse_settings(settings or []))
    if from_config:
        weighting = resolve_scheme(config, config_path, given)
    else:
        weighting = get_scheme(scheme, given)
    report = weigh(
        input_path,
        output_path,
        weighting,
        entity_ratio=ratio,
        gold_path=gold_path,
        missing_below=missing_below,
        vocab=make_vocab(config, vectors, lang, clusters),
    )
    if "history" in report:
        show_history(report["history"])
    msg.good(f"Weighed {report['tokens']} tokens", output_path)
    show_labels(report)
    mean = report["mean_negative_weight"]
    msg.table(
        [
            ("Entity ratio", f"{report['entity_ratio']:.4f}"),
            ("Weighted entity ratio", f"{report['weighted_entity_ratio']:.4f}"),
            ("Mean weight of N", "-" if mean is None else f"{mean:.4f}"),
        ]
    )


def _check_options(
    scheme: str,
    config: Optional[Path],
    overrides: Optional[List[str]],
    lang: Optional[str],
) -> None:
    if config is None and scheme == "config":
        raise ValueError(Errors.C175)
    if config is None and overrides:
        raise ValueError(Errors.C176.format(found=overrides[0]))
    if config is not None and lang is not None:
        raise ValueError(Errors.C177.format(lang=lang, path=config))


def show_labels(report: Dict[str, Any]) -> None:
    """Say which labels changed, and which are doubted.

    report (Dict[str, Any]): What `weigh` returned.
    """
    marked = report["marked_missing"]
    if report["missing_tokens"] and not marked:
        msg.info(f"{report['missing_tokens']} tokens without a label became O")
    if report["doubted_tokens"]:
        msg.info(f"{report['doubted_tokens']} labelled tokens are doubted: weight 0")
    if marked:
        n_outside = report["tokens"] - report["entity_tokens"]
        msg.info(
            f"{marked['outside']} of {n_outside} unlabelled tokens and "
            f"{marked['entity']} of {report['entity_tokens']} labelled ones are missing "
            "now: their weight is low"
        )


def show_history(history: List[Dict[str, Any]]) -> None:
    """Show a row per round. Schemes may keep what they like in their history.

    history (List[Dict[str, Any]]): The records of the rounds.
    """
    hidden = ("required", "mean_p_entity", "seconds_predict")
    headings = {
        "missed_recall_at_k": "recall at k",
        "selected_precision": "P of selected",
        "selected_recall": "R of selected",
        "seconds_train": "train s",
        "seconds_infer": "infer s",
    }
    shown = [name for name in history[0] if name not in hidden]
    rows = [[_cell(record.get(name)) for name in shown] for record in history]
    header = [headings.get(name, name.replace("_", " ")) for name in shown]
    msg.table(rows, header=header, divider=True)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
