import pickle

import numpy
import pytest
import spacy
from numpy.testing import assert_array_equal
from spacy.lookups import Lookups
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed, registry

from spacy_cbl.core.tags import TagSet
from spacy_cbl.models.averaged_perceptron import get_tagger
from spacy_cbl.models.form_features import FormTemplate
from spacy_cbl.pipeline.targets import read_tags

SMALL = {"model": {"n_rows": 4096}}
NAME, BROWN = "spacy_cbl.AveragedPerceptron.v1", "spacy_cbl.BrownPaths.v1"


def train(nlp, examples, n_steps=10):
    fix_random_seed(0)
    nlp.initialize(lambda: examples)
    for _ in range(n_steps):
        losses = nlp.update(examples)
    return losses["cbl_perceptron"]


def entities(doc):
    return [(ent.start, ent.end, ent.label_) for ent in doc.ents]


def bare(nlp, docs):
    return [Doc(nlp.vocab, words=[t.text for t in doc]) for doc in docs]


@pytest.fixture
def trained(nlp, examples):
    nlp.add_pipe("cbl_perceptron", config=SMALL)
    train(nlp, examples)
    return nlp


@pytest.mark.parametrize("scheme", ["biluo", "bio"])
@pytest.mark.parametrize("rule", ["one_vs_all", "multiclass"])
def test_learns_the_entities_it_is_shown(nlp, examples, gold_docs, scheme, rule):
    config = {"scheme": scheme, "model": {"n_rows": 4096, "rule": rule}}
    nlp.add_pipe("cbl_perceptron", config=config)
    assert train(nlp, examples) == 0  # no token is tagged wrongly any more
    for doc, gold in zip(nlp.pipe(bare(nlp, gold_docs)), gold_docs):
        assert entities(doc) == entities(gold)
        assert all(token.ent_iob != 0 for token in doc)


def test_a_component_that_was_not_initialized_says_so(nlp):
    nlp.add_pipe("cbl_perceptron")
    with pytest.raises(ValueError, match="E109"):
        nlp("Anna lives in Norway")


def test_confidences_are_probabilities_in_the_order_of_scores(trained, gold_docs):
    for doc in trained.pipe(bare(trained, gold_docs)):
        group = doc.spans["cbl_perceptron"]
        assert [(s.start, s.end, s.label_) for s in group] == entities(doc)
        scores = group.attrs["scores"]
        assert ((scores > 0) & (scores <= 1)).all()


def test_to_predict_between_updates_changes_no_confidence(nlp, examples, gold_docs):
    nlp.add_pipe("cbl_perceptron", config=SMALL)
    tagger = nlp.get_pipe("cbl_perceptron").tagger
    found = []
    for evaluate in (False, True):
        train(nlp, examples)
        if evaluate:
            list(nlp.pipe(bare(nlp, gold_docs)))
        nlp.update(examples[:1])
        found.append(tagger.calibrate())
    assert found[0] == found[1]


def test_steps_of_any_size_are_forgotten_in_time(nlp, examples):
    model = {"n_rows": 4096, "step_size": 100_000}
    nlp.add_pipe("cbl_perceptron", config={"model": model})
    train(nlp, examples, n_steps=3)
    assert len(nlp.get_pipe("cbl_perceptron").tagger._seen) == 1


def test_saved_and_loaded_it_finds_the_same(trained, gold_docs, tmp_path):
    trained.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    size = (tmp_path / "cbl_perceptron" / "model").stat().st_size
    table = get_tagger(trained.get_pipe("cbl_perceptron").model).average().table
    assert size < table.nbytes / 4
    from_bytes = spacy.blank("en")
    from_bytes.add_pipe("cbl_perceptron", config=SMALL)
    from_bytes.from_bytes(trained.to_bytes())
    for nlp in (loaded, from_bytes):
        for one, two in zip(
            trained.pipe(bare(trained, gold_docs)), nlp.pipe(bare(nlp, gold_docs))
        ):
            assert entities(one) == entities(two)
            key = "cbl_perceptron"
            assert_array_equal(
                one.spans[key].attrs["scores"], two.spans[key].attrs["scores"]
            )


def test_it_is_loaded_when_it_is_first_used(trained, gold_docs, tmp_path):
    trained.to_disk(tmp_path)
    shim = spacy.load(tmp_path).get_pipe("cbl_perceptron").model.shims[0]
    assert shim._data is not None
    data = shim.to_bytes()
    assert shim.tagger.n_tags > 0
    assert shim._data is None
    assert shim.to_bytes() == data


def test_a_loaded_one_goes_on_learning(trained, tmp_path):
    trained.to_disk(tmp_path)
    nlp = spacy.load(tmp_path)
    doc = Doc(nlp.vocab, words=["Zoe", "left", "Oslo"], ents=["B-PER", "O", "B-LOC"])
    example = Example(Doc(nlp.vocab, words=["Zoe", "left", "Oslo"]), doc)
    for _ in range(30):
        nlp.update([example])
    assert entities(nlp(Doc(nlp.vocab, words=["Zoe", "left", "Oslo"]))) == entities(doc)


def test_pipe_is_call_and_empty_documents_pass(trained, gold_docs):
    empty = Doc(trained.vocab, words=[])
    docs = [empty, *bare(trained, gold_docs), Doc(trained.vocab, words=[])]
    piped = list(trained.pipe(docs, batch_size=3))
    assert not piped[0].ents and not piped[-1].ents
    for doc, single in zip(piped[1:-1], bare(trained, gold_docs)):
        assert entities(doc) == entities(trained(single))
    assert not trained("").ents
    keeps = trained.get_pipe("cbl_perceptron")
    keeps.cfg["overwrite_ents"] = False
    assert keeps.predict([]) == []


def test_weight_zero_is_a_token_absent_from_training(nlp, gold_docs, examples):
    pipe = nlp.add_pipe("cbl_perceptron", config=SMALL)
    nlp.initialize(lambda: examples)
    tagger, tags = pipe.tagger, pipe.tags
    gold = numpy.concatenate([read_tags(doc, tags, "") for doc in gold_docs])
    weights = numpy.ones(len(gold))
    weights[[1, 5]] = 0
    docs = bare(nlp, gold_docs)
    numpy.random.seed(1)
    some = tagger.encode(docs, gold, weights)
    numpy.random.seed(1)
    full = tagger.encode(docs, gold, numpy.ones(len(gold)))
    kept = numpy.flatnonzero(weights)
    for column, whole in zip(some, full):
        assert_array_equal(column, whole[kept])


def test_missing_tokens_teach_nothing_and_weights_do(nlp):
    """A name that is missed half of the time is found if the misses weigh nothing."""
    shown = [("Eve hired Ada", ["O", "O", "B-PER"])]
    missed = [("Bob hired Ada", ["O", "O", "O"])] * 3
    found = {}
    for weight in (1.0, 0.0):
        pipeline = spacy.blank("en")
        pipeline.add_pipe("cbl_perceptron", config=SMALL)
        examples = []
        for text, tags in [*shown, *missed]:
            doc = Doc(pipeline.vocab, words=text.split(), ents=tags)
            if tags[2] == "O":
                doc._.cbl_weights = [1.0, 1.0, weight]
            examples.append(Example(Doc(pipeline.vocab, words=text.split()), doc))
        train(pipeline, examples)
        found[weight] = entities(
            pipeline(Doc(pipeline.vocab, words=missed[0][0].split()))
        )
    assert found == {1.0: [], 0.0: [(2, 3, "PER")]}


def test_entities_set_before_are_kept(nlp, examples, gold_docs):
    nlp.add_pipe("cbl_perceptron", config={**SMALL, "overwrite_ents": False})
    train(nlp, examples)
    words = [t.text for t in gold_docs[0]]
    doc = Doc(nlp.vocab, words=words, ents=["O"] * 5 + ["B-GPE", "O"])
    assert entities(nlp(doc)) == [(0, 2, "PER"), (3, 4, "PER"), (5, 6, "GPE")]


def test_white_space_is_never_in_an_entity(nlp, examples):
    nlp.add_pipe("cbl_perceptron", config={**SMALL, "scheme": "biluo"})
    train(nlp, examples)
    doc = nlp(Doc(nlp.vocab, words=["Ada", "\n", "Lovelace", "met", "Bob"]))
    assert not doc[1].ent_type_
    assert all(ent.start != 1 for ent in doc.ents)


@pytest.mark.parametrize("scheme", ["biluo", "bio"])
def test_tags_are_legal_whatever_the_weights(nlp, examples, scheme):
    pipe = nlp.add_pipe("cbl_perceptron", config={**SMALL, "scheme": scheme})
    nlp.initialize(lambda: examples)
    rng = numpy.random.default_rng(0)
    table = pipe.tagger.learner.weights.table
    table[1:] = rng.normal(size=table[1:].shape)
    docs = [
        Doc(nlp.vocab, words=rng.choice(["a", "B", "c1"], n).tolist())
        for n in (1, 2, 5, 30)
    ]
    tags = TagSet(pipe.labels, scheme)
    for doc in docs:
        path = pipe.tagger.predict([doc]).tags
        steps = numpy.concatenate([[len(tags)], path, [len(tags)]])
        assert tags.legal[steps[:-1], steps[1:]].all()
    assert len(set(path.tolist())) > 1  # of the longest


def test_history_does_not_leak_between_documents(trained, gold_docs):
    alone = [entities(trained(doc)) for doc in bare(trained, gold_docs)]
    together = trained.get_pipe("cbl_perceptron").predict(bare(trained, gold_docs) * 3)
    labels = trained.get_pipe("cbl_perceptron").labels
    found = [
        [(s, e, labels[k]) for s, e, k in zip(x.starts, x.ends, x.labels)]
        for x in together
    ]
    assert found == alone * 3


@pytest.mark.parametrize("cased", [True, False])
def test_the_second_pass_knows_what_comes_later_in_the_document(nlp, cased):
    """The first sight of a word tells nothing, the second one does, even where it is
    written otherwise, if case does not matter.
    """
    forms = {"@cbl_features": "spacy_cbl.Forms.v1", "window": 1}
    model = {"n_rows": 4096, "features": {"forms": forms}, "tag_window": -1}
    model.update(second_pass=True, history_cased=cased)
    nlp.add_pipe("cbl_perceptron", config={"model": model})
    examples = []
    for i in range(40):
        title, tag = [("Dr", "B-PER"), ("the", "O")][i % 2]
        words = [f"w{i}", "is", "here", title, f"w{i}"]
        doc = Doc(nlp.vocab, words=words, ents=[tag, "O", "O", "O", tag])
        examples.append(Example(Doc(nlp.vocab, words=words), doc))
    train(nlp, examples, n_steps=20)
    for title, found in [("Dr", [(0, 1, "PER"), (4, 5, "PER")]), ("the", [])]:
        words = ["Zed" if cased else "ZED", "is", "here", title, "Zed"]
        assert entities(nlp(Doc(nlp.vocab, words=words))) == found


def test_brown_clusters_help_with_unseen_words(nlp):
    lookups = Lookups()
    table = {"Ada": 0b1_0001, "Zoe": 0b1_0001, "sees": 0b1_0110, "helps": 0b1_0110}
    lookups.add_table("lexeme_cluster", table)
    nlp.vocab.lookups = lookups
    features = {"brown": {"@cbl_features": "spacy_cbl.BrownPaths.v1", "prefixes": [4]}}
    config = {"model": {"n_rows": 4096, "features": features, "tag_window": -1}}
    nlp.add_pipe("cbl_perceptron", config=config)
    doc = Doc(nlp.vocab, words=["ok", "Ada", "sees"], ents=["O", "B-PER", "O"])
    train(nlp, [Example(Doc(nlp.vocab, words=["ok", "Ada", "sees"]), doc)])
    assert entities(nlp(Doc(nlp.vocab, words=["ok", "Zoe", "helps"]))) == [
        (1, 2, "PER")
    ]


def test_clusters_that_are_not_there_are_an_error(nlp, examples):
    brown = {"@cbl_features": "spacy_cbl.BrownPaths.v1"}
    config = {"model": {"n_rows": 4096, "features": {"brown": brown}}}
    nlp.add_pipe("cbl_perceptron", config=config)
    with pytest.raises(ValueError, match="C010"):
        train(nlp, examples)


def test_features_of_other_packages(nlp, examples, gold_docs):
    def make_length(window: int = 0) -> FormTemplate:
        def describe(forms):
            return numpy.array([[len(t)] for t in forms.texts], dtype=numpy.uint64)

        return FormTemplate([0], describe)

    registry.cbl_features.register("tests.length.v1", func=make_length)
    length = {"@cbl_features": "tests.length.v1"}
    pipe = nlp.add_pipe(
        "cbl_perceptron", config={"model": {"n_rows": 4096, "features": {"x": length}}}
    )
    train(nlp, examples)
    assert "x" in pipe.tagger.forms.templates
    assert pipe.tagger.forms.rows[0].shape[1] > 6


def test_unknown_rules_and_tables_of_another_size(trained, tmp_path):
    with pytest.raises(ValueError, match="C251"):
        spacy.blank("en").add_pipe("cbl_perceptron", config={"model": {"rule": "x"}})
    data = trained.get_pipe("cbl_perceptron").to_bytes()
    other = spacy.blank("en").add_pipe(
        "cbl_perceptron", config={"model": {"n_rows": 99}}
    )
    other.from_bytes(data)
    for _ in range(2):  # what could not be loaded is not forgotten
        with pytest.raises(ValueError, match="C252"):
            other(Doc(trained.vocab, words=["Ada"]))
    assert other.to_bytes() == data


def test_the_order_of_features_in_a_config_does_not_matter(nlp, examples, gold_docs):
    """Configs may be sorted when they are written."""
    blocks = {"z": "Forms", "a": "Affixes", "m": "Shape"}
    features = {k: {"@cbl_features": f"spacy_cbl.{v}.v1"} for k, v in blocks.items()}
    for name, order in (("cbl_perceptron", "zam"), ("other", "amz")):
        model = {"n_rows": 4096, "features": {k: features[k] for k in order}}
        config = {"model": {"@architectures": NAME, **model}}
        nlp.add_pipe("cbl_perceptron", name=name, config=config)
    nlp.initialize(lambda: examples)
    first, second = (nlp.get_pipe(name) for name in nlp.pipe_names)
    for _ in range(5):
        first.update(examples)
    second.from_bytes(first.to_bytes())
    found = [get_tagger(pipe.model).predict(gold_docs) for pipe in (first, second)]
    assert_array_equal(found[0].p_outside, found[1].p_outside)


def test_it_goes_to_other_processes(trained, gold_docs):
    """Where these are not forked, the pipeline is pickled."""
    pipe = pickle.loads(pickle.dumps(trained.get_pipe("cbl_perceptron")))
    for doc, gold in zip(bare(trained, gold_docs), gold_docs):
        assert entities(pipe(doc)) == entities(gold)


def test_initializing_again_forgets_features_of_the_former_vocabulary(nlp, examples):
    model = {"n_rows": 4096, "features": {"b": {"@cbl_features": BROWN}}}
    config = {"model": {"@architectures": NAME, **model}}
    pipe = nlp.add_pipe("cbl_perceptron", config=config)
    docs = [eg.predicted for eg in examples]
    seen = []
    for clusters in (1, 2):
        lookups = Lookups()
        words = {token.text: clusters for doc in docs for token in doc}
        lookups.add_table("lexeme_cluster", words)
        nlp.vocab.lookups = lookups
        nlp.initialize(lambda: examples)
        pipe.update(examples)
        forms = pipe.tagger.forms
        seen.append(forms.rows[0][forms.look_up(docs)].tolist())
    assert seen[0] != seen[1]


def test_it_has_no_loss_to_differentiate(trained, examples):
    pipe = trained.get_pipe("cbl_perceptron")
    with pytest.raises(NotImplementedError, match="C250.*'cbl_perceptron'"):
        pipe.get_loss(examples, None)


def test_labels_cannot_be_added_later(trained):
    with pytest.raises(ValueError, match="C021"):
        trained.get_pipe("cbl_perceptron").add_label("NEW")
