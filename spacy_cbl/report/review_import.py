"""Merge answers to suspects into a corpus."""

import shutil
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Dict, List, Optional, Set

import numpy
from spacy.tokens import Doc, Span, SpanGroup

from ..attrs import (
    OUTSIDE_GROUP,
    LabelProbs,
    get_label_probs,
    get_weights,
    set_label_probs,
    set_weights,
)
from ..core.tags import OUTSIDE
from ..data.arrays import read_doc_arrays
from ..data.docbin import read_docs, write_docs
from ..data.files import check_output, replace_files
from ..data.loading import blank_vocab
from ..errors import Errors
from ..types import BoolArray, FloatArray
from .review_answers import Answer, read_answers
from .review_export import SUGGESTED
from .review_ids import make_digest

COUNTS = ("accepted", "corrected", "rejected", "unanswered", "answered again")
CHANGES = ("entities added", "trusted negatives added", "conflicts")


@dataclass
class ImportReport:
    """What came of an import."""

    counts: Dict[str, int] = field(default_factory=Counter)
    conflicts: List[str] = field(default_factory=list)

    @property
    def has_changes(self) -> bool:
        return any(self.counts[name] for name in CHANGES[:2])


def import_answers(corpus: Path, answers: Path, output: Path) -> ImportReport:
    """Merge answers. Accepted and corrected spans become entities, rejected suspects
    trusted negatives; both weigh 1 where the corpus has weights, and are certain where
    it has label probabilities. What is there already wins over answers. Nothing is
    written if an answer is malformed, and a corpus that nothing changes is copied byte
    by byte.

    corpus (Path): The corpus to add to.
    answers (Path): The answers, as the tool exported them.
    output (Path): Where to write the corpus.
    RETURNS (ImportReport): Counts, and the conflicts.
    """
    check_output(output, answers)
    found = read_answers(answers)
    by_doc: Dict[int, List[Answer]] = {}
    for answer in found.given:
        by_doc.setdefault(answer.id.doc, []).append(answer)
    report = ImportReport(Counter(dict.fromkeys((*COUNTS, *CHANGES), 0)))
    report.counts["unanswered"] = found.n_unanswered
    report.counts["answered again"] = found.n_repeated
    docs = []
    for number, doc in enumerate(read_docs(corpus, blank_vocab())):
        merge_answers(doc, by_doc.pop(number, []), corpus, report)
        docs.append(doc)
    for answer, *_ in by_doc.values():
        raise _other_text(answer, corpus)
    report.counts["conflicts"] = len(report.conflicts)
    if report.has_changes:
        write_docs(output, docs)
    elif output.resolve() != corpus.resolve():
        with replace_files(output) as (unfinished,):
            shutil.copyfile(corpus, unfinished)
    return report


def merge_answers(
    doc: Doc, answers: List[Answer], corpus: Path, report: ImportReport
) -> None:
    """Merge the answers about one document, in place. Entities come first: a rejected
    suspect is no reason to doubt one that somebody marked.

    doc (Doc): The document to modify.
    answers (List[Answer]): The answers.
    corpus (Path): Its file, for errors.
    report (ImportReport): Takes counts and conflicts.
    """
    for answer in answers:
        _check_text(doc, answer, corpus)
    there, trust = _There(doc), _Trust(doc)
    for answer in answers:
        if answer.spans:
            _add_entities(answer, there, trust, report)
    for answer in answers:
        if not answer.spans:
            _add_outside(answer, there, trust, report)
    trust.store()


class _There:
    """What a document has already, by token: spaCy would make all spans anew each time
    it is asked for them.
    """

    def __init__(self, doc: Doc) -> None:
        self.entities: Dict[int, Span] = {}
        self.outside: Dict[int, Span] = {}
        self.rejected: Set[tuple] = set()
        for entity in doc.ents:
            self.add_entity(entity)
        for span in doc.spans.get(OUTSIDE_GROUP, []):
            self.add_outside(span)

    def add_entity(self, span: Span) -> None:
        self.entities.update(dict.fromkeys(range(span.start, span.end), span))

    def add_outside(self, span: Span) -> None:
        self.outside.update(dict.fromkeys(range(span.start, span.end), span))
        self.rejected.add(_key(span))

    def find_entity(self, span: Span) -> Optional[Span]:
        return _first_in(self.entities, span)

    def find(self, span: Span) -> Optional[Span]:
        """An entity, or else a trusted negative, that overlaps a span."""
        return self.find_entity(span) or _first_in(self.outside, span)


class _Trust:
    """The weights and label probabilities of a document, of which each answer changes a
    few. They are read where the first answer needs them, and set once for all answers:
    each time, the whole document is checked and copied.
    """

    def __init__(self, doc: Doc) -> None:
        self.doc = doc
        self.has_weighed = self.has_made_certain = False

    @cached_property
    def weights(self) -> Optional[FloatArray]:
        found = get_weights(self.doc)
        return None if found is None else numpy.array(found)  # files' are read-only

    @cached_property
    def label_probs(self) -> Optional[LabelProbs]:
        found = get_label_probs(self.doc)
        return found and LabelProbs(found.tags, numpy.array(found.probs))

    @cached_property
    def known(self) -> BoolArray:
        """Which tokens are surely part of an entity, or surely not."""
        arrays = read_doc_arrays(self.doc)
        return arrays.is_entity | arrays.trusted

    @cached_property
    def goes_on(self) -> BoolArray:
        """Which tokens probably go on with the entity of the one before."""
        assert self.label_probs is not None
        return _goes_on(*self.label_probs)

    def has_tags(self, span: Span) -> bool:
        tags = [] if self.label_probs is None else self.label_probs.tags
        return self.label_probs is None or set(_name_tags(span, tags)) <= set(tags)

    def add(self, span: Span) -> None:
        """Trust what an answer says of a span."""
        if self.weights is not None:
            self.weights[span.start : span.end] = 1
            self.has_weighed = True
        if self.label_probs is not None and self.has_tags(span):
            self._make_certain(span, *self.label_probs)
            self.has_made_certain = True

    def _make_certain(self, span: Span, tags: List[str], probs: FloatArray) -> None:
        """One tag for each token of a span. What the span cuts off from an entity that
        was probable there is unknown: with its tags, no sequence might be legal.
        """
        start, end = span.start, span.end
        while start > 0 and self.goes_on[start]:
            start -= 1
        while end < len(probs) and self.goes_on[end]:
            end += 1
        self.known[span.start : span.end] = True
        probs[start:end][~self.known[start:end]] = 1 / len(tags)
        columns = [tags.index(name) for name in _name_tags(span, tags)]
        probs[span.start : span.end] = numpy.eye(len(tags))[columns]
        self.goes_on[start:end] = _goes_on(tags, probs[start:end])

    def store(self) -> None:
        if self.has_weighed:
            set_weights(self.doc, self.weights)
        if self.has_made_certain:
            set_label_probs(self.doc, self.label_probs)


def _goes_on(tags: List[str], probs: FloatArray) -> BoolArray:
    inside = numpy.array([tag[:1] in ("I", "L") for tag in tags])
    return inside[probs.argmax(axis=1)]


def _first_in(spans: Dict[int, Span], span: Span) -> Optional[Span]:
    inside = (spans[i] for i in range(span.start, span.end) if i in spans)
    return next(inside, None)


def _add_entities(
    answer: Answer, there: _There, trust: _Trust, report: ImportReport
) -> None:
    doc = trust.doc
    offset = doc[answer.id.sent_start].idx
    spans = []
    for start, end, label in answer.spans:
        span = doc.char_span(
            offset + start, offset + end, label, alignment_mode="expand"
        )
        assert span is not None  # it covers some of a word of the sentence
        spans.append(span)
    suggested = [(answer.id.start, answer.id.end)]
    as_suggested = [(span.start, span.end) for span in spans] == suggested
    report.counts["accepted" if as_suggested else "corrected"] += 1
    for span in spans:
        other = there.find(span)
        if span.label_.endswith(SUGGESTED):
            report.conflicts.append(
                f"{answer.place}: '{span.text}' was accepted without a type; it is "
                "left out"
            )
        elif not trust.has_tags(span):
            report.conflicts.append(
                f"{answer.place}: the label probabilities of the corpus have no tags "
                f"for '{span.text}' ({span.label_}); it is left out"
            )
        elif other is None:
            doc.set_ents([span], default="unmodified")
            there.add_entity(span)
            trust.add(span)
            report.counts["entities added"] += 1
        elif _key(other) != _key(span):
            report.conflicts.append(_describe(answer, span, other))


def _add_outside(
    answer: Answer, there: _There, trust: _Trust, report: ImportReport
) -> None:
    doc = trust.doc
    report.counts["rejected"] += 1
    span = doc[answer.id.start : answer.id.end]
    entity = there.find_entity(span)
    if entity is not None:
        report.conflicts.append(_describe(answer, span, entity))
        return
    if _key(span) in there.rejected:
        return
    there.add_outside(span)
    group = doc.spans.get(OUTSIDE_GROUP)
    if group is None:
        doc.spans[OUTSIDE_GROUP] = SpanGroup(doc, name=OUTSIDE_GROUP, spans=[span])
    else:
        group.append(span)
    trust.add(span)
    report.counts["trusted negatives added"] += 1


def _key(span: Span) -> tuple:
    return span.start, span.end, span.label_


def _name_tags(span: Span, tags: List[str]) -> List[str]:
    """The tag of each token of a span, in the scheme of some tags."""
    if not span.label_:
        return [OUTSIDE] * len(span)
    prefixes = ["B", *"I" * (len(span) - 1)]
    if any(tag.startswith("U-") for tag in tags):
        prefixes[-1] = "L" if len(span) > 1 else "U"
    return [f"{prefix}-{span.label_}" for prefix in prefixes]


def _describe(answer: Answer, span: Span, other: Span) -> str:
    return (
        f"{answer.place}: '{span.text}' ({span.label_ or 'rejected'}) overlaps "
        f"'{other.text}' ({other.label_ or 'trusted negative'}), which stays"
    )


def _check_text(doc: Doc, answer: Answer, corpus: Path) -> None:
    place = answer.id
    text = doc[place.sent_start : place.sent_end].text
    if place.sent_end > len(doc) or make_digest(text) != place.digest:
        raise _other_text(answer, corpus)


def _other_text(answer: Answer, corpus: Path) -> ValueError:
    place = answer.id
    return ValueError(
        Errors.C303.format(
            path=answer.path,
            line=answer.line,
            doc=place.doc + 1,
            start=place.sent_start,
            end=place.sent_end,
            corpus=corpus,
        )
    )
