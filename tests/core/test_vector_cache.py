import os
import signal
import subprocess
import sys

import numpy
import pytest
from numpy.testing import assert_array_equal

from spacy_cbl.core.pooling import cut_windows, mean_of_pieces
from spacy_cbl.core.vector_cache import HEAD, VectorCache, make_key

KIND = b"k" * 32


@pytest.fixture
def vectors():
    """Three texts of 1, 2 and 3 tokens."""
    random = numpy.random.RandomState(0)
    return {
        make_key(["w"] * n): random.normal(size=(n, 5)).astype(numpy.float16)
        for n in (1, 2, 3)
    }


@pytest.fixture
def written(tmp_path, vectors):
    """The file of a cache that holds them."""
    cache = VectorCache(tmp_path, KIND)
    cache.add(vectors)
    (path,) = tmp_path.iterdir()
    return path


def test_a_forked_process_writes_a_file_of_its_own(tmp_path, vectors, monkeypatch):
    cache = VectorCache(tmp_path, KIND)
    for pid, (key, rows) in enumerate(vectors.items()):
        monkeypatch.setattr(os, "getpid", lambda: pid)
        cache.add({key: rows})
    assert len(list(tmp_path.iterdir())) == 3
    assert found(tmp_path, vectors) == 3


def found(folder, vectors, kind=KIND):
    """How many of the texts are there, each of them right."""
    cache = VectorCache(folder, kind)
    rows = {key: cache.get(key) for key in vectors}
    for key, value in rows.items():
        if value is not None:
            assert_array_equal(value, vectors[key])
    return sum(value is not None for value in rows.values())


def test_what_was_added_is_there_at_once_and_later(tmp_path, vectors):
    cache = VectorCache(tmp_path / "new", KIND)
    for key, rows in vectors.items():
        assert cache.get(key) is None
        cache.add({key: rows})
        assert_array_equal(cache.get(key), rows)
    assert found(tmp_path / "new", vectors) == 3


def test_processes_add_to_one_folder(tmp_path, vectors):
    caches = [VectorCache(tmp_path, KIND) for _ in vectors]
    for cache, (key, rows) in zip(caches, vectors.items()):
        cache.add({key: rows})
    assert found(tmp_path, vectors) == 3


def test_nothing_is_written_without_need(tmp_path, written, vectors):
    cache = VectorCache(tmp_path, KIND)
    cache.add({})
    assert [cache.get(key) is None for key in vectors] == [False] * 3
    assert list(tmp_path.iterdir()) == [written]


def test_every_cut_leaves_what_is_whole(written, vectors):
    data = written.read_bytes()
    sizes = []
    for size in range(len(data) + 1):
        written.write_bytes(data[:size])
        sizes.append(found(written.parent, vectors))
    assert sizes == sorted(sizes)
    assert sizes[0] == sizes[HEAD.size] == 0
    assert sizes[-2:] == [2, 3]


def test_every_wrong_byte_is_noticed(written, vectors):
    data = bytearray(written.read_bytes())
    for i in range(len(data)):
        broken = data.copy()
        broken[i] ^= 0xFF
        written.write_bytes(broken)
        # Bytes that mean nothing may be anything; none may change a vector.
        assert found(written.parent, vectors) <= 3
    broken = data.copy()
    broken[-1] ^= 1
    written.write_bytes(broken)
    assert found(written.parent, vectors) == 2


def test_zeros_after_a_crash_are_no_vectors(written, vectors):
    with open(written, "ab") as file:
        file.write(bytes(10_000))
    assert found(written.parent, vectors) == 3


def test_vectors_of_another_kind_are_not_used(written, vectors):
    assert found(written.parent, vectors, b"x" * 32) == 0


def test_a_damaged_text_can_be_added_again(written, vectors):
    data = bytearray(written.read_bytes())
    data[-1] ^= 1
    written.write_bytes(data)
    cache = VectorCache(written.parent, KIND)
    lost = [key for key in vectors if cache.get(key) is None]
    cache.add({key: vectors[key] for key in lost})
    assert_array_equal(cache.get(lost[0]), vectors[lost[0]])


def test_a_killed_process_leaves_what_it_had_added(tmp_path):
    script = """
import sys, numpy
from pathlib import Path
from spacy_cbl.core.vector_cache import VectorCache, make_key
cache = VectorCache(Path(sys.argv[1]), b"k" * 32)
for i in range(1_000_000):
    cache.add({make_key([str(i)]): numpy.full((1, 64), i % 1000)})
    if i == 100:
        print("going", flush=True)
"""
    command = [sys.executable, "-c", script, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
    cache = VectorCache(tmp_path, KIND)
    assert len(cache) > 100
    for i in range(len(cache)):
        assert (cache.get(make_key([str(i)])) == i % 1000).all()


@pytest.mark.parametrize(
    "other", [["a b"], ["ab"], ["a", "b", ""], ["a", "B"], ["a", "b "], ["1 a", "b"]]
)
def test_keys_tell_texts_apart(other):
    assert make_key(other) != make_key(["a", "b"])


def test_keys_take_any_text():
    assert make_key(["\ud800"]) != make_key(["\udfff"])


def test_mean_over_the_pieces_of_a_token():
    pieces = numpy.arange(12.0).reshape(6, 2)
    means = mean_of_pieces(pieces, [1, 0, 3, 0])
    assert_array_equal(means, [[0, 1], [0, 0], [4, 5], [0, 0]])
    assert mean_of_pieces(pieces, [0, 0]).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("size", [3, 4, 7, 100])
def test_windows_hold_all_tokens_and_not_too_many_pieces(size):
    counts = [1, 3, 0, 2, 1, 1, 1, 3, 0]
    windows = cut_windows(counts, size)
    tokens = [i for start, end in windows for i in range(start, end)]
    assert tokens == list(range(len(counts)))
    assert all(sum(counts[start:end]) <= size for start, end in windows)


def test_a_text_that_fits_is_not_cut():
    assert cut_windows([2, 2, 2], 6) == [(0, 3)]
    assert cut_windows([0, 0], 6) == [(0, 2)]
    assert cut_windows([], 6) == []


def test_windows_are_even():
    assert cut_windows([1] * 11, 10) == [(0, 6), (6, 11)]
