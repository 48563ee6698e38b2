import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_cbl.core.tags import TagSet


def test_legal_steps_of_biluo():
    tags = TagSet(["PER", "LOC"])
    names = [*tags.names, "|"]
    allowed = {
        (a, b) for i, a in enumerate(names) for j, b in enumerate(names)
        if tags.legal[i, j]
    }  # fmt: skip
    for label in ("PER", "LOC"):
        assert {b for a, b in allowed if a == f"B-{label}"} == {
            f"I-{label}", f"L-{label}",
        }  # fmt: skip
        assert {a for a, b in allowed if b == f"L-{label}"} == {
            f"B-{label}", f"I-{label}",
        }  # fmt: skip
    after_outside = {"O", "B-PER", "B-LOC", "U-PER", "U-LOC", "|"}
    for name in ("O", "U-PER", "L-LOC", "|"):
        assert {b for a, b in allowed if a == name} == after_outside


def test_legal_steps_of_bio():
    tags = TagSet(["PER", "LOC"], "bio")
    names = [*tags.names, "|"]
    legal = tags.legal
    for i, before in enumerate(names):
        for j, after in enumerate(names):
            expected = True
            if after.startswith("I-"):
                expected = before in (f"B-{after[2:]}", after)
            assert legal[i, j] == expected, (before, after)


@pytest.mark.parametrize("scheme", ["biluo", "bio"])
@given(data=st.data())
def test_decode_undoes_encode(scheme, data):
    tags = TagSet(["A", "B"], scheme)
    spans, end = [], 0
    for _ in range(data.draw(st.integers(0, 4))):
        start = end + data.draw(st.integers(0, 2))
        end = start + data.draw(st.integers(1, 4))
        spans.append((start, end, data.draw(st.sampled_from("AB"))))
    encoded = tags.encode(end + 2, spans)
    path = [len(tags), *encoded, len(tags)]
    assert all(tags.legal[step] for step in zip(path, path[1:]))
    starts, ends, labels = tags.decode(encoded)
    assert [(s, e, tags.labels[k]) for s, e, k in zip(starts, ends, labels)] == spans


def test_decode_of_nothing():
    assert all(len(part) == 0 for part in TagSet(["A"]).decode(numpy.zeros(3, int)))
