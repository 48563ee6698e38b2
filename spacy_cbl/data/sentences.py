"""Where sentences start in documents, and documents cut into sentences."""

from bisect import bisect_right
from typing import Any, Dict, Iterable, Iterator, List, Sequence, Tuple

import numpy
from spacy.attrs import (
    DEP,
    ENT_ID,
    ENT_IOB,
    ENT_KB_ID,
    ENT_TYPE,
    HEAD,
    LEMMA,
    MORPH,
    NORM,
    ORTH,
    POS,
    SENT_START,
    SPACY,
    TAG,
)
from spacy.tokens import Doc, Span

from ..attrs import (
    CLEAN_GROUP,
    OUTSIDE_GROUP,
    LabelProbs,
    get_label_probs,
    get_p_outside,
    get_weights,
    set_label_probs,
    set_p_outside,
    set_weights,
)
from ..types import BoolArray, IntArray

# Longer documents fill a batch by themselves, several times over: models would learn
# from few updates.
LONGEST_DOC = 5000
PART_LENGTH = 250
# What the tokens of a sentence keep, besides its boundaries or its parse
ATTRS = [NORM, LEMMA, POS, TAG, MORPH, ENT_IOB, ENT_TYPE, ENT_ID, ENT_KB_ID]


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
    yield from _cut(doc, _sentence_firsts(doc))


def cut_long_documents(docs: Iterable[Doc]) -> Iterator[Doc]:
    """Cut long documents between sentences, into parts of some hundred words; the order
    of tokens stays as it is.

    docs (Iterable[Doc]): The documents.
    YIELDS (Doc): Parts of long documents, and the others as they are.
    """
    for doc in docs:
        if len(doc) <= LONGEST_DOC or not doc.has_annotation("SENT_START"):
            yield doc
            continue
        firsts = _sentence_firsts(doc)
        # The first sentence that starts in each stretch of so many words
        stretch = numpy.array(firsts) // PART_LENGTH
        _, kept = numpy.unique(stretch, return_index=True)
        yield from _cut(doc, [firsts[i] for i in kept])


def _sentence_firsts(doc: Doc) -> List[int]:
    starts = sentence_starts(doc) & ~crossed_boundaries(doc)
    found: List[int] = numpy.flatnonzero(starts).tolist()
    return found


def _cut(doc: Doc, firsts: List[int]) -> Iterator[Doc]:
    """Cut a document at some first tokens of sentences, 0 among them."""
    weights, p_outside = get_weights(doc), get_p_outside(doc)
    label_probs = get_label_probs(doc)
    # Not `Span.as_doc`, which reads the whole document for each part.
    words = doc.to_array(ORTH).tolist()
    spaces = doc.to_array(SPACY).astype(bool).tolist()
    attrs = [*ATTRS, *((DEP, HEAD) if doc.has_annotation("DEP") else (SENT_START,))]
    array: Any = doc.to_array(attrs)
    groups = _split_span_groups(doc, firsts)
    for number, (start, end) in enumerate(zip(firsts, [*firsts[1:], len(doc)])):
        rows = slice(start, end)
        part = Doc(doc.vocab, words=words[rows], spaces=spaces[rows])
        part.from_array(attrs, array[rows])
        # spaCy's readers would tokenize anew where spaces are known.
        part.has_unknown_spaces = doc.has_unknown_spaces
        if weights is not None:
            set_weights(part, weights[rows])
        if p_outside is not None:
            set_p_outside(part, p_outside[rows])
        if label_probs is not None:
            set_label_probs(part, LabelProbs(label_probs.tags, label_probs.probs[rows]))
        for key, places in groups.items():
            spans = [Span(part, s - start, e - start, k) for s, e, k in places[number]]
            part.spans[key] = spans
        yield part


def crossed_boundaries(doc: Doc) -> BoolArray:
    """Which tokens start a sentence although they continue an entity.

    doc (Doc): The document.
    RETURNS (BoolArray): One value per token.
    """
    iobs = doc.to_array(ENT_IOB)
    return sentence_starts(doc) & (iobs == 1)


def _split_span_groups(
    doc: Doc, firsts: Sequence[int]
) -> Dict[str, List[List[Tuple[int, int, int]]]]:
    """The spans of each group by part: those that are inside of one, and of checked
    tokens, which may cover several, the piece in each.
    """
    groups = {}
    for key, group in doc.spans.items():
        by_sentence: List[List[Tuple[int, int, int]]] = [[] for _ in firsts]
        for span in group:
            if span.start == span.end:
                continue
            first = bisect_right(firsts, span.start) - 1
            last = bisect_right(firsts, span.end - 1) - 1
            if first != last and key not in (OUTSIDE_GROUP, CLEAN_GROUP):
                continue
            bounds = [span.start, *firsts[first + 1 : last + 1], span.end]
            for i, (start, end) in enumerate(zip(bounds, bounds[1:])):
                by_sentence[first + i].append((start, end, span.label))
        groups[key] = by_sentence
    return groups
