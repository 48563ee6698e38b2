"""Keep the rounds of a run on disk, so that an interrupted run goes on."""

from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Type, TypeVar

import numpy
import srsly
from spacy.attrs import ENT_IOB, ENT_TYPE
from spacy.tokens import Doc
from spacy.util import logger
from spacy.vocab import Vocab

from ..data.arrays import CorpusArrays
from ..data.files import replace_files, write_text
from ..models.feature_embed import CLUSTER_TABLE, find_clusters
from ..types import FloatArray, IntArray

# A named tuple of numbers and arrays, with `number` and a `record` for the history.
RoundT = TypeVar("RoundT", bound=Any)

RUN, STATE = "run.json", "last_round.npz"


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
            (folder / STATE).unlink(missing_ok=True)
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


def open_store(
    corpus: CorpusArrays,
    docs: Sequence[Doc],
    described: Dict[str, Any],
    *more: FloatArray,
) -> Optional[RoundStore]:
    """Open the folder of a run on a corpus: beside the file, and named after all that
    the rounds depend on.

    corpus (CorpusArrays): The corpus.
    docs (Sequence[Doc]): Its documents.
    described (Dict[str, Any]): The settings and the models, as JSON.
    more (FloatArray): Other arrays that the run starts from.
    RETURNS (Optional[RoundStore]): The folder; None where the corpus is no file, or
        nothing can be written beside it.
    """
    if corpus.path is None:
        return None
    data = _hash_data(corpus, docs, more)
    described = {"version": version("spacy-cbl"), "data": data, **described}
    key = sha256(srsly.json_dumps(described, sort_keys=True).encode()).hexdigest()
    folder = rounds_folder(corpus.path)
    try:
        return RoundStore(folder / key[:16], key)
    except OSError as error:
        logger.warning("Rounds are not kept: cannot write to '%s' (%s)", folder, error)
        return None


def rounds_folder(path: Path) -> Path:
    """Where the rounds of runs on a corpus are kept.

    path (Path): The corpus.
    RETURNS (Path): A folder beside it.
    """
    return path.with_name(f"{path.name}.cbl")


def _hash_data(
    corpus: CorpusArrays, docs: Sequence[Doc], more: Sequence[FloatArray]
) -> str:
    """A hash of all that the models see of the data."""
    state = sha256("\n".join(corpus.forms).encode("utf8", "surrogatepass"))
    gold = corpus.gold_is_entity
    vocab = docs[0].vocab
    arrays = [
        corpus.token_ids,
        corpus.is_entity,
        corpus.trusted,
        corpus.sent_starts,
        corpus.doc_lengths,
        *more,
        numpy.zeros(0) if gold is None else gold,
        numpy.asarray(vocab.vectors.data),
        *(doc.to_array([ENT_IOB, ENT_TYPE]) for doc in docs),
        _look_up_clusters(corpus.forms, vocab),
    ]
    for array in arrays:
        state.update(repr(array.shape).encode())
        state.update(numpy.ascontiguousarray(array).data)
    return state.hexdigest()


def _look_up_clusters(forms: Sequence[str], vocab: Vocab) -> IntArray:
    """The Brown cluster of each form; nothing where the vocabulary has none."""
    if not vocab.lookups.has_table(CLUSTER_TABLE):
        return numpy.zeros(0, dtype=numpy.int64)
    hashes = [[vocab.strings[form], vocab.strings[form.lower()]] for form in forms]
    table = vocab.lookups.get_table(CLUSTER_TABLE)
    return find_clusters(table, numpy.array(hashes, dtype=numpy.uint64))
