"""The layer, with an encoder that stands in for a transformer: torch is not needed."""

import pickle
import sys

import numpy
import pytest
import spacy
from numpy.testing import assert_allclose, assert_array_equal
from spacy.tokens import Doc

from spacy_cbl.models import context_source
from spacy_cbl.models.feature_embed import build_feature_embed_v1
from spacy_cbl.models.frozen_context import (
    build_frozen_context_v1,
    get_source,
    prepare,
)
from spacy_cbl.models.joined_embed import build_joined_embed_v1
from spacy_cbl.models.marginal_crf import build_marginal_crf_v1
from spacy_cbl.models.transformer_encoder import TransformerEncoder
from spacy_cbl.training.crf_learner import create_crf_learner


class Encoder:
    """A word's length, the number of words of its sentence, and a constant."""

    calls = []

    def __init__(self, folder, layers, combine):
        pass

    def __call__(self, units):
        self.calls.append([list(words) for words in units])
        return [
            numpy.array([[len(w), len(words), 0.5] for w in words], numpy.float16)
            for words in units
        ]


@pytest.fixture(autouse=True)
def encoder(monkeypatch):
    monkeypatch.setattr(context_source, "TransformerEncoder", Encoder)
    Encoder.calls = []
    return Encoder


@pytest.fixture
def folder(tmp_path):
    """What looks like the files of a transformer."""
    path = tmp_path / "transformer"
    path.mkdir()
    (path / "config.json").write_text("{}")
    (path / "model.safetensors").write_bytes(b"weights")
    return path


@pytest.fixture
def docs(nlp):
    return [
        Doc(
            nlp.vocab,
            words=["It", "rained", ".", "Ada", "left"],
            sent_starts=[True, False, False, True, False],
        ),
        Doc(nlp.vocab, words=["Nobody", "saw", "it"]),
        Doc(nlp.vocab, words=["It", "rained", "."]),
    ]


def build(folder, tmp_path, **settings):
    settings = {"layers": [-1], "cache": str(tmp_path / "cache"), **settings}
    return build_frozen_context_v1(str(folder), **settings)


def start(model, docs):
    model.initialize(X=docs)
    prepare(model, docs)
    return model


def test_each_sentence_is_read_alone_and_once(folder, tmp_path, docs, encoder):
    model = start(build(folder, tmp_path), docs)
    first, second, third = model.predict(docs)
    assert first[:, 1].tolist() == [3, 3, 3, 2, 2]
    assert second[:, 1].tolist() == [3, 3, 3]
    assert_array_equal(third, first[:3])
    read = [tuple(words) for units in encoder.calls for words in units]
    assert len(read) == len(set(read)) == 3
    assert first.dtype == numpy.float32


def test_a_second_process_computes_nothing(folder, tmp_path, docs, encoder):
    expected = start(build(folder, tmp_path), docs).predict(docs)
    encoder.calls.clear()
    again = start(build(folder, tmp_path), docs).predict(docs)
    assert not encoder.calls
    for found, before in zip(again, expected):
        assert_array_equal(found, before)


def test_without_a_cache_nothing_is_written(folder, tmp_path, docs, encoder):
    model = start(build(folder, tmp_path, cache=None), docs)
    n_calls = len(encoder.calls)
    model.predict(docs)
    model.predict(docs)
    assert len(encoder.calls) == n_calls + 2
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("change", ["weights", "tokenizer", "layers", "combine"])
def test_another_transformer_has_other_vectors(change, folder, tmp_path, docs, encoder):
    start(build(folder, tmp_path), docs)
    encoder.calls.clear()
    settings = {}
    if change == "weights":
        (folder / "model.safetensors").write_bytes(b"Weights")
    elif change == "tokenizer":
        (folder / "tokenizer.json").write_text("{}")
    elif change == "layers":
        settings = {"layers": [-2]}
    else:
        settings = {"combine": "mean"}
    start(build(folder, tmp_path, **settings), docs)
    assert encoder.calls


def test_a_transformer_may_be_moved(folder, tmp_path, docs, encoder):
    start(build(folder, tmp_path), docs)
    encoder.calls.clear()
    start(build(folder.rename(tmp_path / "moved"), tmp_path), docs)
    assert not encoder.calls


def test_a_cache_that_is_cut_off_is_completed(folder, tmp_path, docs, encoder):
    expected = start(build(folder, tmp_path), docs).predict(docs)
    (path,) = (tmp_path / "cache").glob("*/*")
    path.write_bytes(path.read_bytes()[:-1])
    encoder.calls.clear()
    again = start(build(folder, tmp_path), docs).predict(docs)
    assert sum(len(units) for units in encoder.calls) == 1
    for found, before in zip(again, expected):
        assert_array_equal(found, before)


def test_an_interrupted_run_goes_on(folder, tmp_path, docs, encoder, monkeypatch):
    monkeypatch.setattr(context_source, "STEP", 1)
    compute = encoder.__call__

    def stop_at_three(self, units):
        if len(units[0]) == 3:
            raise KeyboardInterrupt
        return compute(self, units)

    model = build(folder, tmp_path)
    model.initialize(X=docs[1:2])
    monkeypatch.setattr(encoder, "__call__", stop_at_three)
    with pytest.raises(KeyboardInterrupt):
        prepare(model, docs)
    monkeypatch.setattr(encoder, "__call__", compute)
    encoder.calls.clear()
    start(build(folder, tmp_path), docs)
    read = [words for units in encoder.calls for words in units]
    assert read == [["It", "rained", "."]]


def test_rounds_of_cbl_are_of_one_transformer(folder, tmp_path):
    def describe():
        model = build_marginal_crf_v1(build(folder, tmp_path, width=4))
        return create_crf_learner(model).describe(["Ada"])

    before = describe()
    assert describe() == before
    (folder / "model.safetensors").write_bytes(b"Weights")
    assert describe() != before


def test_documents_without_tokens(nlp, folder, tmp_path, docs):
    empty = Doc(nlp.vocab)
    model = start(build(folder, tmp_path, width=4), docs)
    assert [x.shape for x in model.predict([empty, docs[1], empty])] == [
        (0, 4),
        (3, 4),
        (0, 4),
    ]
    assert [x.shape for x in model.predict([empty])] == [(0, 4)]


def test_batched_equals_unbatched(folder, tmp_path, docs):
    model = start(build(folder, tmp_path, width=4), docs)
    for doc, together in zip(docs, model.predict(docs)):
        assert_allclose(model.predict([doc])[0], together, atol=1e-6)


def test_joined_with_other_features(folder, tmp_path, docs):
    shape = build_feature_embed_v1(8, ["SHAPE"], [100], False, [], 100)
    context = build(folder, tmp_path, width=4)
    joined = build_joined_embed_v1({"context": context, "shape": shape}, width=6)
    start(joined, docs)
    Y, backprop = joined.begin_update(docs)
    assert [y.shape for y in Y] == [(5, 6), (3, 6), (3, 6)]
    backprop([y * 0 + 1 for y in Y])
    learned = {node.name for node in joined.walk() if node.has_grad("W")}
    assert "fixed_input_linear" in learned
    side_by_side = build_joined_embed_v1(
        {
            "context": build(folder, tmp_path, width=4),
            "shape": build_feature_embed_v1(8, ["SHAPE"], [100], False, [], 100),
        }
    )
    assert start(side_by_side, docs).predict(docs)[0].shape == (5, 12)


def test_nothing_to_join_is_an_error():
    with pytest.raises(ValueError, match="C336"):
        build_joined_embed_v1({})


@pytest.mark.parametrize(
    "settings,code", [({"combine": "sum"}, "C333"), ({"model": None}, "C335")]
)
def test_wrong_settings_are_errors(settings, code, docs):
    with pytest.raises(ValueError, match=code):
        given = {"model": "x", "layers": [-1], **settings}
        build_frozen_context_v1(**given).initialize(X=docs)


def test_a_folder_without_weights_is_an_error(folder, tmp_path, docs):
    (folder / "model.safetensors").unlink()
    with pytest.raises(ValueError, match="C331"):
        build(folder, tmp_path).initialize(X=docs)


def test_torch_that_is_not_there_is_an_error(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match="C330"):
        TransformerEncoder(folder, [-1], "concat")


@pytest.fixture
def trained(folder, tmp_path, examples):
    """A pipeline with the layer in it, trained a little."""
    nlp = spacy.blank("en")
    config = {
        "@architectures": "spacy_cbl.MarginalCRF.v1",
        "tok2vec": {
            "@architectures": "spacy_cbl.FrozenContext.v1",
            "model": str(folder),
            "layers": [-1],
            "width": 8,
            "cache": str(tmp_path / "cache"),
        },
    }
    nlp.add_pipe("cbl_ner", config={"model": config})
    sgd = nlp.initialize(lambda: examples)
    for _ in range(3):
        nlp.update(examples, sgd=sgd)
    return nlp


def probabilities(nlp, docs):
    scores, _ = nlp.get_pipe("cbl_ner").model.predict(docs)
    return numpy.concatenate(scores)


def find_fingerprint(nlp):
    layers = nlp.get_pipe("cbl_ner").model.walk()
    return next(
        get_source(n).fingerprint for n in layers if n.name == "context_vectors"
    )


def test_a_pipeline_is_initialized_with_all_vectors(trained, examples, encoder):
    encoder.calls.clear()
    trained.get_pipe("cbl_ner").model.predict([eg.predicted for eg in examples])
    assert not encoder.calls


def test_saving_keeps_the_name_of_the_transformer(trained, tmp_path, docs, encoder):
    trained.to_disk(tmp_path / "saved")
    size = sum(path.stat().st_size for path in tmp_path.rglob("saved/cbl_ner/*"))
    assert size < 20_000
    expected = probabilities(trained, docs)
    kept = [path.stat() for path in (tmp_path / "cache").rglob("*")]
    encoder.calls.clear()
    loaded = spacy.load(tmp_path / "saved")
    assert_allclose(probabilities(loaded, docs), expected)
    # What is predicted in use is nobody's corpus: it is computed and not kept.
    assert encoder.calls
    after = [path.stat() for path in (tmp_path / "cache").rglob("*")]
    assert [s.st_size for s in after] == [s.st_size for s in kept]


def test_bytes_keep_everything(trained, docs):
    config = trained.config
    again = spacy.util.load_model_from_config(config).from_bytes(trained.to_bytes())
    assert_allclose(probabilities(again, docs), probabilities(trained, docs))


def test_loading_with_another_transformer_is_an_error(trained, tmp_path, folder):
    trained.to_disk(tmp_path / "saved")
    (folder / "model.safetensors").write_bytes(b"Weights")
    loaded = spacy.load(tmp_path / "saved")
    with pytest.raises(ValueError, match="C334"):
        loaded("Ada left .")


def test_a_transformer_elsewhere_is_given_by_config(trained, tmp_path, folder):
    expected = [(e.text, e.label_) for e in trained("Ada left .").ents]
    trained.to_disk(tmp_path / "saved")
    moved = folder.rename(tmp_path / "moved")
    with pytest.raises(ValueError, match="C331"):
        spacy.load(tmp_path / "saved")("Ada left .")
    setting = "components.cbl_ner.model.tok2vec.model"
    loaded = spacy.load(tmp_path / "saved", config={setting: str(moved)})
    assert [(e.text, e.label_) for e in loaded("Ada left .").ents] == expected


def test_training_anew_takes_the_transformer_at_hand(trained, folder, examples):
    (folder / "model.safetensors").write_bytes(b"Weights")
    again = spacy.util.load_model_from_config(trained.config)
    again.from_bytes(trained.to_bytes())
    again.initialize(lambda: examples)
    assert again("Ada left .").has_annotation("ENT_IOB")
    assert find_fingerprint(again) != find_fingerprint(trained)


def test_copies_and_other_processes_know_what_it_was_trained_with(trained, docs):
    model = trained.get_pipe("cbl_ner").model
    for again in (model.copy(), pickle.loads(pickle.dumps(model))):
        (layer,) = (n for n in again.walk() if n.name == "context_vectors")
        assert get_source(layer).expected == find_fingerprint(trained)
        assert_allclose(
            numpy.concatenate(again.predict(docs)[0]), probabilities(trained, docs)
        )


def test_a_copy_has_files_of_its_own(trained, docs):
    model = trained.get_pipe("cbl_ner").model
    copied = model.copy()
    assert_allclose(
        numpy.concatenate(copied.predict(docs)[0]), probabilities(trained, docs)
    )
    layers = [n for n in copied.walk() if n.name == "context_vectors"]
    assert get_source(layers[0]).cache is None
