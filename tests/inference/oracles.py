"""Slow and simple solutions of the integer linear program, to compare with."""

from fractions import Fraction
from math import ceil, floor

import numpy

from spacy_cbl.inference import Count
from spacy_cbl.inference.constraints import (
    Affix,
    Capitalization,
    EntityRatio,
    KeepLabelled,
    OutsidePunctuation,
    SurfaceConsistency,
    is_punctuation_or_number,
)


def exact(value):
    """A setting as it is written, not as it is stored: 0.99 is 99/100."""
    return Fraction(str(value))


def every_labelling(n_tokens):
    """All rows of zeros and ones."""
    numbers = numpy.arange(2**n_tokens)
    return (numbers[:, None] >> numpy.arange(n_tokens)) & 1


def keeps(constraint, tokens, Y):
    """Which labellings keep a constraint, by its definition."""
    words = [tokens.forms[i] for i in tokens.form_ids]
    in_n = ~tokens.labelled
    if isinstance(constraint, EntityRatio):
        low = exact(constraint.ratio) - exact(constraint.delta)
        high = exact(constraint.ratio) + exact(constraint.delta)
        count = Y.sum(axis=1)
        return (count >= float(ceil(low * len(words)))) & (
            count <= float(floor(high * len(words)))
        )
    if isinstance(constraint, KeepLabelled):
        return _share(Y[:, tokens.labelled], constraint.xi)
    if isinstance(constraint, OutsidePunctuation):
        where = [is_punctuation_or_number(word) for word in words]
        return _share(1 - Y[:, where & in_n], constraint.epsilon)
    if isinstance(constraint, Capitalization):
        where = [word.islower() for word in words]
        return _share(1 - Y[:, where & in_n], constraint.epsilon)
    if isinstance(constraint, Affix):
        where = [
            any(word.startswith(prefix) for prefix in constraint.prefixes)
            or any(word.endswith(suffix) for suffix in constraint.suffixes)
            for word in words
        ]
        those = Y[:, where & in_n]
        return _share(those if constraint.positive else 1 - those, constraint.share)
    if isinstance(constraint, SurfaceConsistency):
        kept = numpy.ones(len(Y), dtype=bool)
        for form in set(words):
            those = Y[:, numpy.array([word == form for word in words]) & in_n]
            if those.shape[1] >= constraint.min_count:
                kept &= _share(those, constraint.alpha) | _share(
                    1 - those, constraint.alpha
                )
        return kept
    return _keeps_parts(constraint(tokens), Y)


def _share(Y, share):
    return Y.sum(axis=1) >= ceil(exact(share) * Y.shape[1])


def _keeps_parts(parts, Y):
    kept = numpy.ones(len(Y), dtype=bool)
    for part in parts:
        if isinstance(part, Count):
            count = (Y if part.where is None else Y[:, part.where]).sum(axis=1)
            kept &= (count >= part.lower) & (count <= part.upper)
            continue
        possible = numpy.zeros(len(Y), dtype=bool)
        for extra in every_labelling(part.n_extra):
            X = numpy.hstack([Y, numpy.tile(extra, (len(Y), 1))])
            A = numpy.zeros((len(part.lower), X.shape[1]))
            numpy.add.at(A, (part.rows, part.columns), part.values)
            sums = X @ A.T
            possible |= ((sums >= part.lower - 1e-9) & (sums <= part.upper + 1e-9)).all(
                axis=1
            )
        kept &= possible
    return kept


def solve_by_enumeration(tokens, c0, c1, constraints):
    """The best objective over all labellings, None if none keeps the constraints."""
    Y = every_labelling(len(tokens))
    kept = ~Y[:, tokens.trusted].any(axis=1)
    for constraint in constraints:
        kept &= keeps(constraint, tokens, Y)
    if not kept.any():
        return None
    return float((c0.sum() + Y[kept] @ (c1 - c0)).max())


def solve_by_sorting(labelled, c0, c1, ratio, delta, xi):
    """The closed form of the paper's problem (EntityRatio and KeepLabelled)."""
    n, weights = len(labelled), c1 - c0
    order = numpy.argsort(-weights, kind="stable")
    in_p = order[labelled[order]]
    forced = in_p[: ceil(exact(xi) * len(in_p))]
    low = ceil((exact(ratio) - exact(delta)) * n)
    high = floor((exact(ratio) + exact(delta)) * n)
    chosen = numpy.zeros(n, dtype=bool)
    chosen[forced] = True
    others = order[~chosen[order]]
    n_more = (weights[others] > 0).sum()
    n_more = min(max(n_more, low - len(forced)), high - len(forced))
    chosen[others[:n_more]] = True
    return chosen, float(c0.sum() + weights[chosen].sum())
