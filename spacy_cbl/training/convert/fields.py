"""Fields of JSON records, checked."""

from pathlib import Path
from typing import Any, List, Sequence, Type, TypeVar

from ...core.schemes import SpanT
from ...errors import Errors
from .text import RecordT

ValueT = TypeVar("ValueT")


def get(path: Path, line: int, record: Any, name: str, kind: Type[ValueT]) -> ValueT:
    """A field of a record.

    path (Path): The file, for the error.
    line (int): The line, for the error.
    record (Any): The record.
    name (str): The name of the field.
    kind (Type[ValueT]): What it must be.
    RETURNS (ValueT): Its value.
    """
    value = record.get(name) if isinstance(record, dict) else None
    if not isinstance(value, kind):
        raise ValueError(
            Errors.C116.format(
                path=path, line=line, name=name, kind=kind.__name__, found=repr(value)
            )
        )
    return value


def get_spans(
    path: Path, line: int, spans: Sequence[RecordT], start: str, end: str, label: str
) -> List[SpanT]:
    """Spans given as objects.

    path (Path): The file, for the error.
    line (int): The line, for the error.
    spans (Sequence[RecordT]): The objects.
    start (str): The name of the field of the first character.
    end (str): The name of the field of the end.
    label (str): The name of the field of the label.
    RETURNS (List[SpanT]): The spans.
    """
    return [
        (
            get(path, line, span, start, int),
            get(path, line, span, end, int),
            get(path, line, span, label, str),
        )
        for span in spans
    ]
