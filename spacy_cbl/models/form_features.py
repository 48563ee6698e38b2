"""Features of word forms, for the perceptron: registered templates, and a table of what
they say of each form, which is worked out once per form and then looked up.
"""

import re
from typing import Any, Callable, Dict, List, NamedTuple, Sequence

import numpy
from spacy.attrs import LOWER, ORTH
from spacy.lang.lex_attrs import word_shape
from spacy.strings import get_string_id
from spacy.tokens import Doc
from spacy.vocab import Vocab
from thinc.api import NumpyOps

from ..core.tag_features import shift, to_rows
from ..errors import Errors
from ..types import IntArray
from .feature_embed import CLUSTER_TABLE, find_clusters, path_prefixes

PROBES = ["Amsterdam", "NATO", "running", "1996-08-22", "3,500", "-", "de"]
BEYOND = "\ufdd0"  # the form of what lies beyond a sentence: no word has it


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

    def fingerprint(self) -> List[Any]:
        """What tells it from other templates: where it looks, and what it says of some
        forms.

        RETURNS (List[Any]): JSON.
        """
        probe = Forms(PROBES, numpy.arange(1, len(PROBES) + 1) * 2**20 - 7)
        return [list(self.offsets), self.describe(probe).tolist()]


def make_forms(window: int = 3, normalize: bool = True) -> FormTemplate:
    """The form itself and, where it has digits, the form with digits made alike.

    window (int): How far around the token to look.
    normalize (bool): Whether to add the form with digits made alike.
    """

    def describe(forms: Forms) -> IntArray:
        columns = [hash_texts(forms.texts)]
        if normalize:
            columns.append(hash_texts([normalize_digits(t) for t in forms.texts]))
        return numpy.stack(columns, axis=1)

    return FormTemplate(_around(window), describe)


def make_capitalization(window: int = 2) -> FormTemplate:
    """Whether the form begins with a capital letter.

    window (int): How far around the token to look.
    """

    def describe(forms: Forms) -> IntArray:
        found = [[int(text[:1].isupper())] for text in forms.texts]
        return numpy.array(found, dtype=numpy.uint64)

    return FormTemplate(_around(window), describe)


def make_word_type(window: int = 2) -> FormTemplate:
    """Whether the form is all capitals, all digits (with . and ,), or has no letter.

    window (int): How far around the token to look.
    """

    def describe(forms: Forms) -> IntArray:
        rows = [
            [text.isupper(), _is_number(text), not any(map(str.isalpha, text))]
            for text in forms.texts
        ]
        numbers = numpy.arange(1, 4, dtype=numpy.uint64)
        return numpy.array(rows, dtype=numpy.uint64).reshape((-1, 3)) * numbers

    return FormTemplate(_around(window), describe)


def make_shape(window: int = 1) -> FormTemplate:
    """The shape of the form, as spaCy has it: Xxxxx, dd/dd, XXX.

    window (int): How far around the token to look.
    """

    def describe(forms: Forms) -> IntArray:
        return hash_texts([word_shape(text) for text in forms.texts])[:, None]

    return FormTemplate(_around(window), describe)


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

    def describe(forms: Forms) -> IntArray:
        cuts = [slice(None, n) for n in prefixes]
        cuts += [slice(-n, None) for n in suffixes]
        columns = [
            hash_texts([t[cut] if len(t) > n else "" for t in forms.texts])
            for n, cut in zip([*prefixes, *suffixes], cuts)
        ]
        return _stack(columns, len(forms.texts))

    return FormTemplate(_around(window), describe)


def make_brown_paths(
    prefixes: Sequence[int] = (4, 6, 10, 20), window: int = 1
) -> FormTemplate:
    """Prefixes of the paths of Brown clusters, from the table `lexeme_cluster` of the
    vocabulary (see `[initialize.lookups]`).

    prefixes (Sequence[int]): Their lengths in bits; none for no such features.
    window (int): How far around the token to look.
    """

    def describe(forms: Forms) -> IntArray:
        return path_prefixes(forms.clusters, prefixes)

    offsets = _around(window) if prefixes else []
    return FormTemplate(offsets, describe, needs_clusters=bool(prefixes))


class FormTable:
    """The features of all forms seen so far, as rows of a hash table."""

    def __init__(
        self, templates: Dict[str, FormTemplate], n_rows: int, tag_window: int
    ) -> None:
        """Start with no form but that beyond a sentence.

        templates (Dict[str, FormTemplate]): The features, by any name.
        n_rows (int): Rows of the hash table.
        tag_window (int): How far around forms are combined with the tag before;
            negative for not at all.
        """
        self.templates = templates
        self.n_rows = n_rows
        self.tag_offsets = _around(tag_window)
        self.ops = NumpyOps()
        self.ids: Dict[int, int] = {}
        offsets = {o for t in templates.values() for o in t.offsets}
        self.rows: Dict[int, IntArray] = {offset: None for offset in sorted(offsets)}
        self.hashes: IntArray = None  # of forms, one column per place and one for words
        self._append(Forms([BEYOND], numpy.zeros(1, dtype=numpy.int64)))

    def look_up(self, docs: Sequence[Doc]) -> IntArray:
        """Number the forms of documents.

        docs (Sequence[Doc]): The documents.
        RETURNS (IntArray): The number of the form of each token.
        """
        forms = numpy.concatenate(
            [doc.to_array([ORTH, LOWER]).reshape((-1, 2)) for doc in docs]
        )
        orths, first, token_of = numpy.unique(
            forms[:, 0], return_index=True, return_inverse=True
        )
        new = [i for i, orth in enumerate(orths.tolist()) if orth not in self.ids]
        if new:
            self._add(orths[new], forms[first[new]], docs[0].vocab)
        ids = numpy.array([self.ids[orth] for orth in orths.tolist()], dtype=int)
        return ids[token_of.reshape(-1)]

    def around(self, ids: IntArray, sentences: IntArray) -> IntArray:
        """The rows of tokens.

        ids (IntArray): The number of the form of each token.
        sentences (IntArray): The number of the sentence of each token.
        RETURNS (IntArray): Rows, int32 (tokens x features).
        """
        parts = [
            table[shift(ids, -offset, sentences, 0)]
            for offset, table in self.rows.items()
        ]
        return numpy.ascontiguousarray(numpy.concatenate(parts, axis=1))

    def hashes_around(self, ids: IntArray, sentences: IntArray) -> IntArray:
        """Hashes of the forms around tokens, to combine with the tag before.

        ids (IntArray): The number of the form of each token.
        sentences (IntArray): The number of the sentence of each token.
        RETURNS (IntArray): Uint32 (tokens x places).
        """
        found = numpy.empty((len(ids), len(self.tag_offsets)), dtype=numpy.uint32)
        for column, offset in enumerate(self.tag_offsets):
            shifted = shift(ids, -offset, sentences, 0)
            found[:, column] = self.hashes[shifted, column]
        return found

    def words(self, ids: IntArray) -> IntArray:
        """A hash of each word.

        ids (IntArray): The number of the form of each token.
        RETURNS (IntArray): Uint32.
        """
        return self.hashes[ids, -1]

    def _add(self, orths: IntArray, forms: IntArray, vocab: Vocab) -> None:
        clusters = numpy.zeros(len(orths), dtype=numpy.int64)
        if any(template.needs_clusters for template in self.templates.values()):
            if not vocab.lookups.has_table(CLUSTER_TABLE):
                raise ValueError(Errors.C010.format(table=CLUSTER_TABLE))
            clusters = find_clusters(vocab.lookups.get_table(CLUSTER_TABLE), forms)
        for orth in orths.tolist():
            self.ids[orth] = len(self.ids) + 1
        texts = [vocab.strings[orth] for orth in orths.tolist()]
        self._append(Forms(texts, clusters))

    def _append(self, forms: Forms) -> None:
        for offset, table in self.rows.items():
            self.rows[offset] = _extend(table, self._rows_at(forms, offset))
        texts = hash_texts(forms.texts)
        seeds = [10_007 + i for i in range(len(self.tag_offsets) + 1)]
        hashes = numpy.stack([self._hash(texts, seed) for seed in seeds], axis=1)
        self.hashes = _extend(self.hashes, hashes)

    def _rows_at(self, forms: Forms, offset: int) -> IntArray:
        columns = []
        for number, template in enumerate(self.templates.values()):
            if offset not in template.offsets:
                continue
            values = template.describe(forms)
            for k, column in enumerate(values.T):
                seed = (number * 64 + k) * 64 + offset + 32
                rows = to_rows(self._hash(column, seed), self.n_rows)
                columns.append(numpy.where(column == 0, 0, rows).astype(numpy.int32))
        return numpy.stack(columns, axis=1)

    def _hash(self, values: IntArray, seed: int) -> IntArray:
        """Murmurhash, 32 bits of it."""
        return self.ops.hash(numpy.ascontiguousarray(values), seed)[:, 0]


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


def _is_number(text: str) -> bool:
    return any(map(str.isdigit, text)) and all(c.isdigit() or c in ".," for c in text)


def _around(window: int) -> List[int]:
    return list(range(-window, window + 1))


def _stack(columns: List[IntArray], n_rows: int) -> IntArray:
    if not columns:
        return numpy.zeros((n_rows, 0), dtype=numpy.uint64)
    return numpy.stack(columns, axis=1)


def _extend(table: IntArray, rows: IntArray) -> IntArray:
    return rows if table is None else numpy.concatenate([table, rows])
