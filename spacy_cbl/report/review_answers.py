"""Read answers to suspects, as annotation tools export them."""

from pathlib import Path
from reprlib import repr as shorten
from typing import Dict, List, NamedTuple, Optional

from ..core.tag_schemes import SpanT
from ..data.convert import doccano, labelstudio, prodigy
from ..data.convert.options import Notes
from ..data.convert.spans import Annotation
from ..data.convert.text import RecordT, read_records
from ..data.files import read_text
from ..errors import Errors
from .review_export import SUGGESTED
from .review_ids import FIELD, SuspectId, make_digest, parse_id

ANSWERS = ("accept", "reject", "ignore")  # Prodigy's
LABELS = ("label", "labels", "entities")  # doccano's fields


class Answer(NamedTuple):
    """What an annotator says of a suspect."""

    path: Path
    line: int
    id: SuspectId
    spans: List[SpanT]  # in characters of the sentence; none: it was rejected
    text: str

    @property
    def place(self) -> str:
        return f"{self.path}, line {self.line}"


class Answers(NamedTuple):
    """The answers of a file, and what else is in it."""

    given: List[Answer]
    n_unanswered: int
    n_repeated: int  # answers that a later one replaced


def read_answers(path: Path) -> Answers:
    """Read a file of answers. Of several answers about a suspect, the last counts.

    path (Path): The file: Prodigy's or doccano's JSONL, or Label Studio's JSON.
    RETURNS (Answers): The answers; an error where one is malformed.
    """
    if not read_text(path, "utf-8").strip():
        return Answers([], 0, 0)  # a tool where nobody has answered exports nothing
    found: Dict[SuspectId, Answer] = {}
    n_unanswered = n_given = 0
    notes = Notes()
    for line, record in read_records(path, "utf-8"):
        suspect_id = _read_id(path, line, record)
        annotation = _read_annotation(path, line, record, notes)
        if annotation is None:
            n_unanswered += 1
            continue
        if make_digest(annotation.text) != suspect_id.digest:
            raise ValueError(Errors.C304.format(path=path, line=line))
        n_given += 1
        for span in annotation.spans:
            _check_span(annotation, span)
        spans = [_strip(annotation.text, span) for span in annotation.spans]
        found[suspect_id] = Answer(path, line, suspect_id, spans, annotation.text)
    n_repeated = n_given - len(found) + notes.counts[labelstudio.SEVERAL]
    return Answers(list(found.values()), n_unanswered, n_repeated)


def _read_id(path: Path, line: int, record: RecordT) -> SuspectId:
    places = (record, record.get("meta"), record.get("data"))
    found = [p[FIELD] for p in places if isinstance(p, dict) and FIELD in p]
    if not found:
        raise ValueError(Errors.C301.format(path=path, line=line, name=FIELD))
    suspect_id = parse_id(found[0]) if isinstance(found[0], str) else None
    if suspect_id is None:
        shown = shorten(found[0])
        raise ValueError(
            Errors.C302.format(path=path, line=line, name=FIELD, found=shown)
        )
    return suspect_id


def _read_annotation(
    path: Path, line: int, record: RecordT, notes: Notes
) -> Optional[Annotation]:
    """None where nobody has answered; without spans where the suspect was rejected."""
    if isinstance(record.get("data"), dict):
        return labelstudio.read_task(path, line, record, notes)
    if any(name in record for name in ("answer", "spans", "tokens")):
        return _read_prodigy(path, line, record)
    if not any(name in record for name in LABELS):
        raise ValueError(Errors.C301.format(path=path, line=line, name=LABELS[0]))
    annotation = doccano.make_annotation(path, line, record)
    confirmed = [s for s in annotation.spans if not s[2].endswith(SUGGESTED)]
    if annotation.spans and not confirmed:
        return None
    return annotation._replace(spans=confirmed)


def _read_prodigy(path: Path, line: int, record: RecordT) -> Optional[Annotation]:
    answer = record.get("answer")
    if answer is not None and answer not in ANSWERS:
        names = ", ".join(ANSWERS)
        raise ValueError(
            Errors.C305.format(path=path, line=line, found=shorten(answer), names=names)
        )
    annotation = prodigy.make_annotation(path, line, record)
    if answer is None or answer == "ignore":
        return None
    return annotation._replace(spans=[]) if answer == "reject" else annotation


def _check_span(annotation: Annotation, span: SpanT) -> None:
    start, end, label = span
    inside = 0 <= start < end <= len(annotation.text)
    if not inside or annotation.text[start:end].isspace():
        raise ValueError(
            Errors.C306.format(
                path=annotation.path,
                line=annotation.line,
                span=f"{start}-{end} {label}",
            )
        )


def _strip(text: str, span: SpanT) -> SpanT:
    """Without the space around it, which annotators select easily."""
    start, end, label = span
    covered = text[start:end]
    start += len(covered) - len(covered.lstrip())
    return start, end - (len(covered) - len(covered.rstrip())), label
