"""Tag documents by hashed features and an averaged perceptron, and learn to."""

from dataclasses import dataclass
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy
from spacy.tokens import Doc
from tqdm import tqdm

from ..core.calibration import Calibration, fit_calibration, outside_margins
from ..core.greedy import Context, decode, look_back, tags_before, words_before
from ..core.perceptron import RULES, AveragedPerceptron, Weights, sum_rows
from ..core.tag_features import (
    LOOK_AHEAD,
    Salts,
    TagRows,
    document_ratios,
    history_ratios,
    number_words,
)
from ..data.arrays import space_tokens
from ..data.sentences import sentence_starts
from ..types import BoolArray, FloatArray, IntArray
from .form_features import FormTemplate
from .form_table import FormTable

REMEMBERED = 50_000  # tokens that probabilities are calibrated on


@dataclass(frozen=True)
class PerceptronSettings:
    """How the perceptron learns. See `build_averaged_perceptron_v1`."""

    n_rows: int
    rule: str
    rate: float
    thickness: float
    step_size: int
    tag_window: int
    history_window: int
    history_noise: float
    history_omission: float
    history_cased: bool
    second_pass: bool
    second_pass_omission: float


class Examples(NamedTuple):
    """Tokens to learn from."""

    rows: IntArray
    dense: FloatArray
    gold: IntArray
    weights: FloatArray


class Tagged(NamedTuple):
    """What was found of the tokens of documents, laid end to end."""

    tags: IntArray
    p_outside: FloatArray


class PerceptronTagger:
    """Learns to tag tokens, and tags them."""

    def __init__(
        self, features: Dict[str, FormTemplate], settings: PerceptronSettings
    ) -> None:
        """See `build_averaged_perceptron_v1`."""
        self.settings = settings
        self.forms = FormTable(features, settings.n_rows, settings.tag_window)
        self.legal: Optional[BoolArray] = None
        self.types: Optional[IntArray] = None
        self.learner: Optional[AveragedPerceptron] = None
        self.calibration = Calibration()
        self._average: Optional[Weights] = None
        self._seen: List[Tuple[FloatArray, BoolArray, FloatArray]] = []
        self._is_calibrated = True

    @property
    def n_tags(self) -> int:
        """How many tags there are; 0 before `start`."""
        return 0 if self.legal is None else len(self.legal) - 1

    @property
    def n_types(self) -> int:
        """How many types of tags there are, O included; 0 before `start`."""
        return 0 if self.types is None else int(self.types.max()) + 1

    def start(self, legal: BoolArray, types: IntArray) -> None:
        """Begin to learn anew.

        legal (BoolArray): Which tag may follow which, with the boundary last.
        types (IntArray): The type of each tag, 0 for O.
        """
        self.legal = legal
        self.types = numpy.append(types, 0)
        settings = self.settings
        n_parts = bool(settings.history_window) + settings.second_pass
        n_dense = n_parts * LOOK_AHEAD * self.n_types
        self.learner = AveragedPerceptron(settings.n_rows, n_dense, self.n_tags)
        self.calibration = Calibration()
        self._average = None
        self._seen = []
        self._is_calibrated = True

    def update(self, docs: Sequence[Doc], gold: IntArray, weights: FloatArray) -> int:
        """Learn from documents, once.

        docs (Sequence[Doc]): The documents.
        gold (IntArray): The tag of each token.
        weights (FloatArray): v, how much each token counts; 0 for not at all.
        RETURNS (int): For how many tokens the gold tag did not score highest.
        """
        return self.learn(self.encode(docs, gold, weights))

    def encode(
        self, docs: Sequence[Doc], gold: IntArray, weights: FloatArray
    ) -> Examples:
        """Work out the features of tokens whose tags are known.

        docs (Sequence[Doc]): The documents.
        gold (IntArray): The tag of each token.
        weights (FloatArray): v, how much each token counts; 0 for not at all.
        RETURNS (Examples): Those tokens that count.
        """
        context = self._read(docs, numpy.zeros(len(gold), dtype=bool))
        before = tags_before(gold, context, self.n_tags)
        rows = self._tag_rows().rows(before, words_before(context), context.forms)
        kept = numpy.flatnonzero(weights > 0)
        dense = self._ratios(context, gold)[kept]
        rows = numpy.concatenate([context.rows[kept], rows[kept]], axis=1)
        return Examples(rows, dense, gold[kept], weights[kept].astype("f"))

    def learn(self, examples: Examples) -> int:
        """Learn from tokens, once, in random order.

        examples (Examples): The tokens.
        RETURNS (int): For how many tokens the gold tag did not score highest.
        """
        assert self.learner is not None
        size, n_wrong = self.settings.step_size, 0
        order = numpy.random.permutation(len(examples.gold))
        for start in range(0, len(order), size):
            chosen = order[start : start + size]
            gold, weights = examples.gold[chosen], examples.weights[chosen]
            scores = self.learner.step(
                examples.rows[chosen],
                examples.dense[chosen],
                gold,
                weights,
                rule=RULES[self.settings.rule],
                rate=self.settings.rate,
                thickness=self.settings.thickness,
            )
            n_wrong += int(numpy.count_nonzero(scores.argmax(axis=1) != gold))
            self._seen.append((outside_margins(scores), gold == 0, weights))
        self._seen = self._seen[-max(1, REMEMBERED // size) :]
        self._is_calibrated = not self._seen
        self._average = None
        return n_wrong

    def fit(
        self,
        docs: Sequence[Doc],
        gold: IntArray,
        weights: FloatArray,
        n_rounds: int,
    ) -> None:
        """Learn from documents several times. Features are worked out once.

        docs (Sequence[Doc]): The documents.
        gold (IntArray): The tag of each token.
        weights (FloatArray): v, how much each token counts; 0 for not at all.
        n_rounds (int): How often.
        """
        examples = self.encode(docs, gold, weights)
        for _ in tqdm(range(n_rounds), "Rounds", disable=None, leave=False):
            self.learn(examples)

    def predict(self, docs: Sequence[Doc], fixed: Optional[BoolArray] = None) -> Tagged:
        """Tag documents with the average of the weights.

        docs (Sequence[Doc]): The documents.
        fixed (Optional[BoolArray]): Tokens that are O whatever the scores say. White
            space always is.
        RETURNS (Tagged): What was found.
        """
        n_tokens = sum(len(doc) for doc in docs)
        if not n_tokens:
            return Tagged(numpy.zeros(0, dtype=numpy.int64), numpy.zeros(0))
        context = self._read(
            docs, numpy.zeros(n_tokens, bool) if fixed is None else fixed
        )
        static = sum_rows(self.average().table, context.rows)
        tags, scores = self._decode(context, static)
        if self.settings.second_pass:
            tags, scores = self._decode(context, static, tags)
        p_outside = self.calibrate().p_outside(outside_margins(scores))
        return Tagged(tags, p_outside)

    def average(self) -> Weights:
        """The mean of the weights after each step, as exact as it is saved: what is
        tried out before saving is what is there after loading.

        RETURNS (Weights): The mean.
        """
        if self._average is None:
            assert self.learner is not None
            table, dense = self.learner.average()
            self._average = Weights(table.astype(numpy.float16).astype("f"), dense)
        return self._average

    def calibrate(self) -> Calibration:
        """Fit probabilities to the scores that the last tokens had before they were
        learned from.

        RETURNS (Calibration): From margins to P(O).
        """
        if not self._is_calibrated:
            margins, is_outside, weights = map(numpy.concatenate, zip(*self._seen))
            self.calibration = fit_calibration(margins, is_outside, weights)
            self._is_calibrated = True
        return self.calibration

    def _read(self, docs: Sequence[Doc], fixed: BoolArray) -> Context:
        docs = [doc for doc in docs if len(doc)]
        ids = self.forms.look_up(docs)
        lengths = numpy.array([len(doc) for doc in docs])
        words = ids if self.settings.history_cased else self.forms.lowers[ids]
        starts = numpy.concatenate([sentence_starts(doc) for doc in docs])
        fixed = fixed | space_tokens(docs)
        sentences = numpy.cumsum(starts)
        # No entity reaches across a token that is fixed: tags start anew behind it.
        after = numpy.append(False, fixed[:-1])
        segments = numpy.cumsum(starts | fixed | after)
        return Context(
            rows=self.forms.around(ids, sentences),
            forms=self.forms.hashes_around(ids, sentences),
            words=self.forms.words(ids),
            numbers=number_words(words, lengths),
            lengths=lengths,
            segments=segments,
            fixed=fixed,
            back=look_back(segments),
        )

    def _decode(
        self,
        context: Context,
        static: FloatArray,
        before: Optional[IntArray] = None,
    ) -> Tuple[IntArray, FloatArray]:
        """Tag documents, knowing how they were tagged before or not."""
        assert self.legal is not None and self.types is not None
        known = None
        if before is not None:
            types = self.types[before]
            known = document_ratios(
                context.numbers, types, self.n_types, context.lengths
            )
        window = self.settings.history_window
        average, tag_rows = self.average(), self._tag_rows()
        return decode(context, static, average, tag_rows, self.legal, window, known)

    def _ratios(self, context: Context, gold: IntArray) -> FloatArray:
        """How words were tagged, in training: with noise, and left out here and there,
        as at prediction time it is not gold.
        """
        settings, parts = self.settings, [numpy.zeros((len(gold), 0), "f")]
        words, lengths, n_types = context.numbers, context.lengths, self.n_types
        if settings.history_window:
            types, window = self._noisy_types(gold), settings.history_window
            ratios = history_ratios(words, types, n_types, lengths, window)
            ratios[numpy.random.random(len(gold)) < settings.history_omission] = 0.0
            parts.append(ratios)
        if settings.second_pass:
            types, omission = self._noisy_types(gold), settings.second_pass_omission
            ratios = document_ratios(words, types, n_types, lengths)
            ratios[numpy.random.random(len(gold)) < omission] = 0.0
            parts.append(ratios)
        return numpy.concatenate(parts, axis=1)

    def _noisy_types(self, gold: IntArray) -> IntArray:
        assert self.types is not None
        noisy = numpy.random.random(len(gold)) < self.settings.history_noise
        drawn = numpy.random.randint(self.n_types, size=len(gold))
        return numpy.where(noisy, drawn, self.types[gold])

    def _tag_rows(self) -> TagRows:
        assert self.types is not None
        n = self.n_tags + 1
        draw = numpy.random.RandomState(0).randint  # the same for every model
        salts = Salts(
            tags=draw(2**32, size=(3, n), dtype=numpy.uint32),
            pairs=draw(2**32, size=(n, n), dtype=numpy.uint32),
            types=draw(2**32, size=n, dtype=numpy.uint32),
        )
        return TagRows(self.settings.n_rows, self.types, salts)
