from pathlib import Path

import numpy
import pytest
import spacy
from spacy.cli.init_config import fill_config
from spacy.cli.train import train
from spacy.tokens import Doc, Span
from spacy.util import load_config, load_model_from_config

from spacy_cbl.attrs import CLEAN_GROUP
from spacy_cbl.data.docbin import write_docs

CONFIGS = sorted((Path(__file__).parent.parent / "configs").glob("*.cfg"))
# Those that need no transformer; see tests/models/test_transformers.py for the others.
PLAIN = [path for path in CONFIGS if "transformer" not in load_config(path)["paths"]]


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_configs_are_complete(path, tmp_path):
    if "transformer" in load_config(path)["nlp"]["pipeline"]:
        pytest.importorskip("spacy_transformers")
    fill_config(tmp_path / "filled.cfg", path, silent=True)
    filled = load_config(tmp_path / "filled.cfg")
    assert filled == load_config(path)


@pytest.mark.parametrize("lang, n_tokens", [("zh", 7), ("en", 2)])
def test_a_language_keeps_its_tokenizer(lang, n_tokens, tmp_path):
    path = CONFIGS[0].with_name("cbl_ner_cnn.cfg")
    nlp = load_model_from_config(load_config(path, {"nlp.lang": lang}))
    assert len(nlp.make_doc("李明住在北京。")) == n_tokens
    assert type(nlp.tokenizer) is type(spacy.blank(lang).tokenizer)
    nlp.to_disk(tmp_path / lang)
    assert len(spacy.load(tmp_path / lang).make_doc("李明住在北京。")) == n_tokens


@pytest.fixture
def corpus(nlp, gold_docs, tmp_path):
    """A few hundred tokens in documents of two sentences."""
    docs = []
    for i in range(20):
        pair = [gold_docs[i % 4], gold_docs[(i + 1) % 4]]
        tokens = [token for doc in pair for token in doc]
        docs.append(
            Doc(
                nlp.vocab,
                words=[t.text for t in tokens],
                ents=[
                    f"{t.ent_iob_}-{t.ent_type_}" if t.ent_type else "O" for t in tokens
                ],
                sent_starts=[t.i == 0 for t in tokens],
            )
        )
    # For noise adaptation; the others leave it alone.
    docs[0].spans[CLEAN_GROUP] = [
        Span(docs[0], t.i, t.i + 1, label=t.ent_type_ or "O") for t in docs[0]
    ]
    write_docs(tmp_path / "corpus.spacy", docs)
    return tmp_path / "corpus.spacy"


def run_training(config, corpus, output, dev=True, **more):
    overrides = {
        "paths.train": str(corpus),
        "paths.dev": str(corpus) if dev else None,
        "training.max_epochs": 0,
        "training.max_steps": 40,
        "training.eval_frequency": 10,
        "training.dropout": 0.1,
        **more,
    }
    train(config, output, overrides=overrides)
    return spacy.load(output / ("model-best" if dev else "model-last"))


@pytest.mark.parametrize("path", PLAIN, ids=lambda path: path.stem)
def test_spacy_train_ends_with_a_recognizer(path, corpus, tmp_path):
    nlp = run_training(path, corpus, tmp_path / "out")
    doc = nlp("Ada Lovelace met Bob in Paris .")
    assert [(ent.text, ent.label_) for ent in doc.ents] == [
        ("Ada Lovelace", "PER"),
        ("Bob", "PER"),
        ("Paris", "LOC"),
    ]


def test_spacy_train_without_a_dev_set(corpus, tmp_path):
    """Nothing stops it early, and the last model is there to be used."""
    nlp = run_training(CONFIGS[0].with_stem("cbl_ner_cnn"), corpus, tmp_path, dev=False)
    assert nlp("Bob met Ada in Paris .").ents
    assert (tmp_path / "model-best").exists()


def test_scores_that_would_come_too_late_are_told(corpus, tmp_path, caplog):
    path = CONFIGS[0].with_name("cbl_ner_cnn.cfg")

    def run(**settings):
        caplog.clear()
        shortest = {"paths.train": str(corpus), "training.max_steps": 3, **settings}
        train(path, None, overrides={**shortest, "training.patience": 0})
        return [r.message[:6] for r in caplog.records if r.levelname == "WARNING"]

    assert run(**{"paths.dev": str(corpus)}) == ["[C042]"]
    assert run(**{"paths.dev": str(corpus), "training.eval_frequency": 2}) == []
    assert run() == []


def test_vectors_that_no_model_looks_at_are_told(corpus, tmp_path, caplog):
    nlp = spacy.blank("en")
    nlp.vocab.set_vector("Ada", numpy.ones(2, dtype="f"))
    nlp.to_disk(tmp_path / "vectors")
    given = {"paths.train": str(corpus), "paths.vectors": str(tmp_path / "vectors")}
    for on, codes in {False: ["[C041]"], True: []}.items():
        caplog.clear()
        settings = {**given, "features.vectors": on, "training.max_steps": 1}
        train(CONFIGS[0].with_name("cbl_ner_cnn.cfg"), None, overrides=settings)
        told = [r.message[:6] for r in caplog.records if r.levelname == "WARNING"]
        assert told == codes
