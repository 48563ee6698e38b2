"""What the files of a cell hold, as digests: their names do not tell."""

from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Dict

from .grid import Cell
from .places import PARTS, Places, partial_path


def digest_corpus(cell: Cell, places: Places) -> str:
    """Tells the content of a corpus from others; empty where a part is not there.

    cell (Cell): A cell of the corpus.
    places (Places): Where files are.
    RETURNS (str): 16 hexadecimal digits.
    """
    folder = places.corpora / cell.corpus.folder
    paths = [folder / f"{part}.iob2" for part in PARTS]
    if not all(path.exists() for path in paths):
        return ""
    return sha256("".join(map(_hash_file, paths)).encode("utf8")).hexdigest()[:16]


def digest_inputs(cell: Cell, places: Places) -> Dict[str, str]:
    """Tell the content of what a cell is given by its path: vectors, clusters, and
    partial labels that no grid made.

    cell (Cell): The cell.
    places (Places): Where files are.
    RETURNS (Dict[str, str]): A digest of each that is there.
    """
    partial = partial_path(cell, places)
    paths = {
        "vectors": Path(cell.corpus.vectors or ""),
        "clusters": Path(cell.corpus.clusters or ""),
        "partial": partial,
    }
    if partial.with_suffix(".json").exists():  # perturbed, so the cell says how
        del paths["partial"]
    return {
        name: _digest(path)
        for name, path in paths.items()
        if path.name and path.exists()  # others are names of packages or languages
    }


def is_same(said: Dict[str, Any], now: Dict[str, Any]) -> bool:
    """Whether digests agree. A result may be read without the files that it came from.

    said (Dict[str, Any]): What a result says.
    now (Dict[str, Any]): What there is.
    RETURNS (bool): False if one differs, or is new.
    """
    return all(said.get(name) == digest for name, digest in now.items())


def _list_files(path: Path) -> Dict[str, Path]:
    if path.is_file():
        return {"": path}
    found = sorted(p for p in path.rglob("*") if p.is_file())
    return {p.relative_to(path).as_posix(): p for p in found}


def _digest(path: Path) -> str:
    digest = sha256()
    for name, file in _list_files(path).items():
        digest.update(f"{name}\0".encode("utf8"))
        digest.update(bytes.fromhex(_hash_file(file)))
    return digest.hexdigest()[:16]


def _hash_file(path: Path) -> str:
    """Many cells share large files: one that has not been touched is read once."""
    stat = path.stat()
    return _hash_unchanged(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=1024)
def _hash_unchanged(path: Path, size: int, mtime_ns: int) -> str:
    return sha256(path.read_bytes()).hexdigest()
