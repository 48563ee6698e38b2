import re

import numpy

from spacy_cbl.report.plots import (
    N_COLOURS,
    Bar,
    Curve,
    Series,
    bar_plot,
    column_plot,
    log_plot,
)


def test_what_grows_as_a_power_is_a_straight_line_inside_the_plot():
    points = [(n, 0.001 * n**1.2) for n in (3000, 10_000, 30_000, 100_000, 300_000)]
    svg = log_plot([Curve("cbl", points)], "tokens", "seconds")
    (path,) = re.findall(r'<polyline class="line s0" points="([^"]*)"', svg)
    xs, ys = numpy.array([pair.split(",") for pair in path.split()], dtype=float).T
    slopes = numpy.diff(ys) / numpy.diff(xs)
    numpy.testing.assert_allclose(slopes, slopes[0], rtol=0.01)
    assert slopes[0] < 0  # SVG counts from the top
    _, _, width, height = map(float, re.findall(r'viewBox="([^"]*)"', svg)[0].split())
    assert 0 < xs.min() and xs.max() < width and 0 < ys.min() and ys.max() < height
    assert "cbl, 3,000 tokens:" in svg


def test_colours_come_again_where_series_are_many():
    """Else the last ones would have no colour of the page's style."""
    n = N_COLOURS + 1
    names = [f"method {i}" for i in range(n)]
    plots = [
        bar_plot([Bar(name, 50.0, series=i) for i, name in enumerate(names)], "F1"),
        column_plot([Series(name, [1.0]) for name in names], ["1"], "round", "tokens"),
        log_plot([Curve(name, [(1, 1), (9, 9)]) for name in names], "tokens", "time"),
    ]
    for svg in plots:
        colours = re.findall(r'class="(?:line )?s(\d+)"', svg)
        assert set(map(int, colours)) == set(range(N_COLOURS))
