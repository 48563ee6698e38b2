"""The corpora of the benchmarks."""

from spacy.tokens import Doc
from spacy.vocab import Vocab

from benchmarks.corpora import resize


def make_docs():
    vocab = Vocab()
    tags = ["B-PER", "I-PER", "O", "O"]
    starts = [True, False, True, False]
    return [
        Doc(vocab, words=["Ada", first, "the", "the"], ents=tags, sent_starts=starts)
        for first in ("Lovelace", "NOETHER")
    ]


def test_small_sizes_are_cut_at_a_document():
    docs = make_docs()
    assert list(resize(docs, 3)) == docs[:1]


def test_repeated_documents_have_new_rare_words_and_the_same_labels():
    found = list(resize(make_docs(), 24))
    assert [len(doc) for doc in found] == [4] * 6
    forms = {doc[1].text for doc in found}
    assert len(forms) == 6
    assert sum(form.isupper() for form in forms) == 3
    assert {doc[0].text for doc in found} == {"Ada"}
    for doc in found:
        assert [(e.start, e.end, e.label_) for e in doc.ents] == [(0, 2, "PER")]
        assert [token.is_sent_start for token in doc] == [True, False, True, False]
