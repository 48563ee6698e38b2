"""Keep the vectors of texts on disk.

A folder holds files that only grow. Each process that computes something adds a file of
its own, so that several may work on one folder. A file is a head and records:

    head     magic (8 bytes), fingerprint (32), width (4), nothing (20)
    record   key (16), rows (4), checksum (4), nothing (8), rows x width float16

A process that is killed leaves at most one record that is cut off. What is cut off, has
another fingerprint or does not match its checksum is as good as absent.
"""

import mmap
import os
import struct
from hashlib import blake2b
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set
from uuid import uuid4
from zlib import crc32

import numpy

from ..types import FloatArray, IntArray

MAGIC = b"CBLVEC1\n"
HEAD = struct.Struct("<8s32sI20x")
RECORD = struct.Struct("<16sII8x")
SUFFIX = ".vectors"
BYTES = 2  # of a float16
# Bytes to read before pages are let go. Many times as much is in memory then, since a
# page comes with its neighbours.
RESIDENT = 1 << 22


class Place(NamedTuple):
    """Where the vectors of a text are."""

    path: Path
    offset: int  # of the first vector, in bytes
    n_rows: int
    width: int
    checksum: int

    @property
    def end(self) -> int:
        return self.offset + self.n_rows * self.width * BYTES


class VectorCache:
    """Vectors by key. Adding and finding may alternate."""

    def __init__(self, folder: Path, fingerprint: bytes) -> None:
        """Open a folder, and see what is in it.

        folder (Path): The folder; it is made when there is something to write.
        fingerprint (bytes): Tells vectors of one kind from others, 32 bytes.
        """
        self.folder = folder
        self.fingerprint = fingerprint
        self._places: Dict[bytes, Place] = {}
        self._checked: Set[bytes] = set()
        self._maps: Dict[Path, mmap.mmap] = {}
        self._n_read = 0
        self._name = uuid4().hex
        for path in sorted(folder.glob(f"*{SUFFIX}")):
            self._scan(path)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, key: bytes) -> bool:
        return key in self._places

    def get(self, key: bytes) -> Optional[FloatArray]:
        """Find the vectors of a text.

        key (bytes): See `make_key`.
        RETURNS (Optional[FloatArray]): float16, a row per token; None if there are none
            that can be trusted.
        """
        place = self._places.get(key)
        if place is None:
            return None
        data = self._read(place)
        if key not in self._checked:
            if _checksum(key, place.n_rows, data) != place.checksum:
                del self._places[key]
                return None
            self._checked.add(key)
        return data.view(numpy.float16).reshape(place.n_rows, place.width)

    def add(self, vectors: Dict[bytes, FloatArray]) -> None:
        """Keep vectors. When this returns they outlive the process.

        vectors (Dict[bytes, FloatArray]): A row per token of each text, by key.
        """
        if not vectors:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        # A file of its own for each process: forks have the name in common.
        path = self.folder / f"{self._name}-{os.getpid()}{SUFFIX}"
        width = next(iter(vectors.values())).shape[1]
        parts: List[Any] = []
        places: Dict[bytes, Place] = {}
        with open(path, "ab") as file:
            end = file.tell()
            if not end:
                parts.append(HEAD.pack(MAGIC, self.fingerprint, width))
                end = HEAD.size
            for key, rows in vectors.items():
                data = numpy.ascontiguousarray(rows, dtype="<f2").view(numpy.uint8)
                checksum = _checksum(key, len(rows), data)
                parts += [RECORD.pack(key, len(rows), checksum), data]
                offset = end + RECORD.size
                places[key] = Place(path, offset, len(rows), width, checksum)
                end = places[key].end
            file.write(b"".join(parts))
        self._places.update(places)
        self._checked.update(places)

    def _read(self, place: Place) -> IntArray:
        size = place.end - place.offset
        file = self._maps.get(place.path)
        if file is None or len(file) < place.end:
            # A map does not see what has been added since.
            with open(place.path, "rb") as opened:
                file = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
            self._maps[place.path] = file
        self._n_read += size
        if self._n_read > RESIDENT and hasattr(mmap, "MADV_DONTNEED"):
            # Pages stay with the system, but are no longer counted as ours.
            for known in self._maps.values():
                known.madvise(mmap.MADV_DONTNEED)
            self._n_read = size
        return numpy.frombuffer(file, numpy.uint8, size, place.offset)

    def _scan(self, path: Path) -> None:
        """Note what a file has. Vectors themselves are not read yet."""
        size = os.path.getsize(path)
        with open(path, "rb") as file:
            head = file.read(HEAD.size)
            if len(head) < HEAD.size:
                return
            magic, fingerprint, width = HEAD.unpack(head)
            if (magic, fingerprint) != (MAGIC, self.fingerprint):
                return
            while len(record := file.read(RECORD.size)) == RECORD.size:
                key, n_rows, checksum = RECORD.unpack(record)
                place = Place(path, file.tell(), n_rows, width, checksum)
                if not n_rows or place.end > size:
                    return
                self._places[key] = place
                file.seek(place.end)


def make_key(words: Sequence[str]) -> bytes:
    """The key of a text.

    words (Sequence[str]): Its tokens.
    RETURNS (bytes): 16 bytes.
    """
    # Lengths tell ["a b"] from ["a", "b"], whatever words are made of.
    text = "".join(f"{len(word)} {word}" for word in words)
    return blake2b(text.encode("utf8", "surrogatepass"), digest_size=16).digest()


def _checksum(key: bytes, n_rows: int, data: FloatArray) -> int:
    return crc32(data, crc32(key + n_rows.to_bytes(4, "little")))
