"""A BiLSTM-CRF in torch with `pytorch-crf`, as large as that of configs/."""

from typing import Any, List, Tuple

import torch
from spacy.training import Example
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torchcrf import CRF

CHAR_ROWS = 1024


class BiLSTMCRF(nn.Module):
    """Word embedding, character CNN, two bidirectional LSTM layers, CRF."""

    def __init__(self, n_words: int, n_tags: int) -> None:
        super().__init__()
        self.words = nn.Embedding(n_words, 50)
        self.chars = nn.Embedding(CHAR_ROWS, 16)
        self.convolve = nn.Conv1d(16, 128, 3, padding=1)
        self.drop = nn.Dropout(0.5)
        self.lstm = nn.LSTM(
            178, 256, 2, bidirectional=True, dropout=0.5, batch_first=True
        )
        self.output = nn.Linear(512, n_tags)
        self.crf = CRF(n_tags, batch_first=True)

    def forward(self, words: Tensor, chars: Tensor, lengths: Tensor) -> Tensor:
        n_sents, n_tokens, n_chars = chars.shape
        embedded = self.chars(chars.view(-1, n_chars)).transpose(1, 2)
        pooled = self.convolve(embedded).relu().max(dim=2).values
        pooled = pooled.view(n_sents, n_tokens, -1)
        X = self.drop(torch.cat([self.words(words), pooled], dim=2))
        packed = pack_padded_sequence(
            X, lengths, batch_first=True, enforce_sorted=False
        )
        Y, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return self.output(self.drop(Y))


class TorchTagger:
    """Train and apply the model on batches of examples."""

    def __init__(self, examples: List[Example], seed: int) -> None:
        torch.manual_seed(seed)
        words = sorted({t.text for eg in examples for t in eg.reference})
        tags = sorted({tag for eg in examples for tag in eg.get_aligned_ner()})
        self.word_ids = {word: i for i, word in enumerate(words, start=1)}
        self.tag_ids = {tag: i for i, tag in enumerate(tags)}
        self.model = BiLSTMCRF(len(words) + 1, len(tags))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.001)

    def update(self, batch: List[Example]) -> float:
        """One step of training."""
        self.model.train()
        words, chars, lengths, mask = self._read(batch)
        tags = pad_sequence(
            [
                torch.tensor([self.tag_ids[t] for t in eg.get_aligned_ner()])
                for eg in batch
            ],
            batch_first=True,
        )
        scores = self.model(words, chars, lengths)
        loss = -self.model.crf(scores, tags, mask=mask)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return float(loss)

    def predict(self, batch: List[Example]) -> Any:
        """Decode a batch."""
        self.model.eval()
        with torch.no_grad():
            words, chars, lengths, mask = self._read(batch)
            return self.model.crf.decode(self.model(words, chars, lengths), mask=mask)

    def _read(self, batch: List[Example]) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
        sents = [[t.text for t in eg.predicted] for eg in batch]
        lengths = torch.tensor([len(sent) for sent in sents])
        ids = [torch.tensor([self.word_ids.get(w, 0) for w in s]) for s in sents]
        n_tokens, n_chars = int(lengths.max()), max(len(w) for s in sents for w in s)
        chars = torch.zeros((len(sents), n_tokens, n_chars), dtype=torch.long)
        for i, sent in enumerate(sents):
            for j, word in enumerate(sent):
                codes = torch.tensor([ord(c) % CHAR_ROWS for c in word])
                chars[i, j, : len(word)] = codes
        mask = torch.arange(n_tokens)[None, :] < lengths[:, None]
        return pad_sequence(ids, batch_first=True), chars, lengths, mask
