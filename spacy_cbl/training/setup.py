"""What the commands take from a training config, without training."""

from pathlib import Path
from typing import Any, Dict, Optional

from spacy.schemas import ConfigSchemaInit
from spacy.training.initialize import init_vocab
from spacy.util import load_config, registry
from spacy.vocab import Vocab

from ..data.clusters import CLUSTER_TABLE, load_clusters
from ..data.loading import blank_vocab, coded, make_blank
from ..errors import Errors
from .schemes import WeightingScheme, resolve_block


def read_config(path: Path, overrides: Optional[Dict[str, Any]] = None) -> Any:
    """Read a training config.

    path (Path): The config.
    overrides (Optional[Dict[str, Any]]): Settings to replace, by their dotted names.
    RETURNS (Any): The config with variables filled in.
    """
    with coded("config", path):
        return load_config(path, overrides=overrides or {}, interpolate=True)


def make_vocab(
    config: Any,
    vectors: Optional[str],
    lang: Optional[str],
    clusters: Optional[str] = None,
) -> Vocab:
    """Make the vocabulary that `spacy train` would start from.

    config (Any): The training config, or None.
    vectors (Optional[str]): A pipeline with vectors, where there is no config.
    lang (Optional[str]): The language, where there is no config; that of the vectors,
        or xx, if not given.
    clusters (Optional[str]): Brown clusters: a file, or a language of the package
        spacy-lookups-data.
    RETURNS (Vocab): The vocabulary.
    """
    vocab = _initial_vocab(config, vectors, lang or _language_of(vectors))
    with coded("Brown clusters", clusters):
        lookups = load_clusters(clusters)
    if lookups is not None:
        vocab.lookups.set_table(CLUSTER_TABLE, lookups.get_table(CLUSTER_TABLE))
    return vocab


def _initial_vocab(config: Any, vectors: Optional[str], lang: str) -> Vocab:
    if config is None and vectors is None:
        return blank_vocab(lang)
    lang = lang if config is None else _find(config, "nlp", "lang")
    nlp = make_blank(lang)
    given: Dict[str, Any] = {"vectors": vectors}
    if config is not None:
        block = _find(config, "initialize")
        with coded("initialize block of the config for language", lang):
            resolved = registry.resolve(block, schema=ConfigSchemaInit)
        names = {"data": "vocab_data", "lookups": "lookups", "vectors": "vectors"}
        given = {key: resolved[name] for key, name in names.items()}
    with coded("vectors", given["vectors"]):
        init_vocab(nlp, **given)
    return nlp.vocab


def _language_of(vectors: Optional[str]) -> str:
    """The language of a pipeline in a folder."""
    path = Path(vectors or "") / "config.cfg"
    return str(load_config(path)["nlp"]["lang"]) if path.is_file() else "xx"


def resolve_scheme(
    config: Any, path: Optional[Path], settings: Optional[Dict[str, Any]] = None
) -> WeightingScheme:
    """The weighting scheme of the training corpus of a config.

    config (Any): The training config, or None.
    path (Optional[Path]): Where it was read from, for messages.
    settings (Optional[Dict[str, Any]]): Settings of the scheme to replace.
    RETURNS (WeightingScheme): The scheme.
    """
    block = {**_scheme_block(config, path), **(settings or {})}
    with coded("scheme of the config", path):
        return resolve_block(scheme_name(config, path), block)


def scheme_name(config: Any, path: Optional[Path]) -> str:
    """The registered name of the weighting scheme of a config.

    config (Any): The training config, or None.
    path (Optional[Path]): Where it was read from, for messages.
    RETURNS (str): The name.
    """
    return str(_scheme_block(config, path).get("@cbl_weighting", ""))


def _scheme_block(config: Any, path: Optional[Path]) -> Dict[str, Any]:
    block = (config or {}).get("corpora", {}).get("train", {}).get("scheme")
    if not isinstance(block, dict):
        raise ValueError(Errors.C242.format(path=path))
    return block


def _find(config: Any, *names: str) -> Any:
    for name in names:
        if name not in config:
            raise ValueError(Errors.C247.format(name=".".join(names)))
        config = config[name]
    return config
