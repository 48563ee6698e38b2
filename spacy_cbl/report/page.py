"""One HTML page that needs nothing else: tables and plots, in light and in dark."""

from html import escape
from typing import Dict, List, Sequence

from .counts import Counts
from .figures import (
    figure,
    history_figures,
    make_document,
    section,
    weight_figure,
)
from .histogram import WeightHistogram
from .paper_figures import paper_figures
from .plots import Bar, bar_plot
from .results import HistoryT, Result
from .summary import Summary, summarize
from .tables import Table, sort_corpora


def make_page(
    results: Sequence[Result],
    tables: Sequence[Table],
    histograms: Sequence[WeightHistogram],
    counts: Sequence[Counts],
    title: str,
) -> str:
    """Put everything on one page.

    results (Sequence[Result]): The results.
    tables (Sequence[Table]): Their tables.
    histograms (Sequence[WeightHistogram]): Weights of corpora whose gold is known.
    counts (Sequence[Counts]): What the corpora hold.
    title (str): The title of the page.
    RETURNS (str): The HTML.
    """
    summaries = summarize(results)
    sections = [
        section("F1 on the test set", _f1_figures(summaries)),
        section("Beside the paper", paper_figures(summaries, counts)),
        *(_table_section(table) for table in tables),
        section("Rounds", _round_figures(results)),
        section("Weights of unlabelled tokens", map(_weight_figure, histograms)),
    ]
    body = "\n".join(part for part in sections if part)
    return make_document(title, body, "spacy cbl compare")


def _f1_figures(summaries: List[Summary]) -> List[str]:
    """A plot per corpus; models have colours."""
    models = sorted({summary.key.model for summary in summaries})
    keys = models if len(models) > 1 else []
    figures = []
    for corpus in sort_corpora({summary.key.corpus for summary in summaries}):
        rows = [summary for summary in summaries if summary.key.corpus == corpus]
        bars = [
            Bar(
                row.key.method,
                row.f.mean,
                row.f.spread,
                models.index(row.key.model),
            )
            for row in rows
        ]
        plot = bar_plot(bars, _join("F1 per method", corpus))
        figures.append(figure(corpus or "F1 per method", keys, plot))
    return figures


def _round_figures(results: Sequence[Result]) -> List[str]:
    """The plots of each corpus and method, of its first seed."""
    histories: Dict[str, HistoryT] = {}
    for result in sorted(results, key=lambda result: result.seed):
        if result.history:
            name = _join(result.corpus, result.method)
            histories.setdefault(name, result.history)
    return [
        shown
        for name, history in sorted(histories.items())
        for shown in history_figures(name, history)
    ]


def _weight_figure(histogram: WeightHistogram) -> str:
    groups = {"missed": histogram.missed, "true negatives": histogram.outside}
    return weight_figure(histogram.name, groups)


def _table_section(table: Table) -> str:
    rows = "\n".join(_table_row("td", row, table.n_names) for row in table.rows)
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    return (
        f'<h2>{escape(table.title)}</h2>\n<div class="scroll"><table>\n'
        f"<thead>{_table_row('th', table.header, table.n_names)}</thead>\n"
        f"<tbody>\n{rows}\n</tbody></table></div>\n{note}"
    )


def _table_row(tag: str, cells: Sequence[str], n_names: int) -> str:
    named = [' class="name"' if i < n_names else "" for i in range(len(cells))]
    inner = "".join(
        f"<{tag}{name}>{escape(cell)}</{tag}>" for name, cell in zip(named, cells)
    )
    return f"<tr>{inner}</tr>"


def _join(*words: str) -> str:
    return " ".join(word for word in words if word)
