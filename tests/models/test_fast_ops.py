import pytest
from spacy.language import Language
from thinc.api import NumpyOps, get_current_ops, set_current_ops, use_ops

from spacy_cbl.models import fast_ops


@pytest.fixture
def seconds(monkeypatch):
    """What multiplying takes: of BLIS, and of numpy."""
    times = {True: 1.0, False: 1.0}
    monkeypatch.setattr(fast_ops, "_best_time", lambda ops, X, W: times[ops.use_blis])
    fast_ops.numpy_is_fast.cache_clear()
    with use_ops("numpy"):
        yield times
    fast_ops.numpy_is_fast.cache_clear()


@pytest.mark.parametrize("blis,uses_blis", [(2.0, False), (0.95, False), (0.5, True)])
def test_noise_does_not_choose(seconds, blis, uses_blis):
    seconds[True] = blis
    fast_ops.use_fast_ops(Language)
    assert get_current_ops().use_blis == uses_blis


def test_other_backends_are_left_alone(seconds):
    class Special(NumpyOps):
        pass

    with use_ops("numpy"):
        set_current_ops(Special())
        fast_ops.use_fast_ops(Language)
        assert type(get_current_ops()) is Special
