"""Vectors of tokens from a transformer. The one module that needs torch."""

from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence, Tuple

import numpy

from ..core.pooling import cut_windows, mean_of_pieces
from ..errors import Errors
from ..types import FloatArray, IntArray
from .heap import trim_heap

COMBINE = ("concat", "mean")
# Pieces that go through the transformer at once, padding included.
BATCH = 2048
TRIM = 8  # batches of as many shapes, after which the heap has holes
MAX_WORDS = 2**17  # whose pieces are kept; beyond that all are forgotten
LONGEST = 512  # pieces, where neither tokenizer nor model says
# Models that number positions from behind the padding piece on
COUNTS_FROM_PADDING = ("roberta", "xlm-roberta", "camembert", "xlm-roberta-xl")


class Window(NamedTuple):
    """A stretch of tokens that the transformer reads at once."""

    unit: int
    first: int  # token of the unit
    ids: List[int]  # pieces, with those that the model wants around a text
    counts: IntArray  # pieces of each token


class TransformerEncoder:
    """Computes vectors of tokens: the mean over the pieces of each, of some layers."""

    def __init__(self, folder: Path, layers: Sequence[int], combine: str) -> None:
        """Load a transformer.

        folder (Path): Its files.
        layers (Sequence[int]): Which layers; 0 is the embedding, -1 the last.
        combine (str): Whether they are put side by side ("concat") or averaged
            ("mean").
        """
        try:
            import torch
            from transformers import AutoModel, AutoTokenizer
        except ImportError:
            raise ImportError(Errors.C330) from None
        self.torch = torch
        self.layers = list(layers)
        self.combine = combine
        try:
            # Words are given one by one: some tokenizers must be told that a space
            # is before each.
            self.tokenizer = AutoTokenizer.from_pretrained(
                folder, add_prefix_space=True
            )
            self.model = AutoModel.from_pretrained(folder).eval()
        except (OSError, ValueError) as error:
            lines = str(error).strip().splitlines() or [type(error).__name__]
            message = Errors.C331.format(name=folder, error=lines[0].rstrip("."))
            raise ValueError(message) from None
        n_layers = self.model.config.num_hidden_layers
        wrong = [n for n in self.layers if not -n_layers - 1 <= n <= n_layers]
        if wrong or not self.layers:
            raise ValueError(Errors.C332.format(layers=self.layers, n_layers=n_layers))
        self.before, self.after = self._find_frame()
        self.longest = self._find_longest()
        self.n_batches = 0
        self._pieces: Dict[str, List[int]] = {}

    def __call__(self, units: Sequence[Sequence[str]]) -> List[FloatArray]:
        """Compute the vectors of texts.

        units (Sequence[Sequence[str]]): The words of each text.
        RETURNS (List[FloatArray]): float16, a row per word of each text.
        """
        self._tokenize(units)
        windows = [w for i, words in enumerate(units) for w in self._cut(i, words)]
        parts: Dict[Tuple[int, int], FloatArray] = {}
        for batch in _batches(windows):
            for window, vectors in zip(batch, self._run(batch)):
                parts[window.unit, window.first] = vectors.astype(numpy.float16)
            self.n_batches += 1
            if self.n_batches % TRIM == 0:
                trim_heap()
        found: List[List[FloatArray]] = [[] for _ in units]
        for unit, first in sorted(parts):
            found[unit].append(parts[unit, first])
        return [numpy.concatenate(vectors) for vectors in found]

    def _run(self, batch: List[Window]) -> Iterator[FloatArray]:
        torch = self.torch
        width = max(len(window.ids) for window in batch)
        pad = self.tokenizer.pad_token_id or 0
        ids = torch.full((len(batch), width), pad)
        mask = torch.zeros((len(batch), width), dtype=torch.long)
        for i, window in enumerate(batch):
            ids[i, : len(window.ids)] = torch.tensor(window.ids)
            mask[i, : len(window.ids)] = 1
        with torch.inference_mode():
            output = self.model(ids, attention_mask=mask, output_hidden_states=True)
            states = [output.hidden_states[n] for n in self.layers]
            if self.combine == "mean":
                joined = torch.stack(states).mean(dim=0)
            else:
                joined = torch.cat(states, dim=-1)
        rows = joined.numpy()
        for i, window in enumerate(batch):
            yield mean_of_pieces(rows[i, len(self.before) :], window.counts)

    def _cut(self, unit: int, words: Sequence[str]) -> Iterator[Window]:
        room = self.longest - len(self.before) - len(self.after)
        pieces = [self._pieces[word][:room] for word in words]
        counts = [len(ids) for ids in pieces]
        for start, end in cut_windows(counts, room):
            ids = [n for word in pieces[start:end] for n in word]
            ids = [*self.before, *ids, *self.after]
            yield Window(unit, start, ids, numpy.array(counts[start:end]))

    def _tokenize(self, units: Sequence[Sequence[str]]) -> None:
        wanted = {word for words in units for word in words}
        new = wanted - self._pieces.keys()
        if not new:
            return
        if len(self._pieces) + len(new) > MAX_WORDS:
            self._pieces.clear()
            new = wanted
        words = sorted(new)
        encoded = self.tokenizer(
            [[word] for word in words],
            is_split_into_words=True,
            add_special_tokens=False,
        )
        self._pieces.update(zip(words, encoded["input_ids"]))

    def _find_frame(self) -> Tuple[List[int], List[int]]:
        """The pieces before and after a text."""
        probe: Dict[str, Any] = {"text": ["a"], "is_split_into_words": True}
        bare = self.tokenizer(**probe, add_special_tokens=False)["input_ids"]
        full = self.tokenizer(**probe)["input_ids"]
        start = next(i for i in range(len(full)) if full[i : i + len(bare)] == bare)
        return full[:start], full[start + len(bare) :]

    def _find_longest(self) -> int:
        config = self.model.config
        positions = getattr(config, "max_position_embeddings", None) or 0
        if positions < 1:  # some say -1 for no limit
            positions = LONGEST
        if self.model.config.model_type in COUNTS_FROM_PADDING:
            positions -= self.model.config.pad_token_id + 1
        return int(min(positions, self.tokenizer.model_max_length))


def _batches(windows: Sequence[Window]) -> Iterator[List[Window]]:
    """Group windows of about one length."""
    batch: List[Window] = []
    for window in sorted(windows, key=lambda window: len(window.ids)):
        if batch and (len(batch) + 1) * len(window.ids) > BATCH:
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch
