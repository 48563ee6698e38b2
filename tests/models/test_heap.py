import subprocess
import sys

import numpy
import pytest
from spacy.util import registry

from spacy_cbl.models.heap import trim_heap


def memory():
    """Bytes that this process has for itself."""
    with open("/proc/self/statm") as file:
        _, resident, shared, *_ = map(int, file.read().split())
    return (resident - shared) * 4096


@pytest.mark.skipif(sys.platform != "linux", reason="of GNU")
def test_freed_memory_is_given_back():
    # Blocks too small to be mapped, each second of which stays.
    blocks = [numpy.ones(60_000, dtype="u1") for _ in range(4000)]
    blocks = blocks[::2]
    before = memory()
    trim_heap()
    assert before - memory() > 50 * 2**20
    assert all(block[-1] == 1 for block in blocks[:10])


def test_trimming_now_and_then(monkeypatch):
    calls = []
    monkeypatch.setattr("spacy_cbl.models.heap.trim_heap", lambda: calls.append(1))
    callback = {"@callbacks": "spacy_cbl.trim_heap.v1", "every": 3}
    before_update = registry.resolve({"x": callback})["x"]
    for step in range(7):
        before_update(None, {"step": step, "epoch": 0})
    assert len(calls) == 3


HOLES = """
import numpy
from spacy.util import registry
from tests.models.test_heap import memory

callback = {"@callbacks": "spacy_cbl.map_large_blocks.v1", "above": 2**20}
before_update = registry.resolve({"x": callback})["x"]
if LIMITED:
    before_update(None, {"step": 0, "epoch": 0})
numpy.ones(2**24, dtype="u1")  # from here on, blocks of this size are of the heap
before = memory()
blocks = [numpy.ones(2**21, dtype="u1") for _ in range(100)]
del blocks[:-1]
print(memory() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="of GNU")
@pytest.mark.parametrize("limited", [False, True])
def test_large_blocks_leave_no_holes(limited):
    code = HOLES.replace("LIMITED", str(limited))
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    kept = int(ran.stdout)
    assert kept < 10 * 2**20 if limited else kept > 100 * 2**20
