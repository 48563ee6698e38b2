"""What did we miss? All that is known of the unlabelled entities of a corpus."""

from collections import Counter
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union

import numpy
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from tqdm import tqdm

from ..attrs import get_weights
from ..data.align import check_aligned
from ..data.arrays import read_doc_arrays
from ..data.docbin import read_docs
from ..data.loading import blank_vocab, coded
from ..errors import Errors
from ..types import BoolArray, FloatArray
from .histogram import Group, count_weights
from .results import HistoryT, read_history
from .suspects import (
    THRESHOLD,
    Form,
    Suspect,
    add_types,
    check_threshold,
    find_overlap,
    find_suspects,
    index_entities,
    list_sentences,
    rank_forms,
)

ModelT = Union[str, Path, Language]


@dataclass(frozen=True)
class Sentence:
    """A sentence of a document, as it is shown."""

    start: int  # of its first token in the document
    words: List[str]  # with the space that follows, but for the last
    weights: List[float]
    ents: List[Tuple[int, int, str]]  # start, end, label; counted in the sentence

    @property
    def text(self) -> str:
        """Its text, as spaCy gives it."""
        return "".join(self.words)


@dataclass(frozen=True)
class Inspection:
    """The probable missed entities of a corpus, and figures on it."""

    name: str
    n_tokens: int
    n_entity_tokens: int
    n_suspect_tokens: int
    n_gold_tokens: Optional[int]
    forms: List[Form]
    weights: Dict[str, Group]  # of unlabelled tokens; with gold also of two parts
    history: HistoryT
    docs: Dict[int, List[Sentence]] = field(repr=False)  # those that have suspects

    @property
    def suspects(self) -> List[Suspect]:
        """All suspects, the most probable forms first."""
        return [suspect for form in self.forms for suspect in form.suspects]

    def to_html(self) -> str:
        """The page.

        RETURNS (str): One HTML file that needs nothing else.
        """
        from .inspect_page import make_inspect_page

        return make_inspect_page(self)

    def _repr_html_(self) -> str:
        # A frame keeps the style of the page and of the notebook apart.
        frame = 'style="width: 100%; height: 40rem; border: 0"'
        return f'<iframe {frame} srcdoc="{escape(self.to_html())}"></iframe>'


def inspect(
    weighted: Path,
    *,
    gold: Optional[Path] = None,
    model: Optional[ModelT] = None,
    threshold: float = THRESHOLD,
    top: Optional[int] = None,
) -> Inspection:
    """Find the probable missed entities of a weighted corpus. In a notebook, the result
    shows itself as a page.

    weighted (Path): The corpus, as `spacy cbl weigh` wrote it.
    gold (Optional[Path]): The same documents, completely annotated.
    model (Optional[ModelT]): A pipeline that gives suspects types.
    threshold (float): Unlabelled tokens of less weight are suspected.
    top (Optional[int]): How many surface forms to keep, the most probable ones; all if
        not given.
    RETURNS (Inspection): What was found.
    """
    if top is not None and top < 1:
        raise ValueError(Errors.C307.format(value=top, what="surface forms"))
    reader = _Reader(check_threshold(threshold))
    if isinstance(model, (str, Path)):
        with coded("pipeline", model):
            model = spacy.load(model)
    vocab = blank_vocab() if model is None else model.vocab
    docs: Iterable[Doc] = read_docs(weighted, vocab)
    pairs: Iterable[Tuple[Optional[Doc], Doc]] = ((None, doc) for doc in docs)
    if gold is not None:
        pairs = check_aligned(read_docs(gold, vocab), docs)
    bar = tqdm(_predict(pairs, model), desc="Inspecting", unit="doc", disable=None)
    for gold_doc, doc, predicted in bar:
        reader.read(doc, gold_doc, predicted)
    if not reader.has_weights:
        raise ValueError(Errors.C298.format(path=weighted))
    return reader.finish(weighted.stem, top, read_history(weighted))


class _Reader:
    """Reads documents one by one and keeps what is to be shown."""

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold
        self.has_weights = False
        self.suspects: List[Suspect] = []
        self.labels: Dict[str, Counter] = {}
        self.docs: Dict[int, List[Sentence]] = {}
        self.weights: List[FloatArray] = []
        self.is_entity: List[BoolArray] = []
        self.is_gold: List[BoolArray] = []
        self.n_docs = 0

    def read(self, doc: Doc, gold: Optional[Doc], predicted: Optional[Doc]) -> None:
        arrays, weights = read_doc_arrays(doc), get_weights(doc)
        self.has_weights |= weights is not None
        if weights is None:
            weights = numpy.ones(len(doc))
        self.weights.append(weights)
        self.is_entity.append(arrays.is_entity)
        for ent in doc.ents:
            self.labels.setdefault(ent.text, Counter())[ent.label_] += 1
        found = find_suspects(doc, self.n_docs, self.threshold)
        if predicted is not None:
            found = add_types(found, predicted)
        if gold is not None:
            self.is_gold.append(read_doc_arrays(gold).is_entity)
            found = _add_gold(found, gold)
        if found:
            self.docs[self.n_docs] = make_sentences(doc, weights)
        self.suspects += found
        self.n_docs += 1

    def finish(self, name: str, top: Optional[int], history: HistoryT) -> Inspection:
        forms = rank_forms(self.suspects, self.labels)[:top]
        shown = {suspect.doc for form in forms for suspect in form.suspects}
        is_entity, weights = _join(self.is_entity), _join(self.weights)
        groups = {"unlabelled": count_weights(weights, ~is_entity)}
        n_gold_tokens = None
        if self.is_gold:
            is_gold = _join(self.is_gold)
            n_gold_tokens = int(is_gold.sum())
            groups["missed"] = count_weights(weights, is_gold & ~is_entity)
            groups["true negatives"] = count_weights(weights, ~is_gold & ~is_entity)
        return Inspection(
            name=name,
            n_tokens=len(weights),
            n_entity_tokens=int(is_entity.sum()),
            n_suspect_tokens=sum(s.end - s.start for s in self.suspects),
            n_gold_tokens=n_gold_tokens,
            forms=forms,
            weights=groups,
            history=history,
            docs={i: self.docs[i] for i in sorted(shown)},
        )


def make_sentences(doc: Doc, weights: FloatArray) -> List[Sentence]:
    """What is shown of the sentences of a document.

    doc (Doc): The document.
    weights (FloatArray): One weight per token.
    RETURNS (List[Sentence]): The sentences.
    """
    words = [token.text_with_ws for token in doc]
    rounded = [round(weight, 2) for weight in weights.tolist()]
    entities = index_entities(doc)
    sents = []
    for start, end in list_sentences(read_doc_arrays(doc)):
        found = {i: entities[i] for i in range(start, end) if i in entities}
        # What reaches into the next sentence is cut.
        inside = [
            (max(e.start, start) - start, min(e.end, end) - start, e.label_)
            for i, e in found.items()
            if i == max(e.start, start)
        ]
        shown = [*words[start : end - 1], doc[end - 1].text]
        sents.append(Sentence(start, shown, rounded[start:end], inside))
    return sents


def copy_words(doc: Doc, nlp: Language) -> Doc:
    """A document with the same tokens and sentences, and nothing else.

    doc (Doc): The document.
    nlp (Language): The pipeline that is to read it.
    RETURNS (Doc): The copy.
    """
    known = doc.has_annotation("SENT_START")
    return Doc(
        nlp.vocab,
        words=[token.text for token in doc],
        spaces=None
        if doc.has_unknown_spaces
        else [bool(token.whitespace_) for token in doc],
        sent_starts=[bool(t.is_sent_start) for t in doc] if known else None,
    )


def _predict(
    pairs: Iterable[Tuple[Optional[Doc], Doc]], nlp: Optional[Language]
) -> Iterator[Tuple[Optional[Doc], Doc, Optional[Doc]]]:
    if nlp is None:
        yield from ((gold, doc, None) for gold, doc in pairs)
        return
    inputs = ((copy_words(doc, nlp), (gold, doc)) for gold, doc in pairs)
    for predicted, (gold, doc) in nlp.pipe(inputs, as_tuples=True):
        yield gold, doc, predicted


def _add_gold(suspects: List[Suspect], gold: Doc) -> List[Suspect]:
    entities = index_entities(gold)
    found = [find_overlap(suspect, entities) for suspect in suspects]
    return [
        replace(suspect, gold="" if ent is None else ent.label_)
        for suspect, ent in zip(suspects, found)
    ]


def _join(arrays: List[Any]) -> Any:
    return numpy.concatenate(arrays) if arrays else numpy.zeros(0)
