import sys
import types
from pathlib import Path

import pytest
import spacy
from spacy.cli._util import app
from spacy.tokens import Doc
from spacy.vocab import Vocab
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401
from spacy_cbl.data.docbin import write_docs
from spacy_cbl.models.word_vectors import find_vectors


@pytest.fixture
def corpus(tmp_path):
    words = ["Ada", "met", "New York", ".", "Ada", "ran"]
    starts = [True, False, False, False, True, False]
    write_docs(tmp_path / "in.spacy", [Doc(Vocab(), words=words, sent_starts=starts)])
    return tmp_path / "in.spacy"


def run(*arguments):
    return CliRunner().invoke(app, ["cbl", "floret", *map(str, arguments)])


VECTORS = "settings\n" + 20 * "0 1.0 2.0\n"


def test_floret_reads_a_sentence_per_line(corpus, tmp_path, monkeypatch):
    given = {}

    class Model:
        def save_floret_vectors(self, path):
            Path(path).write_text(VECTORS)

    def train(path, **settings):
        given.update(settings, text=Path(path).read_text(encoding="utf8"))
        return Model()

    module = types.SimpleNamespace(train_unsupervised=train)
    monkeypatch.setitem(sys.modules, "floret", module)
    output = tmp_path / "new" / "out.floret"
    ran = run(corpus, output, "--dim", 7, "--rows", 20, "--min-count", 1)
    assert ran.exit_code == 0, ran.output
    assert given["text"] == "Ada met New_York .\nAda ran\n"
    assert (given["dim"], given["bucket"], given["mode"]) == (7, 20, "floret")
    assert output.read_text() == VECTORS
    assert "6 tokens, 5 words" in ran.output
    # floret says nothing of a disk that is full.
    ran = run(corpus, output, "--rows", 30, "--min-count", 1)
    assert ran.exit_code == 1 and "C318" in ran.output
    assert output.read_text() == VECTORS


def test_too_little_text_is_an_error(corpus, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "floret", types.SimpleNamespace())
    ran = run(corpus, tmp_path / "out.floret", "--min-count", 3)
    assert ran.exit_code == 1
    assert "C353" in ran.output


def test_a_missing_package_is_said(corpus, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "floret", None)
    ran = run(corpus, tmp_path / "out.floret")
    assert ran.exit_code == 1
    assert "C352" in ran.output


@pytest.mark.slow
def test_vectors_can_be_trained_from(tmp_path):
    pytest.importorskip("floret")
    text, output = tmp_path / "in.txt", tmp_path / "out.floret"
    text.write_text("Ada met Bob in York\nBob met Ada in Rome\n" * 200, "utf8")
    ran = run(text, output, "--dim", 7, "--rows", 20)
    assert ran.exit_code == 0, ran.output
    arguments = ["init", "vectors", "xx", output, tmp_path / "xx", "--mode", "floret"]
    assert CliRunner().invoke(app, [*map(str, arguments)]).exit_code == 0
    nlp = spacy.load(tmp_path / "xx")
    vectors, known = find_vectors([Doc(nlp.vocab, words=["Ada", "Adas"])])
    assert vectors.shape == (2, 7)
    assert known.all() and vectors.any(axis=1).all()  # parts make vectors of new words
