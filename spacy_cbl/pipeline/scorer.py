"""Scores of the entities."""

from typing import Any, Callable, Dict, Iterable

from spacy.scorer import get_ner_prf
from spacy.training import Example


def make_cbl_ner_scorer() -> Callable:
    """The scorer of `cbl_ner`, by name.

    RETURNS (Callable): The scorer.
    """
    return cbl_ner_score


def cbl_ner_score(examples: Iterable[Example], **kwargs: Any) -> Dict[str, Any]:
    """Precision, recall and F1 of entities, in all and per type. Predictions that touch
    a token whose gold annotation is missing count neither way.

    examples (Iterable[Example]): The examples to score.
    RETURNS (Dict[str, Any]): The scores; empty without examples, so that training
        without a dev set is scored 0 throughout and ends with its last model.
    """
    examples = list(examples)
    return get_ner_prf(examples, **kwargs) if examples else {}
