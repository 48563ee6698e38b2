"""Ids of suspects: they say where a suspect is, and tell if the text is another one."""

import re
from hashlib import sha256
from typing import NamedTuple, Optional

from .suspects import Suspect

FIELD = "cbl_id"  # where answers carry their id
_FORM = re.compile(r"d(\d+)\.s(\d+)-(\d+)\.t(\d+)-(\d+)\.([0-9a-f]{12})", re.ASCII)


class SuspectId(NamedTuple):
    """The place of a suspect. Tokens are counted in the document."""

    doc: int
    sent_start: int
    sent_end: int
    start: int
    end: int
    digest: str  # of the text of the sentence

    def __str__(self) -> str:
        doc, first, last, start, end, digest = self
        return f"d{doc}.s{first}-{last}.t{start}-{end}.{digest}"


def make_id(suspect: Suspect, text: str) -> SuspectId:
    """Name a suspect.

    suspect (Suspect): The suspect.
    text (str): The text of its sentence.
    RETURNS (SuspectId): Its id.
    """
    first, last = suspect.sent
    digest = make_digest(text)
    return SuspectId(suspect.doc, first, last, suspect.start, suspect.end, digest)


def parse_id(text: str) -> Optional[SuspectId]:
    """Read an id.

    text (str): The id as text.
    RETURNS (Optional[SuspectId]): The id, or None if it is none.
    """
    match = _FORM.fullmatch(text)
    if match is None:
        return None
    doc, first, last, start, end = map(int, match.groups()[:5])
    found = SuspectId(doc, first, last, start, end, match[6])
    inside = found.sent_start <= found.start < found.end <= found.sent_end
    return found if inside else None


def make_digest(text: str) -> str:
    """A short hash of a text.

    text (str): The text.
    RETURNS (str): 12 hexadecimal digits.
    """
    return sha256(text.encode("utf-8")).hexdigest()[:12]
