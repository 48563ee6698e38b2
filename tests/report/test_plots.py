import re
from xml.etree import ElementTree

import numpy

from spacy_cbl.report.picture import make_picture
from spacy_cbl.report.plots import (
    N_COLOURS,
    Bar,
    Curve,
    Series,
    bar_plot,
    column_plot,
    line_plot,
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


def test_a_size_just_above_a_power_of_ten_gets_no_decade_of_its_own():
    svg = log_plot([Curve("weigh", [(100_228, 3.0), (10_000_229, 70.0)])], "n", "s")
    assert re.findall(r">(\d+[kMG])<", svg) == ["100k", "1M", "10M"]


def test_lines_may_begin_above_0():
    series = [Series("F1", [83.0, 87.0])]
    svg = line_plot(series, ["0", "500"], "reviewed", "F1", low=80, top=90)
    (path,) = re.findall(r'<polyline class="line s0" points="([^"]*)"', svg)
    ys = [float(pair.split(",")[1]) for pair in path.split()]
    ticks = dict(re.findall(r'y="([\d.]+)" text-anchor="end">([\d.]+)<', svg))
    bottom, top = sorted(map(float, ticks), reverse=True)[:: len(ticks) - 1]
    assert [ticks[f"{y:.1f}"] for y in (bottom, top)] == ["80", "90"]
    assert abs((ys[0] - ys[1]) / (bottom - top) - 0.4) < 0.01


def test_picture_stands_alone():
    plot = column_plot([Series("CBL", [83.8])], ["English"], "", "F1", top=100)
    names = [f"a method with a long name, number {i}" for i in range(N_COLOURS)]
    picture = ElementTree.fromstring(make_picture("F1 & more", names, plot))
    drawn = {element.text for element in picture.iter() if element.text}
    assert {"F1 & more", "English", *names} <= drawn
    (style,) = (e.text for e in picture.iter() if e.tag.endswith("style"))
    used = {
        e.get("class") for e in picture.iter() if e.get("class", "").startswith("s")
    }
    assert all(f".{name} " in style for name in used)
    # What is drawn is inside the picture: the legend takes rows, the plot moves down.
    height = float(picture.get("height"))
    (inner,) = (e for e in picture if e.tag.endswith("svg"))
    assert float(inner.get("y")) + float(inner.get("height")) <= height
    rows = {float(e.get("y")) for e in picture if e.text in names}
    assert len(rows) > 1 and max(rows) < float(inner.get("y"))


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
