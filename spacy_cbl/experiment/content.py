"""What the files of a cell hold, as digests: their names do not tell."""

from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Dict, Tuple

from .grid import Cell
from .places import PARTS, Places, partial_path

SignatureT = Tuple[Tuple[str, int, int], ...]


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
    parts = [sha256(path.read_bytes()).hexdigest() for path in paths]
    return sha256("".join(parts).encode("utf8")).hexdigest()[:16]


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
        name: _digest(path, _sign(path))
        for name, path in paths.items()
        if path.name and path.exists()  # others are names of packages or languages
    }


def is_same(said: Dict[str, Any], now: Dict[str, Any]) -> bool:
    """Whether digests agree. A result may not say all of them, and may be read without
    the files that it came from.

    said (Dict[str, Any]): What a result says.
    now (Dict[str, Any]): What there is.
    RETURNS (bool): False if one that both have differs.
    """
    known = (name for name in said.keys() & now.keys() if said[name] and now[name])
    return all(said[name] == now[name] for name in known)


def _list_files(path: Path) -> Dict[str, Path]:
    if path.is_file():
        return {"": path}
    found = sorted(p for p in path.rglob("*") if p.is_file())
    return {p.relative_to(path).as_posix(): p for p in found}


def _sign(path: Path) -> SignatureT:
    stats = {name: file.stat() for name, file in _list_files(path).items()}
    return tuple((name, s.st_size, s.st_mtime_ns) for name, s in stats.items())


@lru_cache(maxsize=256)
def _digest(path: Path, signature: SignatureT) -> str:
    """Many cells share large files: one that has not been touched is read once."""
    digest = sha256()
    for name, file in _list_files(path).items():
        digest.update(f"{name}\0".encode("utf8"))
        digest.update(sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]
