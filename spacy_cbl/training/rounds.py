"""Keep the rounds of a run on disk, so that an interrupted run goes on."""

from pathlib import Path
from typing import Any, Dict, List, Optional, Type, TypeVar

import numpy
import srsly

from ..data.files import replace_files, write_text

# A named tuple of numbers and arrays, with `number` and a `record` for the history.
RoundT = TypeVar("RoundT", bound=Any)

RUN, STATE, HISTORY = "run.json", "last_round.npz", "history.jsonl"


class RoundStore:
    """A folder with the last finished round and the history of a run. What another run
    left there, on other data or with other settings, is removed.
    """

    def __init__(self, folder: Path, fingerprint: str) -> None:
        """Open or make the folder.

        folder (Path): Where to keep the rounds.
        fingerprint (str): Tells this run from others: of the data and the settings.
        """
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        run = {"fingerprint": fingerprint}
        path = folder / RUN
        if not path.exists() or srsly.read_json(path) != run:
            for name in (STATE, HISTORY):
                (folder / name).unlink(missing_ok=True)
            write_text(path, srsly.json_dumps(run))

    def load(self, kind: Type[RoundT]) -> Optional[RoundT]:
        """The last finished round, or None.

        kind (Type[RoundT]): What was saved.
        RETURNS (Optional[RoundT]): The round.
        """
        path = self.folder / STATE
        if not path.exists():
            return None
        with numpy.load(path, allow_pickle=False) as stored:
            fields = {name: stored[name] for name in kind._fields if name != "record"}
            for name, value in fields.items():
                fields[name] = value if value.ndim else value.item()
            return kind(**fields, record=srsly.json_loads(str(stored["history"]))[-1])

    def history(self) -> List[Dict[str, Any]]:
        """The records of the finished rounds.

        RETURNS (List[Dict[str, Any]]): One per round.
        """
        path = self.folder / STATE
        if not path.exists():
            return []
        with numpy.load(path, allow_pickle=False) as stored:
            return srsly.json_loads(str(stored["history"]))

    def save(self, last: RoundT) -> None:
        """Keep a round. One file is put in place, so that it is there whole or not.

        last (RoundT): The round.
        """
        fields = last._asdict()
        record = fields.pop("record")
        history = [*self.history()[: last.number - 1], record]
        with replace_files(self.folder / STATE) as (unfinished,):
            # To a file that is open: to a name, NumPy adds its own ending.
            with unfinished.open("wb") as file:
                numpy.savez(file, history=srsly.json_dumps(history), **fields)
        lines = "".join(srsly.json_dumps(record) + "\n" for record in history)
        write_text(self.folder / HISTORY, lines)
