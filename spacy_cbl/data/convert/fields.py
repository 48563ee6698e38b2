"""Fields of JSON records, checked."""

from pathlib import Path
from reprlib import repr as shorten
from typing import Any, List, Sequence, Type, TypeVar

from ...core.tag_schemes import SpanT
from ...errors import Errors

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
    return check(path, line, name, value, kind)


def get_list(
    path: Path,
    line: int,
    record: Any,
    name: str,
    kind: Type[ValueT],
    required: bool = False,
) -> List[ValueT]:
    """A field of a record that is a list.

    path (Path): The file, for the error.
    line (int): The line, for the error.
    record (Any): The record.
    name (str): The name of the field.
    kind (Type[ValueT]): What its items must be.
    required (bool): Whether it must be there. If not, null or no field means no items.
    RETURNS (List[ValueT]): The items.
    """
    if not required and isinstance(record, dict) and record.get(name) is None:
        return []
    values = get(path, line, record, name, list)
    return [check(path, line, name, value, kind) for value in values]


def get_label(path: Path, line: int, record: Any, name: str) -> str:
    """A field of a record that is a label.

    path (Path): The file, for the error.
    line (int): The line, for the error.
    record (Any): The record.
    name (str): The name of the field.
    RETURNS (str): The label.
    """
    return check_label(path, line, get(path, line, record, name, str))


def get_spans(
    path: Path, line: int, spans: Sequence[Any], start: str, end: str, label: str
) -> List[SpanT]:
    """Spans given as objects.

    path (Path): The file, for the error.
    line (int): The line, for the error.
    spans (Sequence[Any]): The objects.
    start (str): The name of the field of the first character.
    end (str): The name of the field of the end.
    label (str): The name of the field of the label.
    RETURNS (List[SpanT]): The spans.
    """
    return [
        (
            get(path, line, span, start, int),
            get(path, line, span, end, int),
            get_label(path, line, span, label),
        )
        for span in spans
    ]


def check(path: Path, line: int, name: str, value: Any, kind: Type[ValueT]) -> ValueT:
    """Check the type of a value, and that text can be stored.

    path (Path): The file, for the error.
    line (int): The line, for the error.
    name (str): The name of its field, for the error.
    value (Any): The value.
    kind (Type[ValueT]): What it must be.
    RETURNS (ValueT): The value.
    """
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ValueError(
            Errors.C116.format(
                path=path,
                line=line,
                name=name,
                kind=kind.__name__,
                found=shorten(value),
            )
        )
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            found = shorten(value[error.start : error.end])
            raise ValueError(
                Errors.C128.format(path=path, line=line, name=name, found=found)
            ) from None
    return value


def check_label(path: Path, line: int, label: str) -> str:
    """Check that a label is a name: spaCy takes an empty one for no entity.

    path (Path): The file, for the error.
    line (int): The line, for the error.
    label (str): The label.
    RETURNS (str): The label.
    """
    if not label or label.isspace():
        raise ValueError(Errors.C127.format(path=path, line=line, found=repr(label)))
    return label
