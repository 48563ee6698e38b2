"""Plots as SVG. Colours are classes, so that the page's style decides on them."""

from html import escape
from math import ceil, floor, log10
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

WIDTH, ROW, MARGIN = 440, 24, 8
N_COLOURS = 6
CHAR = 6.8  # about the width of a letter, to leave room for names
TICKS = (0, 25, 50, 75, 100)


class Bar(NamedTuple):
    """A bar; `series` is the number of its colour."""

    name: str
    value: float
    spread: Optional[float] = None
    series: int = 0


class Series(NamedTuple):
    """Values for the positions of the horizontal axis."""

    name: str
    values: Sequence[float]


class Curve(NamedTuple):
    """Points to join by a line, from left to right."""

    name: str
    points: Sequence[Tuple[float, float]]


def bar_plot(bars: Sequence[Bar], label: str, top: float = 100) -> str:
    """Horizontal bars, each with its value.

    bars (Sequence[Bar]): The bars, from top to bottom.
    label (str): What the plot shows, for those who cannot see it.
    top (float): The end of the axis, which begins at 0.
    RETURNS (str): The SVG.
    """
    left = min(max(len(bar.name) for bar in bars) * CHAR + 2 * MARGIN, WIDTH / 2)
    scale = (WIDTH - left - 5 * CHAR - 2 * MARGIN) / top
    height = len(bars) * ROW + ROW
    parts = []
    for share in TICKS:
        tick = top * share / 100
        x = left + tick * scale
        parts.append(_line("grid", x, 0, x, height - ROW + 4))
        parts.append(_text("tick", x, height - 6, f"{tick:g}", "middle"))
    for i, bar in enumerate(bars):
        y, end = i * ROW + 4, left + bar.value * scale
        parts.append(_text("name", left - MARGIN, y + 12, bar.name, "end"))
        parts.append(
            _rect(
                bar.series, left, y, end - left, ROW - 8, f"{bar.name}: {bar.value:.2f}"
            )
        )
        if bar.spread is not None:
            reach, middle = bar.spread * scale, y + (ROW - 8) / 2
            parts.append(_line("whisker", end - reach, middle, end + reach, middle))
            end += reach
        parts.append(_text("value", end + 5, y + 12, f"{bar.value:.1f}"))
    return _svg(height, parts, label)


def line_plot(
    series: Sequence[Series],
    positions: Sequence[str],
    axis: str,
    label: str,
    *,
    low: float = 0,
    top: float = 100,
) -> str:
    """Lines, one point per position.

    series (Sequence[Series]): The lines.
    positions (Sequence[str]): The names of the positions.
    axis (str): The name of the horizontal axis.
    label (str): What the plot shows, for those who cannot see it.
    low (float): The lower end of the vertical axis.
    top (float): The upper end of it.
    RETURNS (str): The SVG.
    """
    frame = _Frame(len(positions))
    parts = frame.axes(positions, axis, top, "{:g}", low)
    for number, line in enumerate(series):
        points = [
            (frame.centre(i), frame.y(value, top, low))
            for i, value in enumerate(line.values)
        ]
        hints = [
            f"{line.name}, {axis} {position}: {value:.1f}"
            for position, value in zip(positions, line.values)
        ]
        parts += _curve(number, points, hints)
    return _svg(frame.height, parts, label)


def column_plot(
    series: Sequence[Series],
    positions: Sequence[str],
    axis: str,
    label: str,
    *,
    top: Optional[float] = None,
    shown: str = "{:,.0f}",
    with_values: bool = False,
) -> str:
    """Columns side by side at each position.

    series (Sequence[Series]): The columns, one per position and series.
    positions (Sequence[str]): The names of the positions.
    axis (str): The name of the horizontal axis.
    label (str): What the plot shows, for those who cannot see it.
    top (Optional[float]): The upper end of the axis; that of the values by default.
    shown (str): How to write a value.
    with_values (bool): Whether to write values above columns.
    RETURNS (str): The SVG.
    """
    frame = _Frame(len(positions))
    top = top or _round_up(max(v for line in series for v in line.values))
    parts = frame.axes(positions, axis, top, shown)
    width = min(frame.step * 0.8 / len(series), 48)
    for number, line in enumerate(series):
        for i, value in enumerate(line.values):
            x = frame.centre(i) + (number - len(series) / 2) * width
            y, text = frame.y(value, top), shown.format(value)
            hint = f"{line.name}, {axis} {positions[i]}: {text}"
            parts.append(_rect(number, x, y, width - 1, frame.bottom - y, hint))
            if with_values:
                parts.append(_text("value", x + width / 2, y - 4, text, "middle"))
    return _svg(frame.height, parts, label)


def log_plot(curves: Sequence[Curve], axis: str, label: str) -> str:
    """Curves with logarithms on both axes: what grows as a power is a straight line.

    curves (Sequence[Curve]): The curves; all their numbers are above 0.
    axis (str): The name of the horizontal axis.
    label (str): What the plot shows, for those who cannot see it.
    RETURNS (str): The SVG.
    """
    frame = _Frame(1)
    xs, ys = zip(*(point for curve in curves for point in curve.points))
    (left, right), (low, high) = _decades(xs), _decades(ys)
    parts = []

    def place(x: float, y: float) -> Tuple[float, float]:
        across = (log10(x) - left) / (right - left)
        up = (log10(y) - low) / (high - low)
        return frame.left + across * frame.step, frame.y(up, 1)

    for power in range(low, high + 1):
        _, y = place(1, 10.0**power)
        parts.append(_line("grid", frame.left, y, WIDTH - MARGIN, y))
        parts.append(_text("tick", frame.left - 6, y + 4, _short(10.0**power), "end"))
    for power in range(left, right + 1):
        x, _ = place(10.0**power, 10.0**low)
        parts.append(_line("grid", x, frame.top, x, frame.bottom))
        anchor = "end" if power == right else "middle"
        parts.append(_text("tick", x, frame.bottom + 16, _short(10.0**power), anchor))
    middle = frame.left + frame.step / 2
    parts.append(_text("axis", middle, frame.height - 6, axis, "middle"))
    for number, curve in enumerate(curves):
        places = [place(x, y) for x, y in curve.points]
        hints = [f"{curve.name}, {x:,g} {axis}: {y:,.4g}" for x, y in curve.points]
        parts += _curve(number, places, hints)
    return _svg(frame.height, parts, label)


class _Frame:
    """The area between two axes, cut into positions."""

    height, left, top = 220, 52, 18

    def __init__(self, n_positions: int) -> None:
        self.bottom = self.height - 40
        self.step = (WIDTH - self.left - MARGIN) / max(1, n_positions)

    def centre(self, i: int) -> float:
        return self.left + (i + 0.5) * self.step

    def y(self, value: float, top: float, low: float = 0) -> float:
        share = (value - low) / (top - low)
        return self.bottom - (self.bottom - self.top) * min(max(share, 0), 1)

    def axes(
        self,
        positions: Sequence[str],
        axis: str,
        top: float,
        shown: str,
        low: float = 0,
    ) -> List[str]:
        parts = []
        for share in TICKS:
            value = low + (top - low) * share / 100
            y = self.y(value, top, low)
            parts.append(_line("grid", self.left, y, WIDTH - MARGIN, y))
            parts.append(
                _text("tick", self.left - 6, y + 4, shown.format(value), "end")
            )
        widest = max((len(name) for name in positions), default=0) * CHAR
        every = max(1, -int(-widest // self.step))
        for i, name in enumerate(positions):
            if i % every == 0:
                parts.append(
                    _text("tick", self.centre(i), self.bottom + 16, name, "middle")
                )
        middle = (self.left + WIDTH - MARGIN) / 2
        parts.append(_text("axis", middle, self.height - 6, axis, "middle"))
        return parts


def _round_up(value: float) -> float:
    """The next number that looks well at the end of an axis."""
    power = 10.0 ** floor(log10(value)) if value > 0 else 1.0
    return next(step * power for step in (1, 2, 4, 8, 10) if step * power >= value)


def _decades(values: Sequence[float]) -> Tuple[int, int]:
    """The powers of ten around some values, two different ones."""
    # A little more than a power of ten needs no decade of its own.
    low, high = floor(log10(min(values))), ceil(log10(max(values)) - 0.01)
    return low, max(high, low + 1)


def _short(value: float) -> str:
    """A power of ten with few digits: 10k, 1M."""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:g}{name}"
    return f"{value:g}"


def _curve(
    number: int, points: Sequence[Tuple[float, float]], hints: Sequence[str]
) -> List[str]:
    """A line through points, and a mark with a hint on each of them."""
    colour = _colour(number)
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts = [f'<polyline class="line {colour}" points="{path}"/>']
    for (x, y), hint in zip(points, hints):
        parts.append(
            f'<circle class="{colour}" cx="{x:.1f}" cy="{y:.1f}" r="3.5">'
            f"<title>{escape(hint)}</title></circle>"
        )
    return parts


def _svg(height: float, parts: List[str], label: str) -> str:
    size = f'viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}"'
    body = "\n".join(parts)
    return f'<svg {size} role="img" aria-label="{escape(label)}">\n{body}\n</svg>'


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line class="{kind}" {ends}/>'


def _rect(series: int, x: float, y: float, w: float, h: float, hint: Any) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}"'
    size = f'width="{max(w, 0):.1f}" height="{max(h, 0):.1f}"'
    return (
        f'<rect class="{_colour(series)}" {place} {size} rx="2">'
        f"<title>{escape(str(hint))}</title></rect>"
    )


def _colour(number: int) -> str:
    """The style of a series; where there are too many, colours come again."""
    return f"s{number % N_COLOURS}"


def _text(kind: str, x: float, y: float, text: str, anchor: str = "start") -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">'
        f"{escape(text)}</text>"
    )
