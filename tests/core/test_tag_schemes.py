import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_cbl.core.tag_schemes import TagError, decode, is_tag, recognise

SPANS = [(0, 2, "PER"), (2, 3, "PER"), (4, 5, "product-other")]
WRITTEN = {
    "iob1": "I-PER I-PER B-PER O I-product-other",
    "iob2": "B-PER I-PER B-PER O B-product-other",
    "biluo": "B-PER L-PER U-PER O U-product-other",
    "bioes": "B-PER E-PER S-PER O S-product-other",
}


@pytest.mark.parametrize("scheme", WRITTEN)
def test_each_scheme_is_recognised_and_decoded(scheme):
    tags = WRITTEN[scheme].split()
    found = recognise([["O"], tags])
    assert found == ("biluo" if scheme == "bioes" else scheme)
    assert decode(tags, found) == SPANS


def test_label_change_and_missing_end_a_span():
    tags = ["I-PER", "I-LOC", "-", "I-LOC", "O"]
    assert decode(tags, "iob1") == [(0, 1, "PER"), (1, 2, "LOC"), (3, 4, "LOC")]


def test_spans_that_begin_both_ways_follow_no_scheme():
    assert recognise([["B-PER", "O"], ["I-PER", "O"]]) is None


def test_no_entity_reads_as_iob2():
    assert recognise([["O", "-"], []]) == "iob2"


@pytest.mark.parametrize(
    "tags, scheme, index, orphan",
    [
        (["O", "I-PER"], "iob2", 1, True),
        (["B-PER", "I-LOC"], "iob2", 1, True),
        (["-", "I-PER"], "iob2", 1, True),
        (["U-PER"], "iob1", 0, False),
        (["PER"], "iob1", 0, False),
        (["B-"], "iob2", 0, False),
        (["", "O"], "iob2", 0, False),
        (["B-PER", "O"], "biluo", 1, False),
        (["B-PER", "L-LOC"], "biluo", 1, False),
        (["O", "L-PER"], "biluo", 1, False),
        (["O", "B-PER"], "biluo", 1, False),
        (["B-PER", "B-PER", "L-PER"], "biluo", 1, False),
    ],
)
def test_a_forbidden_tag_is_pointed_at(tags, scheme, index, orphan):
    with pytest.raises(TagError) as raised:
        decode(tags, scheme)
    assert (raised.value.index, raised.value.orphan) == (index, orphan)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("O", True),
        ("-", True),
        ("S-LOC", True),
        ("B-", False),
        ("NN", False),
        ("", False),
    ],
)
def test_is_tag(text, expected):
    assert is_tag(text) is expected


@st.composite
def spans_of_a_sentence(draw):
    lengths = draw(st.lists(st.integers(1, 3), max_size=8))
    gaps = draw(
        st.lists(st.integers(0, 2), min_size=len(lengths), max_size=len(lengths))
    )
    spans, at = [], 0
    for gap, length in zip(gaps, lengths):
        label = draw(st.sampled_from(["PER", "LOC"]))
        spans.append((at + gap, at + gap + length, label))
        at += gap + length
    return at + draw(st.integers(0, 2)), spans


@given(spans_of_a_sentence())
def test_iob2_round_trip(sentence):
    n_tokens, spans = sentence
    tags = ["O"] * n_tokens
    for start, end, label in spans:
        tags[start:end] = [f"B-{label}"] + [f"I-{label}"] * (end - start - 1)
    assert decode(tags, "iob2") == spans
    # IOB1 reads B- as a start too, so what is IOB2 means the same in it.
    assert decode(tags, "iob1") == spans
    assert recognise([tags]) == "iob2"
