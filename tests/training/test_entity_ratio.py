import numpy
import pytest

from spacy_cbl.data.arrays import read_corpus_arrays
from spacy_cbl.training.entity_ratio import find_ratio, parse_ratio

from .toy import LABELLED, NAMES, make_docs


def read(nlp, with_gold=True):
    partial = make_docs(nlp.vocab, LABELLED)
    gold = make_docs(nlp.vocab, NAMES)
    return read_corpus_arrays(
        lambda: partial, nlp.vocab, gold=(lambda: gold) if with_gold else None
    )


def test_numbers_stay_and_nothing_stays_nothing(nlp):
    corpus = read(nlp)
    assert find_ratio(0.2, corpus) == 0.2
    assert find_ratio(None, corpus) is None
    assert parse_ratio("0.2") == 0.2


def test_of_gold(nlp):
    corpus = read(nlp)
    assert find_ratio("gold", corpus) == pytest.approx(corpus.gold_is_entity.mean())
    with pytest.raises(ValueError, match="C246"):
        find_ratio("gold", read(nlp, with_gold=False))


def test_an_estimate_lies_above_the_labelled_share(nlp):
    corpus = read(nlp, with_gold=False)
    assert corpus.is_entity.mean() < find_ratio("estimate", corpus) < 0.6


def test_an_estimate_needs_some_tokens(nlp):
    docs = make_docs(nlp.vocab, LABELLED, n_docs=1)
    corpus = read_corpus_arrays(lambda: docs, nlp.vocab)
    with pytest.raises(ValueError, match="C131"):
        find_ratio("estimate", corpus)


@pytest.mark.parametrize("text", ["a lot", "nan", ""])
def test_what_is_neither_number_nor_name(text):
    with pytest.raises(ValueError, match="C245"):
        parse_ratio(text)
    assert numpy.isfinite(parse_ratio("1e-3"))
