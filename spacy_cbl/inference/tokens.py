"""The tokens of a corpus as constraints see them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Callable, Dict, Optional, Protocol, Sequence

import numpy

from ..errors import Errors
from ..types import BoolArray, IntArray


class Corpus(Protocol):
    """What `Tokens.from_corpus` reads of a corpus."""

    @property
    def forms(self) -> Sequence[str]: ...
    @property
    def token_ids(self) -> IntArray: ...
    @property
    def is_entity(self) -> BoolArray: ...
    @property
    def trusted(self) -> BoolArray: ...
    @property
    def sent_starts(self) -> BoolArray: ...


@dataclass(frozen=True)
class Tokens:
    """All tokens T of a corpus, documents laid end to end: one value per token in each
    array.

    forms (Sequence[str]): The distinct surface forms.
    form_ids (IntArray): The form of each token: `forms[form_ids[i]]` is token i.
    labelled (BoolArray): The tokens of P. All others are N.
    trusted (BoolArray): The tokens of N that somebody has checked: they stay O.
    sent_starts (BoolArray): The tokens that start a sentence.
    """

    forms: Sequence[str]
    form_ids: IntArray
    labelled: BoolArray
    trusted: BoolArray
    sent_starts: BoolArray

    def __post_init__(self) -> None:
        for name in ("labelled", "trusted", "sent_starts"):
            if len(getattr(self, name)) != len(self):
                raise ValueError(
                    Errors.C201.format(
                        found=len(getattr(self, name)), name=name, n_tokens=len(self)
                    )
                )

    @classmethod
    def from_corpus(cls, corpus: Corpus) -> "Tokens":
        """See a corpus as constraints do. The arrays are not copied.

        corpus (Corpus): The arrays of the corpus.
        RETURNS (Tokens): Its tokens.
        """
        return cls(
            forms=corpus.forms,
            form_ids=corpus.token_ids,
            labelled=corpus.is_entity,
            trusted=corpus.trusted & ~corpus.is_entity,
            sent_starts=corpus.sent_starts,
        )

    @classmethod
    def from_words(
        cls,
        words: Sequence[str],
        labelled: Sequence[bool],
        trusted: Optional[Sequence[bool]] = None,
        sent_starts: Optional[Sequence[bool]] = None,
    ) -> "Tokens":
        """Index words by their form.

        words (Sequence[str]): The tokens.
        labelled (Sequence[bool]): Which of them are in P.
        trusted (Optional[Sequence[bool]]): Which are trusted negatives; none if absent.
        sent_starts (Optional[Sequence[bool]]): Which start a sentence; if absent, the
            first alone.
        RETURNS (Tokens): The tokens.
        """
        known: Dict[str, int] = {}
        ids = [known.setdefault(word, len(known)) for word in words]
        in_p = numpy.array(labelled, dtype=bool)
        starts = numpy.arange(len(ids)) == 0
        return cls(
            forms=list(known),
            form_ids=numpy.array(ids, dtype=numpy.int32),
            labelled=in_p,
            trusted=numpy.zeros(len(ids), dtype=bool)
            if trusted is None
            else numpy.array(trusted, dtype=bool) & ~in_p,
            sent_starts=starts
            if sent_starts is None
            else numpy.array(sent_starts, dtype=bool),
        )

    def __len__(self) -> int:
        return len(self.form_ids)

    @cached_property
    def unlabelled(self) -> BoolArray:
        """The tokens of N, trusted negatives included."""
        return ~self.labelled

    def where(self, predicate: Callable[[str], bool]) -> BoolArray:
        """Find tokens by their form.

        predicate (Callable[[str], bool]): Asked once for each distinct form.
        RETURNS (BoolArray): The tokens whose form it holds for, in P and in N.
        """
        answers = numpy.fromiter(map(predicate, self.forms), bool, len(self.forms))
        return answers[self.form_ids]
