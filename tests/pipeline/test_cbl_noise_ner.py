import numpy
import pytest
import spacy
import srsly
from numpy.testing import assert_allclose, assert_array_equal
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import fix_random_seed
from thinc.api import Adam

from spacy_cbl.attrs import CLEAN_GROUP
from spacy_cbl.data.sentences import split_sentences
from spacy_cbl.models.noise_layer import set_noise
from spacy_cbl.pipeline.clean import read_clean

from ..models.check_gradients import check_gradients
from ..training.toy import NAMES, make_docs

SMALL = {
    "model": {
        "tok2vec": {
            "@architectures": "spacy.HashEmbedCNN.v2",
            "pretrained_vectors": None,
            "width": 32,
            "depth": 1,
            "embed_size": 500,
            "window_size": 1,
            "maxout_pieces": 2,
            "subword_features": True,
        }
    }
}
# It sees that a word is capitalised, but not which word it is.
BLIND = {
    "model": {
        "tok2vec": {
            "@architectures": "spacy.Tok2Vec.v2",
            "embed": {
                "@architectures": "spacy_cbl.FeatureEmbed.v1",
                "width": 32,
                "attrs": ["SHAPE"],
                "rows": [500],
                "include_static_vectors": False,
                "cluster_prefixes": [],
                "cluster_rows": 1,
            },
            "encode": {
                "@architectures": "spacy.MaxoutWindowEncoder.v2",
                "width": 32,
                "depth": 1,
                "window_size": 1,
                "maxout_pieces": 2,
            },
        }
    }
}


def mark_clean(doc, positions, gold=None):
    """Declare the labels of some tokens to be known: those of gold."""
    gold = gold or doc
    doc.spans[CLEAN_GROUP] = [
        Span(doc, i, i + 1, label=gold[i].ent_type_ or "O") for i in positions
    ]


def bare(nlp, docs):
    return [
        Doc(
            nlp.vocab,
            words=[t.text for t in doc],
            sent_starts=[bool(t.is_sent_start) for t in doc],
        )
        for doc in docs
    ]


def train(nlp, examples, n_steps=30, learn_rate=0.01):
    sgd = Adam(learn_rate)
    for _ in range(n_steps):
        losses = nlp.update(examples, sgd=sgd)
    return losses["cbl_noise_ner"]


def entities(doc):
    return [(ent.start, ent.end, ent.label_) for ent in doc.ents]


@pytest.fixture
def clean_examples(examples):
    for eg in examples:
        mark_clean(eg.reference, range(len(eg.reference)))
    return examples


@pytest.fixture
def trained(nlp, clean_examples):
    nlp.add_pipe("cbl_noise_ner", config=SMALL)
    fix_random_seed(0)
    nlp.initialize(lambda: clean_examples)
    train(nlp, clean_examples)
    return nlp


def kernel(nlp):
    return nlp.get_pipe("cbl_noise_ner").model.get_ref("noise").get_param("kernel")


def test_learns_the_entities_it_is_shown(trained, gold_docs):
    for doc, gold in zip(trained.pipe(bare(trained, gold_docs)), gold_docs):
        assert entities(doc) == entities(gold)
        group = doc.spans["cbl_noise_ner"]
        assert [(s.start, s.end, s.label_) for s in group] == entities(doc)
        scores = group.attrs["scores"]
        assert ((scores > 0.5) & (scores <= 1)).all()


def test_kinds_of_words_are_counted_when_it_is_initialized(nlp, clean_examples):
    embed = {**BLIND["model"]["tok2vec"]["embed"], "kind_rows": 100}
    embed["@architectures"] = "spacy_cbl.WordKindEmbed.v1"
    model = {"tok2vec": {**BLIND["model"]["tok2vec"], "embed": embed}}
    nlp.add_pipe("cbl_noise_ner", config={"model": model})
    nlp.initialize(lambda: clean_examples)
    assert train(nlp, clean_examples, n_steps=1) > 0


def test_the_score_is_that_of_the_least_sure_token(trained):
    pipe = trained.get_pipe("cbl_noise_ner")
    doc = Doc(trained.vocab, words="Ada Lovelace met Bob".split())
    logits = pipe.model.predict([doc])[0][0].astype("d")
    p = numpy.exp(logits) / numpy.exp(logits).sum(axis=1, keepdims=True)
    per = 1 + pipe.labels.index("PER")
    scores = pipe.predict([doc])[0].scores
    assert_allclose(scores, [p[:2, per].min(), p[3, per]], rtol=1e-5)
    pipe.cfg["threshold"] = float(scores.max())
    assert len(pipe.predict([doc])[0].scores) == 1


def test_saved_and_loaded_it_finds_the_same(trained, gold_docs, tmp_path):
    trained.to_disk(tmp_path)
    from_bytes = spacy.blank("en")
    from_bytes.add_pipe("cbl_noise_ner", config=SMALL)
    from_bytes.from_bytes(trained.to_bytes())
    for nlp in (spacy.load(tmp_path), from_bytes):
        assert_array_equal(kernel(nlp), kernel(trained))
        pipe = nlp.get_pipe("cbl_noise_ner")
        assert pipe.cfg == trained.get_pipe("cbl_noise_ner").cfg
        for one, two in zip(
            trained.pipe(bare(trained, gold_docs)), nlp.pipe(bare(nlp, gold_docs))
        ):
            assert entities(one) == entities(two)
            key = "cbl_noise_ner"
            assert_array_equal(
                one.spans[key].attrs["scores"], two.spans[key].attrs["scores"]
            )


def test_pipe_is_call_and_empty_documents_pass(trained, gold_docs, clean_examples):
    empty = Doc(trained.vocab, words=[])
    docs = [empty, *bare(trained, gold_docs), Doc(trained.vocab, words=[])]
    piped = list(trained.pipe(docs, batch_size=3))
    assert not piped[0].ents and not piped[-1].ents
    for doc, single in zip(piped[1:-1], bare(trained, gold_docs)):
        assert entities(doc) == entities(trained(single))
    assert not trained("").ents
    nothing = Example(Doc(trained.vocab), Doc(trained.vocab))
    assert trained.update([nothing])["cbl_noise_ner"] == 0
    assert trained.update([nothing, clean_examples[0]])["cbl_noise_ner"] > 0


def test_the_kernel_is_counted_from_the_clean_tokens(nlp):
    """By hand: three of four PER tokens are not labelled, no O is labelled."""
    partial = Doc(
        nlp.vocab, words=list("ABCDefg"), ents=["O"] * 3 + ["B-PER"] + ["O"] * 3
    )
    partial.spans[CLEAN_GROUP] = [
        Span(partial, 0, 4, label="PER"),  # a span may cover several tokens
        Span(partial, 5, 6, label="O"),
        Span(partial, 6, 7),  # no label is O too
    ]
    nlp.add_pipe("cbl_noise_ner", config=SMALL)
    nlp.initialize(lambda: [Example(Doc(nlp.vocab, words=list("ABCDefg")), partial)])
    expected = numpy.log(numpy.array([[1, 0], [0.75, 0.25]]) + 1e-8)
    assert_allclose(kernel(nlp), expected, rtol=1e-5)


def test_prediction_ignores_the_noise_matrix_and_training_uses_it(
    trained, gold_docs, clean_examples
):
    pipe = trained.get_pipe("cbl_noise_ner")
    before = [x.scores.tolist() for x in pipe.predict(bare(trained, gold_docs))]
    scores = pipe.model.predict(bare(trained, gold_docs))
    loss, _ = pipe.get_loss(clean_examples, scores)
    n = 1 + len(pipe.labels)
    set_noise(pipe.model, numpy.ones((n, n)))
    after = [x.scores.tolist() for x in pipe.predict(bare(trained, gold_docs))]
    assert after == before
    changed = pipe.model.predict(bare(trained, gold_docs))
    assert pipe.get_loss(clean_examples, changed)[0] > loss + 1


def test_gradients_of_the_model(nlp, clean_examples):
    """Clean and noisy labels that differ, weights, and a token that is missing."""
    config = {**SMALL, "clean_weight": 0.5}
    pipe = nlp.add_pipe("cbl_noise_ner", config=config)
    references = [eg.reference for eg in clean_examples]
    references[0].set_ents([references[0].ents[0]])
    references[1].set_ents([], missing=[references[1][:2]], default="unmodified")
    references[2]._.cbl_weights = [1, 0, 2, 1, 0.5, 1, 1]
    fix_random_seed(0)
    nlp.initialize(lambda: clean_examples)
    model = pipe.model.layers[-1]
    X = pipe.model.layers[1].predict(
        pipe.model.get_ref("tok2vec").predict([eg.predicted for eg in clean_examples])
    )
    check_gradients(model, X, lambda Y: pipe.get_loss(clean_examples, Y))


def test_what_a_token_adds_to_the_loss(nlp, gold_docs):
    pipe = nlp.add_pipe("cbl_noise_ner", config={**SMALL, "clean_weight": 0.0})
    doc = gold_docs[0]
    example = Example(Doc(nlp.vocab, words=[t.text for t in doc]), doc)
    mark_clean(doc, [0, 2])
    nlp.initialize(lambda: [example])
    scores = pipe.model.predict([example.predicted])
    every, (d_every, _) = pipe.get_loss([example], scores)
    doc._.cbl_weights = [0, 1, 2, 1, 1, 1, 1]
    _, (d_weighted, _) = pipe.get_loss([example], scores)
    assert_allclose(d_weighted[0][1], d_every[0][1])
    assert_allclose(d_weighted[0][2], 2 * d_every[0][2], rtol=1e-5)
    assert not d_weighted[0][0].any()
    doc._.cbl_weights = None
    doc.set_ents([], missing=[doc[5:6]], default="unmodified")
    _, (d_missing, _) = pipe.get_loss([example], scores)
    assert not d_missing[0][5].any()
    # With clean tokens, those two and only those get a second gradient.
    pipe.cfg["clean_weight"] = 1.0
    assert pipe.cfg["noisy_per_clean"] == 7 / 2
    _, (d_clean, _) = pipe.get_loss([example], scores)
    changed = (abs(d_clean[0] - d_missing[0]) > 1e-6).any(axis=1)
    assert changed.tolist() == [i in (0, 2) for i in range(7)]


@pytest.mark.parametrize(
    "words,expected",
    [
        (["New", "York", "fell"], [1, 1, -1]),
        (["Ne", "w", "York", "fell"], [1, 1, 1, -1]),
        (["NewYork", "fe", "ll"], [1, -1, -1]),
        (["New", "Yorkfell"], [1, -1]),
    ],
)
def test_clean_tokens_follow_the_predicted_tokenization(nlp, words, expected):
    reference = Doc(nlp.vocab, words=["New", "York", "fell"])
    reference.spans[CLEAN_GROUP] = [Span(reference, 0, 2, label="LOC")]
    example = Example(Doc(nlp.vocab, words=words), reference)
    assert read_clean(example, ["LOC"], CLEAN_GROUP).tolist() == expected


def test_labels_of_clean_tokens_are_labels(nlp, clean_examples):
    """Even where the noisy data has none of them."""
    for eg in clean_examples:
        eg.reference.set_ents([e for e in eg.reference.ents if e.label_ != "ORG"])
    pipe = nlp.add_pipe("cbl_noise_ner", config=SMALL)
    nlp.initialize(lambda: clean_examples)
    assert pipe.labels == ("LOC", "ORG", "PER")
    assert kernel(nlp)[2].argmax() == 0  # all of ORG was missed


def test_sentences_keep_their_part_of_a_clean_span(nlp):
    words = ["Ada", "left", "Bob", "came"]
    doc = Doc(nlp.vocab, words=words, sent_starts=[True, False, True, False])
    doc.spans[CLEAN_GROUP] = [Span(doc, 1, 4, label="O")]
    parts = [[s.text for s in part.spans[CLEAN_GROUP]] for part in split_sentences(doc)]
    assert parts == [["left"], ["Bob came"]]


def test_entities_do_not_cross_sentences_or_white_space(trained):
    starts = [True, False, True, False, False]
    words = ["met", "Ada", "Lovelace", "\n", "Ada"]
    doc = trained(Doc(trained.vocab, words=words, sent_starts=starts))
    assert entities(doc) == [(1, 2, "PER"), (2, 3, "PER"), (4, 5, "PER")]


def test_entities_set_before_are_kept(trained, gold_docs):
    trained.get_pipe("cbl_noise_ner").cfg["overwrite_ents"] = False
    words = [t.text for t in gold_docs[0]]
    doc = Doc(trained.vocab, words=words, ents=["O"] * 5 + ["B-GPE", "O"])
    assert entities(trained(doc)) == [(0, 2, "PER"), (3, 4, "PER"), (5, 6, "GPE")]


def test_labels_of_a_file(nlp, clean_examples, tmp_path):
    srsly.write_json(tmp_path / "labels.json", ["PER", "LOC", "ORG", "MISC"])
    pipe = nlp.add_pipe("cbl_noise_ner", config=SMALL)
    labels = {"@readers": "spacy.read_labels.v1", "path": str(tmp_path / "labels.json")}
    nlp.config["initialize"]["components"]["cbl_noise_ner"] = {"labels": labels}
    nlp.initialize(lambda: clean_examples)
    assert pipe.label_data == ["PER", "LOC", "ORG", "MISC"]
    assert kernel(nlp).shape == (5, 5)
    with pytest.raises(ValueError, match="C021"):
        pipe.add_label("NEW")


def test_any_clean_key(nlp, clean_examples):
    for eg in clean_examples:
        eg.reference.spans["checked"] = list(eg.reference.spans.pop(CLEAN_GROUP))
    nlp.add_pipe("cbl_noise_ner", config={**SMALL, "clean_key": "checked"})
    nlp.initialize(lambda: clean_examples)
    assert kernel(nlp).shape == (4, 4)


def test_bad_input(nlp, examples):
    pipe = nlp.add_pipe("cbl_noise_ner", config=SMALL)
    with pytest.raises(ValueError, match="C290.*cbl_clean.*clean-sample"):
        nlp.initialize(lambda: examples)
    doc = examples[0].reference
    doc.spans[CLEAN_GROUP] = [Span(doc, 0, 2, label="PER"), Span(doc, 1, 3, label="O")]
    with pytest.raises(ValueError, match="C292.*'Lovelace'.*'PER' and 'O'"):
        nlp.initialize(lambda: examples)
    doc.spans[CLEAN_GROUP] = [Span(doc, 0, 1, label="OTHER")]
    with pytest.raises(ValueError, match="C291.*OTHER"):
        pipe.initialize(lambda: examples, labels=["PER", "LOC", "ORG"])
    with pytest.raises(ValueError, match="C294"):
        spacy.blank("en").add_pipe("cbl_noise_ner", config={"clean_weight": -1.0})


def test_with_a_shared_tok2vec(nlp, clean_examples, gold_docs):
    nlp.add_pipe("tok2vec", config={"model": SMALL["model"]["tok2vec"]})
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 32}
    nlp.add_pipe("cbl_noise_ner", config={"model": {"tok2vec": listener}})
    fix_random_seed(0)
    nlp.initialize(lambda: clean_examples)
    train(nlp, clean_examples)
    for doc, gold in zip(nlp.pipe(bare(nlp, gold_docs)), gold_docs):
        assert entities(doc) == entities(gold)


def hidden_recall(adapt):
    """Recall of names that the training data never labels, on new documents."""
    nlp = spacy.blank("en")
    pipe = nlp.add_pipe("cbl_noise_ner", config=BLIND)
    labelled = NAMES[:2]
    docs, gold = make_docs(nlp.vocab, labelled), make_docs(nlp.vocab, NAMES)
    rng = numpy.random.default_rng(0)
    for doc, true in zip(docs, gold):
        mark_clean(doc, rng.choice(len(doc), 2, replace=False).tolist(), true)
    examples = [Example(x, y) for x, y in zip(bare(nlp, docs), docs)]
    fix_random_seed(0)
    nlp.initialize(lambda: examples)
    if not adapt:
        set_noise(pipe.model, numpy.eye(2))
    train(nlp, examples, n_steps=40)
    test = make_docs(nlp.vocab, NAMES, n_docs=10, seed=1)
    found = list(nlp.pipe(bare(nlp, test)))
    pairs = [pair for doc, true in zip(found, test) for pair in zip(doc, true)]
    hidden = [t for t, g in pairs if g.ent_type and g.text not in labelled]
    n_wrong = sum(bool(t.ent_type) and not g.ent_type for t, g in pairs)
    return sum(bool(t.ent_type) for t in hidden) / len(hidden), n_wrong


def test_it_finds_names_that_were_never_labelled():
    """The clean sample of 60 tokens does not suffice for that by itself."""
    adapted, n_wrong = hidden_recall(adapt=True)
    raw, _ = hidden_recall(adapt=False)
    assert adapted > 0.8
    assert raw < 0.2
    assert n_wrong == 0
