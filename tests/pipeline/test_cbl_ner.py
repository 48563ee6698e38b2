import numpy
import pytest
import spacy
from numpy.testing import assert_allclose, assert_array_equal
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_cbl.attrs import LabelProbs
from spacy_cbl.core.crf import posterior
from spacy_cbl.core.tags import TagSet
from spacy_cbl.pipeline.targets import get_targets


def train(nlp, examples, n_steps=30):
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(n_steps):
        losses = {}
        nlp.update(examples, sgd=optimizer, losses=losses)
    return losses["cbl_ner"]


def entities(doc):
    return [(ent.start, ent.end, ent.label_) for ent in doc.ents]


@pytest.fixture
def trained(nlp, examples):
    nlp.add_pipe("cbl_ner")
    train(nlp, examples)
    return nlp


@pytest.fixture
def started(nlp, examples):
    """A pipeline that has learned a little, so that there still is a gradient."""
    nlp.add_pipe("cbl_ner")
    train(nlp, examples, n_steps=2)
    return nlp


def bare(nlp, docs):
    return [Doc(nlp.vocab, words=[t.text for t in doc]) for doc in docs]


@pytest.mark.parametrize("scheme", ["biluo", "bio"])
def test_learns_the_entities_it_is_shown(nlp, examples, gold_docs, scheme):
    nlp.add_pipe("cbl_ner", config={"scheme": scheme})
    first = train(nlp, examples, n_steps=1)
    assert train(nlp, examples) < first / 100
    for doc, gold in zip(nlp.pipe(bare(nlp, gold_docs)), gold_docs):
        assert entities(doc) == entities(gold)
        assert all(token.ent_iob != 0 for token in doc)


def test_each_entity_has_a_confidence(trained, gold_docs):
    for doc in trained.pipe(bare(trained, gold_docs)):
        group = doc.spans["cbl_ner"]
        assert [(s.start, s.end, s.label_) for s in group] == entities(doc)
        scores = group.attrs["scores"]
        assert len(scores) == len(doc.ents)
        assert ((scores > 0.5) & (scores <= 1)).all()
        assert Doc(trained.vocab).from_bytes(doc.to_bytes()).spans["cbl_ner"].attrs


def test_temperature_changes_confidences_but_not_entities(trained, gold_docs):
    (cool,) = trained.pipe(bare(trained, gold_docs[:1]))
    trained.get_pipe("cbl_ner").cfg["temperature"] = 5.0
    (warm,) = trained.pipe(bare(trained, gold_docs[:1]))
    assert entities(cool) == entities(warm)
    scores = [doc.spans["cbl_ner"].attrs["scores"] for doc in (cool, warm)]
    assert (scores[1] < scores[0]).all()


def test_entities_below_the_threshold_are_left_out(started, gold_docs):
    pipe = started.get_pipe("cbl_ner")
    docs = list(started.pipe(bare(started, gold_docs)))
    scores = numpy.concatenate([d.spans["cbl_ner"].attrs["scores"] for d in docs])
    assert len(scores) > 1
    pipe.cfg["threshold"] = float(numpy.sort(scores)[:2].mean())
    docs = list(started.pipe(bare(started, gold_docs)))
    assert sum(len(doc.ents) for doc in docs) == len(scores) - 1
    assert sum(len(d.spans["cbl_ner"].attrs["scores"]) for d in docs) == len(scores) - 1


def test_confidences_can_be_turned_off(nlp, examples, gold_docs):
    nlp.add_pipe("cbl_ner", config={"spans_key": None})
    train(nlp, examples)
    (doc,) = nlp.pipe(bare(nlp, gold_docs[:1]))
    assert entities(doc) == entities(gold_docs[0]) and not doc.spans


def probability_of_outside(weights):
    """Train on a name that is labelled once and missed once, and give P(O) of the
    missed one.
    """
    fix_random_seed(0)
    nlp = spacy.blank("en")
    pipe = nlp.add_pipe("cbl_ner")
    words = [s.split() for s in ("Eve hired Ada .", "Bob hired Ada .", "It rained .")]
    tags = [["O", "O", "B-PER", "O"], ["O"] * 4, ["O"] * 3]
    docs = [Doc(nlp.vocab, words=w, ents=t) for w, t in zip(words, tags)]
    docs[1]._.cbl_weights = weights
    train(nlp, [Example(Doc(nlp.vocab, words=w), d) for w, d in zip(words, docs)], 40)
    (emissions,), table = pipe.model.predict([Doc(nlp.vocab, words=words[1])])
    return posterior(emissions, table, pipe.tags.legal, [4]).marginals[2, 0]


def test_weight_zero_lets_an_unlabelled_entity_be_found():
    assert probability_of_outside(None) > 0.8
    assert probability_of_outside([1, 1, 0, 1]) < 0.2


def get_gradients(nlp, examples):
    pipe = nlp.get_pipe("cbl_ner")
    scores = pipe.model.predict([eg.predicted for eg in examples])
    _, (d_scores, dT) = pipe.get_loss(examples, scores)
    return numpy.concatenate([*d_scores, dT[:, : d_scores[0].shape[1]]])


def test_weight_zero_equals_missing(started, examples, gold_docs):
    weights = numpy.ones(len(gold_docs[2]))
    weights[[0, 3]] = 0.0
    gold_docs[2]._.cbl_weights = weights
    by_weight = get_gradients(started, examples)
    gold_docs[2]._.cbl_weights = None
    assert abs(get_gradients(started, examples) - by_weight).max() > 1e-6
    gold_docs[2].set_ents(
        gold_docs[2].ents, missing=[gold_docs[2][0:1], gold_docs[2][3:4]]
    )
    assert_allclose(get_gradients(started, examples), by_weight, atol=1e-7)


def test_a_weight_on_a_missing_token_does_not_count(started, examples, gold_docs):
    doc = gold_docs[2]
    doc.set_ents(doc.ents, missing=[doc[0:1]])
    without = get_gradients(started, examples)
    doc._.cbl_weights = numpy.ones(len(doc))
    assert_array_equal(get_gradients(started, examples), without)


def test_trusted_negatives_weigh_one_whatever_their_weight(
    started, examples, gold_docs
):
    doc = gold_docs[2]
    plain = get_gradients(started, examples)
    doc._.cbl_weights = [0, 0, 1, 1, 1, 1, 1]
    assert abs(get_gradients(started, examples) - plain).max() > 1e-6
    doc.spans["cbl_outside"] = [doc[0:2]]
    assert_array_equal(get_gradients(started, examples), plain)
    # ... also where the annotation is missing
    doc.set_ents(doc.ents, missing=[doc[0:2]])
    assert_array_equal(get_gradients(started, examples), plain)


def test_a_trusted_negative_inside_an_entity_is_refused(started, examples, gold_docs):
    gold_docs[2].spans["cbl_outside"] = [gold_docs[2][3:5]]
    with pytest.raises(ValueError, match="C023"):
        get_gradients(started, examples)


def test_label_probabilities_take_the_place_of_labels(started, examples, gold_docs):
    plain = get_gradients(started, examples)
    pipe = started.get_pipe("cbl_ner")
    doc = gold_docs[2]
    names = pipe.tags.names
    one_hot = numpy.zeros((len(doc), len(names)))
    one_hot[numpy.arange(len(doc)), 0] = 1
    one_hot[4] = numpy.eye(len(names))[names.index("U-LOC")]
    # The same labels, columns in another order
    doc._.cbl_label_probs = LabelProbs(names[::-1], one_hot[:, ::-1])
    assert_allclose(get_gradients(started, examples), plain, atol=1e-7)
    soft = one_hot.copy()
    soft[0] = 1 / len(names)
    doc._.cbl_label_probs = LabelProbs(names, soft)
    assert abs(get_gradients(started, examples) - plain).max() > 1e-6


def test_label_probabilities_of_other_tags_are_refused(started, examples, gold_docs):
    doc = gold_docs[3]
    doc._.cbl_label_probs = LabelProbs(["O", "B-X"], numpy.full((3, 2), 0.5))
    with pytest.raises(ValueError, match="C028"):
        get_gradients(started, examples)


def test_label_probabilities_without_a_legal_path_are_refused(
    started, examples, gold_docs
):
    names = started.get_pipe("cbl_ner").tags.names
    probs = numpy.zeros((3, len(names)))
    probs[:, names.index("I-PER")] = 1.0
    gold_docs[3]._.cbl_label_probs = LabelProbs(names, probs)
    with pytest.raises(ValueError, match="C024.*Nobody came"):
        get_gradients(started, examples)


def test_sentences_are_sequences_of_their_own(nlp, examples, gold_docs):
    """A document of two sentences teaches what its sentences teach."""
    nlp.add_pipe("cbl_ner")
    train(nlp, examples, n_steps=2)
    pipe = nlp.get_pipe("cbl_ner")
    joined = Doc.from_docs(gold_docs[:2])
    starts = [i in (0, len(gold_docs[0])) for i in range(len(joined))]
    words = [token.text for token in joined]
    whole = Example(Doc(nlp.vocab, words=words, sent_starts=starts), joined)
    rng = numpy.random.default_rng(0)
    E = rng.normal(size=(len(joined), len(pipe.tags))).astype("f")
    T = rng.normal(size=(len(pipe.tags) + 1,) * 2).astype("f")
    cut = len(gold_docs[0])
    loss, (dE, dT) = pipe.get_loss([whole], ([E], T))
    apart, (dE2, dT2) = pipe.get_loss(examples[:2], ([E[:cut], E[cut:]], T))
    assert loss == pytest.approx(apart)
    assert_allclose(dE[0], numpy.concatenate(dE2), atol=1e-6)
    assert_allclose(dT, dT2, atol=1e-6)
    as_one = Example(Doc(nlp.vocab, words=words), joined)
    assert pipe.get_loss([as_one], ([E], T))[0] != pytest.approx(loss)


def test_an_entity_across_a_sentence_boundary_is_kept_whole(trained, gold_docs):
    words = [token.text for token in gold_docs[0]]
    starts = [i in (0, 1) for i in range(len(words))]
    predicted = Doc(trained.vocab, words=words, sent_starts=starts)
    pipe = trained.get_pipe("cbl_ner")
    example = Example(predicted, gold_docs[0])
    loss, _ = pipe.get_loss([example], pipe.model.predict([predicted]))
    assert numpy.isfinite(loss)


def test_other_tokenization_keeps_what_aligns(trained):
    reference = Doc(
        trained.vocab,
        words=["Ada", "Love", "lace", "met", "Bob", "."],
        spaces=[True, False, True, True, False, False],
        ents=["B-PER", "I-PER", "I-PER", "O", "B-PER", "O"],
    )
    reference._.cbl_weights = [1, 1, 1, 0.25, 1, 1]
    predicted = Doc(
        trained.vocab,
        words=["Ada", "Lovelace", "met", "Bob."],
        spaces=[True, True, True, False],
    )
    tags = trained.get_pipe("cbl_ner").tags
    targets = get_targets([Example(predicted, reference)], tags, "cbl_ner")
    names = tags.names
    G = targets.soft_labels
    assert G[0, names.index("B-PER")] == 1 and G[1, names.index("L-PER")] == 1
    assert G[2, 0] == 0.25
    assert_allclose(G[3], 1 / len(names))  # 'Bob' and its full stop: unknown
    assert targets.lengths.tolist() == [4]


def test_labels_may_look_like_tags(nlp):
    tags = TagSet(["EU-BODY", "L-U-B"], "bio")
    words = ["The", "EU", "Court", "sat", "down"]
    ents = ["O", "B-EU-BODY", "I-EU-BODY", "O", "O"]
    reference = Doc(nlp.vocab, words=words, ents=ents)
    spaces = [True, True, True, False, False]
    predicted = Doc(
        nlp.vocab, words=["The", "EU", "Court", "sa", "t down"], spaces=spaces
    )
    targets = get_targets([Example(predicted, reference)], tags, "cbl_ner")
    assert targets.soft_labels[1, tags.names.index("B-EU-BODY")] == 1


def test_documents_without_tokens(trained, gold_docs):
    empty = Doc(trained.vocab)
    assert trained("").ents == ()
    docs = list(
        trained.pipe([empty, *bare(trained, gold_docs[:1]), Doc(trained.vocab)])
    )
    assert [len(doc.ents) for doc in docs] == [0, 3, 0]
    example = Example(Doc(trained.vocab), Doc(trained.vocab))
    trained.update([example])
    trained.update([example, *map(lambda d: Example(d.copy(), d), gold_docs[:1])])


def test_a_long_document_before_an_empty_one(started):
    long = Doc(started.vocab, words=["rain"] * 20_000)
    docs = list(started.pipe([long, Doc(started.vocab), Doc(started.vocab)]))
    assert [len(doc) for doc in docs] == [20_000, 0, 0]


def test_no_entity_begins_or_ends_with_white_space(started):
    doc = started("Ada   met \n\n Bob  ")
    assert any(token.is_space for token in doc)
    assert not any(ent[0].is_space or ent[-1].is_space for ent in doc.ents)
    assert started(" \n ").ents == ()
    assert all(0 <= p <= 1 for p in doc.spans["cbl_ner"].attrs["scores"])


def test_white_space_within_a_name_is_part_of_it(nlp):
    nlp.add_pipe("cbl_ner")
    texts = {"Ada  Bob lives in Oslo": (0, 8), "I saw Ada \n Bob here": (6, 15)}
    examples = [
        Example.from_dict(nlp.make_doc(text), {"entities": [(*place, "PER")]})
        for text, place in texts.items()
    ]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(40):
        nlp.update(examples, sgd=optimizer)
    for text, place in texts.items():
        assert [(e.start_char, e.end_char) for e in nlp(text).ents] == [place]


@pytest.mark.parametrize(
    "settings,code",
    [
        ({"temperature": 0.0}, "C032"),
        ({"temperature": -1.0}, "C032"),
        ({"temperature": "nan"}, "C032"),
        ({"threshold": -0.1}, "C033"),
        ({"threshold": 1.1}, "C033"),
        ({"threshold": "nan"}, "C033"),
    ],
)
def test_settings_out_of_range_are_refused(nlp, settings, code):
    with pytest.raises(ValueError, match=code):
        nlp.add_pipe("cbl_ner", config=settings)


def test_a_label_without_a_name_is_refused(nlp):
    with pytest.raises(ValueError, match="C006"):
        nlp.add_pipe("cbl_ner").add_label("")


def test_trusted_negatives_win_over_label_probabilities(started, gold_docs, examples):
    doc = gold_docs[3]
    names = started.get_pipe("cbl_ner").tags.names
    probs = numpy.full((3, len(names)), 1 / len(names))
    doc._.cbl_label_probs = LabelProbs(names, probs)
    doc.spans["cbl_outside"] = [doc[0:3]]
    trusted = get_gradients(started, examples)
    doc._.cbl_label_probs = None
    assert_allclose(get_gradients(started, examples), trusted, atol=1e-7)


def test_keeps_earlier_entities_if_asked(trained, gold_docs):
    pipe = trained.get_pipe("cbl_ner")
    (doc,) = bare(trained, gold_docs[:1])
    doc.ents = [doc.char_span(4, 16, label="WORK")]  # 'Lovelace met'
    pipe.cfg["overwrite_ents"] = False
    kept = pipe(doc.copy())
    assert (1, 3, "WORK") in entities(kept) and (5, 6, "LOC") in entities(kept)
    assert [s.label_ for s in kept.spans["cbl_ner"]] == [
        label for _, _, label in entities(kept) if label != "WORK"
    ]
    pipe.cfg["overwrite_ents"] = True
    assert entities(pipe(doc.copy())) == entities(gold_docs[0])


def test_never_marks_a_blocked_token_if_asked_to_keep(trained, gold_docs):
    pipe = trained.get_pipe("cbl_ner")
    (doc,) = bare(trained, gold_docs[:1])
    doc.set_ents([], blocked=[doc[5:6]], default="missing")
    pipe.cfg["overwrite_ents"] = False
    assert all(ent.end <= 5 for ent in pipe(doc).ents)
    assert doc[5].ent_iob == 3 and not doc[5].ent_type


def test_pipe_equals_call(trained, gold_docs):
    together = [entities(doc) for doc in trained.pipe(bare(trained, gold_docs))]
    alone = [entities(trained(doc)) for doc in bare(trained, gold_docs)]
    assert together == alone


def test_two_processes(trained):
    texts = ["Ada Lovelace met Bob in Paris .", "Nobody came ."] * 3
    expected = [entities(doc) for doc in trained.pipe(texts)]
    found = [entities(doc) for doc in trained.pipe(texts, n_process=2, batch_size=2)]
    assert found == expected and any(found)


@pytest.mark.parametrize("way", ["bytes", "disk"])
def test_saving_and_loading(trained, gold_docs, tmp_path, way):
    if way == "bytes":
        loaded = spacy.blank("en")
        loaded.add_pipe("cbl_ner")
        loaded.from_bytes(trained.to_bytes())
    else:
        trained.to_disk(tmp_path)
        loaded = spacy.load(tmp_path)
    assert loaded.get_pipe("cbl_ner").labels == ("LOC", "ORG", "PER")
    for before, after in zip(
        trained.pipe(bare(trained, gold_docs)), loaded.pipe(bare(loaded, gold_docs))
    ):
        assert entities(before) == entities(after)
        assert_allclose(
            before.spans["cbl_ner"].attrs["scores"],
            after.spans["cbl_ner"].attrs["scores"],
        )


def test_labels_from_a_label_file(nlp, examples):
    pipe = nlp.add_pipe("cbl_ner")
    pipe.initialize(lambda: examples, nlp=nlp, labels=["ORG", "LOC", "PER", "WORK"])
    assert pipe.labels == ("ORG", "LOC", "PER", "WORK")
    assert pipe.label_data == ["ORG", "LOC", "PER", "WORK"]


def test_labels_are_added_before_training_or_never(nlp, examples):
    pipe = nlp.add_pipe("cbl_ner")
    assert pipe.add_label("WORK") == 1 and pipe.add_label("WORK") == 0
    nlp.initialize(lambda: examples)
    assert set(pipe.labels) == {"WORK", "LOC", "ORG", "PER"}
    assert pipe.add_label("WORK") == 0
    with pytest.raises(ValueError, match="C021"):
        pipe.add_label("EVENT")


def test_data_without_entities_are_refused(nlp, examples):
    nlp.add_pipe("cbl_ner")
    with pytest.raises(ValueError, match="C020"):
        nlp.initialize(lambda: examples[-1:])


def test_a_label_that_was_not_there_at_initialization_is_refused(nlp, examples):
    pipe = nlp.add_pipe("cbl_ner")
    pipe.initialize(lambda: examples, nlp=nlp, labels=["LOC", "ORG"])
    with pytest.raises(ValueError, match="C022.*PER"):
        nlp.update(examples)


def test_unknown_scheme_is_refused(nlp):
    with pytest.raises(ValueError, match="C025"):
        nlp.add_pipe("cbl_ner", config={"scheme": "iobes"})


def test_scores_ignore_predictions_on_missing_tokens(trained, examples, gold_docs):
    assert trained.evaluate(examples)["ents_f"] == 1.0
    doc = gold_docs[0]
    doc.set_ents(doc.ents[:1], missing=[doc[3:6]])
    assert trained.evaluate(examples)["ents_f"] == 1.0
    doc.set_ents(doc.ents[:1], outside=[doc[3:6]])
    assert trained.evaluate(examples)["ents_p"] < 1.0


def test_beside_other_components_on_a_shared_tok2vec(nlp, examples, gold_docs):
    nlp.add_pipe("tok2vec")
    listener = {
        "@architectures": "spacy_cbl.MarginalCRF.v1",
        "tok2vec": {
            "@architectures": "spacy.Tok2VecListener.v1",
            "width": 96,
            "upstream": "tok2vec",
        },
    }
    nlp.add_pipe("ner", config={"model": {"tok2vec": listener["tok2vec"]}})
    nlp.add_pipe("cbl_ner", config={"model": listener})
    shared = nlp.get_pipe("tok2vec").model
    optimizer = nlp.initialize(lambda: examples)
    before = shared.get_ref("encode").layers[0].to_bytes()
    for _ in range(30):
        nlp.update(examples, sgd=optimizer)
    found = [entities(doc) for doc in nlp.pipe(bare(nlp, gold_docs))]
    assert found == [entities(doc) for doc in gold_docs]
    # The gradient of the field reached the shared layer.
    assert shared.get_ref("encode").layers[0].to_bytes() != before


def test_importing_spacy_and_using_it_loads_nothing_heavy():
    import subprocess
    import sys

    code = "import sys, spacy; spacy.blank('en'); print('highspy' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "False"


def test_factory_is_found_by_entry_point():
    assert Language.has_factory("cbl_ner")
