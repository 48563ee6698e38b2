"""What the commands take from a training config, without training."""

from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterator, Optional

import spacy
from spacy.language import Language
from spacy.schemas import ConfigSchemaInit
from spacy.training.initialize import init_vocab
from spacy.util import load_config, registry
from spacy.vocab import Vocab

from ..errors import Errors
from .schemes import WeightingScheme


def read_config(path: Optional[Path], vectors: Optional[str] = None) -> Any:
    """Read a training config.

    path (Optional[Path]): The config; None for none.
    vectors (Optional[str]): Takes the place of `paths.vectors`.
    RETURNS (Any): The config with variables filled in, or None.
    """
    if path is None:
        return None
    overrides = {} if vectors is None else {"paths.vectors": vectors}
    with coded("config", path):
        return load_config(path, overrides=overrides, interpolate=True)


def make_vocab(config: Any, vectors: Optional[str], lang: str) -> Vocab:
    """Make the vocabulary that `spacy train` would start from.

    config (Any): The training config, or None.
    vectors (Optional[str]): A pipeline with vectors, where there is no config.
    lang (str): The language, where there is no config.
    RETURNS (Vocab): The vocabulary.
    """
    lang = lang if config is None else config["nlp"]["lang"]
    nlp = make_blank(lang)
    given: Dict[str, Any] = {"vectors": vectors}
    if config is not None:
        block = config["initialize"]
        with coded("initialize block of the config for language", lang):
            resolved = registry.resolve(block, schema=ConfigSchemaInit)
        names = {"data": "vocab_data", "lookups": "lookups", "vectors": "vectors"}
        given = {key: resolved[name] for key, name in names.items()}
    with coded("vectors", given["vectors"]):
        init_vocab(nlp, **given)
    return nlp.vocab


def make_blank(lang: str) -> Language:
    """A blank pipeline.

    lang (str): Language code.
    RETURNS (Language): The pipeline.
    """
    with coded("language", lang):
        return spacy.blank(lang)


@contextmanager
def coded(what: str, name: Any) -> Iterator[None]:
    """Turn what spaCy raises on a wrong name into an error of ours.

    what (str): What is being loaded.
    name (Any): Its name.
    """
    try:
        yield
    except (ImportError, OSError, ValueError) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        message = Errors.C244.format(what=what, name=name, error=lines[0].rstrip("."))
        raise ValueError(message) from None


def resolve_scheme(config: Any, path: Optional[Path]) -> WeightingScheme:
    """The weighting scheme of the training corpus of a config.

    config (Any): The training config, or None.
    path (Optional[Path]): Where it was read from, for messages.
    RETURNS (WeightingScheme): The scheme.
    """
    if config is None:
        raise ValueError(Errors.C242.format(path=path))
    train = config["corpora"].get("train", {})
    if "scheme" not in train:
        raise ValueError(Errors.C242.format(path=path))
    with coded("scheme of the config", path):
        return registry.resolve({"scheme": train["scheme"]})["scheme"]
