"""Plots of our figures and the paper's side by side."""

from math import ceil
from typing import List, Sequence

from .counts import Counts
from .figures import figure
from .paper import BENGALI_SCORES, DATA, RATIOS
from .paper_tables import BENGALI, RatioRow, collect_ratio_rows
from .plots import Bar, Series, bar_plot, column_plot
from .summary import Summary
from .tables import sort_corpora

KEYS = ["ours", "paper"]


def paper_figures(summaries: Sequence[Summary], counts: Sequence[Counts]) -> List[str]:
    """The figures that there is something for.

    summaries (Sequence[Summary]): The results.
    counts (Sequence[Counts]): What the corpora hold.
    RETURNS (List[str]): The HTML of each.
    """
    figures = [_data_figure(counts)]
    rows = collect_ratio_rows(summaries)
    for model in sorted({row.model for row in rows}):
        figures.append(_ratio_figure([row for row in rows if row.model == model]))
    figures.append(_bengali_figure(summaries))
    return [made for made in figures if made]


def _data_figure(counts: Sequence[Counts]) -> str:
    train = {r.corpus: r for r in counts if r.part == "train" and r.scores is None}
    bars = []
    for corpus in sort_corpora(train):
        bars.append(Bar(corpus, train[corpus].ratio))
        if corpus in DATA:
            bars.append(Bar("", float(DATA[corpus][0]), series=1))
    if not bars:
        return ""
    caption = "Entity ratio of training data, in percent"
    top = 20 * max(1, ceil(max(bar.value for bar in bars) / 20))
    return figure(caption, KEYS, bar_plot(bars, caption, top))


def _ratio_figure(rows: Sequence[RatioRow]) -> str:
    complete = [row for row in rows if None not in row.f1s]
    if not complete:
        return ""
    series = [
        Series(row.method, [f1 for f1 in row.f1s if f1 is not None]) for row in complete
    ]
    caption = f"{rows[0].model}: mean F1 by the entity ratio that is assumed"
    plot = column_plot(series, RATIOS, "entity ratio", caption, top=100, shown="{:.1f}")
    return figure(caption, [line.name for line in series], plot)


def _bengali_figure(summaries: Sequence[Summary]) -> str:
    ours = [row for row in summaries if BENGALI.fullmatch(row.key.corpus)]
    kinds = sorted({_kind(row) for row in ours})
    bars = []
    for method, scores in BENGALI_SCORES.items():
        found = [row for row in ours if row.key.method == method]
        for row in found:
            colour = kinds.index(_kind(row))
            bars.append(Bar(method, row.f.mean, row.f.spread, colour))
        if found:
            bars.append(Bar(method, scores[-1], series=len(kinds)))
    if not bars:
        return ""
    return figure("Bengali: F1", [*kinds, "paper"], bar_plot(bars, "F1 on Bengali"))


def _kind(row: Summary) -> str:
    return f"{row.key.corpus} {row.key.model}"
