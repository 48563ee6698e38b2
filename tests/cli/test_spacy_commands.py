"""spaCy's own commands on a pipeline with `cbl_ner`."""

import pytest
import spacy
import srsly
from spacy.cli.assemble import assemble_cli
from spacy.cli.evaluate import evaluate
from spacy.cli.find_threshold import find_threshold
from spacy.cli.init_pipeline import init_labels_cli
from spacy.cli.package import package
from spacy.training import Example

from spacy_cbl.data.docbin import write_docs


@pytest.fixture
def trained_path(nlp, examples, tmp_path):
    nlp.add_pipe("cbl_ner")
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(30):
        nlp.update(examples, sgd=optimizer)
    nlp.to_disk(tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def corpus_path(gold_docs, tmp_path):
    write_docs(tmp_path / "corpus.spacy", gold_docs)
    return tmp_path / "corpus.spacy"


def test_evaluate(trained_path, corpus_path):
    scores = evaluate(str(trained_path), corpus_path, silent=True)
    assert scores["ents_f"] == 1.0
    assert set(scores["ents_per_type"]) == {"LOC", "ORG", "PER"}


def test_find_threshold(trained_path, corpus_path):
    best, score, scores = find_threshold(
        str(trained_path),
        corpus_path,
        "cbl_ner",
        "threshold",
        "ents_f",
        n_trials=3,
        use_gpu=-1,
        gold_preproc=False,
        silent=True,
    )
    assert score == 1.0 and len(scores) == 3 and best < 1.0
    assert scores[1.0] < 1.0


# spaCy leaves files open there.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_package_requires_this_plugin(trained_path, tmp_path):
    output = tmp_path / "packages"
    output.mkdir()
    package(trained_path, output, name="x", create_sdist=False, silent=True)
    (built,) = output.iterdir()
    meta = srsly.read_json(built / "meta.json")
    assert any(line.startswith("spacy-cbl") for line in meta["requirements"])


def test_assemble(trained_path, tmp_path):
    config = spacy.util.load_config(trained_path / "config.cfg")
    config["components"]["cbl_ner"] = {"source": str(trained_path)}
    config["initialize"] = {}
    config.to_disk(tmp_path / "assemble.cfg")

    class Context:
        args: list = []

    assemble_cli(
        Context(),  # type: ignore[arg-type]
        tmp_path / "assemble.cfg",
        tmp_path / "assembled",
        code_path=None,
        verbose=False,
    )
    assert spacy.load(tmp_path / "assembled")("Ada met Bob .").ents


def test_init_labels_writes_a_label_file(corpus_path, tmp_path, nlp, examples):
    from pathlib import Path

    config = Path(__file__).parents[2] / "configs" / "cbl_ner_cnn.cfg"

    class Context:
        args = [f"--paths.train={corpus_path}", f"--paths.dev={corpus_path}"]

    init_labels_cli(
        Context(),  # type: ignore[arg-type]
        config,
        tmp_path / "labels",
        code_path=None,
        verbose=False,
        use_gpu=-1,
    )
    labels = srsly.read_json(tmp_path / "labels" / "cbl_ner.json")
    assert labels == ["LOC", "ORG", "PER"]
    pipe = nlp.add_pipe("cbl_ner")
    pipe.initialize(lambda: examples, nlp=nlp, labels=labels)
    assert isinstance(examples[0], Example) and pipe.labels == ("LOC", "ORG", "PER")
