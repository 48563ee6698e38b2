"""How often the forms of a corpus occur, in the corpus or in some larger text."""

import io
import math
from collections import defaultdict
from pathlib import Path
from typing import DefaultDict, Dict, List, Optional

import numpy

from ..errors import Errors
from ..types import FloatArray
from .arrays import CorpusArrays
from .files import read_text


def count_forms(
    corpus: CorpusArrays,
    lower: bool = False,
    frequencies: Optional[Path] = None,
    wordfreq: Optional[str] = None,
) -> FloatArray:
    """How often each form of the corpus occurs.

    corpus (CorpusArrays): The corpus.
    lower (bool): Whether to count forms that differ in case together.
    frequencies (Optional[Path]): A file of forms and counts to use instead of the
        corpus. Forms that it lacks count 0.
    wordfreq (Optional[str]): A language whose word frequencies to use instead.
    RETURNS (FloatArray): One count per form.
    """
    if frequencies is not None and wordfreq is not None:
        raise ValueError(Errors.C173.format(path=frequencies, language=wordfreq))
    if wordfreq is not None:
        counts, source = count_in_language(corpus.forms, wordfreq), wordfreq
    elif frequencies is not None:
        path = Path(frequencies)  # configs give text
        counts = _look_up(corpus.forms, read_frequencies(path), lower)
        source = f"'{frequencies}'"
    else:
        counts = numpy.bincount(corpus.token_ids, minlength=len(corpus.forms))
        return _pool_case(corpus.forms, counts) if lower else counts
    if not counts.any():
        raise ValueError(Errors.C168.format(n_forms=len(corpus.forms), source=source))
    return counts


def read_frequencies(path: Path) -> Dict[str, float]:
    """Read a file with a form, a tab and a count on each line.

    path (Path): The file, UTF-8.
    RETURNS (Dict[str, float]): The count of each form; repeated forms are added up.
    """
    counts: DefaultDict[str, float] = defaultdict(float)
    for n, line in enumerate(io.StringIO(read_text(path)), 1):
        form, tab, count = line.rstrip("\n").partition("\t")
        value = _parse_count(count) if tab and form else None
        if value is None:
            raise ValueError(Errors.C167.format(line=n, path=path, found=line))
        counts[form] += value
    return dict(counts)


def count_in_language(forms: List[str], language: str) -> FloatArray:
    """The occurrences of forms in a billion words of a language, by wordfreq.

    forms (List[str]): The forms.
    language (str): A language code that wordfreq has.
    RETURNS (FloatArray): One count per form. Forms without a letter or digit count as
        much as the commonest one, since wordfreq leaves punctuation out.
    """
    try:
        from wordfreq import available_languages, word_frequency
    except ImportError:
        raise ValueError(Errors.C170) from None
    languages = sorted(available_languages())
    # wordfreq itself takes a near language without asking, English for Amharic.
    if language not in languages:
        raise ValueError(
            Errors.C169.format(language=language, languages=", ".join(languages))
        )
    try:
        counts = numpy.array([word_frequency(form, language) * 1e9 for form in forms])
    except ImportError as error:  # it cuts some languages into words by others
        message = Errors.C179.format(language=language, package=error.name)
        raise ValueError(message) from None
    is_symbol = numpy.array([not any(map(str.isalnum, form)) for form in forms])
    counts[is_symbol] = counts.max(initial=0)
    return counts


def _parse_count(text: str) -> Optional[float]:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _look_up(forms: List[str], counts: Dict[str, float], lower: bool) -> FloatArray:
    if not lower:
        return numpy.array([counts.get(form, 0.0) for form in forms])
    lowered: DefaultDict[str, float] = defaultdict(float)
    for form, count in counts.items():
        lowered[form.lower()] += count
    return numpy.array([lowered.get(form.lower(), 0.0) for form in forms])


def _pool_case(forms: List[str], counts: FloatArray) -> FloatArray:
    ids: Dict[str, int] = {}
    lower_ids = numpy.array([ids.setdefault(form.lower(), len(ids)) for form in forms])
    return numpy.bincount(lower_ids, weights=counts)[lower_ids]
