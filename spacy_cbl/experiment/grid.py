"""What a grid file says: which cells there are, and what each of them consists of."""

from dataclasses import asdict, dataclass, field
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import (
    Any,
    Dict,
    List,
    Optional,
    Sequence,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import srsly

from ..errors import Errors

GOLD = "gold"
# Left out of descriptions where they are not given, so that a new setting leaves the
# results of those that do not use it valid.
OPTIONAL = (
    "missing_below",
    "clean_tokens",
    "train_configs",
    "train_settings",
    "gold_ratio_setting",
)


@dataclass(frozen=True)
class CorpusSpec:
    """A corpus: `train.iob2`, `dev.iob2` and `test.iob2` in a folder."""

    name: str
    folder: str
    lang: str = "xx"
    vectors: Optional[str] = None  # a pipeline with word vectors
    clusters: Optional[str] = None  # Brown clusters: a file or a language
    settings: Dict[str, Any] = field(default_factory=dict)  # of training configs


@dataclass(frozen=True)
class MethodSpec:
    """How the training data gets its weights; the method "gold" has all labels."""

    name: str
    scheme: str = "raw"
    config: Optional[str] = None  # a training config whose scheme is taken instead
    settings: Dict[str, Any] = field(default_factory=dict)  # of the scheme
    entity_ratio: Any = None  # balances the weights; a number or a name
    missing_below: Optional[float] = None  # marks tokens of less weight as missing
    clean_tokens: Optional[int] = None  # random tokens that get their gold label
    # Methods that need their own way of training: configs by name of the model they
    # stand in for, settings, and the setting that takes the entity ratio of gold
    train_configs: Optional[Dict[str, str]] = None
    train_settings: Optional[Dict[str, Any]] = None
    gold_ratio_setting: Optional[str] = None


@dataclass(frozen=True)
class ModelSpec:
    """What is trained on the weighted data."""

    name: str
    config: str
    settings: Dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Cell:
    """One training and its scores."""

    corpus: CorpusSpec
    method: MethodSpec
    model: ModelSpec
    seed: int
    recall: float
    precision: float

    @property
    def name(self) -> str:
        parts = [self.corpus.name, self.method.name, self.model.name, str(self.seed)]
        return "-".join(parts)

    @property
    def train_config(self) -> str:
        """The config that is trained: that of the model, unless the method has one."""
        configs = self.method.train_configs
        return self.model.config if configs is None else configs[self.model.name]

    def describe(self) -> Dict[str, Any]:
        """All that the result depends on, as JSON."""
        described = asdict(self)
        for name in OPTIONAL:
            if described["method"][name] is None:
                del described["method"][name]
        return described


@dataclass(frozen=True)
class Grid:
    """All cells of a file, and the folder that its paths are relative to."""

    cells: List[Cell]
    root: Path


def read_grid(path: Path) -> Grid:
    """Read a grid file.

    path (Path): A YAML file; configs in it are relative to its folder.
    RETURNS (Grid): Its cells, in the order of its runs, each once.
    """
    try:
        data = srsly.read_yaml(path)
    except ValueError as error:
        raise ValueError(Errors.C260.format(path=path, error=error)) from None
    if not isinstance(data, dict) or not isinstance(data.get("runs"), list):
        raise ValueError(Errors.C260.format(path=path, error="no list `runs`"))
    axes = ["corpora", "methods", "models"]
    _check_keys(path, "the file", data, [*axes, "perturb", "runs"])
    specs = {
        "corpora": _read_specs(path, data, "corpora", CorpusSpec),
        "methods": _read_specs(path, data, "methods", MethodSpec),
        "models": _read_specs(path, data, "models", ModelSpec),
    }
    partial = _read_perturb(path, data)
    cells: Dict[str, Cell] = {}
    for run in data["runs"]:
        if not isinstance(run, dict):
            wrong = f"the run {run!r} is no mapping of lists"
            raise ValueError(Errors.C260.format(path=path, error=wrong))
        _check_keys(path, "a run", run, [*specs, "seeds"])
        picked = [_pick(path, run, axis, specs[axis]) for axis in specs]
        seeds = _read_list(path, run, "seeds", [0])
        if not all(isinstance(seed, int) and seed >= 0 for seed in seeds):
            wrong = f"`seeds` of a run are {seeds!r}; expected whole numbers from 0 on"
            raise ValueError(Errors.C260.format(path=path, error=wrong))
        for corpus, method, model, seed in product(*picked, seeds):
            cell = Cell(corpus, method, model, seed, **partial)
            if model.name not in (method.train_configs or {model.name}):
                missing = f"{method.name} has no train_configs for {model.name}"
                raise ValueError(Errors.C260.format(path=path, error=missing))
            if cells.setdefault(cell.name, cell) != cell:
                same = f"two cells are called {cell.name}: rename a corpus or method"
                raise ValueError(Errors.C260.format(path=path, error=same))
    if not cells:
        raise ValueError(Errors.C260.format(path=path, error="its runs have no cells"))
    return Grid(list(cells.values()), path.parent)


def hash_key(described: Dict[str, Any]) -> str:
    """A short name for settings: equal where these are equal.

    described (Dict[str, Any]): JSON.
    RETURNS (str): 16 hexadecimal digits.
    """
    text = srsly.json_dumps(described, sort_keys=True)
    return sha256(text.encode("utf8")).hexdigest()[:16]


def _check_keys(path: Path, where: str, found: Dict, known: Sequence[str]) -> None:
    unknown = [str(key) for key in found if key not in known]
    if unknown:
        error = f"{where} has {', '.join(unknown)}; there are {', '.join(known)}"
        raise ValueError(Errors.C260.format(path=path, error=error))


def _read_specs(path: Path, data: Dict[str, Any], axis: str, kind: Any) -> Dict:
    if not isinstance(data.get(axis) or {}, dict):
        error = f"{axis}: {data[axis]!r} is no mapping of names"
        raise ValueError(Errors.C260.format(path=path, error=error))
    for name in data.get(axis) or {}:
        # It becomes a part of names of files.
        is_text = isinstance(name, str) and name not in ("", ".", "..")
        if not is_text or set(name) & set("/\\\0"):
            error = f"{axis}: {name!r} is no name; expected text without / and \\"
            raise ValueError(Errors.C260.format(path=path, error=error))
    try:
        specs = {
            name: kind(name=name, **(spec or {}))
            for name, spec in (data.get(axis) or {}).items()
        }
        for spec in specs.values():
            _check_types(spec)
    except (TypeError, AttributeError, ValueError, RecursionError) as error:
        message = Errors.C260.format(path=path, error=f"{axis}: {error}")
        raise ValueError(message) from None
    return specs


def _check_types(spec: Any) -> None:
    """Raise an error where a value is not what the field of a specification says."""
    for name, hint in get_type_hints(type(spec)).items():
        value = getattr(spec, name)
        if not _fits(value, hint):
            raise TypeError(f"{name} of {spec.name} is {value!r}")
    hash_key(asdict(spec))  # settings have to be JSON


def _fits(value: Any, hint: Any) -> bool:
    if hint is Any:
        return True
    if get_origin(hint) is Union:
        return any(_fits(value, choice) for choice in get_args(hint))
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, get_origin(hint) or hint)


def _read_perturb(path: Path, data: Dict[str, Any]) -> Dict[str, float]:
    partial = {"recall": 0.5, "precision": 0.9}
    given = data.get("perturb") or {}
    if not isinstance(given, dict) or set(given) - set(partial):
        error = f"`perturb` is {given}; expected {' and '.join(partial)} alone"
        raise ValueError(Errors.C260.format(path=path, error=error))
    wrong = [v for v in given.values() if not isinstance(v, (int, float))]
    if wrong or not all(0 < v <= 1 for v in given.values()):
        error = f"`perturb` is {given}; expected numbers above 0, to 1"
        raise ValueError(Errors.C260.format(path=path, error=error))
    return {**partial, **given}


def _read_list(path: Path, run: Dict, key: str, default: List[Any]) -> List[Any]:
    found = run.get(key, default)
    if not isinstance(found, list):
        error = f"`{key}` of a run is {found!r}; expected a list"
        raise ValueError(Errors.C260.format(path=path, error=error))
    return found


def _pick(path: Path, run: Dict, axis: str, specs: Dict) -> Sequence[Any]:
    names = _read_list(path, run, axis, list(specs))
    unknown = [n for n in names if not isinstance(n, str) or n not in specs]
    if unknown:
        found, known = ", ".join(map(str, unknown)), ", ".join(specs)
        error = f"unknown {axis}: {found}; there are {known}"
        raise ValueError(Errors.C260.format(path=path, error=error))
    return [specs[name] for name in names]
