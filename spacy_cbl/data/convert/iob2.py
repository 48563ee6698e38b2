"""Write documents as IOB2: token, tab, tag."""

from typing import Iterable, Iterator, List

from spacy.tokens import Doc

from ...attrs import OUTSIDE_GROUP, get_weights
from ...core.tag_schemes import MISSING_TAG
from ...core.tags import OUTSIDE
from ...errors import Errors
from .options import Notes
from .sentences import DOC_MARK

SPACE = "tokens left out because they are nothing but space"
WEIGHTS = "documents whose weights were not written: the format has no place for them"
NEGATIVES = "documents whose trusted negatives were not written: the same"
CROSSED = "sentence boundaries left out because they are inside an entity"


def to_iob2(docs: Iterable[Doc], notes: Notes) -> Iterator[str]:
    """The text of each document. A `-DOCSTART-` line stands before it, a blank line
    ends each sentence, `-` stands for a missing tag.

    docs (Iterable[Doc]): The documents.
    notes (Notes): Counts what the format cannot hold.
    YIELDS (str): The lines of one document.
    """
    for number, doc in enumerate(docs, 1):
        notes.counts[WEIGHTS] += get_weights(doc) is not None
        notes.counts[NEGATIVES] += bool(doc.spans.get(OUTSIDE_GROUP))
        rows = _make_rows(doc, number, notes)
        if rows:
            yield "\n".join([f"{DOC_MARK}\t{OUTSIDE}", "", *rows, "", ""])


def _make_rows(doc: Doc, number: int, notes: Notes) -> List[str]:
    rows: List[str] = []
    splits = False
    opens = False
    for token, iob, label, starts in zip(doc, *_read_attributes(doc)):
        splits = splits or starts
        opens = opens or (iob == 3 and label != "")
        text = token.text
        if text.isspace():
            notes.counts[SPACE] += 1
            continue
        if "\t" in text or "\n" in text or "\r" in text or text == DOC_MARK:
            raise ValueError(Errors.C118.format(doc=number, token=token.i, text=text))
        inside = iob == 1 and not opens
        if splits and rows and not inside:
            rows.append("")
        notes.counts[CROSSED] += splits and inside
        if iob == 0:
            tag = MISSING_TAG
        elif iob == 2 or not label:
            tag = OUTSIDE  # without label: blocked, no entity may be there
        else:
            tag = f"I-{label}" if inside else f"B-{label}"
        rows.append(f"{text}\t{tag}")
        splits = opens = False
    return rows


def _read_attributes(doc: Doc) -> List[List]:
    strings = doc.vocab.strings
    iobs, types, starts = doc.to_array(["ENT_IOB", "ENT_TYPE", "SENT_START"]).T
    labels = {key: strings[key] if key else "" for key in set(types.tolist())}
    return [
        iobs.tolist(),
        [labels[key] for key in types.tolist()],
        [start == 1 for start in starts.tolist()],
    ]
