"""The loop, on a toy language in which names are capitalised."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, NamedTuple

import numpy
import pytest
import spacy
from numpy.testing import assert_allclose, assert_array_equal
from spacy.tokens import Doc, Span
from spacy.util import load_config, registry

from spacy_cbl.data.arrays import CorpusArrays, read_corpus_arrays
from spacy_cbl.data.docbin import read_docs, write_docs
from spacy_cbl.data.sentences import LONGEST_DOC
from spacy_cbl.inference import Count
from spacy_cbl.training.cbl import (
    LEAST_WEIGHT,
    find_target,
    raise_weights,
    run_rounds,
    weigh_last,
)
from spacy_cbl.training.cbl_corpus import create_cbl_corpus
from spacy_cbl.training.cbl_round import CBLSettings, Round
from spacy_cbl.training.cbl_scheme import make_cbl
from spacy_cbl.training.default_learner import make_default_refiner
from spacy_cbl.training.learner import seeded
from spacy_cbl.training.rounds import RoundStore, rounds_folder
from spacy_cbl.training.weigh import weigh

from .toy import NAMES, make_docs, quick_learner

CONFIGS = Path(__file__).parents[2] / "configs"

# The loop alone, as the paper has it
ONE_LOOP = CBLSettings(
    entity_ratio=None,
    overshoot=0.0,
    step=0.02,
    delta=0.001,
    xi=0.99,
    max_rounds=20,
    balance=False,
    selected="zero",
    doubt=0.0,
    refined_overshoot=0.0,
    least_refinements=1,
    seed=0,
)


@pytest.fixture
def paths(nlp, tmp_path):
    """A corpus in which half of the names are never labelled, and its gold."""
    write_docs(tmp_path / "partial.spacy", make_docs(nlp.vocab, NAMES[:4]))
    write_docs(tmp_path / "gold.spacy", make_docs(nlp.vocab, NAMES))
    return tmp_path / "partial.spacy", tmp_path / "gold.spacy"


@pytest.fixture
def corpus(nlp, paths):
    partial, gold = paths
    return read_corpus_arrays(
        lambda: read_docs(partial, nlp.vocab),
        nlp.vocab,
        gold=lambda: read_docs(gold, nlp.vocab),
    )


def take_the_most_probable(corpus):
    """The integer program without further constraints."""

    def infer(C0, C1, ratio):
        order = numpy.argsort(-(C1 - C0) - 1e9 * corpus.is_entity, kind="stable")
        labels = numpy.zeros(len(C0), dtype=bool)
        labels[order[: int(round(ratio * len(C0)))]] = True
        return labels, {"objective": 0.0, "gap": 0.0}

    return infer


class CountingLearner:
    """Counts its fits and may break off at one of them."""

    def __init__(self, learner, breaks_at=None):
        self.learner = learner
        self.breaks_at = breaks_at
        self.n_fits = 0

    def fit(self, docs, soft_labels, seed, weights=None, legal=None):
        self.n_fits += 1
        self.n_docs = len(docs)
        if self.n_fits == self.breaks_at:
            raise KeyboardInterrupt
        self.learner.fit(docs, soft_labels, seed, weights, legal)

    def marginals(self, docs):
        return self.learner.marginals(docs)

    def describe(self, forms):
        return self.learner.describe(forms)


def run_cbl(corpus, docs, learner, infer, weights, settings, *args, **kwargs):
    last, history = run_rounds(
        corpus, docs, learner, infer, weights, settings, *args, **kwargs
    )
    return weigh_last(corpus, last, settings), history


def run(corpus, nlp, store=None, breaks_at=None, **settings):
    docs = list(corpus.docs())
    learner = CountingLearner(quick_learner(nlp.vocab), breaks_at)
    defaults = {"entity_ratio": 0.4, "step": 0.1}
    weights, history = run_cbl(
        corpus,
        docs,
        learner,
        take_the_most_probable(corpus),
        numpy.ones(len(corpus)),
        replace(ONE_LOOP, **{**defaults, **settings}),
        store,
    )
    return weights, history, learner.n_fits


def test_missed_names_are_found_and_nothing_else(corpus, nlp):
    weights, history, _ = run(corpus, nlp)
    missed = corpus.gold_is_entity & ~corpus.is_entity
    assert (weights[missed] == 0).mean() > 0.95
    assert (weights[~corpus.gold_is_entity] > 0.5).mean() > 0.95
    assert (weights[corpus.is_entity] == 1).all()
    assert history[-1]["missed_recall_at_k"] > 0.95
    assert history[-1]["selected_precision"] > 0.95


def test_ratio_grows_by_steps_up_to_the_target(corpus, nlp):
    labelled = corpus.is_entity.mean()
    _, history, n_fits = run(corpus, nlp, step=0.12)
    ratios = [record["b"] for record in history]
    assert ratios[0] == pytest.approx(labelled + 0.12)
    assert ratios[-1] == 0.4 and len(ratios) == n_fits
    assert [record["round"] for record in history] == list(range(1, n_fits + 1))
    assert history[-1]["selected"] == round(0.4 * len(corpus))


def test_stops_at_the_last_round_allowed(corpus, nlp):
    _, history, n_fits = run(corpus, nlp, step=0.02, max_rounds=2)
    assert n_fits == 2 and history[-1]["b"] < 0.4


def test_same_seed_same_weights(corpus, nlp):
    settings = {"max_rounds": 1, "selected": "soft"}
    first, second = (run(corpus, nlp, **settings)[0] for _ in range(2))
    assert_array_equal(first, second)
    assert (run(corpus, nlp, seed=7, **settings)[0] != first).any()


def test_initial_weights_that_are_none_are_told(paths, tmp_path):
    scheme = make_cbl(initial=lambda corpus: numpy.full(len(corpus), numpy.nan))
    with pytest.raises(ValueError, match="C163.*weight nan"):
        weigh(paths[0], tmp_path / "weighted.spacy", scheme)


def test_the_random_state_of_the_caller_is_left_alone(corpus, nlp):
    numpy.random.seed(3)
    expected = numpy.random.random()
    numpy.random.seed(3)
    run(corpus, nlp, max_rounds=1)
    assert numpy.random.random() == expected


def test_so_is_that_of_torch():
    torch = pytest.importorskip("torch")
    before = torch.get_rng_state()
    with seeded(5):
        torch.rand(3)
    assert torch.equal(torch.get_rng_state(), before)


def test_an_interrupted_run_goes_on_with_the_same_result(corpus, nlp, tmp_path):
    whole, history, n_fits = run(corpus, nlp)
    assert n_fits > 1
    with pytest.raises(KeyboardInterrupt):
        run(corpus, nlp, RoundStore(tmp_path / "rounds"), breaks_at=n_fits)
    store = RoundStore(tmp_path / "rounds")
    resumed, resumed_history, resumed_fits = run(corpus, nlp, store)
    assert resumed_fits == 1
    assert_array_equal(resumed, whole)
    assert [r["selected"] for r in resumed_history] == [r["selected"] for r in history]
    # Finished: nothing is trained again.
    assert run(corpus, nlp, RoundStore(tmp_path / "rounds"))[2] == 0


@pytest.mark.parametrize("content", [b"", b"PK", b"no archive at all"])
def test_rounds_that_are_damaged_are_made_again(corpus, nlp, tmp_path, content):
    whole, _, n_fits = run(corpus, nlp, RoundStore(tmp_path / "rounds"))
    (path,) = (tmp_path / "rounds").iterdir()
    path.write_bytes(content or path.read_bytes()[:-100])
    weights, _, again = run(corpus, nlp, RoundStore(tmp_path / "rounds"))
    assert again == n_fits
    assert_array_equal(weights, whole)


def test_rounds_of_another_shape_are_made_again(tmp_path):
    class Other(NamedTuple):
        number: int
        gone: int
        record: Dict[str, Any]

    store = RoundStore(tmp_path)
    store.save(Other(1, 2, {}), [{}])
    assert store.load(Other) == (Other(1, 2, {}), [{}])
    assert store.load(Round) == (None, [])


@pytest.mark.parametrize("ratio", [0.4, 0.6])
def test_balancing_does_not_wipe_out_what_is_known_of_negatives(corpus, nlp, ratio):
    """Half of the names are labelled: balanced to 0.4 their weight would be 0.4."""
    settings = {"balance": True, "entity_ratio": ratio, "selected": "soft"}
    weights, _, _ = run(corpus, nlp, max_rounds=1, **settings)
    missed = corpus.gold_is_entity & ~corpus.is_entity
    assert weights[missed].mean() < 0.2 < weights[~corpus.gold_is_entity].mean()


def test_trusted_negatives_keep_their_weight(nlp, tmp_path):
    docs = make_docs(nlp.vocab, NAMES[:4])
    # Somebody says that the first token of each document is no name.
    for doc in docs:
        if not doc[0].ent_type:
            doc.spans["cbl_outside"] = [doc[0:1]]
    write_docs(tmp_path / "x.spacy", docs)
    weigh(
        tmp_path / "x.spacy",
        tmp_path / "y.spacy",
        make_cbl(quick_learner(nlp.vocab), refine=False, entity_ratio=0.35, step=0.3),
        vocab=nlp.vocab,
    )
    weighed = list(read_docs(tmp_path / "y.spacy", nlp.vocab))
    assert any(doc.spans.get("cbl_outside") for doc in weighed)
    for doc in weighed:
        for span in doc.spans.get("cbl_outside", []):
            assert doc._.cbl_weights[span.start] == 1


@pytest.mark.parametrize("ratio", [-0.1, 0.0, 0.15, 1.0, 1.5])
def test_a_ratio_below_the_labelled_share_or_no_share_is_refused(corpus, ratio):
    assert corpus.is_entity.mean() > 0.15
    with pytest.raises(ValueError, match="C240"):
        find_target(corpus, replace(ONE_LOOP, entity_ratio=ratio))


def test_the_default_ratio_is_above_the_labelled_share(corpus):
    target, goal = find_target(corpus, replace(ONE_LOOP, overshoot=0.05))
    assert target == pytest.approx(1.3 * corpus.is_entity.mean())
    assert goal == pytest.approx(target + 0.05)


def test_unknown_way_of_weighing_selected_tokens_is_refused():
    with pytest.raises(ValueError, match="C241"):
        make_cbl(selected="hard")


@pytest.mark.parametrize(
    "setting",
    [{"step": 0}, {"max_rounds": 0}, {"overshoot": -0.1}, {"xi": 2}, {"doubt": 5}],
    ids=lambda setting: next(iter(setting)),
)
def test_settings_without_sense_are_refused_before_anything_is_trained(setting):
    with pytest.raises(ValueError, match=f"C248.*{next(iter(setting))}"):
        make_cbl(**setting)


def test_nothing_can_be_missed_where_everything_is_an_entity(corpus):
    full = replace(corpus, is_entity=numpy.ones(len(corpus), dtype=bool))
    with pytest.raises(ValueError, match="C249"):
        find_target(full, ONE_LOOP)


def quick_scheme():
    learner = quick_learner(spacy.blank("en").vocab)
    return make_cbl(learner, refine=False, entity_ratio=0.4, step=0.1)


def read_weights(path, vocab):
    return numpy.concatenate([doc._.cbl_weights for doc in read_docs(path, vocab)])


def test_two_routes_give_the_same_weights(paths, tmp_path):
    partial, _ = paths
    nlp = spacy.blank("en")
    weigh(
        partial,
        tmp_path / "w.spacy",
        make_cbl(quick_learner(nlp.vocab), refine=False, entity_ratio=0.4),
        vocab=nlp.vocab,
    )
    by_file = read_weights(tmp_path / "w.spacy", nlp.vocab)
    rounds = rounds_folder(partial)
    assert rounds.exists()
    reader = create_cbl_corpus(
        partial, make_cbl(quick_learner(nlp.vocab), refine=False, entity_ratio=0.4)
    )
    by_reader = numpy.concatenate(
        [eg.reference._.cbl_weights for eg in reader(spacy.blank("en"))]
    )
    assert_array_equal(by_file, by_reader)
    # ... and from scratch
    for path in sorted(rounds.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    again = create_cbl_corpus(
        partial, make_cbl(quick_learner(nlp.vocab), refine=False, entity_ratio=0.4)
    )
    fresh = [eg.reference._.cbl_weights for eg in again(spacy.blank("en"))]
    assert_array_equal(numpy.concatenate(fresh), by_file)


def test_a_config_can_describe_it_all(paths):
    config = {
        "train": {
            "@readers": "spacy_cbl.CBLCorpus.v1",
            "path": str(paths[0]),
            "scheme": {
                "@cbl_weighting": "spacy_cbl.cbl.v1",
                "entity_ratio": 0.4,
                "step": 0.3,
                "refine": False,
                "initial": {"@cbl_weighting": "spacy_cbl.log_combined.v1"},
                "constraints": {
                    "punctuation": {
                        "@cbl_constraints": "spacy_cbl.OutsidePunctuation.v1",
                        "epsilon": 0.9,
                    }
                },
                "learner": {
                    "@misc": "spacy_cbl.CRFLearner.v1",
                    "epochs": 1,
                    "min_updates": 0,
                    "model": {
                        "@architectures": "spacy_cbl.MarginalCRF.v1",
                        "tok2vec": {
                            "@architectures": "spacy.HashEmbedCNN.v2",
                            "pretrained_vectors": None,
                            "width": 16,
                            "depth": 1,
                            "embed_size": 100,
                            "window_size": 1,
                            "maxout_pieces": 2,
                            "subword_features": False,
                        },
                    },
                },
            },
        }
    }  # fmt: skip
    reader = registry.resolve(config)["train"]
    examples = list(reader(spacy.blank("en")))
    assert all(eg.reference._.cbl_weights is not None for eg in examples)


def test_missing_tokens_are_ordinary_negatives(nlp, tmp_path):
    """A file in which everything unlabelled is missing works like one with O."""
    docs = make_docs(nlp.vocab, NAMES[:4])
    write_docs(tmp_path / "outside.spacy", docs)
    for doc in docs:
        doc.set_ents(doc.ents, default="missing")
    write_docs(tmp_path / "missing.spacy", docs)
    found = []
    for name in ("outside", "missing"):
        weigh(
            tmp_path / f"{name}.spacy",
            tmp_path / f"{name}_w.spacy",
            make_cbl(
                quick_learner(nlp.vocab), refine=False, entity_ratio=0.4, step=0.3
            ),
            vocab=nlp.vocab,
        )
        found.append(read_weights(tmp_path / f"{name}_w.spacy", nlp.vocab))
    assert_array_equal(*found)


class TypedStub:
    """Knows gold, and keeps what it was trained on."""

    def __init__(self, corpus):
        self.corpus = corpus

    def fit(self, docs, soft_labels, seed, weights=None, legal=None):
        self.soft_labels, self.legal, self.seed = soft_labels, legal, seed

    def marginals(self, docs):
        p = numpy.where(self.corpus.gold_is_entity, 0.9, 0.1)
        rest = numpy.full((len(p), self.soft_labels.shape[1] - 1), 0.0)
        rest[:, 0] = p
        return numpy.concatenate([(1 - p)[:, None], rest], axis=1)

    def describe(self, forms):
        return {"learner": "stub"}


def run_refined(corpus, nlp, refiner, store=None, entity_ratio=0.3, **settings):
    given = {"entity_ratio": entity_ratio, "overshoot": 0.2, "step": 0.3, **settings}
    return run_cbl(
        corpus,
        list(corpus.docs()),
        quick_learner(nlp.vocab),
        take_the_most_probable(corpus),
        numpy.ones(len(corpus)),
        replace(ONE_LOOP, **given),
        store,
        refiner,
    )


def test_a_refiner_sees_types_and_learns_nothing_from_what_was_selected(corpus, nlp):
    refiner = TypedStub(corpus)
    _, history = run_refined(corpus, nlp, refiner, max_rounds=1)
    assert [record["typed"] for record in history] == [False, True]
    n_tags = refiner.soft_labels.shape[1]
    assert n_tags == 5 and refiner.legal.shape == (6, 6)
    uniform = (refiner.soft_labels == 1 / n_tags).all(axis=1)
    assert uniform.sum() == history[0]["selected"] - corpus.is_entity.sum()
    assert not uniform[corpus.is_entity].any()
    labelled = refiner.soft_labels[corpus.is_entity]
    assert (labelled.max(axis=1) == 1).all() and (labelled[:, 0] == 0).all()


def test_the_selection_of_the_refiner_counts(corpus, nlp):
    weights, history = run_refined(corpus, nlp, TypedStub(corpus))
    missed = corpus.gold_is_entity & ~corpus.is_entity
    assert history[-1]["b"] == pytest.approx(0.3)
    chosen = (weights == 0) & ~corpus.is_entity
    assert chosen[~missed].sum() == 0
    left = ~chosen & ~corpus.is_entity
    assert_allclose(weights[left & ~missed], 0.9)
    assert_allclose(weights[left & missed], 0.1)


def test_a_ratio_that_is_too_high_selects_no_more_than_the_refiner_believes(
    corpus, nlp, tmp_path
):
    missed = corpus.gold_is_entity & ~corpus.is_entity
    assert corpus.gold_is_entity.mean() < 0.5
    refiner, run = TypedStub(corpus), {"entity_ratio": 0.7}
    run["store"] = RoundStore(tmp_path)
    weights, history = run_refined(corpus, nlp, refiner, **run)
    assert_array_equal((weights == 0) & ~corpus.is_entity, missed)
    refined = [record for record in history if record["typed"]]
    # It refines again, and gives up: the stub never changes its mind.
    assert len(refined) == 3
    for record in refined:
        assert record["selected"] == (corpus.gold_is_entity | corpus.is_entity).sum()
        assert 0.1 < record["taken_back"] < 1
    # What was taken back teaches the next model; the rest still does not.
    untaught = (refiner.soft_labels == 1 / refiner.soft_labels.shape[1]).all(axis=1)
    assert_array_equal(untaught, missed)
    again, same = run_refined(corpus, nlp, None, **run)
    assert_array_equal(weights, again)
    assert len(same) == len(history)


def test_no_more_is_taken_back_than_goes_beyond_the_estimated_ratio(
    corpus, nlp, monkeypatch
):
    believed = corpus.gold_is_entity | corpus.is_entity
    share = believed.mean() + 0.1
    monkeypatch.setattr(CorpusArrays, "estimated_ratio", share)
    run = {"entity_ratio": 0.7}
    weights, _ = run_refined(corpus, nlp, TypedStub(corpus), **run)
    chosen = (weights == 0) | corpus.is_entity
    assert chosen[believed].all()
    assert chosen.sum() == int(share * len(corpus))


def test_refinements_there_must_be(corpus, nlp, tmp_path):
    run = {"least_refinements": 2, "store": RoundStore(tmp_path)}
    weights, history = run_refined(corpus, nlp, TypedStub(corpus), **run)
    assert sum(record["typed"] for record in history) == 2
    again, same = run_refined(corpus, nlp, None, **run)
    assert_array_equal(weights, again)
    assert len(same) == len(history)


@pytest.mark.parametrize(
    "setting,value",
    [
        ("epochs", 7),
        ("model.tok2vec.embed.width", 32),
        ("model.tok2vec.embed.kind_rows", 100),
        ("model.tok2vec.encode.maxout_pieces", 2),
        ("model.tok2vec.encode.window_size", 2),
    ],
)
def test_another_learner_is_described_in_another_way(setting, value):
    other = {f"corpora.train.scheme.learner.{setting}": value}
    assert describe("cbl_train") != describe("cbl_train", **other)


def describe(config, **overrides):
    """What the rounds of a learner are kept under."""
    loaded = load_config(CONFIGS / f"{config}.cfg", overrides, interpolate=True)
    learner = loaded["corpora"]["train"]["scheme"]["learner"]
    return registry.resolve({"learner": learner})["learner"].describe(["Ada"])


@pytest.mark.parametrize("config", ["cbl_train", "cbl_paper", "cbl_train_perceptron"])
def test_a_learner_made_again_is_described_alike(config):
    # `spacy train` makes its corpora twice.
    assert describe(config) == describe(config)


def test_a_finished_refinement_is_not_done_again(corpus, nlp, tmp_path):
    store = RoundStore(tmp_path)
    weights, history = run_refined(corpus, nlp, TypedStub(corpus), store)
    again, same = run_refined(corpus, nlp, None, RoundStore(tmp_path))
    assert_array_equal(weights, again)
    assert len(same) == len(history)


def test_the_usual_refiner(corpus, nlp):
    """It works with a CRF as with a stub: words that were selected stay findable."""
    refiner = make_default_refiner(nlp.vocab, epochs=1, min_updates=20, learn_rate=0.01)
    _, history = run_refined(corpus, nlp, refiner)
    assert history[-1]["missed_recall_at_k"] > 0.9


def test_rounds_are_not_taken_from_other_labels_or_clusters(nlp, paths):
    """Types matter to the refiner, clusters to both models."""

    def folders():
        return {path.name for path in rounds_folder(paths[0]).iterdir()}

    def weigh_it(vocab):
        scheme = make_cbl(quick_learner(vocab), refine=False, entity_ratio=0.4)
        weigh(paths[0], paths[0].with_name("w.spacy"), scheme, vocab=vocab)

    weigh_it(nlp.vocab)
    first = folders()
    clustered = spacy.blank("en").vocab
    clustered.lookups.add_table("lexeme_cluster", {"Ada": 5})
    weigh_it(clustered)
    assert len(folders() - first) == 1
    before = folders()
    docs = list(read_docs(paths[0], nlp.vocab))
    for doc in docs:
        doc.set_ents([Span(doc, e.start, e.end, label="ORG") for e in doc.ents])
    write_docs(paths[0], docs)
    weigh_it(nlp.vocab)
    assert len(folders() - before) == 1


def test_rounds_are_not_taken_from_another_language_or_other_vectors(nlp, paths):
    def key(vocab):
        scheme = make_cbl(quick_learner(nlp.vocab), refine=False, entity_ratio=0.4)
        weigh(paths[0], paths[0].with_name("w.spacy"), scheme, vocab=vocab)
        return {path.name for path in rounds_folder(paths[0]).iterdir()}

    first = key(nlp.vocab)
    other = spacy.blank("en").vocab
    other["Ada"].norm_ = "name"
    second = key(other)
    assert len(second - first) == 1
    vectors = spacy.blank("en").vocab
    vectors.set_vector("Ada", numpy.ones(3, dtype="f"))
    third = key(vectors)
    assert len(third - second) == 1
    same_table = spacy.blank("en").vocab
    same_table.set_vector("Bob", numpy.ones(3, dtype="f"))
    assert len(key(same_table) - third) == 1


def test_what_is_certain_does_not_keep_small_weights_small():
    free = numpy.array([True, True, False, False])
    weights = numpy.array([0.1, 0.2, 1.0, 0.3])
    raised = raise_weights(weights, free)
    assert_allclose(raised, [LEAST_WEIGHT / 2, LEAST_WEIGHT, 1.0, 0.3])
    for none in (weights * 5, weights * 0):
        assert_array_equal(raise_weights(none, free), none)
    assert_array_equal(raise_weights(weights, ~free & False), weights)


def weigh_quickly(nlp, path, entity_ratio=0.3, **settings):
    corpus = read_corpus_arrays(
        lambda: read_docs(path, nlp.vocab), nlp.vocab, path=path
    )
    settings = {"entity_ratio": entity_ratio, "refine": False, **settings}
    return corpus, make_cbl(learner=quick_learner(nlp.vocab), **settings)(corpus)


def make_rule(share):
    def few_upper(tokens):
        is_upper = tokens.where(str.istitle) & tokens.unlabelled
        return [Count(is_upper, upper=share * is_upper.sum())]

    return few_upper


def test_rounds_are_those_of_the_present_constraints(nlp, paths):
    """Constraints are functions: what they say counts, not where they are in memory."""
    path, _ = paths

    def n_runs(share):
        weigh_quickly(nlp, path, constraints={"few": make_rule(share)})
        return len(list(rounds_folder(path).iterdir()))

    assert n_runs(1.0) == 1
    assert n_runs(1.0) == 1  # found again
    assert n_runs(0.9) == 2


@pytest.mark.parametrize("wrong", [5, "few", {"share": 1}])
def test_what_is_no_constraint_is_refused_at_once(wrong):
    with pytest.raises(ValueError, match="C248.*constraints.few"):
        make_cbl(constraints={"few": wrong})


def test_a_folder_that_cannot_be_written_keeps_no_rounds(nlp, paths):
    path, _ = paths
    rounds_folder(path).write_text("in the way")
    corpus, weights = weigh_quickly(nlp, path)
    assert len(weights) == len(corpus)
    assert rounds_folder(path).is_file()
    # spaCy asks for a corpus more than once: in one process it is weighed once.
    learner = CountingLearner(quick_learner(nlp.vocab))
    again = make_cbl(learner=learner, entity_ratio=0.3, refine=False)(corpus)
    assert_array_equal(again, weights)
    assert learner.n_fits == 0


def test_one_long_document_is_learned_like_many_short_ones(nlp):
    docs = make_docs(nlp.vocab, NAMES[:4], n_docs=300)
    long = Doc.from_docs(docs)
    assert len(long) > LONGEST_DOC
    corpus = read_corpus_arrays(lambda: [long], nlp.vocab)
    learner = CountingLearner(quick_learner(nlp.vocab))
    scheme = make_cbl(learner=learner, entity_ratio=0.4, overshoot=0.0, refine=False)
    weights = scheme(corpus)
    assert learner.n_docs > 20
    missed = numpy.array([t.is_title and not t.ent_type for t in long])
    assert (weights[missed] == 0).mean() > 0.95


def test_almost_all_labelled(nlp, tmp_path):
    """The goal is all tokens then, which is a share like any other."""
    words, ents = ["Ada"] * 9 + ["Bob"], ["B-PER"] * 9 + ["O"]
    docs = [Doc(nlp.vocab, words=words, ents=ents)] * 20
    write_docs(tmp_path / "x.spacy", docs)
    corpus, weights = weigh_quickly(nlp, tmp_path / "x.spacy", entity_ratio=None)
    assert set(weights[corpus.is_entity]) == {1.0} and weights.min() == 0.0
