import numpy
import pytest
import spacy
from numpy.testing import assert_array_equal
from spacy.tokens import Doc
from spacy.training import Example

from spacy_cbl.models.word_kind_embed import (
    build_word_kind_embed_v1,
    count_words,
    extract_word_kinds,
)

TEXT = "De man van Oslo zag de vrouw van Rome"
CONFIG = """
[model]
@architectures = "spacy_cbl.MarginalCRF.v1"

[model.tok2vec]
@architectures = "spacy.Tok2Vec.v2"

[model.tok2vec.embed]
@architectures = "spacy_cbl.WordKindEmbed.v1"
width = 16
attrs = ["SHAPE"]
rows = [100]
kind_rows = 100
include_static_vectors = false
cluster_prefixes = []
cluster_rows = 100

[model.tok2vec.encode]
@architectures = "spacy.MaxoutWindowEncoder.v2"
width = 16
depth = 1
window_size = 1
maxout_pieces = 2
"""


@pytest.fixture
def doc(nlp):
    return Doc(nlp.vocab, words=TEXT.split())


def extract(docs):
    layer = extract_word_kinds()
    count_words(layer, docs)
    return layer.predict(docs)


def test_a_token_has_a_kind_and_no_identity(doc):
    [columns] = extract([doc])
    kinds = dict(zip(TEXT.split(), columns[:, 0].tolist()))
    assert kinds["Oslo"] == kinds["Rome"] and kinds["man"] == kinds["vrouw"]
    assert kinds["De"] == kinds["de"]
    assert len({kinds["Oslo"], kinds["man"], kinds["van"], kinds["de"]}) == 4
    assert not columns[:, 1:].any()  # Latin script: no letters of the word


def test_words_without_case_show_their_first_and_last_letters(nlp):
    doc = Doc(nlp.vocab, words=["ሰላም", "ሰላምም", "ሰላም"])
    [columns] = extract([doc])
    assert columns[:, 1:].all()
    assert_array_equal(columns[0], columns[2])
    assert columns[0, 2] != columns[1, 2]


def test_counts_are_of_all_documents_and_unknown_words_are_of_no_kind(nlp, doc):
    layer = extract_word_kinds()
    count_words(layer, [doc, Doc(nlp.vocab, words=["oslo"] * 5)])
    columns, new = layer.predict([doc, Doc(nlp.vocab, words=["Bern", "van"])])
    assert columns[3, 0] != columns[8, 0]  # Oslo is now often in lower case
    assert new[0, 0] == 0 and new[1, 0] == columns[2, 0]


def test_without_counts_it_says_what_to_do(doc):
    with pytest.raises(ValueError, match="C014"):
        extract_word_kinds().predict([doc])


def test_no_documents():
    layer = extract_word_kinds()
    count_words(layer, [])
    assert layer.attrs["words"] is None


def test_models_without_such_a_layer_are_left_alone(doc):
    model = build_word_kind_embed_v1(8, [], [], 10, False, [], 10)
    other = model.layers[-1]
    corpus = iter([doc])
    count_words(other, corpus)
    assert list(corpus) == [doc], "it looked at the corpus"


def test_a_component_counts_the_training_corpus_and_saves_it(nlp, tmp_path):
    config = spacy.util.Config().from_str(CONFIG)
    pipeline = spacy.blank("nl")
    ner = pipeline.add_pipe("cbl_ner", config=dict(config))
    words = TEXT.split()
    tags = ["B-LOC" if word in ("Oslo", "Rome") else "O" for word in words]
    reference = Doc(pipeline.vocab, words=words, ents=tags)
    example = Example(Doc(pipeline.vocab, words=words), reference)
    optimizer = pipeline.initialize(lambda: [example])
    for _ in range(60):
        pipeline.update([example], sgd=optimizer)
    found = pipeline(Doc(pipeline.vocab, words=words))
    assert [ent.text for ent in found.ents] == ["Oslo", "Rome"]
    pipeline.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    again = loaded(Doc(loaded.vocab, words=words))
    assert [ent.text for ent in again.ents] == ["Oslo", "Rome"]
    scores = [n.spans["cbl_ner"].attrs["scores"] for n in (found, again)]
    numpy.testing.assert_allclose(*scores, rtol=1e-5)
    assert ner.name == "cbl_ner"
