"""Lines and JSON records of a file, with their line numbers."""

import json
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

from ...errors import Errors
from ..files import read_text

RecordT = Dict[str, Any]


def read_lines(path: Path, encoding: str) -> List[str]:
    """The lines of a file. Only line ends split, not the other characters at which
    Python's `splitlines` does: tokens may contain those.

    path (Path): The file.
    encoding (str): Its encoding.
    RETURNS (List[str]): The lines.
    """
    return read_text(path, encoding).split("\n")


def read_records(path: Path, encoding: str) -> Iterator[Tuple[int, RecordT]]:
    """The objects of a file: one per line, one array of them, or a single one.

    path (Path): The file.
    encoding (str): Its encoding.
    YIELDS (Tuple[int, RecordT]): Line number and object; in an array, the number of the
        object takes the place of the line.
    """
    text = read_text(path, encoding)
    for number, value in _parse(path, text):
        if not isinstance(value, dict):
            raise ValueError(
                Errors.C102.format(path=path, line=number, found=type(value).__name__)
            )
        yield number, value


def _parse(path: Path, text: str) -> Iterator[Tuple[int, Any]]:
    lines = text.split("\n")
    try:
        first: Any = json.loads(next((line for line in lines if line.strip()), ""))
    except (ValueError, RecursionError):
        first = None
    if isinstance(first, dict):
        yield from _parse_lines(path, lines)
        return
    whole = _load(path, 1, text)
    yield from enumerate(whole if isinstance(whole, list) else [whole], 1)


def _parse_lines(path: Path, lines: List[str]) -> Iterator[Tuple[int, Any]]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, _load(path, number, line)


def _load(path: Path, line: int, text: str) -> Any:
    """Parse a text that begins at a line."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line, reason = line + error.lineno - 1, error.msg
    except RecursionError:
        reason = "it is nested too deeply"
    except ValueError as error:
        reason = str(error)  # a number of too many digits
    raise ValueError(Errors.C103.format(path=path, line=line, reason=reason))
