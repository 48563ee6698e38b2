import numpy
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from spacy.tokens import Doc

from spacy_cbl.attrs import LabelProbs
from spacy_cbl.data.docbin import write_docs
from spacy_cbl.data.sentences import cut_long_documents, split_sentences
from spacy_cbl.training.reader import create_weighted_corpus


@pytest.fixture
def corpus_path(nlp, gold_docs, tmp_path):
    """One document of the first two sentences with weights, and one without."""
    joined = Doc.from_docs(gold_docs[:2])
    first = Doc(
        nlp.vocab,
        words=[t.text for t in joined],
        ents=[f"{t.ent_iob_}-{t.ent_type_}" if t.ent_type else "O" for t in joined],
        sent_starts=[i in (0, 7) for i in range(len(joined))],
    )
    first._.cbl_weights = numpy.arange(len(first)) / 10
    first.spans["cbl_outside"] = [first[2:3], first[9:10]]
    probs = numpy.tile([0.75, 0.25], (len(first), 1))
    first._.cbl_label_probs = LabelProbs(["O", "U-X"], probs)
    first._.cbl_p_outside = numpy.arange(len(first)) / 16
    write_docs(tmp_path / "corpus.spacy", [first, gold_docs[2]])
    return tmp_path / "corpus.spacy"


def test_weights_and_sentences_arrive(nlp, corpus_path):
    first, second = create_weighted_corpus(corpus_path)(nlp)
    assert_allclose(first.reference._.cbl_weights, numpy.arange(12) / 10, rtol=1e-6)
    assert second.reference._.cbl_weights is None
    assert [sent.start for sent in first.predicted.sents] == [0, 7]
    assert not first.predicted.ents and first.predicted[0].ent_iob == 0
    assert not second.predicted.has_annotation("SENT_START")


def test_sentence_boundaries_can_be_left_to_the_pipeline(nlp, corpus_path):
    first, _ = create_weighted_corpus(corpus_path, gold_sents=False)(nlp)
    assert not first.predicted.has_annotation("SENT_START")


def test_tokens_are_kept_even_where_the_tokenizer_would_cut(nlp, tmp_path):
    doc = Doc(nlp.vocab, words=["don't", "stop"], spaces=[True, False], ents=["O", "O"])
    doc._.cbl_weights = [0.5, 1]
    write_docs(tmp_path / "x.spacy", [doc])
    (example,) = create_weighted_corpus(tmp_path / "x.spacy")(nlp)
    assert [t.text for t in example.predicted] == ["don't", "stop"]


def test_split_sentences_keep_what_belongs_to_them(nlp, corpus_path):
    examples = list(create_weighted_corpus(corpus_path, split_sents=True)(nlp))
    assert [len(eg.reference) for eg in examples] == [7, 5, 7]
    second = examples[1].reference
    assert_allclose(second._.cbl_weights, [0.7, 0.8, 0.9, 1.0, 1.1], rtol=1e-6)
    assert [(s.start, s.end) for s in second.spans["cbl_outside"]] == [(2, 3)]
    assert second._.cbl_label_probs.probs.shape == (5, 2)
    assert second._.cbl_p_outside.tolist() == [i / 16 for i in range(7, 12)]
    assert [ent.text for ent in second.ents] == ["Acme Corp", "Ada"]


def test_trusted_negatives_over_several_sentences_are_cut(nlp, gold_docs):
    doc = Doc(
        nlp.vocab,
        words=["It", "rained", ".", "It", "stopped", "."],
        sent_starts=[True, False, False, True, False, False],
        ents=["O"] * 6,
    )
    doc.spans["cbl_outside"] = [doc[1:6]]
    first, second = split_sentences(doc)
    assert [(s.start, s.end) for s in first.spans["cbl_outside"]] == [(1, 3)]
    assert [(s.start, s.end) for s in second.spans["cbl_outside"]] == [(0, 3)]


def test_an_entity_across_a_boundary_is_not_cut(nlp):
    doc = Doc(
        nlp.vocab,
        words=["At", "St", ".", "Ives", "it", "rained"],
        sent_starts=[True, False, False, True, False, False],
        ents=["O", "B-LOC", "I-LOC", "I-LOC", "O", "O"],
    )
    (part,) = split_sentences(doc)
    assert [ent.text for ent in part.ents] == ["St . Ives"]
    assert part.has_unknown_spaces


def test_suspected_tokens_of_a_partial_dev_set_become_missing(nlp, corpus_path):
    first, second = create_weighted_corpus(corpus_path, missing_below=0.45)(nlp)
    # Of tokens 0 to 4 only 2 and 4 are unlabelled, and 2 is a trusted negative.
    missing = [t.i for t in first.reference if t.ent_iob == 0]
    assert missing == [4]
    assert len(first.reference.ents) == 5
    assert all(t.ent_iob != 0 for t in second.reference)


def test_limit_and_folders(nlp, corpus_path):
    assert len(list(create_weighted_corpus(corpus_path, limit=1)(nlp))) == 1
    assert len(list(create_weighted_corpus(corpus_path.parent)(nlp))) == 2


def test_required_weights_that_are_absent_are_refused(nlp, corpus_path):
    with pytest.raises(ValueError, match="C027.*Doc 1"):
        list(create_weighted_corpus(corpus_path, require_weights=True)(nlp))


def test_a_missing_path_is_refused_unless_it_is_optional(nlp):
    with pytest.raises(ValueError, match="C026"):
        create_weighted_corpus(None)
    assert list(create_weighted_corpus(None, required=False)(nlp)) == []


@pytest.mark.parametrize("name", ["dev.spacy", "folder"])
def test_a_path_where_nothing_is_is_refused(tmp_path, name):
    with pytest.raises(ValueError, match=f"C039.*{name}"):
        create_weighted_corpus(tmp_path / name, required=False)


def test_files_that_were_not_converted_are_refused(tmp_path):
    """They would be an empty corpus to spaCy."""
    path = tmp_path / "dev.iob2"
    path.write_text("Ada\tB-PER\n", "utf8")
    for given in (path, tmp_path):
        with pytest.raises(ValueError, match="C039.*spacy cbl convert"):
            create_weighted_corpus(given, required=False)


def test_a_weight_below_which_everything_is_missing_is_refused(corpus_path):
    with pytest.raises(ValueError, match="C283"):
        create_weighted_corpus(corpus_path, missing_below=1.5)


def test_a_dev_set_that_was_never_weighed_is_told(nlp, gold_docs, tmp_path):
    write_docs(tmp_path / "dev.spacy", gold_docs)
    reader = create_weighted_corpus(tmp_path / "dev.spacy", missing_below=0.5)
    with pytest.raises(ValueError, match="C040.*0.5.*dev.spacy"):
        list(reader(nlp))


def test_a_file_of_another_kind_is_refused(nlp, tmp_path):
    path = tmp_path / "x.spacy"
    path.write_text("not a DocBin")
    with pytest.raises(ValueError, match="C029"):
        list(create_weighted_corpus(path)(nlp))


def test_long_documents_are_cut_between_sentences(nlp, monkeypatch):
    monkeypatch.setattr("spacy_cbl.data.sentences.LONGEST_DOC", 11)
    monkeypatch.setattr("spacy_cbl.data.sentences.PART_LENGTH", 4)
    words = [str(i) for i in range(12)]
    starts = [i in (0, 2, 3, 9) for i in range(12)]
    ents = ["B-X", "O", "B-X", "I-X", *["O"] * 8]
    long = Doc(nlp.vocab, words=words, sent_starts=starts, ents=ents)
    short = Doc(nlp.vocab, words=words[:11], sent_starts=starts[:11])
    bare = Doc(nlp.vocab, words=words)
    *parts, first, second = cut_long_documents([long, short, bare])
    assert [len(part) for part in parts] == [9, 3]  # not inside the entity
    assert [t.text for part in parts for t in part] == words
    assert first is short and second is bare


def test_sentences_are_those_of_spacy(nlp, gold_docs):
    """With everything that tokens carry, and spans of all kinds where they belong."""
    doc = Doc.from_docs(gold_docs[:3])
    for i, token in enumerate(doc):
        token.lemma_, token.tag_, token.pos_ = token.lower_, f"T{i % 3}", "NOUN"
        token.norm_ = f"n{i}"
        token.is_sent_start = i in (0, 7, 12)
    doc.spans["sc"] = [doc[2:4], doc[6:9], doc[8:10]]
    doc.spans["cbl_outside"] = [doc[6:8], doc[10:10], doc[11:13]]
    parts = list(split_sentences(doc))
    assert [len(part) for part in parts] == [7, 5, 7]
    attrs = ["ORTH", "SPACY", "NORM", "LEMMA", "TAG", "POS", "ENT_IOB", "ENT_TYPE"]
    for part, sent in zip(parts, doc.sents):
        expected = sent.as_doc()
        assert part.text == expected.text
        assert_array_equal(part.to_array(attrs), expected.to_array(attrs))
    spans = [[(s.start, s.end) for s in part.spans["sc"]] for part in parts]
    assert spans == [[(2, 4)], [(1, 3)], []]
    trusted = [[(s.start, s.end) for s in p.spans["cbl_outside"]] for p in parts]
    assert trusted == [[(6, 7)], [(0, 1), (4, 5)], [(0, 1)]]
