"""What kind of word a form is, by how the corpus uses it: how often it occurs, and how
often in lower case. Names are rare and seldom in lower case; knowing that much of a
word does not tell which word it is, so nothing can be learned by heart.
"""

from typing import Dict, Sequence

import numpy

from ..types import IntArray

# Words of 2^4 occurrences and more are alike: of words that are more frequent there are
# so few that the kind would tell which word it is.
MOST_FREQUENT = 4
LOWER_STEPS = 4  # in how many steps the share of lower case is told apart
N_SHARES = LOWER_STEPS + 1  # one more for words that are never in lower case
UNKNOWN = 0  # words that were not counted


def count_kinds(forms: Sequence[str], counts: Sequence[int]) -> Dict[str, int]:
    """Number the kinds of words.

    forms (Sequence[str]): Distinct forms.
    counts (Sequence[int]): How often each occurs.
    RETURNS (Dict[str, int]): A kind, 2 or more, for each lower-case form. Odd kinds
        are of words without upper and lower case.
    """
    lowers = [form.lower() for form in forms]
    ids = {lower: i for i, lower in enumerate(dict.fromkeys(lowers))}
    groups = numpy.array([ids[lower] for lower in lowers], dtype=numpy.int64)
    n = numpy.asarray(counts, dtype=numpy.float64)
    is_lower = numpy.array([form == lower for form, lower in zip(forms, lowers)])
    total = numpy.bincount(groups, weights=n, minlength=len(ids))
    in_lower = numpy.bincount(groups, weights=n * is_lower, minlength=len(ids))
    kinds = _frequency_steps(total) * N_SHARES + _lower_steps(in_lower / total)
    caseless = numpy.array([lower.upper() == lower for lower in ids], dtype=numpy.int64)
    return dict(zip(ids, (2 * (kinds + 1) + caseless).tolist()))


def is_caseless(kinds: IntArray) -> IntArray:
    """Which kinds are of words in a script without case, or of no letters.

    kinds (IntArray): Kinds, as `count_kinds` numbers them.
    RETURNS (IntArray): 1 or 0 for each.
    """
    return kinds & 1


def _frequency_steps(counts: IntArray) -> IntArray:
    return numpy.minimum(numpy.log2(counts).astype(numpy.int64), MOST_FREQUENT)


def _lower_steps(shares: IntArray) -> IntArray:
    """0 for never, else 1 to LOWER_STEPS."""
    steps = numpy.minimum((shares * LOWER_STEPS).astype(numpy.int64), LOWER_STEPS - 1)
    return numpy.where(shares > 0, steps + 1, 0)
