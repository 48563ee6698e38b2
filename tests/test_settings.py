"""Settings that would end in a traceback, or in a model that says nothing."""

import pytest
from thinc.api import Model

from spacy_cbl.models.averaged_perceptron import build_averaged_perceptron_v1
from spacy_cbl.models.bilstm import build_bilstm_encoder_v1
from spacy_cbl.models.form_features import make_forms
from spacy_cbl.report.results import read_history
from spacy_cbl.training.crf_learner import create_crf_learner
from spacy_cbl.training.perceptron_learner import create_perceptron_learner
from spacy_cbl.training.schemes import get_scheme

FORMS = {"forms": make_forms()}
LEARNER = {
    "epochs": 1,
    "dropout": 0.1,
    "batch_size": 100,
    "learn_rate": 0.01,
    "average_epochs": False,
}
MODEL: Model = Model("none", lambda model, X, is_train: (X, lambda dX: dX))


def crf_learner(**settings):
    return create_crf_learner(MODEL, **{**LEARNER, **settings})


@pytest.mark.parametrize(
    "name, build",
    [
        ("epochs", lambda: crf_learner(epochs=0)),
        ("batch_size", lambda: crf_learner(batch_size=0)),
        ("rounds", lambda: create_perceptron_learner(MODEL, rounds=0)),
        ("n_rows", lambda: build_averaged_perceptron_v1(FORMS, n_rows=1)),
        ("step_size", lambda: build_averaged_perceptron_v1(FORMS, step_size=0)),
        ("features", lambda: build_averaged_perceptron_v1({})),
        (
            "history_window",
            lambda: build_averaged_perceptron_v1(FORMS, history_window=-1),
        ),
        ("history_noise", lambda: build_averaged_perceptron_v1(FORMS, history_noise=2)),
        ("width", lambda: build_bilstm_encoder_v1(65, 1, False)),
    ],
)
def test_settings_without_sense_are_refused(name, build):
    with pytest.raises(ValueError, match=f"C248.*`{name}`"):
        build()


@pytest.mark.parametrize("part", ["learner", "initial"])
def test_parts_of_a_scheme_that_nobody_registered_are_told(part):
    with pytest.raises(ValueError, match="C243.*nope.v1"):
        get_scheme("cbl", {part: {"@misc": "nope.v1"}})


def test_a_damaged_history_is_told(tmp_path):
    (tmp_path / "weighted.history.jsonl").write_text('{"round": 1}\n{"rou')
    with pytest.raises(ValueError, match="C314.*weighted.history.jsonl"):
        read_history(tmp_path / "weighted.spacy")
