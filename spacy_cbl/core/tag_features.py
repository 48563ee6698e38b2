"""Features of the tags before a token: as hashed rows, and as ratios of what the same
word was tagged before. Training knows all tags at once, decoding one step at a time:
each function here serves both.
"""

from typing import NamedTuple

import numpy

from ..types import BoolArray, FloatArray, IntArray

LOOK_AHEAD = 3  # ratios are those of the word and of the next two
N_TAG_ROWS = 4  # without the conjunctions with forms


class Salts(NamedTuple):
    """Random numbers that tell features apart, uint32."""

    tags: IntArray  # kinds x (tags + 1); the last tag is the start of a sentence
    pairs: IntArray  # (tags + 1) x (tags + 1)
    types: IntArray  # one per type of entity, O first


class TagRows:
    """Hashed features of the tags before a token."""

    def __init__(self, n_rows: int, types: IntArray, salts: Salts) -> None:
        """Set up.

        n_rows (int): Rows of the table.
        types (IntArray): The type of each tag, 0 for O and for the start of a sentence.
        salts (Salts): Random numbers.
        """
        self.n_rows = n_rows
        self.types = types
        self.salts = salts

    def rows(self, before: IntArray, words: IntArray, forms: IntArray) -> IntArray:
        """The rows of some tokens: tag before, the one before that, both, the last
        entity with the words since it, and the tag before with each form around.

        before (IntArray): The tags 1, 2 and 3 tokens before (3 x tokens).
        words (IntArray): Hashes of the words 1 and 2 tokens before (2 x tokens).
        forms (IntArray): Hashes of the forms around each token (tokens x forms).
        RETURNS (IntArray): Rows, int32 (tokens x features).
        """
        first, second, _ = before
        hashed = numpy.empty((len(first), N_TAG_ROWS + forms.shape[1]), numpy.uint32)
        hashed[:, 0] = self.salts.tags[0][first]
        hashed[:, 1] = self.salts.tags[1][second]
        hashed[:, 2] = self.salts.pairs[first, second]
        hashed[:, 3] = self._pattern(before, words)
        numpy.add(forms, self.salts.tags[2][first][:, None], out=hashed[:, N_TAG_ROWS:])
        rows = to_rows(hashed, self.n_rows)
        rows[:, 3][~self._has_pattern(before)] = 0
        return rows

    def _pattern(self, before: IntArray, words: IntArray) -> IntArray:
        """The type of an entity that ended one or two words ago, and these words."""
        kinds = self.types[before]
        near = kinds[1] > 0
        last = numpy.where(near, kinds[1], kinds[2])
        farther = numpy.where(near, 0, words[1] * numpy.uint32(3)).astype(numpy.uint32)
        return self.salts.types[last] + words[0] + farther

    def _has_pattern(self, before: IntArray) -> BoolArray:
        kinds = self.types[before]
        return (kinds[0] == 0) & ((kinds[1] > 0) | (kinds[2] > 0))


def to_rows(hashed: IntArray, n_rows: int) -> IntArray:
    """Turn hashes into rows of a table. Row 0 is kept free.

    hashed (IntArray): Hashes, uint32.
    n_rows (int): Rows of the table.
    RETURNS (IntArray): Rows, int32.
    """
    return (hashed % numpy.uint32(n_rows - 1) + numpy.uint32(1)).astype(numpy.int32)


def shift(values: IntArray, by: int, starts: IntArray, fill: int) -> IntArray:
    """The value so many tokens before, within the sentence.

    values (IntArray): One value per token.
    by (int): How many tokens before; negative for after.
    starts (IntArray): The number of the sentence of each token, rising.
    fill (int): What stands beyond the sentence.
    RETURNS (IntArray): One value per token.
    """
    n = len(values)
    shifted = numpy.full(n, fill, dtype=values.dtype)
    ahead, back = min(max(-by, 0), n), min(max(by, 0), n)
    here, there = slice(back, n - ahead), slice(ahead, n - back)
    same = starts[here] == starts[there]
    shifted[here] = numpy.where(same, values[there], shifted[here])
    return shifted


class History:
    """How the words of documents were tagged so far, for decoding."""

    def __init__(self, words: IntArray, n_types: int, window: int) -> None:
        """Start with nothing seen.

        words (IntArray): The word of each token, numbered within its document: equal
            words of different documents have different numbers.
        n_types (int): How many types there are, O included.
        window (int): How many tokens back it remembers.
        """
        self.words = words
        self.window = window
        self.counts = numpy.zeros((int(words.max(initial=-1)) + 1, n_types), "f")
        self.types = numpy.zeros(len(words), dtype=numpy.int64)

    def ratios(self, tokens: IntArray, ends: IntArray) -> FloatArray:
        """The features of some tokens.

        tokens (IntArray): The tokens, each the next of its document.
        ends (IntArray): Where the document of each ends.
        RETURNS (FloatArray): Float32 (tokens x features).
        """
        parts = []
        for ahead in range(LOOK_AHEAD):
            there = numpy.minimum(tokens + ahead, len(self.words) - 1)
            counts = self.counts[self.words[there]]
            counts[tokens + ahead >= ends] = 0.0
            parts.append(_normalize(counts))
        return numpy.concatenate(parts, axis=1)

    def add(self, tokens: IntArray, types: IntArray, starts: IntArray) -> None:
        """Remember how tokens were tagged, and forget those out of the window.

        tokens (IntArray): The tokens, one per document.
        types (IntArray): The type of the tag of each.
        starts (IntArray): Where the document of each starts.
        """
        self.types[tokens] = types
        self.counts[self.words[tokens], types] += 1.0
        old = (tokens - self.window)[tokens - self.window >= starts]
        self.counts[self.words[old], self.types[old]] -= 1.0


def history_ratios(
    words: IntArray, types: IntArray, n_types: int, lengths: IntArray, window: int
) -> FloatArray:
    """The features that `History` gives, for all tokens at once where tags are known.

    words (IntArray): The word of each token, numbered within its document.
    types (IntArray): The type of the tag of each token.
    n_types (int): How many types there are, O included.
    lengths (IntArray): Tokens per document.
    window (int): How many tokens back to look.
    RETURNS (FloatArray): Float32 (tokens x features).
    """
    n = len(words)
    position = numpy.arange(n)
    # Tokens sorted by word, then place: what was seen of a word is a running sum.
    order = numpy.argsort(words, kind="stable")
    keys = words[order] * n + order
    seen = numpy.zeros((n + 1, n_types))
    numpy.cumsum(numpy.eye(n_types)[types[order]], axis=0, out=seen[1:])
    ends = numpy.repeat(numpy.cumsum(lengths), lengths)
    parts = []
    for ahead in range(LOOK_AHEAD):
        there = numpy.minimum(position + ahead, n - 1)
        word = words[there] * n
        first = numpy.searchsorted(keys, word + numpy.maximum(position - window, 0))
        last = numpy.searchsorted(keys, word + position)
        counts = (seen[last] - seen[first]).astype("f")
        counts[position + ahead >= ends] = 0.0
        parts.append(_normalize(counts))
    return numpy.concatenate(parts, axis=1)


def document_ratios(
    words: IntArray, types: IntArray, n_types: int, lengths: IntArray
) -> FloatArray:
    """How the word, and the next two, are tagged elsewhere in the document, before the
    token and after it.

    words (IntArray): The word of each token, numbered within its document.
    types (IntArray): The type of the tag of each token.
    n_types (int): How many types there are, O included.
    lengths (IntArray): Tokens per document.
    RETURNS (FloatArray): Float32 (tokens x features).
    """
    n = len(words)
    position = numpy.arange(n)
    own = numpy.eye(n_types, dtype="f")[types]
    n_words = int(words.max(initial=-1)) + 1
    counts = numpy.bincount(words * n_types + types, minlength=n_words * n_types)
    counts = counts.reshape((n_words, n_types)).astype("f")
    ends = numpy.repeat(numpy.cumsum(lengths), lengths)
    parts = []
    for ahead in range(LOOK_AHEAD):
        there = numpy.minimum(position + ahead, n - 1)
        elsewhere = counts[words[there]] - own[there]
        elsewhere[position + ahead >= ends] = 0.0
        parts.append(_normalize(elsewhere))
    return numpy.concatenate(parts, axis=1)


def number_words(forms: IntArray, lengths: IntArray) -> IntArray:
    """Number the words of each document apart.

    forms (IntArray): A hash of the form of each token.
    lengths (IntArray): Tokens per document.
    RETURNS (IntArray): A number per token, equal for equal words of one document.
    """
    docs = numpy.repeat(numpy.arange(len(lengths)), lengths)
    _, ids = numpy.unique(forms, return_inverse=True)
    pairs = ids.reshape(-1) * max(len(lengths), 1) + docs
    return numpy.unique(pairs, return_inverse=True)[1].reshape(-1)


def _normalize(counts: FloatArray) -> FloatArray:
    total = counts.sum(axis=1, keepdims=True)
    return counts / numpy.maximum(total, 1.0)
