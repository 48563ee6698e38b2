"""What the commands take from a training config, without training."""

from pathlib import Path
from typing import Any, Optional

import spacy
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
    return load_config(path, overrides=overrides, interpolate=True)


def make_vocab(config: Any, vectors: Optional[str], lang: str) -> Vocab:
    """Make the vocabulary that `spacy train` would start from.

    config (Any): The training config, or None.
    vectors (Optional[str]): A pipeline with vectors, where there is no config.
    lang (str): The language, where there is no config.
    RETURNS (Vocab): The vocabulary.
    """
    if config is None:
        nlp = spacy.blank(lang)
        init_vocab(nlp, vectors=vectors)
        return nlp.vocab
    nlp = spacy.blank(config["nlp"]["lang"])
    settings = registry.resolve(config["initialize"], schema=ConfigSchemaInit)
    init_vocab(
        nlp,
        data=settings["vocab_data"],
        lookups=settings["lookups"],
        vectors=settings["vectors"],
    )
    return nlp.vocab


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
    return registry.resolve({"scheme": train["scheme"]})["scheme"]
