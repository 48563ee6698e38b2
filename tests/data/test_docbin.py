import numpy
import pytest
import srsly
from spacy.lang.en import English
from spacy.tokens import Doc, DocBin, Span, SpanGroup

from spacy_cbl.attrs import LabelProbs, set_label_probs, set_weights
from spacy_cbl.data.docbin import SPAN, read_docs, write_docs
from spacy_cbl.training.reader import WeightedCorpus


@pytest.fixture
def docs(nlp):
    weighted = Doc(nlp.vocab, words=["Ada", "sat"], ents=["B-PER", "O"])
    set_weights(weighted, numpy.array([1.0, 0.25], dtype="f"))
    set_label_probs(weighted, LabelProbs(["O", "U-PER"], numpy.eye(2, dtype="f")))
    weighted.user_data["source"] = {"place": (1, 2), "name": "größer"}
    plain = Doc(nlp.vocab, words=["no", "data"], spaces=[False, True])
    weighted.spans["some"] = [weighted[:1]]
    return [weighted, plain, Doc(nlp.vocab, words=[])]


def to_bytes(docs):
    return [doc.to_bytes() for doc in docs]


def test_files_are_those_of_doc_bin(docs, nlp, tmp_path):
    assert write_docs(tmp_path / "ours.spacy", docs) == 3
    theirs = DocBin(docs=docs, store_user_data=True)
    read = DocBin().from_disk(tmp_path / "ours.spacy").get_docs(nlp.vocab)
    assert to_bytes(read) == to_bytes(theirs.get_docs(nlp.vocab))
    theirs.to_disk(tmp_path / "theirs.spacy")
    read = read_docs(tmp_path / "theirs.spacy", nlp.vocab)
    assert to_bytes(read) == to_bytes(theirs.get_docs(nlp.vocab))


def test_files_without_user_data_are_read(docs, nlp, tmp_path):
    DocBin(docs=docs).to_disk(tmp_path / "plain.spacy")
    read = list(read_docs(tmp_path / "plain.spacy", nlp.vocab))
    assert [doc.text for doc in read] == ["Ada sat ", "nodata ", ""]
    assert not any(doc.user_data for doc in read)


def test_predicted_documents_have_the_text_and_nothing_else(docs, nlp, tmp_path):
    write_docs(tmp_path / "corpus.spacy", docs)
    examples = list(WeightedCorpus(tmp_path / "corpus.spacy")(nlp))
    assert [example.predicted.text for example in examples] == ["Ada sat ", "nodata "]
    for example in examples:
        assert [t.norm_ for t in example.predicted] == [
            t.norm_ for t in example.reference
        ]
        assert not example.predicted.ents and not example.predicted.user_data


@pytest.mark.parametrize(
    "user_data",
    [[b"\xc1"], [b"\x05", b"\x05", b"\x05"], [], [b"\x80\x80", b"\x80", b"\x80"]],
)
def test_damaged_user_data_is_told(docs, nlp, tmp_path, user_data):
    """And documents that it lacks are not lost without a word."""
    doc_bin = DocBin(docs=docs, store_user_data=True)
    doc_bin.user_data = user_data
    doc_bin.to_disk(tmp_path / "damaged.spacy")
    with pytest.raises(ValueError, match="C029.*damaged.spacy"):
        list(read_docs(tmp_path / "damaged.spacy", nlp.vocab))


@pytest.fixture
def grouped(docs, nlp):
    """Documents with span groups, of all that a span group can have."""
    doc = Doc(nlp.vocab, words="Ada met Bob Smith . She left .".split())
    long = Span(doc, 2, 4, label="PER", kb_id="Q42", span_id="first")
    inside = Span(doc, 3, 4, label="NAME", span_id=7)  # a number that is no string
    attrs = {"scores": [0.5, 0.25], "array": numpy.arange(2), "nested": {"a": [1]}}
    group = SpanGroup(doc, name="people", spans=[long, inside, long], attrs=attrs)
    doc.spans["people"] = doc.spans["the same"] = group
    doc.spans["alike"] = group.copy()
    doc.spans["without"] = []
    doc.spans["places"] = [doc[:0], doc[8:8], doc[5:], Span(doc, 0, 1, kb_id=9)]
    empty = Doc(nlp.vocab, words=[])
    empty.spans["none"] = []
    return [doc, *docs, empty]


def describe(docs):
    return [
        [(key, g.name, str(g.attrs), [fields(span) for span in g]) for key, g in groups]
        for groups in (doc.spans.items() for doc in docs)
    ]


def fields(span):
    place = (span.start, span.end, span.start_char, span.end_char)
    return (span.id, span.kb_id, span.label, *place)


def test_span_groups_are_those_of_doc_bin(grouped, tmp_path):
    theirs = DocBin(docs=grouped, store_user_data=True)
    before = to_bytes(grouped), describe(grouped)
    write_docs(tmp_path / "ours.spacy", grouped)
    assert (to_bytes(grouped), describe(grouped)) == before  # they keep their groups
    assert (tmp_path / "ours.spacy").read_bytes() == theirs.to_bytes()
    read = list(read_docs(tmp_path / "ours.spacy", English().vocab))
    expected = list(theirs.get_docs(English().vocab))
    assert describe(read) == describe(expected) == before[1]
    assert to_bytes(read) == to_bytes(expected)
    assert [s.kb_id_ for s in read[0].spans["people"]] == ["Q42", "", "Q42"]
    assert read[0].spans["people"][0].id_ == "first"
    assert all(g.doc is doc for doc in read for g in doc.spans.values())
    # Keys of one group get copies.
    read[0].spans["people"].attrs["nested"]["a"].append(2)
    assert read[0].spans["the same"].attrs["nested"] == {"a": [1]}


def test_span_groups_in_the_first_format_are_read(grouped, nlp, tmp_path):
    doc_bin = DocBin(docs=grouped)
    groups = ["people", "places"]
    packed = [grouped[0].spans[name].to_bytes() for name in groups]
    doc_bin.span_groups[:2] = [srsly.msgpack_dumps(packed), b""]
    doc_bin.to_disk(tmp_path / "first.spacy")
    read = list(read_docs(tmp_path / "first.spacy", nlp.vocab))
    assert describe(read) == describe(doc_bin.get_docs(nlp.vocab))
    assert [list(doc.spans) for doc in read[:2]] == [groups, []]


def pack_group(**changed):
    group = {"name": "some", "attrs": {}, "spans": [], **changed}
    return srsly.msgpack_dumps({srsly.msgpack_dumps(group): ["some"]})


def test_spans_that_a_document_does_not_have_are_read_as_spacy_does(
    docs, nlp, tmp_path
):
    doc_bin = DocBin(docs=docs)
    spans = [SPAN.pack(1, 2, 3, 1, 9, 8, 7), SPAN.pack(9, 8, 2**64 - 1, 5, 4, 0, 0)]
    doc_bin.span_groups = [pack_group(spans=spans), b"", pack_group(spans=spans)]
    doc_bin.to_disk(tmp_path / "other.spacy")
    read = list(read_docs(tmp_path / "other.spacy", nlp.vocab))
    for doc, expected in zip(read, doc_bin.get_docs(nlp.vocab), strict=True):
        assert doc.spans.to_bytes() == expected.spans.to_bytes()
    assert spans[0] in read[0].spans["some"].to_bytes()


@pytest.mark.parametrize(
    "span_groups",
    [
        b"\xc1",
        b"\x05",
        srsly.msgpack_dumps({b"\xc1": ["some"]}),
        pack_group()[:-1],  # cut off
        pack_group() + b"\x90",
        pack_group(name=None, spans=None),
        pack_group(spans=[b"short"]),
        pack_group(attrs=5),
    ],
)
def test_damaged_span_groups_are_told(docs, nlp, tmp_path, span_groups):
    doc_bin = DocBin(docs=docs)
    doc_bin.span_groups[0] = span_groups
    doc_bin.to_disk(tmp_path / "damaged.spacy")
    with pytest.raises(ValueError, match="C029.*damaged.spacy"):
        list(read_docs(tmp_path / "damaged.spacy", nlp.vocab))


@pytest.mark.parametrize("span_groups", [[], [b""] * 4, None, 5])
def test_span_groups_of_other_documents_are_told(docs, nlp, tmp_path, span_groups):
    doc_bin = DocBin(docs=docs)
    doc_bin.span_groups = span_groups
    doc_bin.to_disk(tmp_path / "damaged.spacy")
    with pytest.raises(ValueError, match="C029.*damaged.spacy"):
        next(read_docs(tmp_path / "damaged.spacy", nlp.vocab))


def test_documents_that_cannot_be_written_keep_their_groups(grouped, tmp_path):
    grouped[0].spans["people"].attrs["object"] = object()
    before = describe(grouped)
    with pytest.raises(TypeError):
        write_docs(tmp_path / "ours.spacy", grouped)
    assert describe(grouped) == before
    assert not (tmp_path / "ours.spacy").exists()
