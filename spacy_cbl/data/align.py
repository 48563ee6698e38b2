"""Check that two files hold the same documents, token by token."""

from itertools import zip_longest
from typing import Iterable, Iterator, Tuple

import numpy
from spacy.attrs import ORTH
from spacy.tokens import Doc

from ..errors import Errors


def check_aligned(
    reference: Iterable[Doc], docs: Iterable[Doc]
) -> Iterator[Tuple[Doc, Doc]]:
    """Pair documents that must have the same tokens in the same order.

    reference (Iterable[Doc]): The documents to compare with, usually gold.
    docs (Iterable[Doc]): The documents to check.
    YIELDS (Tuple[Doc, Doc]): A reference document and the document of equal tokens.
    """
    for n, (ref, doc) in enumerate(zip_longest(reference, docs)):
        if ref is None or doc is None:
            shorter = "reference" if ref is None else "checked"
            raise ValueError(Errors.C150.format(shorter=shorter, n_docs=n))
        _check_tokens(n, ref, doc)
        yield ref, doc


def _check_tokens(n: int, ref: Doc, doc: Doc) -> None:
    # A string has the same hash in every vocabulary.
    expected, found = ref.to_array(ORTH), doc.to_array(ORTH)
    n_both = min(len(ref), len(doc))
    differ = numpy.flatnonzero(expected[:n_both] != found[:n_both])
    if len(differ):
        i = int(differ[0])
        raise ValueError(
            Errors.C151.format(doc=n, i=i, expected=ref[i].text, found=doc[i].text)
        )
    if len(ref) != len(doc):
        raise ValueError(
            Errors.C152.format(doc=n, n_expected=len(ref), n_found=len(doc))
        )
