import numpy
import pytest
import spacy
from spacy.cli._util import app
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401
from spacy_cbl.data.files import replace_folder


def test_folders_above_the_output_are_made(tmp_path, monkeypatch):
    """As in the README: `spacy cbl vectors en vectors/glove`."""
    nlp = spacy.blank("en")
    nlp.vocab.set_vector("oslo", numpy.array([1.0, 2.0], dtype="f"))
    monkeypatch.setattr("spacy_cbl.data.vectors.make_vectors", lambda *args: nlp)
    output = tmp_path / "vectors" / "glove"
    ran = CliRunner().invoke(app, ["cbl", "vectors", "en", str(output)])
    assert ran.exit_code == 0, ran.output
    assert spacy.load(output).vocab["oslo"].vector.tolist() == [1.0, 2.0]


def test_vectors_stay_as_they_are_until_the_new_ones_are_complete(tmp_path):
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / "config.cfg").write_text("good")
    (tmp_path / "vectors" / "notes.txt").write_text("mine")
    with pytest.raises(KeyboardInterrupt):
        with replace_folder(tmp_path / "vectors") as unfinished:
            (unfinished / "config.cfg").write_text("ba")
            raise KeyboardInterrupt
    assert (tmp_path / "vectors" / "config.cfg").read_text() == "good"
    with replace_folder(tmp_path / "vectors") as unfinished:
        (unfinished / "config.cfg").write_text("better")
    found = {p.name: p.read_text() for p in (tmp_path / "vectors").iterdir()}
    assert found == {"config.cfg": "better", "notes.txt": "mine"}
    assert [p.name for p in tmp_path.iterdir()] == ["vectors"]
