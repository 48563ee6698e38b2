import numpy
import pytest
from numpy.testing import assert_array_equal
from spacy.tokens import Doc, DocBin

from spacy_cbl.attrs import LabelProbs
from spacy_cbl.data.docbin import read_docs, write_docs


def test_absent_weights_are_none_and_weigh_one(gold_docs):
    doc = gold_docs[0]
    assert doc._.cbl_weights is None
    assert doc[0]._.cbl_weight == 1.0


def test_weights_survive_a_spacy_file(nlp, gold_docs, tmp_path):
    doc = gold_docs[1]
    doc._.cbl_weights = [0.0, 0.25, 1.0, 3.0, 0.5]
    write_docs(tmp_path / "new" / "x.spacy", [doc])
    (loaded,) = read_docs(tmp_path / "new" / "x.spacy", nlp.vocab)
    assert_array_equal(loaded._.cbl_weights, [0.0, 0.25, 1.0, 3.0, 0.5])
    assert loaded._.cbl_weights.dtype == numpy.float32
    assert loaded[3]._.cbl_weight == 3.0


def test_weights_can_be_removed(gold_docs):
    doc = gold_docs[3]
    doc._.cbl_weights = [1, 2, 3]
    doc._.cbl_weights = None
    assert doc._.cbl_weights is None and not doc.user_data


@pytest.mark.parametrize(
    "weights,code",
    [
        ([1.0], "C001"),
        ([1.0] * 4, "C001"),
        ([1.0, -0.1, 1.0], "C002"),
        ([1.0, float("nan"), 1.0], "C002"),
        ([1.0, float("inf"), 1.0], "C002"),
        (["a", "b", "c"], "C005"),
    ],
)
def test_wrong_weights_are_refused_and_change_nothing(gold_docs, weights, code):
    doc = gold_docs[3]
    with pytest.raises(ValueError, match=code):
        doc._.cbl_weights = weights
    assert doc._.cbl_weights is None


def test_wrong_weights_in_a_file_are_refused_when_read(nlp, gold_docs):
    doc = gold_docs[3]
    doc.user_data[("._.", "cbl_weights", None, None)] = numpy.ones(2, dtype="f")
    doc_bin = DocBin(docs=[doc], store_user_data=True).to_bytes()
    (loaded,) = DocBin().from_bytes(doc_bin).get_docs(nlp.vocab)
    with pytest.raises(ValueError, match="C001"):
        loaded._.cbl_weights


def test_label_probabilities_survive_a_spacy_file(nlp, gold_docs, tmp_path):
    doc = gold_docs[3]
    probs = numpy.array([[1, 0], [0.5, 0.5], [0.25, 0.75]])
    doc._.cbl_label_probs = LabelProbs(["O", "U-X"], probs)
    write_docs(tmp_path / "x.spacy", [doc])
    (loaded,) = read_docs(tmp_path / "x.spacy", nlp.vocab)
    assert loaded._.cbl_label_probs.tags == ["O", "U-X"]
    assert_array_equal(loaded._.cbl_label_probs.probs, probs)


@pytest.mark.parametrize(
    "probs,code",
    [
        ([[1.0, 0.0]], "C003"),
        ([[1.0], [1.0], [1.0]], "C003"),
        ([[1.0, 0.0], [0.0, 0.0], [1.0, 0.0]], "C004"),
        ([[1.0, 0.0], [1.5, 0.0], [1.0, 0.0]], "C004"),
    ],
)
def test_wrong_label_probabilities_are_refused(gold_docs, probs, code):
    with pytest.raises(ValueError, match=code):
        gold_docs[3]._.cbl_label_probs = LabelProbs(["O", "U-X"], numpy.array(probs))


def test_a_failed_write_leaves_the_old_file(nlp, gold_docs, tmp_path):
    path = tmp_path / "x.spacy"
    write_docs(path, gold_docs)
    before = path.read_bytes()

    def broken():
        yield Doc(nlp.vocab, words=["half"])
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_docs(path, broken())
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["x.spacy"]


def test_probabilities_of_no_entity_survive_a_file_and_are_checked(
    nlp, gold_docs, tmp_path
):
    doc = gold_docs[3]
    doc._.cbl_p_outside = [1e-5, 0.5, 1.0]
    write_docs(tmp_path / "x.spacy", [doc])
    (loaded,) = read_docs(tmp_path / "x.spacy", nlp.vocab)
    assert loaded._.cbl_p_outside == pytest.approx([1e-5, 0.5, 1.0], rel=0.01)
    for wrong in ([0.5], [0.5, 0.5, 1.5], [0.5, 0.5, float("nan")]):
        with pytest.raises(ValueError, match="C007"):
            doc._.cbl_p_outside = wrong
    doc._.cbl_p_outside = None
    assert doc._.cbl_p_outside is None and not doc.user_data


def test_weights_do_not_change_with_the_array_they_came_from(gold_docs):
    doc = gold_docs[3]
    weights = numpy.ones(len(doc), dtype=numpy.float32)
    doc._.cbl_weights = weights
    weights[:] = 0
    assert doc._.cbl_weights.tolist() == [1.0] * len(doc)


@pytest.mark.parametrize(
    "wrong",
    [numpy.ones((3, 2)), (["O", "U-PER"], "half"), (["O", "U-PER"], [["x"] * 2] * 3)],
)
def test_what_is_no_label_probabilities_is_told(gold_docs, wrong):
    with pytest.raises(ValueError, match="C008"):
        gold_docs[3]._.cbl_label_probs = wrong


def test_what_is_no_probability_is_told(gold_docs):
    with pytest.raises(ValueError, match="C007"):
        gold_docs[3]._.cbl_p_outside = ["a", "b", "c"]


def test_the_weight_of_a_token_can_be_set(nlp):
    doc = Doc(nlp.vocab, words=["Ada", "met", "Bob"])
    doc[2]._.cbl_weight = 0.25
    assert doc._.cbl_weights.tolist() == [1.0, 1.0, 0.25]
    doc[0]._.cbl_weight = 0
    assert doc._.cbl_weights.tolist() == [0.0, 1.0, 0.25]
    with pytest.raises(ValueError, match="C002"):
        doc[0]._.cbl_weight = -1
