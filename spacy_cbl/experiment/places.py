"""Where the files of a cell are."""

from pathlib import Path
from typing import NamedTuple

from .grid import GOLD, Cell, hash_key

PARTS = ("train", "dev", "test")


class Places(NamedTuple):
    """Where files are."""

    root: Path  # configs are relative to it
    corpora: Path  # corpora as they come
    work: Path  # converted, perturbed and weighted ones
    results: Path  # one JSON file per cell


def gold_path(cell: Cell, places: Places) -> Path:
    """Where the complete training data of a cell is."""
    return places.work / cell.corpus.name / "train.spacy"


def partial_path(cell: Cell, places: Places) -> Path:
    """Where the perturbed training data of a cell is."""
    name = f"partial-p{cell.precision:g}-r{cell.recall:g}-s{cell.seed}.spacy"
    return places.work / cell.corpus.name / name


def weighted_path(cell: Cell, places: Places) -> Path:
    """Where the weighted data of a cell is: named by all that it depends on."""
    if cell.method.name == GOLD:
        return gold_path(cell, places)
    described = cell.describe()
    described.pop("model")
    described["corpus"].pop("settings")
    if cell.method.config is not None:
        described["config"] = (places.root / cell.method.config).read_text("utf8")
    partial = partial_path(cell, places)
    name = f"{partial.stem}-{cell.method.name}-{hash_key(described)}.spacy"
    return partial.with_name(name)


def result_path(cell: Cell, places: Places) -> Path:
    """Where the result of a cell is."""
    return places.results / f"{cell.name}.json"
