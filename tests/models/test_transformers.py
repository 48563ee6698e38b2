"""With real transformers, small and untrained: `pytest -m transformers`."""

from pathlib import Path

import numpy
import pytest
import spacy
from numpy.testing import assert_allclose
from spacy.tokens import Doc
from spacy.training import Example

from spacy_cbl.data.docbin import write_docs
from spacy_cbl.models.frozen_context import build_frozen_context_v1, prepare
from spacy_cbl.models.transformer_encoder import TransformerEncoder
from spacy_cbl.models.two_rates import create_two_rate_adam

from .small_bert import write_bert

CONFIGS = Path(__file__).parent.parent.parent / "configs"

pytestmark = [
    pytest.mark.transformers,
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture(scope="module")
def torch():
    # The bench extra has torch too, without transformers.
    pytest.importorskip("transformers")
    return pytest.importorskip("torch")


@pytest.fixture(scope="module")
def folder(torch, tmp_path_factory):
    """A BERT of three layers with random weights."""
    path = tmp_path_factory.mktemp("transformer")
    write_bert(path)
    return path


def hidden_states(folder, text):
    """What transformers itself says, a row per piece, without [CLS] and [SEP]."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    encoded = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    with torch.inference_mode():
        model = AutoModel.from_pretrained(folder).eval()
        states = model(**encoded, output_hidden_states=True).hidden_states
    return [state[0, 1:-1].numpy() for state in states]


def test_vectors_are_means_over_pieces(folder):
    encode = TransformerEncoder(folder, [1, -1], "concat")
    words = ["Ada", "Lovelace", "met"]
    short, found = encode([["rain"], words])
    states = hidden_states(folder, " ".join(words))
    assert len(states[0]) == 4  # love ##lace
    expected = []
    for state in (states[1], states[3]):
        expected.append([state[0], state[1:3].mean(axis=0), state[3]])
    assert_allclose(found, numpy.concatenate(expected, axis=1), atol=2e-3)
    assert found.dtype == numpy.float16 and found.shape == (3, 32)
    assert_allclose(short, encode([["rain"]])[0], atol=2e-3)


def test_layers_may_be_averaged(folder):
    both = TransformerEncoder(folder, [0, 2], "concat")([["ada", "met"]])[0]
    mean = TransformerEncoder(folder, [0, 2], "mean")([["ada", "met"]])[0]
    assert_allclose(mean, (both[:, :16] + both[:, 16:]) / 2, atol=2e-3)


def test_texts_of_any_length_and_kind(folder):
    encode = TransformerEncoder(folder, [-1], "concat")
    texts = [["ada"] * 200, ["x" * 500, "ada"], ["\u200b", "ada", " ", "\n"]]
    vectors = encode(texts)
    assert [len(v) for v in vectors] == [len(words) for words in texts]
    assert all(numpy.isfinite(v).all() for v in vectors)
    assert not vectors[2][0].any() and vectors[2][1].any()


def test_pieces_of_a_stream_of_words_are_forgotten(folder, monkeypatch):
    monkeypatch.setattr("spacy_cbl.models.transformer_encoder.MAX_WORDS", 4)
    encode = TransformerEncoder(folder, [-1], "mean")
    texts = [["ada", "met", word] for word in ("bob", "paris", "acme", "rain", "bob")]
    found = [encode([words])[0] for words in texts]
    assert len(encode._pieces) <= 4
    assert_allclose(found[-1], found[0])


@pytest.mark.parametrize("layers", [[4], [-5], []])
def test_layers_that_it_does_not_have_are_an_error(layers, folder):
    with pytest.raises(ValueError, match="C332"):
        TransformerEncoder(folder, layers, "concat")


def test_a_folder_without_a_tokenizer_is_an_error(torch, tmp_path, nlp):
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"")
    model = build_frozen_context_v1(str(tmp_path), [-1])
    with pytest.raises(ValueError, match="C331"):
        model.initialize(X=[Doc(nlp.vocab, words=["ada"])])


def test_a_name_of_the_hub_that_is_not_at_hand(torch, monkeypatch, nlp):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    model = build_frozen_context_v1("nobody/has-this", [-1])
    with pytest.raises(ValueError, match="C331"):
        model.initialize(X=[Doc(nlp.vocab, words=["ada"])])


def test_kept_vectors_are_those_that_prediction_computes(folder, tmp_path, gold_docs):
    settings = {"model": str(folder), "layers": [1, -1]}
    kept = build_frozen_context_v1(**settings, cache=str(tmp_path))
    kept.initialize(X=gold_docs[:1])
    prepare(kept, gold_docs)
    computed = build_frozen_context_v1(**settings)
    computed.initialize(X=gold_docs[:1])
    for a, b in zip(kept.predict(gold_docs), computed.predict(gold_docs)):
        assert_allclose(a, b, atol=4e-3)


@pytest.fixture
def corpus(nlp, gold_docs, tmp_path):
    docs = [doc.copy() for _ in range(10) for doc in gold_docs]
    write_docs(tmp_path / "corpus.spacy", docs)
    return tmp_path / "corpus.spacy"


@pytest.mark.parametrize("name", ["cbl_train_frozen", "cbl_ner_frozen", "cbl_ner_trf"])
def test_spacy_train_ends_with_a_recognizer(name, folder, corpus, tmp_path):
    from spacy.cli.train import train

    pytest.importorskip("spacy_transformers")
    overrides = {
        "paths.train": str(corpus),
        "paths.dev": str(corpus),
        "paths.transformer": str(folder),
        "training.max_epochs": 0,
        "training.max_steps": 60,
        "training.eval_frequency": 20,
        "training.dropout": 0.1,
    }
    if name.endswith("frozen"):
        overrides["paths.context"] = str(tmp_path / "context")
    train(CONFIGS / f"{name}.cfg", tmp_path / "out", overrides=overrides)
    nlp = spacy.load(tmp_path / "out" / "model-best")
    doc = nlp("Ada Lovelace met Bob in Paris .")
    assert [(ent.text, ent.label_) for ent in doc.ents] == [
        ("Ada Lovelace", "PER"),
        ("Bob", "PER"),
        ("Paris", "LOC"),
    ]
    if name.endswith("frozen"):
        assert list((tmp_path / "context").rglob("*.vectors"))


def trf_pipeline(folder, examples):
    pytest.importorskip("spacy_transformers")
    config = spacy.util.load_config(
        CONFIGS / "cbl_ner_trf.cfg", overrides={"paths.transformer": str(folder)}
    ).interpolate()
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    given = [
        Example(Doc(nlp.vocab, words=[t.text for t in eg.reference]), eg.reference)
        for eg in examples
    ]
    nlp.initialize(lambda: given)
    return nlp, given


def update(nlp, examples, sgd):
    """Update as `spacy train` does: all pipes after the last of them."""
    nlp.update(examples, sgd=False)
    for _, pipe in nlp.pipeline:
        pipe.finish_update(sgd)


def torch_parameters(nlp):
    model = nlp.get_pipe("transformer").model
    (shim,) = [shim for node in model.walk() for shim in node.shims]
    return {n: p.detach().numpy().copy() for n, p in shim._model.named_parameters()}


def test_gradients_reach_the_transformer(folder, examples):
    nlp, given = trf_pipeline(folder, examples)
    before = torch_parameters(nlp)
    update(nlp, given, create_two_rate_adam(0.01, 0.1))
    after = torch_parameters(nlp)
    moved = [name for name in before if (before[name] != after[name]).any()]
    assert any("embeddings" in name for name in moved)
    assert sum("encoder.layer" in name for name in moved) > 30
    # The first step of Adam is as long as the rate.
    steps = numpy.concatenate([abs(after[n] - before[n]).ravel() for n in moved])
    assert 0.0005 < steps.max() < 0.0011


def test_a_fine_tuned_pipeline_is_saved_whole(folder, examples, tmp_path):
    nlp, given = trf_pipeline(folder, examples)
    sgd = create_two_rate_adam(0.01, 0.1)
    for _ in range(15):
        update(nlp, given, sgd)
    text = "Ada Lovelace met Bob in Paris ."
    expected = [(ent.text, ent.label_) for ent in nlp(text).ents]
    assert ("Paris", "LOC") in expected
    nlp.to_disk(tmp_path / "saved")
    loaded = spacy.load(tmp_path / "saved")
    assert [(ent.text, ent.label_) for ent in loaded(text).ents] == expected
    assert not loaded("").ents
