import numpy
import pytest
from spacy.tokens import Doc

from spacy_cbl.data.arrays import read_corpus_arrays
from spacy_cbl.training.cbl import find_target
from spacy_cbl.training.schemes import get_scheme
from spacy_cbl.training.threshold import foresee, pin_ratio

NAMES = [f"Name{chr(97 + i // 10)}{chr(97 + i % 10)} Tail" for i in range(80)]


def make_docs(vocab):
    """Eighty names of two tokens, in two sentences each; every second is labelled."""
    docs = []
    for i, name in enumerate(NAMES):
        words = [
            *name.split(),
            "met",
            "Monday",
            ".",
            "rain",
            "fell",
            "on",
            *name.split(),
        ]
        tags = ["B-PER", "I-PER", *"OOOOOO", "B-PER", "I-PER"]
        starts = [j in (0, 5) for j in range(len(words))]
        ents = tags if i % 2 else ["O"] * len(words)
        docs.append(Doc(vocab, words=words, ents=ents, sent_starts=starts))
    return docs


@pytest.fixture
def corpus(nlp):
    docs = make_docs(nlp.vocab)
    read = [doc.to_bytes() for doc in docs]
    return read_corpus_arrays(
        lambda: [Doc(nlp.vocab).from_bytes(data) for data in read], nlp.vocab
    )


class Capitals:
    """Doubts all that is written large, names most; keeps what it is shown."""

    def __init__(self):
        self.seen = []

    def __call__(self, corpus):
        self.seen.append((corpus, list(corpus.docs())))
        forms = numpy.array(corpus.forms)[corpus.token_ids]
        weights = numpy.where([form[0].isupper() for form in forms], 0.2, 1.0)
        weights[forms == "Monday"] = 0.4
        return weights


def test_hidden_entities_come_out(corpus):
    scheme = Capitals()
    outlook = foresee(
        corpus,
        scheme,
        thresholds=[0.1, 0.3, 0.5],
        tops=[40, 160],
        n_folds=2,
        hide=0.3,
        entity_ratio=0.4,
    )
    assert (outlook.n_entities, outlook.n_hidden) == (80, 48)
    recalls = [row.recall for row in outlook.rows]
    assert recalls == [0, 1, 1]
    # Eighty mentions are missing, and as many Mondays are doubted with them.
    assert outlook.n_missed == pytest.approx(80) == outlook.n_bound
    assert outlook.is_random_draw
    assert [row.suspects for row in outlook.rows] == [0, 80, 160]
    assert [row.precision for row in outlook.rows] == pytest.approx([0, 1, 0.5])
    assert [row.precision for row in outlook.tops] == pytest.approx([1, 0.5])


def test_schemes_do_not_see_what_is_hidden(corpus):
    scheme = Capitals()
    foresee(corpus, scheme, n_folds=3, hide=0.3)
    labelled = [int(seen.is_entity.sum()) for seen, _ in scheme.seen]
    assert labelled == [112, 112, 112]  # of 160 tokens
    for seen, docs in scheme.seen:
        in_docs = [token.ent_type != 0 for doc in docs for token in doc]
        assert in_docs == seen.is_entity.tolist()
        assert seen.begins.sum() == sum(len(doc.ents) for doc in docs) == 56
        assert seen.gold_is_entity is None and seen.path is None
        # All mentions of a form are hidden, or none.
        kept = {ent.text for doc in docs for ent in doc.ents}
        outside = {doc[:2].text for doc in docs if not doc.ents}
        assert not kept & outside
    assert corpus.is_entity.sum() == 160


def test_a_ratio_says_how_many_are_missing(corpus):
    # 320 of 800 tokens are in names.
    outlook = foresee(corpus, Capitals(), n_folds=1, hide=0.3, entity_ratio=0.4)
    assert outlook.n_missed == pytest.approx(80)
    # Of 160 labelled tokens 80 are right: 240 are missing, in names of two tokens.
    outlook = foresee(
        corpus, Capitals(), n_folds=1, hide=0.3, entity_ratio=0.4, label_precision=0.5
    )
    assert outlook.n_missed == pytest.approx(120)
    assert outlook.to_dict()["entity_ratio"] == 0.4


def test_labels_that_are_no_random_draw_are_noticed(corpus):
    # Half of all tokens cannot be names if those that are like labelled ones are few.
    outlook = foresee(corpus, Capitals(), n_folds=1, hide=0.3, entity_ratio=0.5)
    assert outlook.n_missed == pytest.approx(120) and outlook.is_random_draw
    outlook = foresee(corpus, Capitals(), n_folds=1, hide=0.3, entity_ratio=0.8)
    assert not outlook.is_random_draw


def test_without_a_ratio_it_is_estimated(corpus):
    outlook = foresee(corpus, Capitals(), n_folds=1, hide=0.3)
    assert 0.2 < outlook.ratio < 1


def test_cbl_selects_as_much_whatever_is_hidden(corpus):
    scheme = get_scheme("cbl")
    target, _ = find_target(corpus, scheme.settings)
    pin_ratio(scheme, corpus)
    assert scheme.settings.entity_ratio == target == pytest.approx(1.3 * 0.2)


@pytest.mark.parametrize(
    "settings,code",
    [
        ({"n_folds": 0}, "C309"),
        ({"n_folds": 6}, "C309"),
        ({"hide": 0.0}, "C309"),
        ({"hide": float("nan")}, "C309"),
        ({"label_precision": 0.0}, "C311"),
        ({"label_precision": 1.5}, "C311"),
        ({"n_folds": 5}, "C310"),  # 8 forms each
        ({"n_folds": 1, "hide": 0.3, "entity_ratio": 0.1}, "C240"),
    ],
)
def test_bad_settings_are_refused(corpus, settings, code):
    with pytest.raises(ValueError, match=code):
        foresee(corpus, Capitals(), **{"hide": 0.2, **settings})
