"""Figures over seeds, and how near each method comes to the oracle."""

from dataclasses import dataclass
from statistics import mean, stdev
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from .paper import BILSTM, COGCOMP, METHODS, TOOLS, paper_scores
from .results import Result

RAW, ORACLE, GOLD = "raw", "oracle", "gold"
# Named so that nobody takes them for ours
PAPER_MODELS = {tool: f"{tool} (paper)" for tool in (COGCOMP, BILSTM)}


class Mean(NamedTuple):
    """The mean of a figure over seeds, and its standard deviation if there are two."""

    mean: float
    spread: Optional[float] = None


class Key(NamedTuple):
    """What is compared: a row and a column of a table."""

    method: str
    model: str
    corpus: str


@dataclass(frozen=True)
class Summary:
    """What the seeds of one method, model and corpus gave."""

    key: Key
    n_seeds: int
    p: Mean
    r: Mean
    f: Mean
    f_dev: Optional[Mean]
    recall_at_k: Optional[Mean]
    seconds_weigh: Optional[Mean]
    seconds_train: Optional[Mean]


# F1 by method, model and corpus; what is relative to others is computed from these.
F1sT = Dict[Key, Mean]


def summarize(results: Sequence[Result]) -> List[Summary]:
    """Put the seeds of each method, model and corpus together.

    results (Sequence[Result]): The results.
    RETURNS (List[Summary]): One per method, model and corpus, worst method first.
    """
    groups: Dict[Key, List[Result]] = {}
    for result in results:
        key = Key(result.method, result.model, result.corpus)
        groups.setdefault(key, []).append(result)
    return [_summarize(key, groups[key]) for key in sorted(groups, key=order)]


def order(key: Key) -> Tuple:
    """Where a row belongs: from what is done with nothing to what is done with gold.

    key (Key): The row.
    RETURNS (Tuple): To sort by.
    """
    rank = {RAW: 0, ORACLE: 2, GOLD: 3}.get(key.method, 1)
    is_cbl = key.method.startswith("cbl")
    return (key.corpus, rank, is_cbl, key.method, not is_ours(key), key.model)


def is_ours(key: Key) -> bool:
    """Whether a figure is ours, not the paper's."""
    return key.model not in PAPER_MODELS.values()


def paper_model(model: str) -> str:
    """The name of the paper's model that one of ours, or of the paper's, is like."""
    if model in PAPER_MODELS.values():
        return model
    return PAPER_MODELS[TOOLS.get(model, BILSTM)]


def collect_f1s(summaries: Iterable[Summary]) -> F1sT:
    """F1 on the test set by method, model and corpus.

    summaries (Iterable[Summary]): The summaries.
    RETURNS (F1sT): The figures.
    """
    return {summary.key: summary.f for summary in summaries}


def collect_paper_f1s(keys: Iterable[Key]) -> F1sT:
    """The paper's figures for our languages and the kinds of our models, of all its
    methods that one of ours is.

    keys (Iterable[Key]): Ours.
    RETURNS (F1sT): The figures that the paper has.
    """
    keys = list(keys)
    f1s: F1sT = {}
    for tool in sorted({TOOLS.get(key.model, BILSTM) for key in keys}):
        for method in METHODS:
            scores = paper_scores(method, tool)
            for corpus in sorted({key.corpus for key in keys} & set(scores)):
                key = Key(method, PAPER_MODELS[tool], corpus)
                f1s[key] = Mean(scores[corpus])
    return f1s


def percent_of_oracle(f1s: F1sT, key: Key) -> Optional[Mean]:
    """F1 as percentage of that of the oracle's weights with the same model.

    f1s (F1sT): All figures.
    key (Key): Which one.
    RETURNS (Optional[Mean]): The percentage, or None without an oracle.
    """
    oracle = f1s.get(key._replace(method=ORACLE))
    if oracle is None or not oracle.mean or key not in f1s or key.method == ORACLE:
        return None
    return Mean(100 * f1s[key].mean / oracle.mean)


def gap_closed(f1s: F1sT, key: Key) -> Optional[Mean]:
    """How much of the way from raw to oracle a method goes, with the same model.

    f1s (F1sT): All figures.
    key (Key): Which one.
    RETURNS (Optional[Mean]): The percentage; None where there is no such way.
    """
    raw = f1s.get(key._replace(method=RAW))
    oracle = f1s.get(key._replace(method=ORACLE))
    if key not in f1s or key.method in (RAW, ORACLE, GOLD):
        return None
    if raw is None or oracle is None or oracle.mean <= raw.mean:
        return None
    return Mean(100 * (f1s[key].mean - raw.mean) / (oracle.mean - raw.mean))


def _summarize(key: Key, results: List[Result]) -> Summary:
    return Summary(
        key=key,
        n_seeds=len(results),
        p=_average([result.test.p for result in results]),
        r=_average([result.test.r for result in results]),
        f=_average([result.test.f for result in results]),
        f_dev=_average_known([result.dev and result.dev.f for result in results]),
        recall_at_k=_average_known([result.recall_at_k for result in results]),
        seconds_weigh=_average_known([result.seconds_weigh for result in results]),
        seconds_train=_average_known([result.seconds_train for result in results]),
    )


def _average(values: List[float]) -> Mean:
    return Mean(mean(values), stdev(values) if len(values) > 1 else None)


def _average_known(values: List[Optional[float]]) -> Optional[Mean]:
    known = [value for value in values if value is not None]
    return _average(known) if known else None
