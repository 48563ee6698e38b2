"""A plot as a picture of its own, for pages that show files and take no HTML."""

from html import escape
from typing import List, Sequence, Tuple

from .figures import COLOURS, PLOT_STYLE
from .plots import CHAR, MARGIN, N_COLOURS, ROW, WIDTH

KEY = 10  # the side of a square of the legend


def make_picture(caption: str, keys: Sequence[str], plot: str) -> str:
    """Draw a plot with its caption and legend into one SVG file, in light and in dark.

    caption (str): What it shows.
    keys (Sequence[str]): Names of the colours, in order.
    plot (str): The SVG of the plot.
    RETURNS (str): The content of the file.
    """
    places, n_rows = _place_keys(keys)
    top = (1 + n_rows) * ROW
    height = top + _height(plot) + MARGIN
    parts = [_text(MARGIN, 16, caption)]
    for i, (name, (x, row)) in enumerate(zip(keys, places)):
        y = 16 + row * ROW
        parts.append(
            f'<rect class="s{i % N_COLOURS}" x="{x:g}" y="{y - KEY + 1:g}" '
            f'width="{KEY}" height="{KEY}" rx="2"/>'
        )
        parts.append(_text(x + KEY + 5, y, name, "tick"))
    width = WIDTH + 2 * MARGIN
    inner = plot.replace("<svg ", f'<svg x="{MARGIN}" y="{top:g}" ', 1)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:g}" '
            f'width="{width}" height="{height:g}" role="img" '
            f'aria-label="{escape(caption)}">',
            f"<style>{COLOURS}{PLOT_STYLE}</style>",
            '<rect width="100%" height="100%" rx="6" style="fill: var(--page)"/>',
            *parts,
            inner,
            "</svg>\n",
        ]
    )


def _place_keys(keys: Sequence[str]) -> Tuple[List[Tuple[float, int]], int]:
    """Where the entries of the legend begin, row by row; how many rows there are."""
    places: List[Tuple[float, int]] = []
    x, row = float(MARGIN), 1
    for name in keys:
        wide = KEY + 5 + len(name) * CHAR + 2 * MARGIN
        if x > MARGIN and x + wide > WIDTH + 2 * MARGIN:
            x, row = float(MARGIN), row + 1
        places.append((x, row))
        x += wide
    return places, row if keys else 0


def _height(plot: str) -> float:
    """The height that the SVG of a plot says it has."""
    return float(plot.split('height="', 1)[1].split('"', 1)[0])


def _text(x: float, y: float, text: str, kind: str = "name") -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{escape(text)}</text>'
