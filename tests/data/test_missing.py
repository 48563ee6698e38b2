import numpy
import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Corpus
from spacy.util import fix_random_seed
from spacy.vocab import Vocab

from spacy_cbl.attrs import OUTSIDE_GROUP, get_weights, set_weights
from spacy_cbl.data.docbin import read_docs, write_docs
from spacy_cbl.data.missing import mark_missing
from spacy_cbl.training.schemes import get_scheme
from spacy_cbl.training.weigh import weigh

from ..training.toy import LABELLED, NAMES, make_docs
from .small_corpus import describe, entities, make_doc


def missing_tokens(doc):
    return [token.i for token in doc if token.ent_iob == 0]


def low_at(doc, *tokens):
    weights = numpy.ones(len(doc))
    weights[list(tokens)] = 0.2
    return weights


class DoubtingScheme:
    """Doubts tokens whatever their label."""

    weighs_entities = True

    def __init__(self, *tokens):
        self.tokens = tokens

    def __call__(self, corpus):
        return low_at(corpus.token_ids, *self.tokens)


def run(tmp_path, doc, scheme, threshold=0.5):
    source, output = tmp_path / "partial.spacy", tmp_path / "weighted.spacy"
    write_docs(source, [doc])
    report = weigh(source, output, scheme, missing_below=threshold)
    (weighted,) = read_docs(output, Vocab())
    return report, weighted


def test_an_entity_loses_its_label_if_one_of_its_tokens_is_doubted(tmp_path):
    doc = make_doc(Vocab())
    assert entities(doc)[1] == (2, 4, "PER")
    report, weighted = run(tmp_path, doc, DoubtingScheme(1, 3, 7))
    assert missing_tokens(weighted) == [1, 2, 3, 7]
    assert entities(weighted) == [ent for ent in entities(doc) if ent[0] != 2]
    assert report["marked_missing"] == {"outside": 2, "entity": 2}


def test_weights_and_all_else_stay_in_the_file(tmp_path):
    doc = make_doc(Vocab())
    before = describe(doc)
    _, weighted = run(tmp_path, doc, DoubtingScheme(1, 3))
    assert describe(weighted) == before
    assert get_weights(weighted).tolist() == pytest.approx(low_at(doc, 1, 3))


def test_what_was_missing_is_judged_by_its_weight(tmp_path):
    doc = make_doc(Vocab())
    doc.set_ents([Span(doc, 0, 1, "PER")], default="missing")
    _, weighted = run(tmp_path, doc, DoubtingScheme(4, 5))
    assert missing_tokens(weighted) == [4, 5]
    assert weighted[6].ent_iob_ == "O"


def test_certain_tokens_are_never_missing(tmp_path):
    doc = make_doc(Vocab())
    doc.spans[OUTSIDE_GROUP] = [doc[7:9]]
    doc.set_ents([], blocked=[doc[1:2]], default="unmodified")
    _, weighted = run(tmp_path, doc, get_scheme("uniform", {"value": 0.1}), 1.0)
    assert entities(weighted) == entities(doc)
    assert [t.i for t in weighted if t.ent_iob_ == "O"] == [7, 8]
    assert weighted[1].ent_iob == 3 and not weighted[1].ent_type


def test_dev_sets_keep_their_entities():
    doc = make_doc(Vocab())
    set_weights(doc, low_at(doc, 1, 3))
    before = entities(doc)
    assert mark_missing(doc, 0.5) == {"outside": 1, "entity": 0}
    assert entities(doc) == before and missing_tokens(doc) == [1]


def test_a_document_without_weights_stays_as_it_is():
    doc = make_doc(Vocab())
    assert not mark_missing(doc, 0.5, entities=True)
    assert not missing_tokens(doc)


@pytest.mark.parametrize("threshold", [0.0, -1.0, 1.5, float("nan")])
def test_a_bad_threshold_is_refused_before_the_work(tmp_path, threshold):
    output = tmp_path / "weighted.spacy"
    output.write_bytes(b"old")

    def scheme(corpus):
        raise AssertionError

    with pytest.raises(ValueError, match="C283"):
        run(tmp_path, make_doc(Vocab()), scheme, threshold)
    assert output.read_bytes() == b"old"


def test_the_ner_of_spacy_ignores_doubted_tokens_and_finds_the_names(tmp_path):
    """Half of the names are never labelled. Trained as it is, `ner` finds none."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    gold = make_docs(nlp.vocab, NAMES)
    write_docs(tmp_path / "gold.spacy", gold)
    write_docs(tmp_path / "partial.spacy", make_docs(nlp.vocab, LABELLED))
    weigh(
        tmp_path / "partial.spacy",
        tmp_path / "weighted.spacy",
        get_scheme("oracle"),
        gold_path=tmp_path / "gold.spacy",
        missing_below=0.5,
    )
    hidden = set(NAMES) - set(LABELLED)
    nlp.add_pipe("ner")
    examples = list(Corpus(tmp_path / "weighted.spacy")(nlp))
    for example in examples:
        for token, tag in zip(example.reference, example.get_aligned_ner()):
            expected = "U-PER" if token.text in LABELLED else "O"
            assert tag == (None if token.text in hidden else expected)
    optimizer = nlp.initialize(lambda: examples)
    for step in range(30):
        nlp.update(examples[step % 3 :: 3], sgd=optimizer)
    unseen = make_docs(nlp.vocab, [], n_docs=10, seed=1)
    docs = nlp.pipe([Doc(nlp.vocab, words=[t.text for t in doc]) for doc in unseen])
    found = [token for doc in docs for token in doc if token.ent_type]
    assert {token.text for token in found} == set(NAMES)
