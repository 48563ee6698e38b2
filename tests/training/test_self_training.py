"""Self-training, on a toy language in which half of the names are never labelled."""

import numpy
import pytest
import spacy
from numpy.testing import assert_allclose, assert_array_equal
from spacy.ml.models.tok2vec import MaxoutWindowEncoder, build_Tok2Vec_model
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry

from spacy_cbl.attrs import get_label_probs
from spacy_cbl.data.arrays import read_corpus_arrays
from spacy_cbl.data.docbin import read_docs, write_docs
from spacy_cbl.models.feature_embed import build_feature_embed_v1
from spacy_cbl.models.marginal_crf import build_marginal_crf_v1
from spacy_cbl.training.cbl_corpus import create_cbl_corpus
from spacy_cbl.training.crf_learner import create_crf_learner
from spacy_cbl.training.reader import create_weighted_corpus
from spacy_cbl.training.schemes import get_scheme
from spacy_cbl.training.self_training import make_folds, read_problem
from spacy_cbl.training.self_training_scheme import make_self_training
from spacy_cbl.training.weigh import attach_weights, compute_weights, weigh

from .toy import FILLERS, LABELLED, NAMES, VERBS, make_docs

TAGS = ["O", "B-PER", "I-PER", "L-PER", "U-PER"]
UNIT = TAGS.index("U-PER")


def toy_learner(min_updates=3):
    """A model that sees the shapes of words alone, hurried: of eight names, frequency
    would tell which is which.
    """
    embed = build_feature_embed_v1(96, ["SHAPE"], [1000], False, [], 1000)
    encode = MaxoutWindowEncoder(96, window_size=1, maxout_pieces=3, depth=1)
    model = build_marginal_crf_v1(build_Tok2Vec_model(embed, encode))
    settings = {"epochs": 1, "learn_rate": 0.02, "batch_size": 200}
    return create_crf_learner(model, min_updates=min_updates, **settings)


class RecordingLearner:
    """Remembers what it was asked, and says the same of every document: all tags alike
    (0), or one more of them per fit.
    """

    def __init__(self, breaks_at=None):
        self.calls = []
        self.n_fits = 0
        self.breaks_at = breaks_at

    def fit(self, docs, soft_labels, seed, weights=None, legal=None):
        self.n_fits += 1
        if self.n_fits == self.breaks_at:
            raise KeyboardInterrupt
        self.calls.append(("fit", list(docs), soft_labels.copy(), seed))
        assert legal.shape == (len(TAGS) + 1, len(TAGS) + 1) and not legal.all()

    def marginals(self, docs, allowed=None):
        self.calls.append(("marginals", list(docs), allowed))
        p = numpy.full(allowed.shape, 0.5 / (len(TAGS) - 1))
        p[:, self.n_fits % len(TAGS)] = 0.5
        return p * allowed / (p * allowed).sum(axis=1, keepdims=True)

    def best_tags(self, docs, allowed=None):
        self.calls.append(("best_tags", list(docs), allowed))
        return (allowed * numpy.linspace(1, 2, len(TAGS))).argmax(axis=1)

    def describe(self, forms):
        return {"learner": "recording"}


@pytest.fixture
def paths(nlp, tmp_path):
    """A corpus in which half of the names are never labelled, and its gold. Somebody
    has checked that the second token of each document, a verb, is no name.
    """
    docs = make_docs(nlp.vocab, LABELLED, n_docs=12)
    for doc in docs:
        doc.spans["cbl_outside"] = [doc[1:2]]
    write_docs(tmp_path / "partial.spacy", docs)
    write_docs(tmp_path / "gold.spacy", make_docs(nlp.vocab, NAMES, n_docs=12))
    return tmp_path / "partial.spacy", tmp_path / "gold.spacy"


def read_arrays(paths, vocab, keep=True):
    partial, gold = paths
    return read_corpus_arrays(
        lambda: read_docs(partial, vocab),
        vocab,
        gold=lambda: read_docs(gold, vocab),
        path=partial if keep else None,
    )


@pytest.fixture
def corpus(nlp, paths):
    return read_arrays(paths, nlp.vocab, keep=False)


@pytest.mark.parametrize("n_docs,n_folds", [(2, 2), (5, 2), (7, 3)])
def test_folds_are_blocks_that_cover_the_corpus(n_docs, n_folds):
    lengths = list(range(1, n_docs + 1))
    folds = make_folds(lengths, n_folds)
    docs = [i for inside, _ in folds for i in range(n_docs)[inside]]
    rows = [i for _, rows in folds for i in range(sum(lengths))[rows]]
    assert docs == list(range(n_docs)) and rows == list(range(sum(lengths)))
    for inside, rows in folds:
        assert len(range(*rows.indices(sum(lengths)))) == sum(lengths[inside])
        assert n_docs // n_folds <= inside.stop - inside.start <= n_docs / n_folds + 1


@pytest.mark.parametrize("soft", [True, False])
def test_a_fold_is_labelled_by_a_model_that_has_not_seen_it(corpus, soft):
    learner = RecordingLearner()
    scheme = make_self_training(learner, folds=3, iterations=1, soft=soft)
    scheme(corpus)
    texts = [doc.text for doc in corpus.docs()]
    fits = [call for call in learner.calls if call[0] == "fit"]
    asked = [call for call in learner.calls if call[0] != "fit"]
    assert {call[0] for call in asked} == {"marginals" if soft else "best_tags"}
    assert [doc.text for call in asked for doc in call[1]] == texts
    for fit, ask in zip(fits, asked):
        seen = {doc.text for doc in fit[1]}
        assert sorted([*seen, *(doc.text for doc in ask[1])]) == sorted(texts)
    assert len({fit[3] for fit in fits}) == 3  # seeds


def test_no_model_is_trained_on_labels_of_its_own_iteration(corpus):
    learner = RecordingLearner()
    make_self_training(learner, iterations=2, tolerance=0)(corpus)
    fits = [call[2] for call in learner.calls if call[0] == "fit"]
    assert len(fits) == 4
    free = read_problem(corpus, "biluo").known < 0
    n = len(fits[1])  # tokens of the first fold, on which the second model is trained
    assert_array_equal(fits[0][free[n:]].argmax(axis=1), 0)
    assert_array_equal(fits[1][free[:n]].argmax(axis=1), 0)
    # Each fold was labelled by its own model: the first says tag 1, the second tag 2.
    assert_array_equal(fits[2][free[n:]].argmax(axis=1), 2)
    assert_array_equal(fits[3][free[:n]].argmax(axis=1), 1)
    assert fits[2][free[n:]].max() < 0.6, "soft labels are to be trained on as such"


@pytest.mark.parametrize("soft", [True, False])
@pytest.mark.parametrize("initial", ["outside", "uniform", "prior"])
def test_known_labels_and_trusted_negatives_never_change(corpus, soft, initial):
    scheme = make_self_training(
        RecordingLearner(), iterations=2, tolerance=0, soft=soft, initial=initial
    )
    weights = compute_weights(corpus, scheme)
    tags, q = scheme.label_probs
    assert tags == TAGS
    assert_array_equal(q[corpus.is_entity, UNIT], 1)
    assert_array_equal(q[corpus.is_entity, 0], 0)
    assert corpus.trusted.any()
    assert_array_equal(q[corpus.trusted, 0], 1)
    assert (q[~corpus.is_entity & ~corpus.trusted, 0] < 1).all()
    assert_array_equal(weights[corpus.is_entity | corpus.trusted], 1)
    negative = ~corpus.is_entity
    assert_allclose(weights[negative], q[negative, 0])


def test_stops_when_labels_do_not_change(corpus):
    learner = RecordingLearner()
    scheme = make_self_training(learner, iterations=9, soft=False)
    scheme(corpus)
    # The best tags are the same each time: the second iteration changes nothing.
    assert [record["changed"] for record in scheme.history] == [1.0, 0.0]
    assert learner.n_fits == 4


def find_names(train_on, seed=0):
    """Train a recognizer on examples; the share of unlabelled names that it finds."""
    nlp = spacy.blank("en")
    small = {"width": 16, "depth": 1, "embed_size": 50}
    nlp.add_pipe("cbl_ner", config={"model": {"tok2vec": small}})
    examples = list(train_on(nlp))
    spacy.util.fix_random_seed(seed)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.02
    for _ in range(6):
        for start in range(0, len(examples), 4):
            nlp.update(examples[start : start + 4], sgd=optimizer)
    unseen = NAMES[len(LABELLED) :]
    found = total = 0
    for name in unseen:
        for verb, filler in zip(VERBS, FILLERS):
            doc = Doc(nlp.vocab, words=["Ada", verb, name, filler, "."])
            ents = [ent.text for ent in nlp(doc).ents]
            found += name in ents
            total += 1
            assert "." not in ents
    return found / total


def test_names_that_were_never_labelled_are_found(nlp, paths):
    corpus = read_arrays(paths, nlp.vocab, keep=False)
    scheme = make_self_training(toy_learner(30), iterations=3)
    weights = compute_weights(corpus, scheme)
    missed = corpus.gold_is_entity & ~corpus.is_entity
    assert weights[missed].mean() < 0.1 < 0.9 < weights[~corpus.gold_is_entity].mean()
    last = scheme.history[-1]
    assert last["missed_recall_at_k"] > 0.9 and last["selected_precision"] > 0.9
    assert set(last) >= {"iteration", "changed", "seconds", "mean_outside"}
    # A recognizer learns it. From the labels as they are, it does not.
    docs = list(attach_weights(corpus, weights, scheme.label_probs))
    raw = create_weighted_corpus(paths[0])
    assert find_names(raw) < 0.2 < 0.8 < find_names(lambda nlp: make_examples(docs))


def make_examples(docs):
    return [Example(Doc(doc.vocab, [t.text for t in doc]), doc) for doc in docs]


def test_soft_labels_are_not_hard_ones_and_training_sees_the_difference(corpus):
    losses = []
    for soft in (True, False):
        scheme = make_self_training(toy_learner(30), iterations=1, soft=soft)
        weights = compute_weights(corpus, scheme)
        probs = scheme.label_probs.probs
        is_hard = bool(numpy.isin(probs, [0, 1]).all())
        assert is_hard is not soft
        assert_array_equal(weights == probs[:, 0], ~corpus.is_entity)
        losses.append(first_loss(corpus, scheme.label_probs))
    assert losses[0] != pytest.approx(losses[1], rel=1e-3)
    assert first_loss(corpus, None) not in losses


def first_loss(corpus, label_probs):
    """The loss of an untrained recognizer on the first document."""
    nlp = spacy.blank("en")
    pipe = nlp.add_pipe("cbl_ner")
    reference = next(iter(corpus.docs()))
    if label_probs is not None:
        rows = label_probs.probs[: len(reference)]
        reference._.cbl_label_probs = (label_probs.tags, rows)
    example = Example(Doc(nlp.vocab, words=[t.text for t in reference]), reference)
    spacy.util.fix_random_seed(0)
    nlp.initialize(lambda: [example])
    return pipe.get_loss([example], pipe.model.predict([example.predicted]))[0]


def read_probs(docs):
    found = [get_label_probs(doc) for doc in docs]
    assert all(label_probs.tags == TAGS for label_probs in found)
    return numpy.concatenate([label_probs.probs for label_probs in found])


def test_distributions_travel_by_file_and_by_reader(paths, tmp_path):
    partial, _ = paths
    nlp = spacy.blank("en")
    output = tmp_path / "w.spacy"
    scheme = make_self_training(toy_learner(), iterations=1)
    weigh(partial, output, scheme, vocab=nlp.vocab)
    expected = scheme.label_probs.probs.astype("float16")
    assert_array_equal(read_probs(read_docs(output, nlp.vocab)), expected)
    split = create_weighted_corpus(output, split_sents=True)
    assert_array_equal(read_probs(eg.reference for eg in split(nlp)), expected)
    reader = create_cbl_corpus(partial, make_self_training(toy_learner(), iterations=1))
    assert_array_equal(read_probs(eg.reference for eg in reader(nlp)), expected)
    weights = numpy.concatenate([eg.reference._.cbl_weights for eg in reader(nlp)])
    assert_array_equal(
        weights,
        numpy.concatenate([doc._.cbl_weights for doc in read_docs(output, nlp.vocab)]),
    )


def test_weighing_anew_removes_distributions(paths, tmp_path):
    """They would be used in the place of the new weights."""
    partial, _ = paths
    output = tmp_path / "w.spacy"
    weigh(partial, output, make_self_training(RecordingLearner(), iterations=1))
    assert list(read_docs(output, spacy.blank("xx").vocab))[0]._.cbl_label_probs
    again = tmp_path / "again.spacy"
    weigh(output, again, get_scheme("uniform", {"value": 0.5}))
    docs = list(read_docs(again, spacy.blank("xx").vocab))
    assert all(doc._.cbl_label_probs is None for doc in docs)


def test_same_seed_same_labels_and_the_caller_is_left_alone(corpus):
    def run(seed):
        scheme = make_self_training(toy_learner(), iterations=1, seed=seed)
        scheme(corpus)
        return scheme.label_probs.probs

    numpy.random.seed(3)
    expected = numpy.random.random()
    numpy.random.seed(3)
    first = run(0)
    assert numpy.random.random() == expected
    assert_array_equal(run(0), first)
    assert (run(1) != first).any()


def test_an_interrupted_run_goes_on_with_the_same_result(nlp, paths):
    whole = make_self_training(RecordingLearner(), iterations=3, tolerance=0)
    whole(read_arrays(paths, nlp.vocab, keep=False))
    corpus = read_arrays(paths, nlp.vocab)
    broken = make_self_training(RecordingLearner(6), iterations=3, tolerance=0)
    with pytest.raises(KeyboardInterrupt):
        broken(corpus)
    learner = RecordingLearner()
    learner.n_fits = 4  # what it says depends on that
    resumed = make_self_training(learner, iterations=3, tolerance=0)
    resumed(corpus)
    assert learner.n_fits == 6
    assert_array_equal(resumed.label_probs.probs, whole.label_probs.probs)
    assert [record["iteration"] for record in resumed.history] == [1, 2, 3]
    # Finished: nothing is trained again.
    learner = RecordingLearner(breaks_at=1)
    again = make_self_training(learner, iterations=3, tolerance=0)
    again(corpus)
    assert_array_equal(again.label_probs.probs, whole.label_probs.probs)
    # ... unless something else was asked for.
    with pytest.raises(KeyboardInterrupt):
        make_self_training(learner, iterations=3, tolerance=0, seed=1)(corpus)


def test_missing_tokens_are_ordinary_negatives(nlp):
    found = []
    for default in ("outside", "missing"):
        docs = make_docs(nlp.vocab, LABELLED, n_docs=4)
        for doc in docs:
            doc.set_ents(doc.ents, default=default)
        corpus = read_corpus_arrays(lambda: docs, nlp.vocab)
        scheme = make_self_training(toy_learner(), iterations=1)
        found.append((scheme(corpus), scheme.label_probs.probs))
    assert_array_equal(found[0][0], found[1][0])
    assert_array_equal(found[0][1], found[1][1])


@pytest.mark.parametrize("soft", [True, False])
def test_an_entity_across_a_sentence_boundary(nlp, soft):
    """No tag sequence within sentences could hold it."""
    docs = [
        Doc(
            nlp.vocab,
            words=["sees", "New", "York", "Ada"],
            ents=["O", "B-PER", "I-PER", "B-PER"],
            sent_starts=[True, False, True, True],
        )
        for _ in range(2)
    ]
    corpus = read_corpus_arrays(lambda: docs, nlp.vocab)
    scheme = make_self_training(toy_learner(), iterations=2, tolerance=0, soft=soft)
    assert numpy.isfinite(scheme(corpus)).all()
    _, q = scheme.label_probs
    assert_array_equal(q[1:4].argmax(axis=1), [1, 3, UNIT])


def test_a_config_can_describe_it_all(paths):
    config = {
        "train": {
            "@readers": "spacy_cbl.CBLCorpus.v1",
            "path": str(paths[0]),
            "scheme": {
                "@cbl_weighting": "spacy_cbl.self_training.v1",
                "iterations": 1,
                "tag_scheme": "bio",
                "initial": "prior",
                "learner": {
                    "@misc": "spacy_cbl.CRFLearner.v1",
                    "epochs": 1,
                    "min_updates": 0,
                    "model": {
                        "@architectures": "spacy_cbl.MarginalCRF.v1",
                        "tok2vec": {
                            "@architectures": "spacy.HashEmbedCNN.v2",
                            "pretrained_vectors": None,
                            "width": 8,
                            "depth": 1,
                            "embed_size": 50,
                            "window_size": 1,
                            "maxout_pieces": 2,
                            "subword_features": False,
                        },
                    },
                },
            },
        }
    }
    reader = registry.resolve(config)["train"]
    found = [eg.reference._.cbl_label_probs.tags for eg in reader(spacy.blank("en"))]
    n_docs = len(list(read_docs(paths[0], spacy.blank("en").vocab)))
    assert found == [["O", "B-PER", "I-PER"]] * n_docs and n_docs > 0


@pytest.mark.parametrize(
    "settings,code",
    [
        ({"folds": 1}, "C285"),
        ({"initial": "random"}, "C286"),
        ({"iterations": 0}, "C287"),
        ({"tolerance": -0.1}, "C287"),
        ({"tag_scheme": "iob"}, "C025"),
        ({"learner": 3}, "C243"),
    ],
)
def test_wrong_settings_are_refused(settings, code):
    with pytest.raises(ValueError, match=code):
        get_scheme("self_training", settings)


def test_more_folds_than_documents(corpus):
    with pytest.raises(ValueError, match="C285.*13 folds for 12 documents"):
        make_self_training(RecordingLearner(), folds=13)(corpus)


def test_balancing_is_refused_since_it_would_have_no_effect(corpus):
    learner = RecordingLearner()
    with pytest.raises(ValueError, match="C288"):
        compute_weights(corpus, make_self_training(learner), entity_ratio=0.3)
    assert not learner.calls
