import numpy
import pytest
import spacy
from numpy.testing import assert_array_equal
from spacy.lookups import Lookups
from spacy.tokens import Doc

from spacy_cbl.data.clusters import CLUSTER_TABLE
from spacy_cbl.models.form_features import (
    FormTemplate,
    make_affixes,
    make_brown_pairs,
    make_caseless_affixes,
    make_form_pairs,
    make_forms,
    make_lower_forms,
    make_neighbours,
)
from spacy_cbl.models.form_table import FormTable

N_ROWS = 2**20


@pytest.fixture
def vocab():
    vocab = spacy.blank("en").vocab
    vocab.lookups = Lookups()
    clusters = {"Ada": 0b10_0001, "Zoe": 0b11_0001, "met": 0b1_0110}
    vocab.lookups.add_table(CLUSTER_TABLE, clusters)
    return vocab


def rows_of(vocab, text, *templates, sentences=None):
    """One row per feature of each token, 0 for none."""
    table = FormTable(dict(enumerate(templates)), N_ROWS, tag_window=-1)
    words = text.split()
    ids = table.look_up([Doc(vocab, words=words)])
    return table.around(ids, numpy.array(sentences or [0] * len(words)))


def test_lower_forms_are_alike_in_headlines_and_text(vocab):
    headline = rows_of(vocab, "ADA MET", make_lower_forms(1))
    text = rows_of(vocab, "Ada met", make_lower_forms(1))
    assert_array_equal(headline, text)
    cased = make_forms(1, normalize=False)
    assert (rows_of(vocab, "ADA MET", cased) != rows_of(vocab, "Ada met", cased)).any()


def test_neighbours_tell_nothing_of_the_word_itself(vocab):
    ada, zoe = (
        rows_of(vocab, f"{w} met Bob", make_neighbours(1)) for w in ("Ada", "Zoe")
    )
    assert_array_equal(ada[0], zoe[0])
    assert (ada[1] != zoe[1]).any()


def test_caseless_affixes_leave_out_scripts_with_capitals(vocab):
    rows = rows_of(vocab, "Amsterdam 19960822 አዲስአበባ", make_caseless_affixes())
    assert not rows[:2].any()
    assert_array_equal(rows[2], rows_of(vocab, "አዲስአበባ", make_affixes())[0])
    assert rows[2].all()


def test_pairs_are_of_both_words_in_their_order(vocab):
    template = make_form_pairs([[-1, 0]])
    rows = rows_of(vocab, "a b a b b a", template)[:, 0]
    assert rows[1] == rows[3]  # a b
    assert rows[2] == rows[5]  # b a
    assert len(set(rows.tolist())) == 4  # the start and a, a b, b a, b b
    assert rows.all()


def test_pairs_of_other_places_are_other_features(vocab):
    template = make_form_pairs([[-1, 0], [0, 1]])
    rows = rows_of(vocab, "a b", template)
    assert rows[1, 0] != rows[0, 1]  # a b, seen from b and from a
    assert len(numpy.unique(rows)) == 4


def test_pairs_end_with_the_sentence(vocab):
    template = make_form_pairs([[-1, 0]])
    split = rows_of(vocab, "a b", template, sentences=[0, 1])
    alone = rows_of(vocab, "b", template)
    assert_array_equal(split[1], alone[0])


def test_brown_pairs_are_of_prefixes_of_equal_length(vocab):
    template = make_brown_pairs([4, 6], [[0, 1]])
    rows = rows_of(vocab, "Ada met Zoe met", template)
    ada, zoe = rows[0], rows[2]
    assert ada[0] == zoe[0] and ada[1] != zoe[1]  # alike in 4 bits, not in 6
    assert ada.all()


def test_a_word_without_a_cluster_is_in_no_brown_pair(vocab):
    template = make_brown_pairs([4], [[-1, 0], [0, 1]])
    rows = rows_of(vocab, "Ada met unknown Zoe", template)
    assert_array_equal(rows > 0, [[0, 1], [1, 0], [0, 0], [0, 0]])


def test_without_prefixes_no_clusters_are_needed():
    bare = spacy.blank("en").vocab
    templates = make_lower_forms(0), make_brown_pairs([])
    assert rows_of(bare, "Ada met", *templates).shape == (2, 1)


def test_forms_met_later_join_those_known(vocab):
    template = make_form_pairs()
    table = FormTable({"pairs": template}, N_ROWS, tag_window=-1)
    table.look_up([Doc(vocab, words=["x", "met"])])
    ids = table.look_up([Doc(vocab, words=["Ada", "met", "Zoe"])])
    found = table.around(ids, numpy.zeros(3, dtype=int))
    assert_array_equal(found, rows_of(vocab, "Ada met Zoe", template))


def test_a_stream_of_new_forms_neither_grows_nor_changes_anything(vocab, monkeypatch):
    """Forms are forgotten when there are too many, a long text's own ones never."""
    monkeypatch.setattr("spacy_cbl.models.form_table.MAX_FORMS", 8)
    templates = make_forms(1), make_form_pairs(), make_brown_pairs([4])
    table = FormTable(dict(enumerate(templates)), N_ROWS, tag_window=1)
    texts = [f"Ada met {i}a {i}b and {i}c" for i in range(20)]
    texts.append(" ".join(f"w{i}" for i in range(30)))
    texts.append("Ada met w3 and 5a")
    for text in texts:
        words = text.split()
        sentences = numpy.zeros(len(words), dtype=int)
        ids = table.look_up([Doc(vocab, words=words)])
        found = table.around(ids, sentences)
        assert_array_equal(found, rows_of(vocab, text, *templates))
        assert len(table.ids) <= max(8, len(words))


def test_tables_are_not_copied_for_each_new_form(vocab):
    table = FormTable({"forms": make_forms(0)}, N_ROWS, tag_window=0)
    tables = set()
    for i in range(500):
        table.look_up([Doc(vocab, words=[f"w{i}"])])
        tables.add(len(table.hashes))
    assert len(tables) <= 10


def test_a_pair_of_three_places_is_an_error():
    with pytest.raises(ValueError, match="C253"):
        make_form_pairs([[-1, 0, 1]])


def test_pairs_tell_templates_apart():
    one, two = make_form_pairs([[-1, 0]]), make_form_pairs([[0, 1]])
    assert one.fingerprint(["Ada"]) != two.fingerprint(["Ada"])


def test_what_templates_say_of_the_words_at_hand_tells_them_apart():
    def make_gazetteer(names):
        def describe(forms):
            found = [[int(text in names)] for text in forms.texts]
            return numpy.array(found, dtype=numpy.uint64)

        return FormTemplate([0], describe)

    north, people = make_gazetteer({"Oslo", "Bergen"}), make_gazetteer({"Ada", "Bob"})
    words = ["Ada", "flew", "to", "Oslo"]
    assert north.fingerprint(words) != people.fingerprint(words)
    again = make_gazetteer({"Bergen", "Oslo"})
    assert north.fingerprint(words) == again.fingerprint(words)
