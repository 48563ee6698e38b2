"""Where the files of a transformer are, and what tells it from others."""

from hashlib import sha256
from pathlib import Path
from typing import List

from ..errors import Errors

# What the features of a transformer depend on.
SETTINGS = ("*.json", "*.txt", "*.model")
WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
BLOCK = 1 << 20


def find_transformer(name: str) -> Path:
    """Find the folder of a transformer. A model of the hub is downloaded where it is
    not at hand; with the variable HF_HUB_OFFLINE=1 it is not.

    name (str): A folder, or the name of a model of the hub.
    RETURNS (Path): The folder.
    """
    folder = Path(name)
    if not folder.is_dir():
        folder = _fetch(name)
    if not (folder / "config.json").exists() or not _weights(folder):
        found = "no config.json with weights (.safetensors or .bin) beside it"
        raise ValueError(Errors.C331.format(name=name, error=found))
    return folder


def hash_transformer(folder: Path) -> str:
    """Hash the files of a transformer, wherever they are.

    folder (Path): The folder.
    RETURNS (str): Changes with the settings, the tokenizer and the weights.
    """
    state = sha256()
    settings = {path for glob in SETTINGS for path in folder.glob(glob)}
    for path in [*sorted(settings), *_weights(folder)]:
        # An index of weights that are not used, or notes, do no harm: same files,
        # same hash.
        state.update(f"{path.name} {path.stat().st_size}\n".encode())
        with open(path, "rb") as file:
            while block := file.read(BLOCK):
                state.update(block)
    return state.hexdigest()


def _weights(folder: Path) -> List[Path]:
    # The first kind is preferred, as transformers does.
    for glob in WEIGHTS:
        if found := sorted(folder.glob(glob)):
            return found
    return []


def _fetch(name: str) -> Path:
    if Path(name).is_absolute() or name.count("/") > 1:
        raise ValueError(Errors.C331.format(name=name, error="there is no such folder"))
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise ImportError(Errors.C330) from None
    try:
        folder = Path(snapshot_download(name, allow_patterns=[*SETTINGS, WEIGHTS[0]]))
        if not _weights(folder):
            folder = Path(snapshot_download(name, allow_patterns=[*SETTINGS, *WEIGHTS]))
        return folder
    except (OSError, ValueError) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise ValueError(
            Errors.C331.format(name=name, error=lines[0].rstrip("."))
        ) from None
