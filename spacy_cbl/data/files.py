"""Read text files, and write files that appear only when they are complete."""

import os
import re
import shutil
import tempfile
from contextlib import contextmanager
from errno import EACCES, EISDIR, ENOTDIR
from pathlib import Path
from typing import Collection, Iterator, List, Optional

from ..errors import Errors

_UNFINISHED = re.compile(r"\.(.+)\.\d+\.tmp")


def read_format(output: Path, formats: Collection[str]) -> Optional[str]:
    """The format that the name of an output says.

    output (Path): A file, or a folder.
    formats (Collection[str]): How names of files may end, without the dot.
    RETURNS (Optional[str]): The format; None for a folder.
    """
    ending = output.suffix[1:]
    if not ending or output.is_dir():
        return None
    if ending not in formats:
        names = ", ".join(f".{name}" for name in formats)
        raise ValueError(Errors.C312.format(path=output, names=names))
    return ending


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """Read a file, line ends made uniform and a byte order mark removed.

    path (Path): The file.
    encoding (str): Its encoding.
    RETURNS (str): The text.
    """
    try:
        text = path.read_text(encoding=encoding)
        text.encode("utf-8")  # some encodings let half of a surrogate pair pass
    except LookupError:
        raise ValueError(Errors.C101.format(encoding=encoding)) from None
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise ValueError(
            Errors.C100.format(path=path, line=line, encoding=encoding)
        ) from None
    except UnicodeEncodeError as error:
        line = text[: error.start].count("\n") + 1
        raise ValueError(
            Errors.C100.format(path=path, line=line, encoding=encoding)
        ) from None
    except UnicodeError:
        # No byte order mark, or an encoding that takes nothing.
        raise ValueError(
            Errors.C100.format(path=path, line=1, encoding=encoding)
        ) from None
    except ValueError:
        raise ValueError(Errors.C101.format(encoding=repr(encoding))) from None
    return text.removeprefix("\ufeff")


def write_text(path: Path, text: str) -> None:
    """Write a text file. An existing one stays as it is until the new one is complete.

    path (Path): The file to write; folders are made as needed.
    text (str): Its content.
    """
    with replace_files(path) as (unfinished,):
        unfinished.write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def replace_files(*paths: Path) -> Iterator[List[Path]]:
    """Replace files together. Existing ones stay as they are until all the new ones are
    complete.

    *paths (Path): The files to write; folders are made as needed.
    YIELDS (List[Path]): The files to write instead; they are moved at the end.
    """
    # What a link names is written, not the link.
    targets = [path.resolve() if path.is_symlink() else path for path in paths]
    for path in targets:
        check_output(path)
        path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = [path.with_name(f".{path.name}.{os.getpid()}.tmp") for path in targets]
    try:
        yield unfinished
        for source, path in zip(unfinished, targets):
            os.replace(source, path)
    finally:
        for source in unfinished:
            source.unlink(missing_ok=True)


@contextmanager
def replace_folder(path: Path) -> Iterator[Path]:
    """Replace what a folder holds. It stays as it is until all that is new is complete;
    what has other names stays there.

    path (Path): The folder; made as needed.
    YIELDS (Path): The folder to write to instead.
    """
    path.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        yield unfinished
        for new in unfinished.iterdir():
            old = path / new.name
            if old.is_dir() and not old.is_symlink():
                shutil.rmtree(old)
            os.replace(new, old)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def check_output(path: Path, *inputs: Optional[Path]) -> None:
    """Refuse, before there is anything to write, a place where that cannot be, and a
    file that is read as something else.

    path (Path): The file to write.
    *inputs (Optional[Path]): Files that must stay as they are.
    """
    if path.is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(path))
    if path.exists() and not path.is_file():
        raise ValueError(Errors.C317.format(path=path))
    if any(given is not None and _is_same(path, given) for given in inputs):
        raise ValueError(Errors.C316.format(path=path))
    there = next(p for p in path.absolute().parents if p.exists())
    if not there.is_dir():
        raise NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR), str(there))
    if not os.access(there, os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES), str(there))


def _is_same(path: Path, other: Path) -> bool:
    return path.exists() and other.exists() and path.samefile(other)


def finished_path(path: Path) -> Path:
    """The file that an unfinished one is for, to name it in messages.

    path (Path): Any file.
    RETURNS (Path): The file it is to become; itself if it is not an unfinished one.
    """
    while (match := _UNFINISHED.fullmatch(path.name)) is not None:
        path = path.with_name(match[1])
    return path
