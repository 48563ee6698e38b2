"""What templates say of word forms, as rows of the perceptron's table: worked out once
per form, then looked up.
"""

from typing import Dict, List, Sequence, Tuple

import numpy
from spacy.attrs import LOWER, ORTH
from spacy.tokens import Doc
from spacy.vocab import Vocab
from thinc.api import NumpyOps

from ..core.tag_features import shift, to_rows
from ..data.clusters import CLUSTER_TABLE, find_clusters
from ..errors import Errors
from ..types import IntArray
from .form_features import Forms, FormTemplate, around, hash_texts

BEYOND = "\ufdd0"  # the form of what lies beyond a sentence: no word has it
# Forms to keep; beyond that all are forgotten and worked out anew as they come.
MAX_FORMS = 2**17


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
        self.tag_offsets = around(tag_window)
        self.ops = NumpyOps()
        self.forget()

    def forget(self) -> None:
        """Know no form but that beyond a sentence: others may have other features in
        another vocabulary.
        """
        templates = self.templates.values()
        self.ids: Dict[int, int] = {}
        # What tables hold beyond the last form is room for more.
        offsets = {o for t in templates for o in t.offsets}
        self.rows: Dict[int, IntArray] = {offset: None for offset in sorted(offsets)}
        pairs = {pair for t in templates for pair in t.pairs}
        # Hashes of the features of the first form and of the second: they are added.
        self.pairs: Dict[Tuple[int, int], List[IntArray]] = {
            pair: [None, None] for pair in sorted(pairs)
        }
        self.hashes: IntArray = None  # of forms, one column per place and one for words
        self.lowers: IntArray = None  # hashes of forms in lower case
        self._append(Forms([BEYOND], numpy.zeros(1, dtype=numpy.int64)), first=0)

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
        if new and len(self.ids) + len(new) > MAX_FORMS:
            # Numbers given before are no longer in use: callers look up all they need.
            self.forget()
            new = list(range(len(orths)))
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
        parts += [self._pair_rows(ids, sentences, pair) for pair in self.pairs]
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

    def _pair_rows(
        self, ids: IntArray, sentences: IntArray, pair: Tuple[int, int]
    ) -> IntArray:
        first, second = (
            hashes[shift(ids, -offset, sentences, 0)]
            for offset, hashes in zip(pair, self.pairs[pair])
        )
        rows = to_rows(first + second, self.n_rows)
        rows[(first == 0) | (second == 0)] = 0
        return rows

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
        texts = [vocab.strings[orth] for orth in orths.tolist()]
        first = len(self.ids) + 1
        self._append(Forms(texts, clusters), first)
        self.ids.update(zip(orths.tolist(), range(first, first + len(orths))))

    def _append(self, forms: Forms, first: int) -> None:
        said = [template.describe(forms) for template in self.templates.values()]
        for offset, table in self.rows.items():
            self.rows[offset] = _put(table, first, self._rows_at(said, offset))
        for pair, tables in self.pairs.items():
            for which in (0, 1):
                hashes = self._hashes_of(said, pair, which)
                tables[which] = _put(tables[which], first, hashes)
        lowers = hash_texts([text.lower() for text in forms.texts])
        self.lowers = _put(self.lowers, first, lowers)
        texts = hash_texts(forms.texts)
        seeds = [10_007 + i for i in range(len(self.tag_offsets) + 1)]
        hashes = numpy.stack([self._hash(texts, seed) for seed in seeds], axis=1)
        self.hashes = _put(self.hashes, first, hashes)

    def _rows_at(self, said: List[IntArray], offset: int) -> IntArray:
        """The rows of what each template says of forms at a place."""
        columns = []
        for number, template in enumerate(self.templates.values()):
            if offset not in template.offsets:
                continue
            for k, column in enumerate(said[number].T):
                seed = (number * 64 + k) * 64 + offset + 32
                rows = to_rows(self._hash(column, seed), self.n_rows)
                columns.append(numpy.where(column == 0, 0, rows).astype(numpy.int32))
        return numpy.stack(columns, axis=1)

    def _hashes_of(
        self, said: List[IntArray], pair: Tuple[int, int], which: int
    ) -> IntArray:
        """Hashes of what is said of the first or second form of a pair; 0 for none."""
        columns = []
        for number, template in enumerate(self.templates.values()):
            if pair not in template.pairs:
                continue
            place = ((pair[0] + 32) * 64 + pair[1] + 32) * 2 + which
            for k, column in enumerate(said[number].T):
                seed = (number * 64 + k) * 8192 + place + 1_000_003
                columns.append(numpy.where(column == 0, 0, self._hash(column, seed)))
        return numpy.stack(columns, axis=1).astype(numpy.uint32)

    def _hash(self, values: IntArray, seed: int) -> IntArray:
        """Murmurhash, 32 bits of it."""
        return self.ops.hash(numpy.ascontiguousarray(values), seed)[:, 0]


def _put(table: IntArray, first: int, rows: IntArray) -> IntArray:
    """Put rows into a table; if there is no room, into one at least twice as large."""
    if table is None:
        return rows
    end = first + len(rows)
    if end > len(table):
        larger = numpy.empty((max(end, 2 * len(table)), *table.shape[1:]), table.dtype)
        larger[:first] = table[:first]
        table = larger
    table[first:end] = rows
    return table
