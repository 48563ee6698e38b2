import re

import numpy

from spacy_cbl.report.plots import Curve, log_plot


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
