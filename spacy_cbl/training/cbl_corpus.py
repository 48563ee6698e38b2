"""A reader that weighs its corpus when it is first read."""

from pathlib import Path
from typing import Callable, Iterable, Iterator, Optional, Union

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from ..data.arrays import CorpusArrays, read_corpus_arrays
from ..data.docbin import read_docs
from ..types import FloatArray
from .reader import WeightedCorpus, check_path
from .schemes import WeightingScheme
from .weigh import attach_weights, compute_weights

NAME = "spacy_cbl.CBLCorpus.v1"


def create_cbl_corpus(
    path: Optional[Union[str, Path]],
    scheme: WeightingScheme,
    gold: Optional[Union[str, Path]] = None,
    gold_sents: bool = True,
    split_sents: bool = False,
) -> Callable[[Language], Iterable[Example]]:
    """Create a reader of a partially annotated file that finds weights for its tokens
    before the first example is read.

    path (Optional[Union[str, Path]]): The file.
    scheme (WeightingScheme): Finds the weights; `spacy_cbl.cbl.v1` for CBL.
    gold (Optional[Union[str, Path]]): The same documents completely annotated: for
        figures in the history, and for schemes that look at gold.
    gold_sents (bool): See `spacy_cbl.WeightedCorpus.v1`.
    split_sents (bool): See `spacy_cbl.WeightedCorpus.v1`.
    RETURNS (Callable[[Language], Iterable[Example]]): The reader.
    """
    path = check_path(path, NAME, folder_okay=False)
    gold_path = None if gold is None else check_path(gold, NAME, folder_okay=False)
    return CBLCorpus(path, scheme, gold_path, gold_sents, split_sents)


class CBLCorpus(WeightedCorpus):
    """Weigh a corpus once, then iterate over it like any weighted corpus."""

    def __init__(
        self,
        path: Path,
        scheme: WeightingScheme,
        gold: Optional[Path],
        gold_sents: bool,
        split_sents: bool,
    ) -> None:
        """See `create_cbl_corpus` for the arguments."""
        super().__init__(path, gold_sents=gold_sents, split_sents=split_sents)
        self.scheme = scheme
        self.gold = gold
        self._corpus: Optional[CorpusArrays] = None
        self._vocab: Optional[Vocab] = None  # that of the documents it reads
        self._weights: Optional[FloatArray] = None

    def _read(self, nlp: Language) -> Iterator[Doc]:
        if self._corpus is None or self._vocab is not nlp.vocab:
            self._corpus, self._vocab = self._read_arrays(nlp), nlp.vocab
        corpus = self._corpus
        if self._weights is None:
            self._weights = compute_weights(corpus, self.scheme)
        label_probs = getattr(self.scheme, "label_probs", None)
        for doc in attach_weights(corpus, self._weights, label_probs):
            if len(doc):
                yield doc

    def _read_arrays(self, nlp: Language) -> CorpusArrays:
        path, gold = self.path, self.gold
        return read_corpus_arrays(
            lambda: read_docs(path, nlp.vocab),
            nlp.vocab,
            gold=None if gold is None else lambda: read_docs(gold, nlp.vocab),
            path=path,
        )
