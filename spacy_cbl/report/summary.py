"""Figures over seeds, and how near each method comes to the oracle."""

from dataclasses import dataclass
from statistics import mean, stdev
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from .paper import BILSTM, COGCOMP, METHODS, TOOLS, paper_scores
from .results import Result

RAW, ORACLE, GOLD = "raw", "oracle", "gold"
# Named so that nobody takes them for ours
PAPER_MODELS = {tool: f"{tool} (paper)" for tool in (COGCOMP, BILSTM)}
PAPER_SEED = 0  # stands for what the paper does not say


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
    by_seed: Dict[int, float]  # F1
    p: Mean
    r: Mean
    f: Mean
    f_dev: Optional[Mean]
    recall_at_k: Optional[Mean]
    seconds_weigh: Optional[Mean]
    seconds_train: Optional[Mean]
    one_setting: bool = True  # whether all seeds have the same settings

    @property
    def n_seeds(self) -> int:
        return len(self.by_seed)


# F1 of each seed by method, model and corpus. What is relative to others is computed
# from the seeds that both have: a seed may draw the partial labels too.
F1sT = Dict[Key, Dict[int, float]]


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
    return {summary.key: summary.by_seed for summary in summaries}


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
                f1s[key] = {PAPER_SEED: scores[corpus]}
    return f1s


def mean_f1(f1s: F1sT, key: Key) -> Optional[Mean]:
    """F1 over all seeds.

    f1s (F1sT): All figures.
    key (Key): Which one.
    RETURNS (Optional[Mean]): The mean, if there is a figure.
    """
    return _average(list(f1s[key].values())) if key in f1s else None


def percent_of_oracle(f1s: F1sT, key: Key) -> Optional[Mean]:
    """F1 as percentage of that of the oracle's weights with the same model and seeds.

    f1s (F1sT): All figures.
    key (Key): Which one.
    RETURNS (Optional[Mean]): The percentage, or None without an oracle.
    """
    shared = _means_of_shared(f1s, key, key._replace(method=ORACLE))
    if shared is None or not shared[1] or key.method == ORACLE:
        return None
    f1, oracle = shared
    return Mean(100 * f1 / oracle)


def gap_closed(f1s: F1sT, key: Key) -> Optional[Mean]:
    """How much of the way from raw to oracle a method goes, with the same model and
    seeds.

    f1s (F1sT): All figures.
    key (Key): Which one.
    RETURNS (Optional[Mean]): The percentage; None where there is no such way.
    """
    ends = (key._replace(method=RAW), key._replace(method=ORACLE))
    shared = _means_of_shared(f1s, key, *ends)
    if shared is None or key.method in (RAW, ORACLE, GOLD):
        return None
    f1, raw, oracle = shared
    return Mean(100 * (f1 - raw) / (oracle - raw)) if oracle > raw else None


def shared_seeds(figures: Iterable[Dict[int, float]]) -> List[int]:
    """The seeds that all have.

    figures (Iterable[Dict[int, float]]): By seed, at least one.
    RETURNS (List[int]): In order.
    """
    return sorted(set.intersection(*map(set, figures)))


def _means_of_shared(f1s: F1sT, *keys: Key) -> Optional[List[float]]:
    """The mean of each over the seeds that all have; None where there are none."""
    if any(key not in f1s for key in keys):
        return None
    seeds = shared_seeds(f1s[key] for key in keys)
    return [mean(f1s[key][seed] for seed in seeds) for key in keys] if seeds else None


def _summarize(key: Key, results: List[Result]) -> Summary:
    return Summary(
        key=key,
        by_seed={result.seed: result.test.f for result in results},
        p=_average([result.test.p for result in results]),
        r=_average([result.test.r for result in results]),
        f=_average([result.test.f for result in results]),
        f_dev=_average_known([result.dev and result.dev.f for result in results]),
        recall_at_k=_average_known([result.recall_at_k for result in results]),
        seconds_weigh=_average_known([result.seconds_weigh for result in results]),
        seconds_train=_average_known([result.seconds_train for result in results]),
        one_setting=len({result.settings for result in results}) == 1,
    )


def _average(values: List[float]) -> Mean:
    return Mean(mean(values), stdev(values) if len(values) > 1 else None)


def _average_known(values: List[Optional[float]]) -> Optional[Mean]:
    known = [value for value in values if value is not None]
    return _average(known) if known else None
