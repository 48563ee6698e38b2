"""What corpora hold, as `spacy cbl stats --json` wrote it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, List, Optional, Sequence

import srsly

from .results import Scores


@dataclass(frozen=True)
class Counts:
    """The figures of one file; the ratio is in percent, scores are in points."""

    corpus: str  # the name of its folder
    part: str  # the name of the file: train, test, or an annotator
    sents: int
    tokens: int
    spans: int
    entity_tokens: int
    unique_entity_tokens: int
    ratio: float
    scores: Optional[Scores] = None  # of labels beside gold


def read_counts(paths: Sequence[Path]) -> List[Counts]:
    """Read the figures that lie among results.

    paths (Sequence[Path]): Folders; files are results.
    RETURNS (List[Counts]): One per corpus and part, the last where there are several.
    """
    found = {}
    for folder in paths:
        for path in sorted(folder.glob("*.json")) if folder.is_dir() else []:
            for counts in read_file(path):
                found[counts.corpus, counts.part] = counts
    return list(found.values())


def read_file(path: Path) -> List[Counts]:
    """Read one file.

    path (Path): A JSON file.
    RETURNS (List[Counts]): Its figures; none if it holds something else.
    """
    try:
        data = srsly.read_json(path)
        return [_read_row(row) for row in data] if isinstance(data, list) else []
    except (KeyError, TypeError, ValueError):
        return []


def _read_row(row: Any) -> Counts:
    path, scores = Path(row["path"]), row.get("scores")
    return Counts(
        corpus=path.parent.name,
        part=path.stem,
        sents=row["sents"],
        tokens=row["tokens"],
        spans=row["spans"],
        entity_tokens=row["entity_tokens"],
        unique_entity_tokens=row["unique_entity_tokens"],
        ratio=100 * row["ratio"],
        scores=scores
        and Scores(*(100 * scores[name] for name in ("precision", "recall", "f1"))),
    )
