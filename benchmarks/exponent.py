"""How something grows."""

from typing import Sequence

import numpy


def fit_exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The k of values ~ sizes^k, by least squares of the logarithms.

    sizes (Sequence[float]): Such as tokens; two different ones at least.
    values (Sequence[float]): Such as seconds, above 0.
    RETURNS (float): The exponent: 1 where values grow as sizes do.
    """
    slope, _ = numpy.polyfit(numpy.log(sizes), numpy.log(values), 1)
    return float(slope)


def fit_slope(sizes: Sequence[float], values: Sequence[float]) -> float:
    """How much values grow with each unit of size, by least squares.

    sizes (Sequence[float]): Such as tokens; two different ones at least.
    values (Sequence[float]): Such as bytes.
    RETURNS (float): The slope.
    """
    slope, _ = numpy.polyfit(sizes, values, 1)
    return float(slope)
