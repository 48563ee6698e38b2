"""Label Studio: JSON (tasks with annotations), JSON-MIN, and either as JSONL."""

from pathlib import Path
from typing import Any, Iterator, List, Optional, Sequence, Tuple

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...core.tag_schemes import SpanT
from ...errors import Errors
from .fields import check, check_label, get, get_list
from .options import Notes, Options
from .spans import Annotation, make_docs
from .text import RecordT, read_records

SKIPPED = "tasks left out because they have no finished annotation"
SEVERAL = "tasks with several annotations (the ground truth, else the last, was read)"
ANNOTATIONS = ("annotations", "completions")  # the second before version 1.0


def read_labelstudio(
    vocab: Vocab, paths: Sequence[Path], options: Options, notes: Notes
) -> Iterator[Doc]:
    """Read one annotation per task.

    vocab (Vocab): The vocabulary to use.
    paths (Sequence[Path]): The files.
    options (Options): How to read.
    notes (Notes): Counts what was left out.
    YIELDS (Doc): The documents.
    """
    annotations = (
        read_task(path, line, record, notes)
        for path in paths
        for line, record in read_records(path, options.encoding)
    )
    found = (annotation for annotation in annotations if annotation is not None)
    yield from make_docs(vocab, found, options, notes)


def read_task(
    path: Path, line: int, task: RecordT, notes: Notes
) -> Optional[Annotation]:
    """The text and the spans of a task.

    path (Path): The file, for errors.
    line (int): The line, for errors.
    task (RecordT): The task.
    notes (Notes): Counts what was left out.
    RETURNS (Optional[Annotation]): The annotation, or None if there is no finished one.
    """
    if "data" not in task:
        text = get(path, line, task, "text", str)
        objects = get_list(path, line, task, "label", dict)
        values = [value for value in objects if "labels" in value]
        return Annotation(path, line, text, _read_values(path, line, text, values))
    text = _find_text(path, line, get(path, line, task, "data", dict))
    name = next((name for name in ANNOTATIONS if name in task), ANNOTATIONS[0])
    annotations = get_list(path, line, task, name, dict)
    finished = [a for a in annotations if not a.get("was_cancelled")]
    if not finished:
        notes.counts[SKIPPED] += 1
        return None
    notes.counts[SEVERAL] += len(finished) > 1
    chosen = next((a for a in finished if a.get("ground_truth")), finished[-1])
    regions = get_list(path, line, chosen, "result", dict, required=True)
    # Relations between regions have no value.
    found = [get(path, line, r, "value", dict) for r in regions if "value" in r]
    values = [value for value in found if "labels" in value]
    return Annotation(path, line, text, _read_values(path, line, text, values))


def _find_text(path: Path, line: int, data: RecordT) -> str:
    """`text`, or the only text in the task's data."""
    names = [name for name, value in data.items() if isinstance(value, str)]
    name = names[0] if "text" not in data and len(names) == 1 else "text"
    return get(path, line, data, name, str)


def _read_values(
    path: Path, line: int, text: str, values: Sequence[RecordT]
) -> List[SpanT]:
    spans: List[SpanT] = []
    for value in values:
        start = get(path, line, value, "start", int)
        end = get(path, line, value, "end", int)
        start, end = _check_offsets(path, line, text, start, end, value.get("text"))
        for label in get_list(path, line, value, "labels", str, required=True):
            spans.append((start, end, check_label(path, line, label)))
    return spans


def _check_offsets(
    path: Path, line: int, text: str, start: int, end: int, covered: Any
) -> Tuple[int, int]:
    """The browser counts in UTF-16 units, so that offsets after an emoji are too high:
    the covered text tells.
    """
    if not isinstance(covered, str) or text[start:end] == covered:
        return start, end
    check(path, line, "text", covered, str)
    units = text.encode("utf-16-le")
    first = len(units[: 2 * start].decode("utf-16-le", errors="ignore"))
    if text[first : first + len(covered)] == covered:
        return first, first + len(covered)
    raise ValueError(
        Errors.C117.format(path=path, line=line, start=start, end=end, covered=covered)
    )
