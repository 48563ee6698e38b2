"""What this package keeps on a Doc. Only this module knows the attribute names."""

from typing import Any, List, NamedTuple, Optional, Sequence

import numpy
from spacy.tokens import Doc, Token

from .errors import Errors
from .types import FloatArray

WEIGHTS = "cbl_weights"
WEIGHT = "cbl_weight"
LABEL_PROBS = "cbl_label_probs"
P_OUTSIDE = "cbl_p_outside"
OUTSIDE_GROUP = "cbl_outside"  # span group of trusted negatives
# Span group of tokens whose true label is known: that of the span
CLEAN_GROUP = "cbl_clean"


class LabelProbs(NamedTuple):
    """A distribution over tags for each token: `probs[i, j]` belongs to `tags[j]`."""

    tags: List[str]
    probs: FloatArray


def ensure_extensions() -> None:
    """Register the extension attributes, once."""
    if not Doc.has_extension(WEIGHTS):
        Doc.set_extension(WEIGHTS, getter=get_weights, setter=set_weights)
    if not Doc.has_extension(LABEL_PROBS):
        Doc.set_extension(LABEL_PROBS, getter=get_label_probs, setter=set_label_probs)
    if not Doc.has_extension(P_OUTSIDE):
        Doc.set_extension(P_OUTSIDE, getter=get_p_outside, setter=set_p_outside)
    if not Token.has_extension(WEIGHT):
        Token.set_extension(WEIGHT, getter=_get_token_weight, setter=_set_token_weight)


def get_weights(doc: Doc) -> Optional[FloatArray]:
    """One weight per token, or None where every token weighs 1.

    doc (Doc): The document.
    RETURNS (Optional[FloatArray]): The weights, float32.
    """
    weights = doc.user_data.get(_key(WEIGHTS))
    return None if weights is None else _check_weights(doc, weights)


def set_weights(doc: Doc, weights: Optional[Sequence[float]]) -> None:
    """Set one weight per token; None removes them.

    doc (Doc): The document to modify.
    weights (Optional[Sequence[float]]): Finite numbers, 0 or more.
    """
    if weights is None:
        doc.user_data.pop(_key(WEIGHTS), None)
    else:
        # A copy: the caller may go on with its array.
        doc.user_data[_key(WEIGHTS)] = _check_weights(doc, weights).copy()


def get_label_probs(doc: Doc) -> Optional[LabelProbs]:
    """The tag distribution of each token, or None where there is none.

    doc (Doc): The document.
    RETURNS (Optional[LabelProbs]): The tag names and an array (tokens x tags).
    """
    stored = doc.user_data.get(_key(LABEL_PROBS))
    if stored is None:
        return None
    return _check_label_probs(doc, LabelProbs(list(stored[0]), stored[1]))


def set_label_probs(doc: Doc, label_probs: Optional[LabelProbs]) -> None:
    """Set the tag distribution of each token; None removes it.

    doc (Doc): The document to modify.
    label_probs (Optional[LabelProbs]): Tag names and an array (tokens x tags).
    """
    if label_probs is None:
        doc.user_data.pop(_key(LABEL_PROBS), None)
    else:
        if not isinstance(label_probs, (tuple, list)) or len(label_probs) != 2:
            kind = type(label_probs).__name__
            raise ValueError(Errors.C008.format(kind=kind, text=_start(doc)))
        checked = _check_label_probs(doc, LabelProbs(*label_probs))
        doc.user_data[_key(LABEL_PROBS)] = [
            checked.tags,
            checked.probs.astype(numpy.float16),
        ]


def get_p_outside(doc: Doc) -> Optional[FloatArray]:
    """How probably each token is no entity, by the model that found the weights. It
    ranks suspects; training does not look at it.

    doc (Doc): The document.
    RETURNS (Optional[FloatArray]): One probability per token; None where there is none.
    """
    stored = doc.user_data.get(_key(P_OUTSIDE))
    return None if stored is None else _check_p_outside(doc, stored)


def set_p_outside(doc: Doc, p_outside: Optional[Sequence[float]]) -> None:
    """Set the probability of each token to be no entity; None removes it.

    doc (Doc): The document to modify.
    p_outside (Optional[Sequence[float]]): One probability per token.
    """
    if p_outside is None:
        doc.user_data.pop(_key(P_OUTSIDE), None)
    else:
        # Half precision is fine near 0, where suspects are told apart.
        array = _check_p_outside(doc, p_outside).astype(numpy.float16)
        doc.user_data[_key(P_OUTSIDE)] = array


def _key(name: str) -> Any:
    # Where Underscore keeps a Doc's attributes, so that DocBin saves them.
    return ("._.", name, None, None)


def _get_token_weight(token: Token) -> float:
    weights = get_weights(token.doc)
    return 1.0 if weights is None else float(weights[token.i])


def _set_token_weight(token: Token, weight: float) -> None:
    found = get_weights(token.doc)
    weights = [1.0] * len(token.doc) if found is None else found.tolist()
    weights[token.i] = weight
    set_weights(token.doc, weights)


def _check_weights(doc: Doc, weights: Sequence[float]) -> FloatArray:
    try:
        array = numpy.asarray(weights, dtype=numpy.float32)
    except (TypeError, ValueError):
        kind = type(weights).__name__
        raise ValueError(Errors.C005.format(kind=kind, text=_start(doc))) from None
    if array.shape != (len(doc),):
        raise ValueError(
            Errors.C001.format(
                n_weights=array.size, n_tokens=len(doc), text=_start(doc)
            )
        )
    wrong = ~(numpy.isfinite(array) & (array >= 0))
    if wrong.any():
        i = int(wrong.argmax())
        raise ValueError(
            Errors.C002.format(value=array[i], i=i, token=doc[i].text, text=_start(doc))
        )
    return array


def _check_p_outside(doc: Doc, p_outside: Sequence[float]) -> FloatArray:
    error = ValueError(Errors.C007.format(n_tokens=len(doc), text=_start(doc)))
    try:
        array = numpy.asarray(p_outside, dtype=numpy.float32)
    except (TypeError, ValueError):
        raise error from None
    if array.shape != (len(doc),) or not ((array >= 0) & (array <= 1)).all():
        raise error
    return array


def _check_label_probs(doc: Doc, label_probs: LabelProbs) -> LabelProbs:
    tags = list(label_probs.tags)
    try:
        probs = numpy.asarray(label_probs.probs)
        probs = probs if probs.dtype.kind == "f" else probs.astype(numpy.float64)
    except (TypeError, ValueError):
        kind = type(label_probs.probs).__name__
        raise ValueError(Errors.C008.format(kind=kind, text=_start(doc))) from None
    if probs.shape != (len(doc), len(tags)):
        raise ValueError(
            Errors.C003.format(
                shape=probs.shape,
                n_tags=len(tags),
                n_tokens=len(doc),
                text=_start(doc),
            )
        )
    wrong = ~((probs >= 0) & (probs <= 1)).all(axis=1) | ~(probs > 0).any(axis=1)
    if wrong.any():
        i = int(wrong.argmax())
        raise ValueError(
            Errors.C004.format(
                value=probs[i].tolist(), i=i, token=doc[i].text, text=_start(doc)
            )
        )
    return LabelProbs(tags, probs)


def _start(doc: Doc) -> str:
    return doc[:8].text
