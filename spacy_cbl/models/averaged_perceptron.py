"""The model of `cbl_perceptron`: a perceptron in the place of layers, and how it is
saved.
"""

from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy
import srsly
from spacy.tokens import Doc
from thinc.api import Model, Shim

from ..core.calibration import Calibration
from ..core.perceptron import RULES
from ..errors import Errors, check_settings
from .perceptron_tagger import PerceptronSettings, PerceptronTagger, Tagged

PerceptronModelT = Model[List[Doc], Any]


def build_averaged_perceptron_v1(
    features: Dict[str, Any],
    n_rows: int = 2**20,
    rule: str = "one_vs_all",
    rate: float = 0.1,
    thickness: float = 10.0,
    step_size: int = 64,
    tag_window: int = 3,
    history_window: int = 1000,
    history_noise: float = 0.1,
    history_omission: float = 0.2,
    history_cased: bool = True,
    second_pass: bool = False,
    second_pass_omission: float = 0.4,
) -> PerceptronModelT:
    """Build a weighted averaged perceptron.

    features (Dict[str, Any]): Templates of features of word forms, by any name; see
        the registry `cbl_features`.
    n_rows (int): Rows of the table that features are hashed into.
    rule (str): "one_vs_all" or "multiclass".
    rate (float): The learning rate.
    thickness (float): The margin that scores have to keep.
    step_size (int): How many tokens are scored and learned from at once.
    tag_window (int): How far around the tag before is combined with forms; negative
        for not at all.
    history_window (int): How many tokens back to look at how the word was tagged; 0 for
        not at all.
    history_noise (float): The share of tags that are random there in training.
    history_omission (float): The share of tokens for which that is left out in
        training.
    history_cased (bool): Whether words that differ in case are different words there,
        and for the second pass.
    second_pass (bool): Whether to tag documents twice. The second time, it is known how
        the word was tagged elsewhere in the document, before and after.
    second_pass_omission (float): The share of tokens for which that is left out in
        training, as it is the first time.
    RETURNS (PerceptronModelT): The model.
    """
    if rule not in RULES:
        raise ValueError(Errors.C251.format(rule=rule, rules=", ".join(RULES)))
    shares = [
        ("history_noise", history_noise),
        ("history_omission", history_omission),
        ("second_pass_omission", second_pass_omission),
    ]
    check_settings(
        "the perceptron",
        ("features", features, bool(features), "one block or more"),
        ("n_rows", n_rows, n_rows > 1, "a whole number above 1"),
        ("step_size", step_size, step_size > 0, "a whole number above 0"),
        ("history_window", history_window, history_window >= 0, "0 or more"),
        *(
            (name, rate, 0 <= rate <= 1, "a number from 0 to 1")
            for name, rate in shares
        ),
    )
    settings = PerceptronSettings(
        n_rows=n_rows,
        rule=rule,
        rate=rate,
        thickness=thickness,
        step_size=step_size,
        tag_window=tag_window,
        history_window=history_window,
        history_noise=history_noise,
        history_omission=history_omission,
        history_cased=history_cased,
        second_pass=second_pass,
        second_pass_omission=second_pass_omission,
    )
    # Where features go in the table depends on their order, and configs may be sorted.
    tagger = PerceptronTagger(dict(sorted(features.items())), settings)
    return Model("averaged_perceptron", forward, shims=[PerceptronShim(tagger)])


def forward(
    model: PerceptronModelT, docs: List[Doc], is_train: bool
) -> Tuple[Tagged, Callable]:
    def backprop(d_tagged: Any) -> List[Doc]:
        # It learns by `PerceptronTagger.update`: there are no gradients.
        return []

    return get_tagger(model).predict(docs), backprop


def get_tagger(model: PerceptronModelT) -> PerceptronTagger:
    """The perceptron inside a model.

    model (PerceptronModelT): The model.
    RETURNS (PerceptronTagger): The perceptron.
    """
    shim: Any = model.shims[0]
    return shim.tagger


class PerceptronShim(Shim):
    """Saves a perceptron with a model: its average, without rows that are 0, in half
    precision. Loading waits until it is used.
    """

    def __init__(self, tagger: PerceptronTagger) -> None:
        """Wrap a perceptron.

        tagger (PerceptronTagger): The perceptron.
        """
        super().__init__(tagger)
        self._data: Optional[bytes] = None

    @property
    def tagger(self) -> PerceptronTagger:
        """The perceptron, loaded."""
        if self._data is not None:
            load_tagger(self._model, self._data)
            self._data = None
        return self._model

    def finish_update(self, optimizer: Any) -> None:
        """There is nothing to do: no gradients are kept."""

    def to_device(self, device_type: str, device_id: int) -> None:
        """It stays on the CPU."""

    def to_bytes(self) -> bytes:
        """Save.

        RETURNS (bytes): All that prediction needs.
        """
        return self._data if self._data is not None else save_tagger(self._model)

    def from_bytes(self, data: bytes) -> "PerceptronShim":
        """Load, when it is first used.

        data (bytes): What `to_bytes` gave.
        RETURNS (PerceptronShim): The shim.
        """
        self._data = data
        return self


def save_tagger(tagger: PerceptronTagger) -> bytes:
    """Save a perceptron.

    tagger (PerceptronTagger): The perceptron.
    RETURNS (bytes): Compact: no rows that are 0, half precision.
    """
    if tagger.legal is None or tagger.types is None:
        return b""
    table, dense = tagger.average()
    kept = numpy.flatnonzero(table.any(axis=1)).astype(numpy.uint32)
    return srsly.msgpack_dumps(
        {
            "n_rows": len(table),
            "kept": kept,
            "table": table[kept].astype(numpy.float16),
            "dense": dense,
            "legal": tagger.legal.astype(numpy.uint8),
            "types": tagger.types,
            "calibration": list(tagger.calibrate()),
        }
    )


def load_tagger(tagger: PerceptronTagger, data: bytes) -> None:
    """Load a perceptron. It can go on learning, from its average.

    tagger (PerceptronTagger): The perceptron to fill.
    data (bytes): What `save_tagger` gave.
    """
    if not data:
        return
    saved = srsly.msgpack_loads(data)
    n_rows = tagger.settings.n_rows
    if saved["n_rows"] != n_rows:
        raise ValueError(Errors.C252.format(found=saved["n_rows"], expected=n_rows))
    tagger.start(saved["legal"].astype(bool), saved["types"][:-1])
    assert tagger.learner is not None
    tagger.learner.weights.table[saved["kept"]] = saved["table"]
    tagger.learner.weights.dense[...] = saved["dense"]
    tagger.calibration = Calibration(*saved["calibration"])
