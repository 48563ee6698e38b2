"""Suspects: runs of unlabelled tokens that probably are entities nobody labelled."""

from collections import Counter
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

import numpy
from spacy.tokens import Doc, Span

from ..attrs import get_label_probs, get_p_outside, get_weights
from ..core.tags import OUTSIDE
from ..data.arrays import DocArrays, find_runs, read_doc_arrays
from ..errors import Errors
from ..types import FloatArray

THRESHOLD = 0.5  # tokens of less weight are suspected


@dataclass(frozen=True)
class Suspect:
    """A run of suspected tokens. Places are those of tokens in the document."""

    doc: int
    sent: Tuple[int, int]  # where its sentence starts and ends
    start: int
    end: int
    text: str
    weight: float  # mean of its tokens
    score: float  # how sure it is that this is an entity
    label: str = ""  # the probable type, where there is a hint
    confidence: float = 0.0  # in that type
    gold: Optional[str] = None  # the true type, "" for none; None where gold is unknown


@dataclass(frozen=True)
class Form:
    """All suspects of the same surface form."""

    text: str
    suspects: List[Suspect]
    score: float  # the mean of its suspects
    label: str  # the most frequent one
    confidence: float  # the mean; of suspects of another type or none it is 0

    @property
    def weight(self) -> float:
        """The mean weight of its suspects."""
        return fmean(suspect.weight for suspect in self.suspects)


def check_threshold(threshold: float) -> float:
    """Check that a threshold separates weights.

    threshold (float): The threshold.
    RETURNS (float): The same.
    """
    if not 0 < threshold <= 1:
        raise ValueError(Errors.C300.format(value=threshold))
    return threshold


def find_suspects(doc: Doc, number: int, threshold: float) -> List[Suspect]:
    """Find maximal runs of unlabelled tokens of small weight, within sentences.
    Trusted negatives, blocked tokens and space are no suspects.

    doc (Doc): The document; without weights it has no suspects.
    number (int): Its place in the corpus.
    threshold (float): Tokens of less weight are suspected.
    RETURNS (List[Suspect]): The suspects, in order.
    """
    weights = get_weights(doc)
    if weights is None:
        return []
    arrays = read_doc_arrays(doc)
    unlabelled = (arrays.is_outside | arrays.is_missing) & ~arrays.trusted
    low = (weights < threshold) & unlabelled
    scores = _score_tokens(doc, weights)
    suspects = []
    for sent in list_sentences(arrays):
        if not low[slice(*sent)].any():
            continue
        for start, end in find_runs(low[slice(*sent)]):
            start, end = _strip(doc, sent[0] + start, sent[0] + end)
            if start < end:
                suspects.append(
                    Suspect(
                        doc=number,
                        sent=sent,
                        start=start,
                        end=end,
                        text=doc[start:end].text,
                        weight=float(weights[start:end].mean(dtype="d")),
                        score=float(scores[start:end].mean(dtype="d")),
                    )
                )
    return suspects


def list_sentences(arrays: DocArrays) -> Iterator[Tuple[int, int]]:
    """Where sentences start and end.

    arrays (DocArrays): What is known of the document.
    YIELDS (Tuple[int, int]): Start and end (exclusive) of each.
    """
    starts = numpy.flatnonzero(arrays.sent_starts).tolist()
    yield from zip(starts, [*starts[1:], len(arrays.orths)])


def add_types(suspects: Sequence[Suspect], predicted: Doc) -> List[Suspect]:
    """Give suspects the types of entities that a pipeline found.

    suspects (Sequence[Suspect]): The suspects of one document.
    predicted (Doc): The document with those entities.
    RETURNS (List[Suspect]): Suspects, with the type of the entity that overlaps most.
    """
    entities, scores = index_entities(predicted), _read_scores(predicted)
    typed = []
    for suspect in suspects:
        ent = find_overlap(suspect, entities)
        if ent is not None:
            # A component that leaves no confidences is taken at its word.
            confidence = scores.get((ent.start, ent.end, ent.label), 1.0)
            suspect = replace(suspect, label=ent.label_, confidence=confidence)
        typed.append(suspect)
    return typed


def index_entities(doc: Doc) -> Dict[int, Span]:
    """The entity of each token that is in one.

    doc (Doc): The document.
    RETURNS (Dict[int, Span]): Entities by token.
    """
    return {i: ent for ent in doc.ents for i in range(ent.start, ent.end)}


def find_overlap(suspect: Suspect, entities: Dict[int, Span]) -> Optional[Span]:
    """The entity that shares most tokens with a suspect.

    suspect (Suspect): The suspect.
    entities (Dict[int, Span]): Entities of the same document by token.
    RETURNS (Optional[Span]): The entity; None if none shares a token.
    """
    places = range(suspect.start, suspect.end)
    shared = Counter(entities[i].start for i in places if i in entities)
    return entities[shared.most_common(1)[0][0]] if shared else None


def rank_forms(suspects: Iterable[Suspect], labels: Dict[str, Counter]) -> List[Form]:
    """Group suspects by surface form. The highest score comes first; of equal scores,
    the most frequent form.

    suspects (Iterable[Suspect]): The suspects.
    labels (Dict[str, Counter]): How often each form has each label in the corpus: the
        type of suspects that have none yet.
    RETURNS (List[Form]): The forms.
    """
    groups: Dict[str, List[Suspect]] = {}
    for suspect in suspects:
        if not suspect.label and suspect.text in labels:
            seen = labels[suspect.text]
            label, count = seen.most_common(1)[0]
            confidence = count / sum(seen.values())
            suspect = replace(suspect, label=label, confidence=confidence)
        groups.setdefault(suspect.text, []).append(suspect)
    forms = [_make_form(text, group) for text, group in groups.items()]
    # Rounded, so that noise in the last digits does not hide the frequency.
    return sorted(forms, key=lambda f: (-round(f.score, 6), -len(f.suspects), f.text))


def _make_form(text: str, suspects: List[Suspect]) -> Form:
    labels = Counter(suspect.label for suspect in suspects if suspect.label)
    label = labels.most_common(1)[0][0] if labels else ""
    return Form(
        text=text,
        suspects=suspects,
        score=fmean(suspect.score for suspect in suspects),
        label=label,
        confidence=fmean(s.confidence * (s.label == label) for s in suspects),
    )


def _score_tokens(doc: Doc, weights: FloatArray) -> FloatArray:
    """P(entity) where the file has it, else what the weight leaves of 1."""
    label_probs = get_label_probs(doc)
    if label_probs is not None and OUTSIDE in label_probs.tags:
        column = label_probs.probs[:, label_probs.tags.index(OUTSIDE)]
        return 1 - numpy.asarray(column, dtype=numpy.float64)
    p_outside = get_p_outside(doc)
    if p_outside is not None:
        return 1 - numpy.asarray(p_outside, dtype=numpy.float64)
    return 1 - numpy.minimum(weights, 1)


def _strip(doc: Doc, start: int, end: int) -> Tuple[int, int]:
    while start < end and doc[start].is_space:
        start += 1
    while start < end and doc[end - 1].is_space:
        end -= 1
    return start, end


def _read_scores(doc: Doc) -> Dict[Tuple[int, int, int], float]:
    """The confidences that components left beside their entities."""
    return {
        (span.start, span.end, span.label): float(score)
        for group in doc.spans.values()
        for span, score in zip(group, group.attrs.get("scores", ()))
    }
