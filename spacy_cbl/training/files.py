"""Write files that appear only when they are complete."""

import os
from pathlib import Path


def write_text(path: Path, text: str) -> None:
    """Write a text file. An existing one stays as it is until the new one is complete.

    path (Path): The file to write; folders are made as needed.
    text (str): Its content.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        unfinished.write_text(text, encoding="utf-8", newline="\n")
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
