"""Read what runs wrote, whichever command wrote it, as one kind of record."""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import srsly
from spacy.util import logger

from ..data.files import read_text
from ..errors import Errors

DEV = ".dev"  # `cbl.dev.json` holds the dev scores of `cbl.json`
HISTORY = ".history.jsonl"  # what `spacy cbl weigh` writes beside its output
HistoryT = List[Dict[str, Any]]


class Scores(NamedTuple):
    """Precision, recall and F1, in points."""

    p: float
    r: float
    f: float


@dataclass(frozen=True)
class Result:
    """One training: how its data was weighed, what was trained, how it scored."""

    method: str
    test: Scores
    corpus: str = ""
    model: str = ""
    seed: int = 0
    partial: str = ""  # how the data was made partial, where that is known
    selected_on: str = ""  # which data chose the model, where that is known
    dev: Optional[Scores] = None
    seconds_weigh: Optional[float] = None
    seconds_train: Optional[float] = None
    history: HistoryT = field(default_factory=list)  # of the rounds of CBL
    settings: str = ""  # all but the seed, where that is known

    @property
    def name(self) -> str:
        parts = [self.corpus, self.method, self.model, str(self.seed)]
        return "-".join(part for part in parts if part)

    @property
    def recall_at_k(self) -> Optional[float]:
        """The share of the k missed entity tokens among the k most suspected ones, by
        the last round, in percent; None where there are no rounds or no gold.
        """
        last = self.history[-1] if self.history else {}
        share = last.get("missed_recall_at_k")
        return None if share is None else 100 * float(share)


def read_results(paths: Sequence[Path]) -> List[Result]:
    """Read results of `spacy cbl experiment` and of `spacy evaluate`.

    paths (Sequence[Path]): Files, or folders of them. Files of a folder that are
        something else are passed over.
    RETURNS (List[Result]): The results; at least one, no two of the same run.
    """
    found: Dict[Tuple, Tuple[Path, Result]] = {}
    for path in _list_files(paths):
        result = read_result(path)
        if result is None:
            if path in paths:
                raise ValueError(Errors.C295.format(path=path))
            continue
        run = (result.method, result.corpus, result.model, result.seed, result.partial)
        if run in found:
            first = found[run][0]
            message = Errors.C297.format(name=result.name, first=first, second=path)
            raise ValueError(message)
        found[run] = (path, result)
    if not found:
        raise ValueError(Errors.C296.format(paths=", ".join(map(str, paths))))
    return _name_partial([result for _, result in found.values()])


def read_result(path: Path) -> Optional[Result]:
    """Read one result.

    path (Path): A JSON file.
    RETURNS (Optional[Result]): The result, or None if the file holds none.
    """
    data = _read_json(path)
    try:
        if "cell" in data:
            return _read_cell(data)
        if "ents_f" in data:
            return _read_evaluation(path, data)
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    return None


def read_history(weighted: Path) -> HistoryT:
    """Read the rounds behind a weighted corpus.

    weighted (Path): The corpus, as `spacy cbl weigh` wrote it.
    RETURNS (HistoryT): One record per round; none where the scheme has no rounds.
    """
    path = weighted.with_suffix(HISTORY)
    try:
        return _check_history(list(srsly.read_jsonl(path))) if path.exists() else []
    except ValueError as error:
        raise ValueError(Errors.C314.format(path=path, error=error)) from None


def add_histories(results: Sequence[Result], weighted: Sequence[Path]) -> List[Result]:
    """Give results the rounds of the corpora that they were trained on.

    results (Sequence[Result]): The results.
    weighted (Sequence[Path]): Weighted corpora, each named for its method.
    RETURNS (List[Result]): The results, with a history where there is one.
    """
    histories = {path.stem: read_history(path) for path in weighted}
    return [
        replace(result, history=result.history or histories.get(result.method, []))
        for result in results
    ]


def _list_files(paths: Sequence[Path]) -> List[Path]:
    files: List[Path] = []
    for path in paths:
        if path.is_dir():
            files += [p for p in sorted(path.glob("*.json")) if _is_result(p)]
        else:
            files.append(path)
    return files


def _is_result(path: Path) -> bool:
    return path.is_file() and not _is_dev(path)


def _is_dev(path: Path) -> bool:
    return path.stem.endswith(DEV)


def _read_cell(data: Dict[str, Any]) -> Result:
    """A cell of a grid: scores are in points."""
    cell, weighing = data["cell"], data.get("weighing") or {}
    history = _check_history(weighing.get("history", []))
    return Result(
        method=_text(cell["method"]["name"]),
        corpus=_text(cell["corpus"]["name"]),
        model=_text(cell["model"]["name"]),
        seed=int(cell["seed"]),
        partial=f"recall {cell['recall']:g}, precision {cell['precision']:g}",
        selected_on=_text(data.get("selected_on", "")),
        test=_read_scores(data["test"]),
        dev=_read_scores(data["dev"]) if data.get("dev") else None,
        seconds_weigh=_seconds_weigh(weighing.get("seconds"), history),
        seconds_train=_number(data.get("seconds_train")),
        history=history,
        settings=srsly.json_dumps({**cell, "seed": None}, sort_keys=True),
    )


def _seconds_weigh(seconds: Optional[float], history: HistoryT) -> Optional[float]:
    """How long weighing takes. Rounds that were kept by another cell took their time
    there.
    """
    seconds = _number(seconds)
    if seconds is None:
        return None
    rounds = (v for row in history for k, v in row.items() if k.startswith("seconds"))
    return max(seconds, sum(rounds))


def _read_evaluation(path: Path, data: Dict[str, Any]) -> Result:
    """The output of `spacy evaluate`: scores are shares; the file says the method."""
    dev_path = path.with_name(f"{path.stem}{DEV}.json")
    dev = None
    if not _is_dev(path) and dev_path.exists():
        with suppress(KeyError, TypeError, ValueError):
            dev = _read_scores(_read_json(dev_path), scale=100)
    return Result(path.stem, _read_scores(data, scale=100), dev=dev)


def _read_scores(data: Dict[str, Any], scale: float = 1) -> Scores:
    scores = Scores(*(scale * float(data[f"ents_{name}"]) for name in "prf"))
    if not all(0 <= value <= 100.01 for value in scores):  # nan, too
        raise ValueError(str(scores))
    return scores


def _check_history(history: Any) -> HistoryT:
    """Records hold numbers alone."""
    for record in history:
        if not isinstance(record, dict):
            raise ValueError(f"{record!r} is no record of a round")
        for name, value in record.items():
            if not isinstance(value, (int, float)):
                raise ValueError(f"{name} is {value!r}, no number")
    return list(history)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    value.encode("utf8")  # half of a surrogate pair could not be written
    return value


def _number(value: Any) -> Optional[float]:
    return None if value is None else float(value)


def _read_json(path: Path) -> Dict[str, Any]:
    try:
        data = srsly.json_loads(read_text(path))
    except ValueError as error:
        logger.warning("'%s' is damaged, and left out: %s", path, error)
        data = None
    return data if isinstance(data, dict) else {}


def _name_partial(results: List[Result]) -> List[Result]:
    """Corpora made partial in different ways are different corpora."""
    if len({result.partial for result in results} - {""}) <= 1:
        return results
    return [
        replace(result, corpus=f"{result.corpus} ({result.partial})")
        if result.partial
        else result
        for result in results
    ]
