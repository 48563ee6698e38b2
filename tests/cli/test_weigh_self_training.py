"""`spacy cbl weigh --scheme self_training`, as its user runs it."""

import spacy
import srsly
from spacy.cli._util import app
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401
from spacy_cbl.cli.weigh import show_history
from spacy_cbl.data.docbin import read_docs, write_docs

from ..training.toy import LABELLED, NAMES, make_docs

LEARNER = {
    "@misc": "spacy_cbl.CRFLearner.v1",
    "epochs": 1,
    "min_updates": 2,
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
}


def test_distributions_history_and_table(nlp, tmp_path):
    write_docs(tmp_path / "partial.spacy", make_docs(nlp.vocab, LABELLED, n_docs=2))
    write_docs(tmp_path / "gold.spacy", make_docs(nlp.vocab, NAMES, n_docs=2))
    arguments = ["-s", "self_training", "--gold", tmp_path / "gold.spacy"]
    arguments += ["--set", "iterations=1", "--set", "soft=false"]
    arguments += ["--set", f"learner={srsly.json_dumps(LEARNER)}"]
    command = ["cbl", "weigh", tmp_path / "partial.spacy", tmp_path / "w.spacy"]
    ran = CliRunner().invoke(app, [str(part) for part in command + arguments])
    assert ran.exit_code == 0, ran.output
    for heading in ("iteration", "changed", "mean outside", "recall at k"):
        assert heading in ran.output
    (record,) = srsly.read_jsonl(tmp_path / "w.history.jsonl")
    assert record["iteration"] == 1
    for doc in read_docs(tmp_path / "w.spacy", spacy.blank("xx").vocab):
        assert doc._.cbl_label_probs.probs.shape == (len(doc), 5)
        assert doc._.cbl_weights is not None


def test_histories_of_any_columns_are_shown(capsys):
    show_history([{"step": 1, "my_loss": 0.25}, {"step": 2, "my_loss": None}])
    shown = capsys.readouterr().out
    assert "my loss" in shown and "0.25" in shown and "-" in shown
