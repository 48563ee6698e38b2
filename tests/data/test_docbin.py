import numpy
import pytest
from spacy.tokens import Doc, DocBin

from spacy_cbl.attrs import LabelProbs, set_label_probs, set_weights
from spacy_cbl.data.docbin import read_docs, write_docs
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


@pytest.mark.parametrize("user_data", [[b"\xc1"], [b"\x05", b"\x05", b"\x05"], []])
def test_damaged_user_data_is_told(docs, nlp, tmp_path, user_data):
    """And documents that it lacks are not lost without a word."""
    doc_bin = DocBin(docs=docs, store_user_data=True)
    doc_bin.user_data = user_data
    doc_bin.to_disk(tmp_path / "damaged.spacy")
    with pytest.raises(ValueError, match="C029.*damaged.spacy"):
        list(read_docs(tmp_path / "damaged.spacy", nlp.vocab))
