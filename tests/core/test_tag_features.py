import numpy
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from spacy_cbl.core.packing import pack
from spacy_cbl.core.tag_features import (
    LOOK_AHEAD,
    History,
    Salts,
    TagRows,
    document_ratios,
    history_ratios,
    number_words,
    shift,
)


def plain_ratios(words, types, n_types, lengths, window):
    """Count with loops what the word was tagged before, in the same document."""
    found, start = [], 0
    for length in lengths:
        for i in range(start, start + length):
            row = []
            for ahead in range(LOOK_AHEAD):
                counts = numpy.zeros(n_types)
                if i + ahead < start + length:
                    for j in range(max(start, i - window), i):
                        if words[j] == words[i + ahead]:
                            counts[types[j]] += 1
                row.extend(counts / max(counts.sum(), 1))
            found.append(row)
        start += length
    return numpy.array(found)


def make_documents(seed):
    rng = numpy.random.default_rng(seed)
    lengths = rng.integers(1, 25, 6)
    forms = rng.integers(0, 4, lengths.sum())
    types = rng.integers(0, 3, lengths.sum())
    return number_words(forms, lengths), types, lengths


@pytest.mark.parametrize("window", [1, 5, 1000])
@pytest.mark.parametrize("seed", range(3))
def test_ratios_of_known_tags_and_step_by_step(window, seed):
    words, types, lengths = make_documents(seed)
    expected = plain_ratios(words, types, 3, lengths, window)
    assert_allclose(history_ratios(words, types, 3, lengths, window), expected, 1e-6)
    history = History(words, 3, window)
    ends = numpy.cumsum(lengths)
    packing = pack(lengths)
    for first, last in zip(packing.offsets[:-1], packing.offsets[1:]):
        tokens = packing.forward[first:last]
        docs = packing.order[: last - first]
        found = history.ratios(tokens, ends[docs])
        assert_allclose(found, expected[tokens], 1e-6)
        history.add(tokens, types[tokens], (ends - lengths)[docs])


@pytest.mark.parametrize("seed", range(3))
def test_ratios_elsewhere_in_the_document(seed):
    words, types, lengths = make_documents(seed)
    found = document_ratios(words, types, 3, lengths).reshape((-1, LOOK_AHEAD, 3))
    docs = numpy.repeat(numpy.arange(len(lengths)), lengths)
    for i, ahead in numpy.ndindex(len(words), LOOK_AHEAD):
        there, counts = i + ahead, numpy.zeros(3)
        if there < len(words) and docs[there] == docs[i]:
            others = [j for j in range(len(words)) if words[j] == words[there]]
            for j in others:
                counts[types[j]] += j != there
        assert_allclose(found[i, ahead], counts / max(counts.sum(), 1), 1e-6)


def test_words_are_numbered_per_document():
    numbers = number_words(numpy.array([7, 8, 7, 7, 8]), numpy.array([3, 2]))
    assert numbers[0] == numbers[2]
    assert len(set(numbers.tolist())) == 4


def test_shift_stays_within_sentences():
    values, sentences = numpy.array([1, 2, 3, 4, 5]), numpy.array([0, 0, 0, 1, 1])
    assert_array_equal(shift(values, 1, sentences, 0), [0, 1, 2, 0, 4])
    assert_array_equal(shift(values, -2, sentences, 9), [3, 9, 9, 9, 9])
    assert_array_equal(shift(values, 0, sentences, 0), values)
    for far in (5, 9, -5, -9):
        assert_array_equal(shift(values, far, sentences, 0), [0] * 5)


@pytest.fixture
def tag_rows():
    """Tags O, B-X, I-X, B-Y, I-Y and the boundary."""
    rng = numpy.random.RandomState(0)
    salts = Salts(
        tags=rng.randint(2**32, size=(3, 6), dtype=numpy.uint32),
        pairs=rng.randint(2**32, size=(6, 6), dtype=numpy.uint32),
        types=rng.randint(2**32, size=6, dtype=numpy.uint32),
    )
    return TagRows(2**20, numpy.array([0, 1, 1, 2, 2, 0]), salts)


def rows_of(tag_rows, before, words=(11, 12), forms=(21, 22)):
    columns = [numpy.array([[value] for value in part]) for part in (before, words)]
    around = numpy.array([forms], dtype=numpy.uint32)
    return tag_rows.rows(columns[0], columns[1].astype(numpy.uint32), around)[0]


def test_rows_tell_tags_apart(tag_rows):
    base = rows_of(tag_rows, (0, 0, 0))
    other = rows_of(tag_rows, (1, 0, 0))
    assert base[1] == other[1]
    changed = numpy.flatnonzero(base != other).tolist()
    assert changed == [0, 2, 4, 5]
    assert rows_of(tag_rows, (0, 1, 0))[1] != base[1]


def test_the_pattern_is_of_entities_one_or_two_words_ago(tag_rows):
    pattern = 3
    assert rows_of(tag_rows, (0, 0, 0))[pattern] == 0
    assert rows_of(tag_rows, (1, 1, 0))[pattern] == 0  # still in the entity
    near = rows_of(tag_rows, (0, 1, 0))[pattern]
    assert near > 0
    assert rows_of(tag_rows, (0, 2, 4))[pattern] == near  # same type, same word since
    assert rows_of(tag_rows, (0, 1, 0), words=(11, 99))[pattern] == near
    assert rows_of(tag_rows, (0, 1, 0), words=(13, 12))[pattern] != near
    far = rows_of(tag_rows, (0, 0, 1))[pattern]
    assert far not in (0, near)
    assert rows_of(tag_rows, (0, 0, 1), words=(11, 99))[pattern] != far
    assert rows_of(tag_rows, (0, 0, 3))[pattern] != far
