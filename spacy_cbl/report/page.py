"""One HTML page that needs nothing else: tables and plots, in light and in dark."""

from html import escape
from typing import Dict, Iterable, List, Sequence

from .histogram import N_BINS, WeightHistogram
from .plots import Bar, Series, bar_plot, column_plot, line_plot
from .results import HistoryT, Result
from .summary import Summary, summarize
from .tables import Table, sort_corpora

N_COLOURS = 6
# What is drawn of rounds, where their records have it
SHARES = {
    "b": "entity ratio b",
    "missed_recall_at_k": "recall at k",
    "selected_precision": "precision of selected",
    "selected_recall": "recall of selected",
    "changed": "labels changed",
}
STYLE = """
:root { color-scheme: light dark; --page: #fff; --text: #1d2530; --soft: #5d6b7c;
  --line: #dfe4ea; --s0: #2469b3; --s1: #d9730d; --s2: #2b8a57; --s3: #9446a8;
  --s4: #b3324b; --s5: #5f6b7a; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14181d; --text: #e4e8ed; --soft: #9aa7b6; --line: #2f3842;
    --s0: #6aaef2; --s1: #f2a154; --s2: #62c48f; --s3: #c793d6; --s4: #f08a9c;
    --s5: #a3afbd; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 74rem; padding: 1.5rem 1rem 3rem;
  background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 1rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .6rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .75rem; border-bottom: 1px solid var(--line); text-align: right;
  white-space: nowrap; }
th { color: var(--soft); font-weight: 600; } .name { text-align: left; }
.note, footer { color: var(--soft); font-size: .875rem; margin: .5rem 0 0; }
.plots { display: flex; flex-wrap: wrap; gap: 1.25rem 2rem;
  align-items: flex-end; }
figure { margin: 0; width: 440px; max-width: 100%; }
figcaption { font-size: .9rem; margin-bottom: .35rem; }
.key { display: inline-block; color: var(--soft); margin-right: .9rem; }
.key i { display: inline-block; width: .7rem; height: .7rem; border-radius: 2px;
  margin-right: .35rem; }
svg { max-width: 100%; height: auto; display: block; font: 12px system-ui, sans-serif; }
svg text { fill: var(--text); } svg .tick, svg .axis { fill: var(--soft); }
.grid { stroke: var(--line); } .whisker { stroke: var(--text); stroke-width: 1.5; }
svg .line { fill: none; stroke-width: 2; }
"""


def make_page(
    results: Sequence[Result],
    tables: Sequence[Table],
    histograms: Sequence[WeightHistogram],
    title: str,
) -> str:
    """Put everything on one page.

    results (Sequence[Result]): The results.
    tables (Sequence[Table]): Their tables.
    histograms (Sequence[WeightHistogram]): Weights of corpora whose gold is known.
    title (str): The title of the page.
    RETURNS (str): The HTML.
    """
    sections = [
        _section("F1 on the test set", _f1_figures(summarize(results))),
        *(_table_section(table) for table in tables),
        _section("Rounds", _round_figures(results)),
        _section("Weights of unlabelled tokens", map(_weight_figure, histograms)),
    ]
    colours = "\n".join(
        f".s{i} {{ fill: var(--s{i}); stroke: none; }} "
        f"polyline.s{i} {{ stroke: var(--s{i}); }} "
        f"i.s{i} {{ background: var(--s{i}); }}"
        for i in range(N_COLOURS)
    )
    body = "\n".join(section for section in sections if section)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}{colours}
</style>
</head>
<body>
<h1>{escape(title)}</h1>
{body}
<footer>Made by <code>spacy cbl compare</code>.</footer>
</body>
</html>
"""


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
                models.index(row.key.model) % N_COLOURS,
            )
            for row in rows
        ]
        plot = bar_plot(bars, _join("F1 per method", corpus))
        figures.append(_figure(corpus or "F1 per method", keys, plot))
    return figures


def _round_figures(results: Sequence[Result]) -> List[str]:
    """Two plots per corpus and method, of its first seed."""
    histories: Dict[str, HistoryT] = {}
    for result in sorted(results, key=lambda result: result.seed):
        if result.history:
            name = _join(result.corpus, result.method)
            histories.setdefault(name, result.history)
    return [
        figure
        for name, history in sorted(histories.items())
        for figure in _history_figures(name, history)
    ]


def _history_figures(name: str, history: HistoryT) -> List[str]:
    rounds = [str(i + 1) for i in range(len(history))]
    figures = []
    lines = [
        Series(text, [100 * record[key] for record in history])
        for key, text in SHARES.items()
        if _is_known(history, key)
    ]
    if lines:
        plot = line_plot(lines, rounds, "round", f"Rounds of {name}, in percent")
        names = [line.name for line in lines]
        figures.append(_figure(f"{name}: rounds, in percent", names, plot))
    if _is_known(history, "selected"):
        counts = [Series("selected", [record["selected"] for record in history])]
        plot = column_plot(
            counts, rounds, "round", f"Selected by {name}", with_values=len(rounds) < 9
        )
        figures.append(_figure(f"{name}: tokens selected", [], plot))
    return figures


def _is_known(history: HistoryT, key: str) -> bool:
    return all(record.get(key) is not None for record in history)


def _weight_figure(histogram: WeightHistogram) -> str:
    missed, outside = histogram.missed, histogram.outside
    series = [
        Series(
            f"{group.n_tokens:,} {name}, mean weight {group.mean:.2f}",
            [100 * float(share) for share in group.shares],
        )
        for name, group in (("missed", missed), ("true negatives", outside))
    ]
    bins = [f"{i / N_BINS:.1f}" for i in range(N_BINS)]
    label = f"Share of tokens per weight, {histogram.name}"
    plot = column_plot(series, bins, "weight from", label, top=100, shown="{:.0f}%")
    names = [line.name for line in series]
    return _figure(f"{histogram.name}: share of tokens per weight", names, plot)


def _figure(caption: str, keys: Sequence[str], plot: str) -> str:
    legend = "".join(
        f'<span class="key"><i class="s{i % N_COLOURS}"></i>{escape(name)}</span>'
        for i, name in enumerate(keys)
    )
    separator = "<br>" if keys else ""
    text = f"<figcaption>{escape(caption)}{separator}{legend}</figcaption>"
    return f"<figure>{text}\n{plot}</figure>"


def _section(title: str, figures: Iterable[str]) -> str:
    body = "\n".join(figures)
    if not body:
        return ""
    return f'<h2>{escape(title)}</h2>\n<div class="plots">\n{body}\n</div>'


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
