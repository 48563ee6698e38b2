"""What pages share: the frame and style of one HTML file, figures and their legends."""

from html import escape
from typing import Dict, Iterable, List, Sequence

from .histogram import N_BINS, Group
from .plots import N_COLOURS, Series, column_plot, line_plot
from .results import HistoryT

# What is drawn of rounds, where their records have it
SHARES = {
    "b": "entity ratio b",
    "missed_recall_at_k": "recall at k",
    "selected_precision": "precision of selected",
    "selected_recall": "recall of selected",
    "changed": "labels changed",
}
COLOURS = """
:root { color-scheme: light dark; --page: #fff; --text: #1d2530; --soft: #5d6b7c;
  --line: #dfe4ea; --s0: #2469b3; --s1: #d9730d; --s2: #2b8a57; --s3: #9446a8;
  --s4: #b3324b; --s5: #5f6b7a; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14181d; --text: #e4e8ed; --soft: #9aa7b6; --line: #2f3842;
    --s0: #6aaef2; --s1: #f2a154; --s2: #62c48f; --s3: #c793d6; --s4: #f08a9c;
    --s5: #a3afbd; } }
"""
PAGE_STYLE = """
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
svg { max-width: 100%; height: auto; display: block; }
"""
PLOT_STYLE = """
svg { font: 12px system-ui, sans-serif; }
svg text { fill: var(--text); } svg .tick, svg .axis { fill: var(--soft); }
.grid { stroke: var(--line); } .whisker { stroke: var(--text); stroke-width: 1.5; }
svg .line { fill: none; stroke-width: 2; }
""" + "\n".join(
    f".s{i} {{ fill: var(--s{i}); stroke: none; }} "
    f"polyline.s{i} {{ stroke: var(--s{i}); }} "
    f"i.s{i} {{ background: var(--s{i}); }}"
    for i in range(N_COLOURS)
)


def make_document(title: str, body: str, command: str, style: str = "") -> str:
    """Put content into one file that needs nothing else, in light and in dark.

    title (str): The title.
    body (str): The HTML under it.
    command (str): What made the page.
    style (str): More style.
    RETURNS (str): The HTML.
    """
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{COLOURS}{PAGE_STYLE}{PLOT_STYLE}
{style}</style>
</head>
<body>
<h1>{escape(title)}</h1>
{body}
<footer>Made by <code>{escape(command)}</code>.</footer>
</body>
</html>
"""


def history_figures(name: str, history: HistoryT) -> List[str]:
    """Plots of rounds: shares as lines, tokens selected and the objective as columns.

    name (str): Whose rounds they are.
    history (HistoryT): A record per round.
    RETURNS (List[str]): The figures that the records allow.
    """
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
        figures.append(figure(f"{name}: rounds, in percent", names, plot))
    if _is_known(history, "selected"):
        values = [record["selected"] for record in history]
        figures.append(_count_figure(f"{name}: tokens selected", values, rounds))
    if _is_known(history, "objective"):
        # A log probability: the lower its opposite, the better labels and model agree.
        values = [max(0.0, -record["objective"]) for record in history]
        figures.append(_count_figure(f"{name}: objective × −1", values, rounds))
    return figures


def _count_figure(caption: str, values: List[float], rounds: List[str]) -> str:
    plot = column_plot(
        [Series(caption, values)],
        rounds,
        "round",
        caption,
        with_values=len(rounds) < 9,
    )
    return figure(caption, [], plot)


def _is_known(history: HistoryT, key: str) -> bool:
    return bool(history) and all(record.get(key) is not None for record in history)


def weight_figure(name: str, groups: Dict[str, Group]) -> str:
    """How the weights of some groups of tokens are spread.

    name (str): Whose weights they are.
    groups (Dict[str, Group]): The groups by name.
    RETURNS (str): The figure.
    """
    series = [
        Series(
            f"{group.n_tokens:,} {text}, mean weight {group.mean:.2f}",
            [100 * float(share) for share in group.shares],
        )
        for text, group in groups.items()
    ]
    bins = [f"{i / N_BINS:.1f}" for i in range(N_BINS)]
    label = f"Share of tokens per weight, {name}"
    plot = column_plot(series, bins, "weight from", label, top=100, shown="{:.0f}%")
    names = [line.name for line in series]
    return figure(f"{name}: share of tokens per weight", names, plot)


def figure(caption: str, keys: Sequence[str], plot: str) -> str:
    """A plot with its caption and legend.

    caption (str): What it shows.
    keys (Sequence[str]): Names of the colours, in order.
    plot (str): The SVG.
    RETURNS (str): The HTML.
    """
    legend = "".join(
        f'<span class="key"><i class="s{i % N_COLOURS}"></i>{escape(name)}</span>'
        for i, name in enumerate(keys)
    )
    separator = "<br>" if keys else ""
    text = f"<figcaption>{escape(caption)}{separator}{legend}</figcaption>"
    return f"<figure>{text}\n{plot}</figure>"


def section(title: str, figures: Iterable[str]) -> str:
    """Figures side by side under a heading.

    title (str): The heading.
    figures (Iterable[str]): The figures.
    RETURNS (str): The HTML; nothing where there is no figure.
    """
    body = "\n".join(figures)
    if not body:
        return ""
    return f'<h2>{escape(title)}</h2>\n<div class="plots">\n{body}\n</div>'
