"""Where sentences start in documents, and documents cut into sentences."""

from typing import Iterator

import numpy
from spacy.attrs import ENT_IOB, SENT_START
from spacy.tokens import Doc, Span

from ..attrs import (
    CLEAN,
    OUTSIDE,
    LabelProbs,
    get_label_probs,
    get_p_outside,
    get_weights,
    set_label_probs,
    set_p_outside,
    set_weights,
)
from ..types import BoolArray, IntArray


def sentence_starts(doc: Doc) -> BoolArray:
    """Which tokens start a sentence. The first token always does.

    doc (Doc): The document, with or without sentence boundaries.
    RETURNS (BoolArray): One value per token.
    """
    starts = doc.to_array(SENT_START) == 1
    starts[:1] = True
    return starts


def lengths_between(starts: BoolArray) -> IntArray:
    """The lengths of the stretches from each start to the next.

    starts (BoolArray): Where stretches start; the first value must be true.
    RETURNS (IntArray): The lengths.
    """
    return numpy.diff(numpy.flatnonzero(starts), append=len(starts))


def split_sentences(doc: Doc) -> Iterator[Doc]:
    """Cut a document into its sentences, weights and probabilities included. A boundary
    inside an entity is passed over: the entity is more certain.

    doc (Doc): The document.
    YIELDS (Doc): One document per sentence; the document itself without sentences.
    """
    if not doc.has_annotation("SENT_START"):
        yield doc
        return
    weights, p_outside = get_weights(doc), get_p_outside(doc)
    label_probs = get_label_probs(doc)
    starts = sentence_starts(doc) & ~crossed_boundaries(doc)
    firsts = numpy.flatnonzero(starts).tolist()
    for start, end in zip(firsts, [*firsts[1:], len(doc)]):
        part = doc[start:end].as_doc()
        # spaCy's readers would tokenize anew where spaces are known.
        part.has_unknown_spaces = doc.has_unknown_spaces
        rows = slice(start, end)
        if weights is not None:
            set_weights(part, weights[rows])
        if p_outside is not None:
            set_p_outside(part, p_outside[rows])
        if label_probs is not None:
            set_label_probs(part, LabelProbs(label_probs.tags, label_probs.probs[rows]))
        _copy_span_groups(doc[start:end], part)
        yield part


def crossed_boundaries(doc: Doc) -> BoolArray:
    """Which tokens start a sentence although they continue an entity.

    doc (Doc): The document.
    RETURNS (BoolArray): One value per token.
    """
    iobs = doc.to_array(ENT_IOB)
    return sentence_starts(doc) & (iobs == 1)


def _copy_span_groups(sent: Span, part: Doc) -> None:
    for key, group in sent.doc.spans.items():
        # Checked tokens may cover several sentences: each gets its part.
        ends = [
            (max(span.start, sent.start), min(span.end, sent.end), span.label)
            for span in group
            if key in (OUTSIDE, CLEAN)
            or (sent.start <= span.start and span.end <= sent.end)
        ]
        part.spans[key] = [
            Span(part, start - sent.start, end - sent.start, label)
            for start, end, label in ends
            if start < end
        ]
