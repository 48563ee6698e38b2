"""A corpus as flat arrays over all its tokens, documents laid end to end."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import (
    Callable,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

import numpy
from spacy.attrs import ENT_IOB, ENT_TYPE, IS_SPACE, ORTH, SENT_START
from spacy.tokens import Doc
from spacy.vocab import Vocab
from tqdm import tqdm

from ..attrs import OUTSIDE_GROUP
from ..core.ratio import LEAST_TOKENS, estimate_ratio
from ..errors import Errors
from ..types import BoolArray, FloatArray, IntArray
from .align import check_aligned

ReadDocs = Callable[[], Iterable[Doc]]


class DocArrays(NamedTuple):
    """What the labels of a document say of each token."""

    orths: IntArray  # hash of the form, uint64
    is_entity: BoolArray
    begins: BoolArray  # whether an entity begins here
    is_missing: BoolArray  # nobody said whether this is an entity
    is_outside: BoolArray  # labelled as no entity
    sent_starts: BoolArray
    trusted: BoolArray  # negatives that somebody has checked


@dataclass(frozen=True)
class CorpusArrays:
    """What a weighting scheme sees of a corpus. Arrays have one value per token."""

    forms: List[str]  # distinct forms; `token_ids` index them
    token_ids: IntArray
    is_entity: BoolArray  # P; all other tokens are N
    begins: BoolArray  # where the entities of P begin
    is_missing: BoolArray
    sent_starts: BoolArray
    trusted: BoolArray
    doc_lengths: IntArray
    docs: ReadDocs  # the documents themselves, read anew at each call
    gold_is_entity: Optional[BoolArray] = None  # None where gold is not known
    path: Optional[Path] = None  # the file, for schemes that keep work beside it

    def __len__(self) -> int:
        return len(self.token_ids)

    @cached_property
    def estimated_ratio(self) -> Optional[float]:
        """The entity ratio, estimated from the partial labels; None if there are too
        few tokens for that.
        """
        n_entity = int(numpy.count_nonzero(self.is_entity))
        if min(n_entity, len(self) - n_entity) < LEAST_TOKENS:
            return None
        words = [self.forms[i] for i in self.token_ids.tolist()]
        return estimate_ratio(words, self.is_entity, self.sent_starts).ratio

    def split(self, values: FloatArray) -> Iterator[FloatArray]:
        """Cut an array over all tokens into one per document.

        values (FloatArray): One value per token of the corpus.
        YIELDS (FloatArray): One value per token of the document.
        """
        ends = numpy.cumsum(self.doc_lengths)
        for start, end in zip((ends - self.doc_lengths).tolist(), ends.tolist()):
            yield values[start:end]


def read_corpus_arrays(
    docs: ReadDocs,
    vocab: Vocab,
    gold: Optional[ReadDocs] = None,
    path: Optional[Path] = None,
) -> CorpusArrays:
    """Read documents once, one at a time, into arrays.

    docs (ReadDocs): Gives the documents, in the same order at each call.
    vocab (Vocab): The vocabulary that `docs` uses.
    gold (Optional[ReadDocs]): Gives the same documents, completely annotated.
    path (Optional[Path]): The file that they come from.
    RETURNS (CorpusArrays): The corpus; documents are not kept.
    """
    pairs: Iterable[Tuple[Optional[Doc], Doc]]
    pairs = check_aligned(gold(), docs()) if gold else ((None, doc) for doc in docs())
    rows: List[DocArrays] = []
    gold_rows: List[BoolArray] = []
    for gold_doc, doc in tqdm(pairs, desc="Reading", unit="doc", disable=None):
        rows.append(read_doc_arrays(doc))
        if gold_doc is not None:
            gold_rows.append(read_doc_arrays(gold_doc).is_entity)
    orths, token_ids = numpy.unique(
        _join([row.orths for row in rows], numpy.uint64), return_inverse=True
    )
    return CorpusArrays(
        forms=[vocab.strings[orth] for orth in orths.tolist()],
        token_ids=token_ids.astype(numpy.int32),
        is_entity=_join([row.is_entity for row in rows], bool),
        begins=_join([row.begins for row in rows], bool),
        is_missing=_join([row.is_missing for row in rows], bool),
        sent_starts=_join([row.sent_starts for row in rows], bool),
        trusted=_join([row.trusted for row in rows], bool),
        doc_lengths=numpy.array([len(row.orths) for row in rows], dtype=numpy.int64),
        docs=docs,
        gold_is_entity=_join(gold_rows, bool) if gold else None,
        path=path,
    )


def read_doc_arrays(doc: Doc) -> DocArrays:
    """Read the arrays of one document.

    doc (Doc): The document; without sentence starts it is one sentence.
    RETURNS (DocArrays): One value per token in each array.
    """
    orths, iob, ent_type, starts = doc.to_array([ORTH, ENT_IOB, ENT_TYPE, SENT_START]).T
    is_entity = ent_type != 0
    sent_starts = starts == 1
    sent_starts[:1] = True
    return DocArrays(
        # A copy, so that the other columns are let go.
        orths=orths.copy(),
        is_entity=is_entity,
        begins=is_entity & (iob == 3),
        is_missing=iob == 0,
        is_outside=iob == 2,
        sent_starts=sent_starts,
        trusted=blocked_tokens(doc) | trusted_outside(doc),
    )


def blocked_tokens(doc: Doc) -> BoolArray:
    """Which tokens are blocked, as spaCy calls it: surely no entity.

    doc (Doc): An annotated document.
    RETURNS (BoolArray): One value per token.
    """
    iob, types = doc.to_array([ENT_IOB, ENT_TYPE]).reshape((-1, 2)).T
    return (iob == 3) & (types == 0)


def trusted_outside(doc: Doc) -> BoolArray:
    """Which tokens are trusted negatives: certainly outside of any entity.

    doc (Doc): An annotated document.
    RETURNS (BoolArray): One value per token.
    """
    trusted = numpy.zeros(len(doc), dtype=bool)
    for span in doc.spans.get(OUTSIDE_GROUP, []):
        trusted[span.start : span.end] = True
    clash = trusted & (doc.to_array(ENT_TYPE) != 0) if trusted.any() else trusted
    if clash.any():
        i = int(clash.argmax())
        where = {"text": doc[:8].text, "group": OUTSIDE_GROUP}
        raise ValueError(Errors.C023.format(i=i, token=doc[i].text, **where))
    return trusted


def space_tokens(docs: Sequence[Doc]) -> BoolArray:
    """Which tokens are white space: no entity begins or ends there.

    docs (Sequence[Doc]): Documents, at least one.
    RETURNS (BoolArray): One value per token, documents laid end to end.
    """
    return numpy.concatenate([doc.to_array(IS_SPACE) for doc in docs]) == 1


def find_runs(mask: BoolArray) -> Iterator[Tuple[int, int]]:
    """Find where a mask is true without a break.

    mask (BoolArray): The mask.
    YIELDS (Tuple[int, int]): Start and end (exclusive) of each run.
    """
    edges = numpy.flatnonzero(numpy.diff(mask, prepend=False, append=False))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist())


def _join(arrays: List, dtype: type) -> numpy.ndarray:
    return numpy.concatenate(arrays) if arrays else numpy.zeros(0, dtype=dtype)
