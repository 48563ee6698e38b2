"""Keep the rounds of a run on disk, so that an interrupted run goes on."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Optional

import numpy
import srsly

from .files import write_text

if TYPE_CHECKING:
    from .cbl import Round

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

    def load(self) -> Optional["Round"]:
        """The last finished round, or None.

        RETURNS (Optional[Round]): The round.
        """
        from .cbl import Round

        path = self.folder / STATE
        if not path.exists():
            return None
        with numpy.load(path, allow_pickle=False) as stored:
            number = int(stored["number"])
            return Round(
                number=number,
                ratio=float(stored["ratio"]),
                labels=stored["labels"],
                p_entity=stored["p_entity"],
                record=srsly.json_loads(str(stored["history"]))[-1],
            )

    def history(self) -> List[Dict[str, Any]]:
        """The records of the finished rounds.

        RETURNS (List[Dict[str, Any]]): One per round.
        """
        path = self.folder / STATE
        if not path.exists():
            return []
        with numpy.load(path, allow_pickle=False) as stored:
            return srsly.json_loads(str(stored["history"]))

    def save(self, last: "Round") -> None:
        """Keep a round. One file is put in place, so that it is there whole or not.

        last (Round): The round.
        """
        history = [*self.history()[: last.number - 1], last.record]
        unfinished = self.folder / f".{STATE}.{os.getpid()}.npz"
        numpy.savez(
            unfinished,
            number=last.number,
            ratio=last.ratio,
            labels=last.labels,
            p_entity=last.p_entity,
            history=srsly.json_dumps(history),
        )
        os.replace(unfinished, self.folder / STATE)
        lines = "".join(srsly.json_dumps(record) + "\n" for record in history)
        write_text(self.folder / HISTORY, lines)
