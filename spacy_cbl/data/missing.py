"""Tokens of which nobody said whether they are in an entity: spaCy's missing labels."""

from collections import Counter
from typing import Iterable, Iterator

from spacy.tokens import Doc

from ..attrs import get_weights
from .arrays import find_runs, read_doc_arrays


def mark_missing(doc: Doc, threshold: float, entities: bool = False) -> Counter:
    """Mark tokens of small weight as missing, in place. Trusted negatives and blocked
    tokens, which are certainly no entity, stay as they are.

    doc (Doc): The document to modify.
    threshold (float): Tokens of less weight than this are marked.
    entities (bool): Whether entities lose their label that have such a token: all their
        tokens are missing then.
    RETURNS (Counter): How many tokens were marked that were "outside", and how many of
        an "entity".
    """
    weights = get_weights(doc)
    if weights is None:
        return Counter()
    low = weights < threshold
    arrays = read_doc_arrays(doc)
    suspected = low & arrays.is_outside & ~arrays.trusted
    missing = [doc[start:end] for start, end in find_runs(suspected)]
    doubted = [e for e in doc.ents if entities and low[e.start : e.end].any()]
    doc.set_ents([], missing=missing + doubted, default="unmodified")
    return Counter(outside=sum(map(len, missing)), entity=sum(map(len, doubted)))


def mark_all_missing(
    docs: Iterable[Doc], threshold: float, counts: Counter
) -> Iterator[Doc]:
    """Mark tokens of small weight as missing, entities too, document by document.

    docs (Iterable[Doc]): The documents to modify.
    threshold (float): Tokens of less weight than this are marked.
    counts (Counter): Adds up what `mark_missing` returns.
    YIELDS (Doc): The documents.
    """
    for doc in docs:
        counts.update(mark_missing(doc, threshold, entities=True))
        yield doc


def label_missing_as_outside(doc: Doc) -> None:
    """Label tokens as O that have no label. Everything else stays as it is.

    doc (Doc): The document to modify.
    """
    missing = doc.to_array("ENT_IOB") == 0
    outside = [doc[start:end] for start, end in find_runs(missing)]
    if outside:
        doc.set_ents([], outside=outside, default="unmodified")
