import numpy
import spacy
from spacy.cli._util import app
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401


def test_folders_above_the_output_are_made(tmp_path, monkeypatch):
    """As in the README: `spacy cbl vectors en vectors/glove`."""
    nlp = spacy.blank("en")
    nlp.vocab.set_vector("oslo", numpy.array([1.0, 2.0], dtype="f"))
    monkeypatch.setattr("spacy_cbl.data.vectors.make_vectors", lambda *args: nlp)
    output = tmp_path / "vectors" / "glove"
    ran = CliRunner().invoke(app, ["cbl", "vectors", "en", str(output)])
    assert ran.exit_code == 0, ran.output
    assert spacy.load(output).vocab["oslo"].vector.tolist() == [1.0, 2.0]
