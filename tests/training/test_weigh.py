import numpy
import pytest
import spacy
from numpy.testing import assert_allclose, assert_array_equal
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_cbl.attrs import OUTSIDE_GROUP, get_weights
from spacy_cbl.core.balance import weighted_ratio
from spacy_cbl.data.arrays import find_runs, read_corpus_arrays
from spacy_cbl.data.docbin import read_docs, write_docs
from spacy_cbl.data.perturb import PerturbOptions, perturb
from spacy_cbl.training.schemes import get_scheme
from spacy_cbl.training.setup import make_vocab
from spacy_cbl.training.weigh import compute_weights, weigh

from ..data.small_corpus import describe, entities, make_doc, make_docs


def run(tmp_path, docs, scheme="raw", settings=None, **kwargs):
    source, output = tmp_path / "partial.spacy", tmp_path / "weighted.spacy"
    write_docs(source, docs)
    report = weigh(source, output, get_scheme(scheme, settings), **kwargs)
    return report, list(read_docs(output, Vocab()))


def read_arrays(docs, gold=None):
    return read_corpus_arrays(
        lambda: docs, docs[0].vocab, gold=None if gold is None else lambda: gold
    )


def with_missing(doc, ent=(0, 1, "PER"), trusted=()):
    doc.set_ents([Span(doc, *ent)], default="missing")
    doc.spans[OUTSIDE_GROUP] = [doc[start:end] for start, end in trusted]
    return doc


def test_arrays_of_documents():
    vocab = Vocab()
    docs = [
        make_doc(vocab),
        Doc(vocab),
        with_missing(make_doc(vocab), trusted=[(2, 4)]),
    ]
    corpus = read_arrays(docs)
    tokens = [token for doc in docs for token in doc]
    assert [corpus.forms[i] for i in corpus.token_ids] == [t.text for t in tokens]
    assert len(set(corpus.forms)) == len(corpus.forms)
    assert_array_equal(corpus.is_entity, [t.ent_type != 0 for t in tokens])
    assert_array_equal(corpus.is_missing, [t.ent_iob == 0 for t in tokens])
    assert_array_equal(corpus.sent_starts, [bool(t.is_sent_start) for t in tokens])
    n = len(docs[0])
    assert numpy.flatnonzero(corpus.trusted).tolist() == [n + 2, n + 3]
    assert [len(part) for part in corpus.split(corpus.token_ids)] == [n, 0, n]


@pytest.mark.parametrize("sent_starts", [None, [None, None], [False, False]])
def test_document_without_sentences_is_one(sent_starts):
    vocab = Vocab()
    docs = [
        Doc(vocab, words=words, sent_starts=sent_starts)
        for words in (["a", "b"], ["c", "d"])
    ]
    assert_array_equal(read_arrays(docs).sent_starts, [True, False, True, False])


def test_entities_are_no_trusted_negatives():
    with pytest.raises(ValueError, match="C023.*Token 0 .*'cbl_outside'"):
        read_arrays([with_missing(make_doc(Vocab()), trusted=[(0, 2)])])


def test_blocked_tokens_are_trusted():
    doc = make_doc(Vocab())
    doc.set_ents([], blocked=[doc[1:3]])
    assert numpy.flatnonzero(read_arrays([doc]).trusted).tolist() == [1, 2]


def test_blocked_tokens_are_no_entities():
    doc = make_doc(Vocab())
    doc.set_ents([], blocked=[doc[1:3]])
    assert not read_arrays([doc]).is_entity.any()


@pytest.mark.parametrize(
    "mask,runs", [([], []), ([0, 0], []), ([1, 1, 0, 1], [(0, 2), (3, 4)])]
)
def test_runs_of_a_mask(mask, runs):
    assert list(find_runs(numpy.array(mask, dtype=bool))) == runs


def test_everything_else_is_as_before(tmp_path):
    docs = make_docs(Vocab(), n=10)
    before = [(describe(doc), entities(doc)) for doc in docs]
    _, weighted = run(tmp_path, docs, "combined", entity_ratio=0.2)
    assert [(describe(doc), entities(doc)) for doc in weighted] == before


@pytest.mark.parametrize(
    "scheme,settings",
    [
        ("raw", {}),
        ("uniform", {"value": 0.1}),
        ("frequency", {}),
        ("log_frequency", {"lower": True}),
        ("window", {}),
        ("combined", {}),
        ("log_combined", {"distance": 2}),
    ],
)
@pytest.mark.parametrize("ratio", [None, 0.3])
def test_entities_and_trusted_negatives_weigh_1(tmp_path, scheme, settings, ratio):
    doc = make_doc(Vocab())
    doc.spans[OUTSIDE_GROUP] = [doc[1:2], doc[14:18]]
    trusted = {1, 14, 15, 16, 17}
    _, (weighted,) = run(tmp_path, [doc], scheme, settings, entity_ratio=ratio)
    weights = get_weights(weighted)
    is_entity = numpy.array([token.ent_type != 0 for token in doc])
    assert (weights[is_entity] == 1).all()
    assert (weights[sorted(trusted)] == 1).all()
    if ratio is not None:
        assert abs(weighted_ratio(is_entity, weights) - ratio) < 1e-6


def test_missing_tokens_get_the_weight_of_the_scheme_and_become_outside(tmp_path):
    doc = with_missing(make_doc(Vocab()), trusted=[(3, 5)])
    report, (weighted,) = run(tmp_path, [doc], "uniform", {"value": 0.25})
    assert [token.ent_iob for token in weighted] == [3] + [2] * (len(doc) - 1)
    assert entities(weighted) == [(0, 1, "PER")]
    expected = numpy.full(len(doc), 0.25)
    expected[[0, 3, 4]] = 1
    assert_array_equal(get_weights(weighted), expected)
    assert report["missing_tokens"] == len(doc) - 1
    assert report["trusted_tokens"] == 2


def test_blocked_tokens_stay_blocked(tmp_path):
    doc = make_doc(Vocab())
    doc.set_ents([doc.ents[0]], blocked=[doc[4:5]], default="missing")
    _, (weighted,) = run(tmp_path, [doc])
    assert weighted[4].ent_iob == 3 and not weighted[4].ent_type
    assert weighted[5].ent_iob == 2


def test_documents_keep_their_order_and_their_weights(tmp_path):
    docs = make_docs(Vocab(), n=7)
    expected = compute_weights(read_arrays(docs), get_scheme("frequency"))
    _, weighted = run(tmp_path, docs, "frequency")
    assert_array_equal(numpy.concatenate([get_weights(d) for d in weighted]), expected)
    assert [d.user_data["name"] for d in weighted] == [
        d.user_data["name"] for d in docs
    ]


def test_same_input_same_bytes(tmp_path):
    docs = make_docs(Vocab(), n=7)
    files = []
    for name in "ab":
        run(tmp_path / name, docs, "log_combined", entity_ratio=0.2)
        files.append((tmp_path / name / "weighted.spacy").read_bytes())
    assert files[0] == files[1]


def test_oracle_of_complete_annotation_is_all_1(tmp_path):
    docs = make_docs(Vocab(), n=5)
    write_docs(tmp_path / "gold.spacy", docs)
    _, weighted = run(tmp_path, docs, "oracle", gold_path=tmp_path / "gold.spacy")
    assert all((get_weights(doc) == 1).all() for doc in weighted)


def test_oracle_weighs_0_exactly_what_was_missed(tmp_path):
    gold_path, partial_path = tmp_path / "gold.spacy", tmp_path / "perturbed.spacy"
    gold = make_docs(Vocab(), n=10)
    write_docs(gold_path, gold)
    perturb(gold_path, partial_path, PerturbOptions(recall=0.5, precision=0.8), 0)
    partial = list(read_docs(partial_path, Vocab()))
    _, weighted = run(tmp_path, partial, "oracle", gold_path=gold_path)
    for gold_doc, doc in zip(gold, weighted):
        missed = [bool(g.ent_type and not t.ent_type) for g, t in zip(gold_doc, doc)]
        assert_array_equal(get_weights(doc) == 0, missed)


def test_report_says_the_ratios(tmp_path):
    docs = make_docs(Vocab(), n=5)
    report, _ = run(tmp_path, docs, "uniform", {"value": 0.5})
    is_entity = numpy.array([t.ent_type != 0 for doc in docs for t in doc])
    assert report["entity_ratio"] == pytest.approx(is_entity.mean())
    assert report["weighted_entity_ratio"] == pytest.approx(
        is_entity.sum() / (is_entity.sum() + 0.5 * (~is_entity).sum())
    )
    assert report["mean_negative_weight"] == 0.5
    assert report["docs"] == 5


def test_uniform_with_balancing_weighs_classes(tmp_path):
    doc = make_doc(Vocab())
    n_positive = sum(token.ent_type != 0 for token in doc)
    _, (weighted,) = run(tmp_path, [doc], "uniform", entity_ratio=0.5)
    weights = get_weights(weighted)
    expected = n_positive / (len(doc) - n_positive)
    assert_allclose(weights[[t.ent_type == 0 for t in doc]], expected, rtol=1e-6)


def test_corpus_that_is_all_entity(tmp_path):
    doc = make_doc(Vocab(), [[("Ann", "PER"), ("Arlo", "LOC")]])
    report, _ = run(tmp_path, [doc])
    assert report["mean_negative_weight"] is None
    with pytest.raises(ValueError, match="C161"):
        run(tmp_path, [doc], entity_ratio=0.5)


@pytest.mark.parametrize("docs", [[], [Doc(Vocab())]])
def test_corpus_without_tokens(tmp_path, docs):
    with pytest.raises(ValueError, match="C154.*no token"):
        run(tmp_path, docs)


def test_bad_input_leaves_existing_output(tmp_path):
    output = tmp_path / "weighted.spacy"
    output.write_bytes(b"old")
    docs = make_docs(Vocab(), n=3)
    write_docs(tmp_path / "gold.spacy", docs[:2])
    unlabelled = make_doc(Vocab())
    unlabelled.set_ents([])
    for bad, kwargs, code in [
        ([unlabelled], {}, "C154.*no entity"),
        (docs, {"scheme": "oracle"}, "C166"),
        (docs, {"scheme": "oracle", "gold_path": tmp_path / "gold.spacy"}, "C150"),
        (docs, {"entity_ratio": 1.0}, "C160"),
        (
            docs,
            {"scheme": "uniform", "settings": {"value": 0}, "entity_ratio": 0.1},
            "C161",
        ),
    ]:
        with pytest.raises(ValueError, match=code):
            run(tmp_path, bad, **kwargs)
    assert output.read_bytes() == b"old"


def test_the_input_is_not_overwritten(tmp_path):
    path = tmp_path / "x.spacy"
    write_docs(path, [make_doc(Vocab())])
    before = path.read_bytes()
    with pytest.raises(ValueError, match="C316"):
        weigh(path, path, get_scheme("raw"), missing_below=0.5)
    assert path.read_bytes() == before


def test_vectors_say_their_language(tmp_path):
    nlp = spacy.blank("nl")
    nlp.vocab.set_vector("Ada", numpy.ones(3, dtype="f"))
    nlp.to_disk(tmp_path / "vectors")
    vocab = make_vocab(None, str(tmp_path / "vectors"), None)
    assert vocab.lang == "nl" and vocab.vectors_length == 3
    assert make_vocab(None, None, None).lang == "xx"


def test_a_file_where_rounds_go_is_not_lost(tmp_path):
    path, output = tmp_path / "x.spacy", tmp_path / "out.spacy"
    write_docs(path, [make_doc(Vocab())])
    other = tmp_path / "out.history.jsonl"
    other.write_text('{"mine": 1}\n')
    with pytest.raises(ValueError, match="C320.*out.history"):
        weigh(path, output, get_scheme("raw"))
    assert other.read_text() == '{"mine": 1}\n' and not output.exists()
    other.write_text('{"round": 1}\n')
    weigh(path, output, get_scheme("raw"))
    assert not other.exists()  # the rounds of an earlier run


@pytest.mark.parametrize(
    "weights,found",
    [
        (lambda n: numpy.ones(n + 1), "shape"),
        (lambda n: numpy.full(n, -1.0), "weight -1.0 for token 0"),
        (lambda n: numpy.full(n, numpy.nan), "weight nan for token 0"),
    ],
)
def test_schemes_must_give_one_weight_per_token(weights, found):
    corpus = read_arrays([make_doc(Vocab())])
    with pytest.raises(ValueError, match=f"C163.*{found}"):
        compute_weights(corpus, lambda corpus: weights(len(corpus)))


def test_probabilities_of_a_scheme_go_with_its_weights_and_no_others(tmp_path):
    class Unsure:
        def __call__(self, corpus):
            self.p_outside = numpy.linspace(0, 1, len(corpus))
            return numpy.zeros(len(corpus))

    source, output = tmp_path / "partial.spacy", tmp_path / "weighted.spacy"
    write_docs(source, make_docs(Vocab()))
    scheme = Unsure()
    weigh(source, output, scheme)
    docs = list(read_docs(output, Vocab()))
    found = numpy.concatenate([doc._.cbl_p_outside for doc in docs])
    assert_allclose(found, scheme.p_outside, atol=1e-3)
    weigh(output, tmp_path / "raw.spacy", get_scheme("raw"))
    docs = list(read_docs(tmp_path / "raw.spacy", Vocab()))
    assert all(doc._.cbl_p_outside is None for doc in docs)


def test_scaling_leaves_doubts_alone():
    docs = make_docs(Vocab())
    corpus = read_arrays(docs)

    class Doubts:
        weighs_entities = True

        def __call__(self, corpus):
            return numpy.where(corpus.is_entity & corpus.begins, 0.0, 1.0)

    weights = compute_weights(corpus, Doubts(), 0.4)
    assert (weights[corpus.is_entity & corpus.begins] == 0).all()
    assert weighted_ratio(corpus.is_entity, weights) == pytest.approx(0.4)
