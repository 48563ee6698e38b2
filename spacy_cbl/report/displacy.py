"""Weights of a document in displaCy: the lower the weight, the deeper the colour."""

from typing import Any, Dict, Optional

from spacy import displacy
from spacy.tokens import Doc

from ..attrs import get_weights
from ..data.arrays import find_runs, read_doc_arrays

N_LEVELS = 10
COLD, HOT = (255, 241, 232), (255, 149, 97)  # of weights near 1 and of 0


def weight_colors() -> Dict[str, str]:
    """Colours of weights, for the registry `displacy_colors`.

    RETURNS (Dict[str, str]): A colour for each level that `weights_to_spans` uses.
    """
    return {_name(level): _mix(1 - level / N_LEVELS) for level in range(N_LEVELS)}


def weights_to_spans(doc: Doc, below: float = 1.0) -> Dict[str, Any]:
    """The entities of a document, and its unlabelled tokens by their weight, as
    displaCy takes them (style "ent", with `manual=True`).

    doc (Doc): The document.
    below (float): Show the tokens of less weight than this. Neighbours of the same
        level are one span.
    RETURNS (Dict[str, Any]): Text and spans.
    """
    places = [(ent.start, ent.end, ent.label_) for ent in doc.ents]
    weights = get_weights(doc)
    if weights is not None:
        shown = (weights < below) & ~read_doc_arrays(doc).is_entity
        # A hair more, so that the float32 next to 0.7 is 0.7.
        levels = ((weights + 1e-6) * N_LEVELS).astype(int)
        for level in range(N_LEVELS):
            for start, end in find_runs(shown & (levels == level)):
                places.append((start, end, _name(level)))
    spans = [
        {
            "start": doc[start:end].start_char,
            "end": doc[start:end].end_char,
            "label": label,
        }
        for start, end, label in sorted(places)
    ]
    return {"text": doc.text, "ents": spans, "title": None}


def render_weights(doc: Doc, below: float = 1.0, jupyter: Optional[bool] = None) -> Any:
    """Show a document with its weights, in a notebook or as HTML.

    doc (Doc): The document.
    below (float): Show the tokens of less weight than this.
    jupyter (Optional[bool]): Whether this is a notebook; found out by default.
    RETURNS (Any): The HTML, unless a notebook shows it.
    """
    spans = weights_to_spans(doc, below)
    return displacy.render(spans, style="ent", manual=True, jupyter=jupyter)


def _name(level: int) -> str:
    return f"w {level / N_LEVELS:.1f}"


def _mix(share: float) -> str:
    channels = (round(c + share * (h - c)) for c, h in zip(COLD, HOT))
    return "#" + "".join(f"{channel:02x}" for channel in channels)
