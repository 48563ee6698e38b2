"""A bidirectional LSTM layer over packed sequences, both directions side by side.

Arrays have the direction first: row r of direction 0 is token `packing.forward[r]`,
row r of direction 1 is token `packing.backward[r]`, so that both read their sequences
from step 0 on. Gates lie in blocks: input, forget, output, candidate.
"""

from typing import Any, NamedTuple, Tuple

from thinc.util import get_array_module

from ..types import FloatArray, IntArray
from .packing import Packing


class LSTMState(NamedTuple):
    """What the backward pass needs of the forward pass."""

    X: FloatArray  # inputs (2 x rows x nI)
    gates: FloatArray  # after their non-linearities (2 x rows x 4 nH)
    cells: FloatArray  # (2 x rows x nH)
    squashed: FloatArray  # tanh of the cells
    hidden: FloatArray


def lstm_forward(
    X: FloatArray, Wx: FloatArray, Wh: FloatArray, b: FloatArray, packing: Packing
) -> Tuple[FloatArray, LSTMState]:
    """Run the layer over sequences laid end to end.

    X (FloatArray): Inputs (tokens x nI).
    Wx (FloatArray): Input weights (2 x nI x 4 nH).
    Wh (FloatArray): Recurrent weights (2 x nH x 4 nH).
    b (FloatArray): Biases (2 x 4 nH).
    packing (Packing): Where each token goes.
    RETURNS (Tuple[FloatArray, LSTMState]): Outputs (tokens x 2 nH), and the state.
    """
    xp = get_array_module(X)
    nH = Wh.shape[1]
    inputs = xp.stack([X[packing.forward], X[packing.backward]])
    gates = inputs @ Wx
    gates += b[:, None, :]
    shape = (2, len(X), nH)
    cells, squashed, hidden = (xp.empty(shape, dtype=gates.dtype) for _ in range(3))
    previous = 0
    for t, (start, end) in enumerate(zip(packing.offsets, packing.offsets[1:])):
        now = slice(start, end)
        gate = gates[:, now]
        if t:
            before = slice(previous, previous + end - start)
            gate += hidden[:, before] @ Wh
        _activate(xp, gate, nH)
        cell = cells[:, now]
        xp.multiply(gate[..., :nH], gate[..., 3 * nH :], out=cell)
        if t:
            cell += gate[..., nH : 2 * nH] * cells[:, before]
        xp.tanh(cell, out=squashed[:, now])
        xp.multiply(gate[..., 2 * nH : 3 * nH], squashed[:, now], out=hidden[:, now])
        previous = start
    Y = xp.empty((len(X), 2 * nH), dtype=gates.dtype)
    Y[packing.forward, :nH] = hidden[0]
    Y[packing.backward, nH:] = hidden[1]
    return Y, LSTMState(inputs, gates, cells, squashed, hidden)


def lstm_backward(
    dY: FloatArray, Wx: FloatArray, Wh: FloatArray, state: LSTMState, packing: Packing
) -> Tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """The gradients of `lstm_forward`.

    dY (FloatArray): Gradient of the outputs (tokens x 2 nH).
    Wx (FloatArray): Input weights.
    Wh (FloatArray): Recurrent weights.
    state (LSTMState): What the forward pass returned.
    packing (Packing): The same as in the forward pass.
    RETURNS (Tuple[FloatArray, ...]): Gradients of X, Wx, Wh and b.
    """
    xp = get_array_module(dY)
    nH = Wh.shape[1]
    offsets = packing.offsets
    n_first, before = offsets[1], packing.rows_before()
    WhT = xp.ascontiguousarray(Wh.transpose((0, 2, 1)))
    d_hidden = xp.stack([dY[packing.forward, :nH], dY[packing.backward, nH:]])
    d_gates, to_cell, forget = _local_derivatives(state, nH, n_first, before)
    after = slice(0, 0)
    dc_after = d_hidden[:, after]
    for t in range(len(offsets) - 2, -1, -1):
        now = slice(offsets[t], offsets[t + 1])
        dh, dc = d_hidden[:, now], to_cell[:, now]
        n_after = after.stop - after.start
        dh[:, :n_after] += d_gates[:, after] @ WhT
        dc *= dh
        dc[:, :n_after] += dc_after
        d_gate = d_gates[:, now].reshape((2, -1, 4, nH))
        d_gate[:, :, :2] *= dc[:, :, None]
        d_gate[:, :, 2] *= dh
        d_gate[:, :, 3] *= dc
        dc_after, after = dc * forget[:, now], now
    dX_rows = d_gates @ Wx.transpose((0, 2, 1))
    dX = xp.empty(dX_rows.shape[1:], dtype=dX_rows.dtype)
    dX[packing.forward] = dX_rows[0]
    dX[packing.backward] += dX_rows[1]
    dWx = state.X.transpose((0, 2, 1)) @ d_gates
    dWh = state.hidden[:, before].transpose((0, 2, 1)) @ d_gates[:, n_first:]
    return dX, dWx, dWh, d_gates.sum(axis=1)


def _local_derivatives(
    state: LSTMState, nH: int, n_first: int, before: IntArray
) -> Tuple[FloatArray, FloatArray, FloatArray]:
    """The factors of the chain rule that need no recurrence, for all rows at once:
    of the gates' inputs, of the cells through the outputs, and of the cells through
    the next cells.
    """
    xp = get_array_module(state.gates)
    i, f, o, g = (state.gates[..., k * nH : (k + 1) * nH] for k in range(4))
    d_gates = xp.empty(state.gates.shape, dtype=state.gates.dtype)
    d_gates[..., :nH] = g * i * (1 - i)
    d_gates[:, :n_first, nH : 2 * nH] = 0
    carried = state.cells[:, before]
    carried *= f[:, n_first:]
    carried *= 1 - f[:, n_first:]
    d_gates[:, n_first:, nH : 2 * nH] = carried
    d_gates[..., 2 * nH : 3 * nH] = state.squashed * o * (1 - o)
    d_gates[..., 3 * nH :] = i * (1 - g * g)
    return d_gates, o * (1 - state.squashed * state.squashed), f


def _activate(xp: Any, gates: FloatArray, nH: int) -> None:
    """Sigmoid for all gates but the candidate, in place."""
    squash = gates[..., : 3 * nH]
    squash *= 0.5
    xp.tanh(gates, out=gates)
    squash *= 0.5
    squash += 0.5
