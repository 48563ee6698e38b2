import numpy
import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_cbl.attrs import set_weights
from spacy_cbl.data.agreement import align, combine, score
from spacy_cbl.data.laid_out import lay_out
from spacy_cbl.data.stats import count

VOCAB = Vocab()


def make_doc(words, tags, weights=None):
    doc = Doc(
        VOCAB, words=words.split(), ents=["" if t == "-" else t for t in tags.split()]
    )
    set_weights(doc, weights)
    return doc


def corpus(*docs):
    return lay_out("x", [make_doc(*doc) for doc in docs])


GOLD = corpus(
    ("Ada Moreau rows", "B-PER I-PER O"),
    ("to Lund", "O B-LOC"),
    ("in Ystad", "O B-LOC"),
)


def test_weighted_ratio_counts_missing_as_nothing():
    stats = count(
        corpus(
            ("Ada and Bo and Ada", "B-PER O - O B-PER", [1, 0.5, 1, 0.25, 1]),
            ("Oh dear", "O O"),
        )
    )
    assert (stats.entity_tokens, stats.unique_entity_tokens) == (2, 1)
    assert stats.missing == 1
    assert stats.ratio == pytest.approx(2 / 7)
    assert stats.weighted_ratio == pytest.approx(2 / (2 + 0.75 + 2))


def test_all_missing_has_a_weighted_ratio():
    assert count(corpus(("a b", "- -"))).weighted_ratio == 0
    assert count(corpus(("a b", "B-X -"))).weighted_ratio == 1


def test_documents_cut_differently_align():
    joined = corpus(("Ada Moreau rows to Lund in Ystad", "O O O O B-LOC O B-LOC"))
    assert align(joined, GOLD).tolist() == list(range(7))


def test_an_annotator_is_scored_on_the_documents_done():
    part = corpus(("to Lund", "O B-LOC"))
    places = align(part, GOLD)
    assert places.tolist() == [3, 4]
    scores = score(part, places, GOLD)
    assert (scores.precision, scores.recall, scores.f1) == (1, 1, 1)


def test_a_wrong_label_is_wrong():
    part = corpus(("to Lund", "O B-PER"))
    scores = score(part, align(part, GOLD), GOLD)
    assert (scores.precision, scores.recall, scores.f1) == (0, 0, 0)


@pytest.mark.parametrize(
    "docs, message",
    [
        (
            [("to Lund", "O O"), ("Ada Moreau rows", "O O O")],
            "document 1, token 0 is 'Ada'",
        ),
        ([("in Ystad", "O O"), ("to", "O")], "token 0 is 'to', .* no more tokens"),
        ([("Ada Moreau", "O O")], "token 2 is not there, .* has 'rows'"),
    ],
)
def test_misalignment_is_pointed_at(docs, message):
    with pytest.raises(ValueError, match=rf"(?s)\[C132\].*{message}"):
        align(corpus(*docs), GOLD)


def test_joined_annotations():
    one = corpus(("Ada Moreau rows", "B-ORG O -"), ("to Lund", "O B-PER"))
    two = corpus(
        ("Ada Moreau rows", "B-PER I-PER -", [1, 1, 0.5]), ("to Lund", "- B-LOC")
    )
    joined = combine([one, two], [align(one, GOLD), align(two, GOLD)], GOLD)
    # The longer span wins; of two that are as long, the first file's.
    assert joined.spans == [(0, 2, "PER"), (4, 5, "PER")]
    assert joined.lengths == [3, 2]
    assert numpy.flatnonzero(joined.missing).tolist() == [2]
    assert joined.words == GOLD.words[:5]
    assert count(joined).sents == 2


def test_annotators_who_shared_the_documents():
    one, two = corpus(("Ada Moreau rows", "B-PER I-PER O")), corpus(("in Ystad", "O O"))
    places = [align(one, GOLD), align(two, GOLD)]
    joined = combine([one, two], places, GOLD)
    scores = score(joined, align(joined, GOLD), GOLD)
    assert (scores.precision, scores.recall) == (1, 0.5)
