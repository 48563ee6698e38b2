"""Tell the format of a file from its name and content."""

import json
from itertools import islice
from pathlib import Path
from typing import Any, Optional, Sequence

from ...core.tag_schemes import is_tag
from ...errors import Errors
from . import talen_column, talen_iob2
from .columns import split_tabs
from .labelstudio import ANNOTATIONS
from .text import RecordT, read_lines, read_records

JSON_SUFFIXES = (".json", ".jsonl", ".ndjson", ".tajson")
N_RECORDS = 100  # a record without entities does not tell


def detect_format(path: Path, encoding: str) -> str:
    """Tell the format of a file.

    path (Path): The file.
    encoding (str): Its encoding.
    RETURNS (str): A name in FORMATS.
    """
    if path.suffix == ".spacy":
        return "spacy"
    lines = [line for line in read_lines(path, encoding) if line.strip()]
    if path.suffix in JSON_SUFFIXES or _looks_like_json(lines):
        records = islice(read_records(path, encoding), N_RECORDS)
        names = (_tell_record(record) for _, record in records)
        found = next((name for name in names if name), None)
        if found is None:
            raise ValueError(Errors.C119.format(path=path))
        return found
    return _tell_columns(lines)


def _looks_like_json(lines: Sequence[str]) -> bool:
    """A token may be a bracket too, so the first line must parse or stand alone."""
    first = lines[0].strip() if lines else ""
    if not first.startswith(("{", "[")):
        return False
    try:
        return isinstance(json.loads(first), (dict, list))
    except (ValueError, RecursionError):
        return first[1:2] in ("", "{", '"')


def _tell_record(record: RecordT) -> Optional[str]:
    if "views" in record and "tokens" in record:
        return "tajson"
    if "data" in record and any(name in record for name in ANNOTATIONS):
        return "labelstudio"
    if "spans" in record or "answer" in record:
        return "prodigy"
    if "entities" in record or "labels" in record:
        return "doccano"
    return _tell_label(record.get("label"))


def _tell_label(label: Any) -> Optional[str]:
    """Both call it `label`: JSON-MIN has objects in it, doccano triples."""
    if not isinstance(label, list) or not label:
        return None
    return "labelstudio" if isinstance(label[0], dict) else "doccano"


def _tell_columns(lines: Sequence[str]) -> str:
    rows = (split_tabs(line) for line in lines if not line.startswith("# "))
    row = next(rows, [])
    if len(row) == talen_column.WIDTH and is_tag(row[talen_column.TAG]):
        if row[talen_column.INDEX].isdigit():
            return "talen-column"
    if len(row) == talen_iob2.WIDTH and is_tag(row[talen_iob2.TAG]):
        if row[talen_iob2.INDEX].isdigit() and row[3] == "-":
            return "talen-iob2"
    return "columns"
