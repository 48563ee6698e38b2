"""From text with character spans to documents: what all JSON formats share."""

from functools import lru_cache
from pathlib import Path
from typing import Iterable, Iterator, List, NamedTuple, Optional, Sequence

import numpy
import spacy
from spacy.pipeline import Sentencizer
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...core.tag_schemes import SpanT
from ...errors import Errors
from ..sentences import crossed_boundaries, split_sentences
from .iob2 import CROSSED
from .options import Notes, Options, Unlabelled
from .sentences import set_entities

OVERLAPS = "spans dropped because a longer or earlier one covers them"
ALIGNED = "spans moved to token boundaries"
UNALIGNED = "spans dropped because they cover no whole token"
BLANK = "spans dropped because they cover nothing but space"


class Annotation(NamedTuple):
    """One text with its spans.

    path (Path): The file.
    line (int): Its line, or its number in a JSON array.
    text (str): The text.
    spans (List[SpanT]): First character, end and label.
    unlabelled (Unlabelled): What the rest is, unless the user says otherwise.
    words (Optional[List[str]]): The tokens, where the tool exports them.
    spaces (Optional[List[bool]]): Whether a space follows each of them.
    """

    path: Path
    line: int
    text: str
    spans: List[SpanT]
    unlabelled: Unlabelled = "outside"
    words: Optional[List[str]] = None
    spaces: Optional[List[bool]] = None


def make_docs(
    vocab: Vocab, annotations: Iterable[Annotation], options: Options, notes: Notes
) -> Iterator[Doc]:
    """Tokenize the texts, move the spans to token boundaries, find the sentences.

    vocab (Vocab): The vocabulary to use.
    annotations (Iterable[Annotation]): The texts.
    options (Options): How to read.
    notes (Notes): Counts what was moved or dropped.
    YIELDS (Doc): The documents.
    """
    tokenizer = load_tokenizer(options.lang)
    sentencizer = Sentencizer()
    for found in annotations:
        if found.words is None:
            words = tokenizer(found.text)
            doc = Doc(
                vocab,
                words=[token.text for token in words],
                spaces=[bool(token.whitespace_) for token in words],
            )
        else:
            doc = Doc(vocab, words=found.words, spaces=found.spaces)
        spans = drop_overlaps(_align(doc, found, options, notes), notes)
        set_entities(doc, spans, options.unlabelled or found.unlabelled)
        yield from split_doc(_find_sentences(doc, sentencizer), options, notes)


@lru_cache(maxsize=4)
def load_tokenizer(lang: str) -> Tokenizer:
    """The tokenizer of a language.

    lang (str): Its code.
    RETURNS (Tokenizer): spaCy's tokenizer for it.
    """
    try:
        return spacy.blank(lang).tokenizer
    except ImportError as error:
        raise ValueError(Errors.C115.format(lang=lang, reason=error)) from None


def drop_overlaps(spans: Sequence[SpanT], notes: Notes) -> List[SpanT]:
    """Keep the longer, then the earlier of two spans that overlap; count the others.

    spans (Sequence[SpanT]): Start, end and label, in any order.
    notes (Notes): Takes the count.
    RETURNS (List[SpanT]): Those kept, in order.
    """
    kept = filter_overlaps(dict.fromkeys(spans))
    notes.counts[OVERLAPS] += len(set(spans)) - len(kept)
    return kept


def filter_overlaps(spans: Iterable[SpanT]) -> List[SpanT]:
    """Of overlapping spans keep the longer; of equally long ones, the one given first.

    spans (Iterable[SpanT]): Start, end and label.
    RETURNS (List[SpanT]): Those kept, in order.
    """
    kept: List[SpanT] = []
    taken: set = set()
    for span in sorted(spans, key=lambda span: span[0] - span[1]):
        places = range(span[0], span[1])
        if taken.isdisjoint(places):
            taken.update(places)
            kept.append(span)
    return sorted(kept)


def split_doc(doc: Doc, options: Options, notes: Notes) -> Iterator[Doc]:
    """The Doc, or its sentences as Docs where the user wants that.

    doc (Doc): The document.
    options (Options): Has `split_sents`.
    notes (Notes): Counts the boundaries inside entities, which are passed over.
    YIELDS (Doc): Documents, none of them empty.
    """
    parts: Iterable[Doc] = [doc]
    if options.split_sents:
        notes.counts[CROSSED] += int(numpy.count_nonzero(crossed_boundaries(doc)))
        parts = split_sentences(doc)
    yield from (part for part in parts if len(part))


def _align(doc: Doc, found: Annotation, options: Options, notes: Notes) -> List[SpanT]:
    spans = []
    for start, end, label in found.spans:
        if not 0 <= start < end <= len(found.text):
            raise ValueError(
                Errors.C114.format(
                    path=found.path, line=found.line, span=f"{start}-{end} {label}"
                )
            )
        covered = found.text[start:end]
        if covered.isspace():
            notes.counts[BLANK] += 1
            continue
        start += len(covered) - len(covered.lstrip())
        end -= len(covered) - len(covered.rstrip())
        span = doc.char_span(start, end, label)
        if span is None:
            span = doc.char_span(start, end, label, alignment_mode=options.align)
            notes.counts[UNALIGNED if span is None else ALIGNED] += 1
        if span is not None:
            spans.append((span.start, span.end, label))
    return spans


def _find_sentences(doc: Doc, sentencizer: Sentencizer) -> Doc:
    """No sentence starts inside an entity: a model that reads sentence by sentence
    would never see it whole.
    """
    if len(doc):
        sentencizer(doc)
        for i in numpy.flatnonzero(crossed_boundaries(doc)).tolist():
            doc[i].is_sent_start = False
    return doc
