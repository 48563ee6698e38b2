"""Features of word forms, for the perceptron: registered templates."""

import re
from functools import partial
from hashlib import sha256
from typing import Any, Callable, List, NamedTuple, Sequence, Tuple

import numpy
from spacy.lang.lex_attrs import word_shape
from spacy.strings import get_string_id

from ..data.clusters import path_prefixes
from ..errors import Errors
from ..types import IntArray


class Forms(NamedTuple):
    """Distinct word forms, as templates see them."""

    texts: List[str]
    clusters: IntArray  # Brown clusters, 0 for none


class FormTemplate(NamedTuple):
    """Features of a form, looked at in some places around a token."""

    offsets: Sequence[int]
    # A number per form and feature, uint64 (forms x features); 0 for no feature
    describe: Callable[[Forms], IntArray]
    needs_clusters: bool = False
    # Two places each: what is said of both forms together is one feature
    pairs: Sequence[Tuple[int, int]] = ()

    def fingerprint(self, texts: Sequence[str]) -> List[Any]:
        """What tells it from other templates: where it looks, and what it says of some
        forms.

        texts (Sequence[str]): The forms.
        RETURNS (List[Any]): JSON.
        """
        # Any clusters will do: what the forms really have belongs to the data.
        clusters = numpy.arange(1, len(texts) + 1) * 2**20 - 7
        said = self.describe(Forms(list(texts), clusters))
        places = [list(self.offsets), [list(pair) for pair in self.pairs]]
        state = sha256(repr(said.shape).encode() + said.tobytes())
        return [*places, state.hexdigest()]


def make_forms(window: int = 3, normalize: bool = True) -> FormTemplate:
    """The form itself and, where it has digits, the form with digits made alike.

    window (int): How far around the token to look.
    normalize (bool): Whether to add the form with digits made alike.
    """
    return FormTemplate(around(window), partial(_form, normalize=normalize))


def make_lower_forms(window: int = 2) -> FormTemplate:
    """The form in lower case: words of headlines are those of the text.

    window (int): How far around the token to look.
    """
    return FormTemplate(around(window), _lower)


def make_neighbours(window: int = 2) -> FormTemplate:
    """The forms around the token in lower case, without its own: what a model looks at
    that must not learn words by heart.

    window (int): How far around the token to look.
    """
    return FormTemplate([place for place in around(window) if place], _lower)


def make_form_pairs(
    pairs: Sequence[Sequence[int]] = ((-1, 0), (0, 1), (-1, 1)),
) -> FormTemplate:
    """Two forms together, in lower case.

    pairs (Sequence[Sequence[int]]): Where they stand: places around the token.
    """
    return FormTemplate([], _lower, pairs=_as_pairs(pairs))


def make_capitalization(window: int = 2) -> FormTemplate:
    """Whether the form begins with a capital letter.

    window (int): How far around the token to look.
    """
    return FormTemplate(around(window), _capitalization)


def make_word_type(window: int = 2) -> FormTemplate:
    """Whether the form is all capitals, all digits (with . and ,), or has no letter.

    window (int): How far around the token to look.
    """
    return FormTemplate(around(window), _word_type)


def make_shape(window: int = 1) -> FormTemplate:
    """The shape of the form, as spaCy has it: Xxxxx, dd/dd, XXX.

    window (int): How far around the token to look.
    """
    return FormTemplate(around(window), _shape)


def make_affixes(
    prefixes: Sequence[int] = (3, 4),
    suffixes: Sequence[int] = (1, 2, 3, 4),
    window: int = 0,
) -> FormTemplate:
    """The first and last letters of forms that are longer.

    prefixes (Sequence[int]): How many first letters.
    suffixes (Sequence[int]): How many last letters.
    window (int): How far around the token to look.
    """
    describe = partial(_affixes, prefixes=prefixes, suffixes=suffixes)
    return FormTemplate(around(window), describe)


def make_caseless_affixes(
    prefixes: Sequence[int] = (3, 4),
    suffixes: Sequence[int] = (1, 2, 3, 4),
    window: int = 0,
) -> FormTemplate:
    """The first and last letters of forms of a script without capitals: what a model
    goes by there that must not learn words by heart.

    prefixes (Sequence[int]): How many first letters.
    suffixes (Sequence[int]): How many last letters.
    window (int): How far around the token to look.
    """
    describe = partial(_caseless_affixes, prefixes=prefixes, suffixes=suffixes)
    return FormTemplate(around(window), describe)


def make_brown_paths(
    prefixes: Sequence[int] = (4, 6, 10, 20), window: int = 1
) -> FormTemplate:
    """Prefixes of the paths of Brown clusters, from the table `lexeme_cluster` of the
    vocabulary (see `[initialize.lookups]`).

    prefixes (Sequence[int]): Their lengths in bits; none for no such features.
    window (int): How far around the token to look.
    """
    offsets = around(window) if prefixes else []
    describe = partial(_brown_paths, prefixes=prefixes)
    return FormTemplate(offsets, describe, needs_clusters=bool(prefixes))


def make_brown_pairs(
    prefixes: Sequence[int] = (4, 6, 10, 20),
    pairs: Sequence[Sequence[int]] = ((-1, 0), (0, 1)),
) -> FormTemplate:
    """Prefixes of the paths of the Brown clusters of two forms, of equal length. See
    `make_brown_paths`.

    prefixes (Sequence[int]): Their lengths in bits; none for no such features.
    pairs (Sequence[Sequence[int]]): Where the forms stand: places around the token.
    """
    places = _as_pairs(pairs) if prefixes else []
    describe = partial(_brown_paths, prefixes=prefixes)
    return FormTemplate([], describe, needs_clusters=bool(prefixes), pairs=places)


def hash_texts(texts: Sequence[str]) -> IntArray:
    """Hash strings.

    texts (Sequence[str]): The strings.
    RETURNS (IntArray): Murmurhash, uint64; 0 for an empty string.
    """
    hashes = [get_string_id(text) if text else 0 for text in texts]
    return numpy.array(hashes, dtype=numpy.uint64)


def normalize_digits(text: str) -> str:
    """Make digits alike.

    text (str): A form.
    RETURNS (str): The form with digits made alike; empty if it has none.
    """
    found, n = re.subn(r"\d", "0", text)
    return found if n else ""


# What templates say of forms. Functions of the module, since a template goes to other
# processes with its pipeline.


def _form(forms: Forms, normalize: bool) -> IntArray:
    columns = [hash_texts(forms.texts)]
    if normalize:
        columns.append(hash_texts([normalize_digits(t) for t in forms.texts]))
    return numpy.stack(columns, axis=1)


def _capitalization(forms: Forms) -> IntArray:
    found = [[int(text[:1].isupper())] for text in forms.texts]
    return numpy.array(found, dtype=numpy.uint64)


def _word_type(forms: Forms) -> IntArray:
    rows = [
        [text.isupper(), _is_number(text), not any(map(str.isalpha, text))]
        for text in forms.texts
    ]
    numbers = numpy.arange(1, 4, dtype=numpy.uint64)
    return numpy.array(rows, dtype=numpy.uint64).reshape((-1, 3)) * numbers


def _shape(forms: Forms) -> IntArray:
    return hash_texts([word_shape(text) for text in forms.texts])[:, None]


def _affixes(
    forms: Forms, prefixes: Sequence[int], suffixes: Sequence[int]
) -> IntArray:
    return _cut_affixes(forms.texts, prefixes, suffixes)


def _caseless_affixes(
    forms: Forms, prefixes: Sequence[int], suffixes: Sequence[int]
) -> IntArray:
    caseless = [t if _is_caseless(t) else "" for t in forms.texts]
    return _cut_affixes(caseless, prefixes, suffixes)


def _brown_paths(forms: Forms, prefixes: Sequence[int]) -> IntArray:
    return path_prefixes(forms.clusters, prefixes)


def _lower(forms: Forms) -> IntArray:
    return hash_texts([text.lower() for text in forms.texts])[:, None]


def _as_pairs(pairs: Sequence[Sequence[int]]) -> List[Tuple[int, int]]:
    for pair in pairs:
        if len(pair) != 2:
            raise ValueError(Errors.C253.format(pair=list(pair)))
    return [(first, second) for first, second in pairs]


def _cut_affixes(
    texts: Sequence[str], prefixes: Sequence[int], suffixes: Sequence[int]
) -> IntArray:
    cuts = [slice(None, n) for n in prefixes]
    cuts += [slice(-n, None) for n in suffixes]
    columns = [
        hash_texts([t[cut] if len(t) > n else "" for t in texts])
        for n, cut in zip([*prefixes, *suffixes], cuts)
    ]
    return _stack(columns, len(texts))


def _is_caseless(text: str) -> bool:
    return text.lower() == text.upper() and any(map(str.isalpha, text))


def _is_number(text: str) -> bool:
    return any(map(str.isdigit, text)) and all(c.isdigit() or c in ".," for c in text)


def around(window: int) -> List[int]:
    """Places around a token.

    window (int): How far; negative for none.
    RETURNS (List[int]): Offsets.
    """
    return list(range(-window, window + 1))


def _stack(columns: List[IntArray], n_rows: int) -> IntArray:
    if not columns:
        return numpy.zeros((n_rows, 0), dtype=numpy.uint64)
    return numpy.stack(columns, axis=1)
