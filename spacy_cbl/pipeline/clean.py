"""Tokens whose true label is known, beside labels that may be wrong."""

from typing import Sequence

import numpy
from spacy.tokens import Doc
from spacy.training import Example

from ..core.soft_labels import MISSING
from ..core.tags import OUTSIDE
from ..errors import Errors
from ..types import IntArray
from .targets import overlaps, same_tokens


def read_clean(
    eg: Example, labels: Sequence[str], key: str, name: str = ""
) -> IntArray:
    """The true label of each predicted token, where the reference knows it.

    eg (Example): The example.
    labels (Sequence[str]): The entity labels.
    key (str): The span group of the clean tokens.
    name (str): The name of the component, for messages.
    RETURNS (IntArray): 0 for O, else the number of the label from 1 on; MISSING where
        the true label is not known.
    """
    clean = read_clean_doc(eg.reference, labels, key, name)
    if same_tokens(eg):
        return clean
    # There are no boundaries, so that parts of a token have its label.
    ours, theirs = overlaps(eg)
    least = numpy.full(len(eg.predicted), len(labels) + 1)
    most = numpy.full(len(eg.predicted), MISSING)
    numpy.minimum.at(least, ours, clean[theirs])
    numpy.maximum.at(most, ours, clean[theirs])
    return numpy.where(least == most, most, MISSING)


def read_clean_doc(doc: Doc, labels: Sequence[str], key: str, name: str) -> IntArray:
    """The true label of each token of a document. See `read_clean`."""
    numbers = {"": 0, OUTSIDE: 0, **{label: k for k, label in enumerate(labels, 1)}}
    clean = numpy.full(len(doc), MISSING)
    for span in doc.spans.get(key, []):
        number = numbers.get(span.label_)
        if number is None:
            raise ValueError(
                Errors.C291.format(
                    label=span.label_,
                    key=key,
                    text=doc[:8].text,
                    name=name,
                    labels=list(labels),
                )
            )
        here = clean[span.start : span.end]
        clash = (here != MISSING) & (here != number)
        if clash.any():
            i = int(clash.argmax())
            token = span[i]
            first = (OUTSIDE, *labels)[here[i]]
            raise ValueError(
                Errors.C292.format(
                    i=token.i,
                    token=token.text,
                    text=doc[:8].text,
                    key=key,
                    first=first,
                    second=span.label_ or OUTSIDE,
                )
            )
        here[:] = number
    return clean
