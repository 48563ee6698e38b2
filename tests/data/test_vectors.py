import sys
import types

import numpy
import pytest
import spacy
from numpy.testing import assert_allclose
from spacy.cli._util import app
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401
from spacy_cbl.models.word_vectors import find_vectors

WORDS = ["the", "cat", "Oslo"]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """An installed package with vectors, and a stand-in for the reader of its index."""
    folder = tmp_path / "package"
    folder.mkdir()
    numpy.save(folder / "table.npy", numpy.arange(6, dtype="f").reshape((3, 2)))
    (folder / "index.parquet").write_text("\n".join(WORDS))
    module = types.ModuleType("my_vectors")
    module.ROOT = str(folder)
    column = types.SimpleNamespace(to_pylist=lambda: WORDS)
    table = types.SimpleNamespace(column=lambda i: column)
    parquet = types.SimpleNamespace(read_table=lambda path: table)
    monkeypatch.setitem(sys.modules, "my_vectors", module)
    monkeypatch.setitem(sys.modules, "pyarrow", types.SimpleNamespace(parquet=parquet))
    return folder


def test_vectors_of_a_package_become_a_pipeline(package, tmp_path):
    arguments = ["cbl", "vectors", "en", str(tmp_path / "out"), "-p", "my-vectors"]
    ran = CliRunner().invoke(app, arguments)
    assert ran.exit_code == 0, ran.output
    nlp = spacy.load(tmp_path / "out")
    doc = spacy.tokens.Doc(nlp.vocab, words=["Oslo", "CAT", "oslo", "dog"])
    vectors, known = find_vectors([doc])
    # As written, then in lower case; 'oslo' is no word of the table.
    assert known.tolist() == [True, True, False, False]
    assert_allclose(vectors, [[4, 5], [2, 3], [0, 0], [0, 0]])


def test_a_package_that_is_not_there_is_named(tmp_path):
    arguments = ["cbl", "vectors", "en", str(tmp_path / "out"), "-p", "no-such-thing"]
    ran = CliRunner().invoke(app, arguments)
    assert ran.exit_code == 1 and "C030" in ran.output
    assert not (tmp_path / "out").exists()


def test_a_package_of_another_kind_is_refused(package, tmp_path):
    (package / "second.npy").write_bytes((package / "table.npy").read_bytes())
    arguments = ["cbl", "vectors", "en", str(tmp_path / "out"), "-p", "my-vectors"]
    ran = CliRunner().invoke(app, arguments)
    assert ran.exit_code == 1 and "C031" in ran.output


def test_a_package_without_files_is_refused(package, tmp_path, monkeypatch):
    monkeypatch.delattr(sys.modules["my_vectors"], "ROOT")
    arguments = ["cbl", "vectors", "en", str(tmp_path / "out"), "-p", "my-vectors"]
    ran = CliRunner().invoke(app, arguments)
    assert ran.exit_code == 1 and "C031" in ran.output
