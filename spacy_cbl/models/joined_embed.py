"""Several embeddings side by side."""

from typing import Any, Dict, List, Optional

from spacy.tokens import Doc
from thinc.api import Dropout, Maxout, Model, chain, concatenate, with_array
from thinc.types import Floats2d

from ..errors import Errors


def build_joined_embed_v1(
    parts: Dict[str, Any], width: Optional[int] = None
) -> Model[List[Doc], List[Floats2d]]:
    """Build an embedding of the outputs of others, put side by side.

    parts (Dict[str, Model[List[Doc], List[Floats2d]]]): The embeddings, by any name.
    width (Optional[int]): Mix them into this many numbers, for encoders whose input is
        as wide as their output; None to leave them side by side.
    RETURNS (Model[List[Doc], List[Floats2d]]): The embedding layer.
    """
    if not parts:
        raise ValueError(Errors.C336)
    # By name, not as given: configs may be sorted, and so would be what they put in.
    layers = [parts[name] for name in sorted(parts)]
    joined: Model[List[Doc], List[Floats2d]] = concatenate(*layers)
    if width is None:
        return joined
    mix = Maxout(width, nP=3, dropout=0.0, normalize=True)
    drop: Model[Floats2d, Floats2d] = Dropout()
    return chain(joined, with_array(chain(drop, mix)))
