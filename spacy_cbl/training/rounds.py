"""Keep the rounds of a run on disk, so that an interrupted run goes on."""

from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, Dict, List, Optional, Sequence, Tuple, Type, TypeVar
from zipfile import BadZipFile

import numpy
import srsly
from spacy.attrs import ENT_IOB, ENT_TYPE, LOWER, NORM, PREFIX, SHAPE, SUFFIX
from spacy.tokens import Doc
from spacy.util import logger
from spacy.vocab import Vocab
from thinc.api import to_numpy

from ..data.arrays import CorpusArrays
from ..data.clusters import CLUSTER_TABLE, find_clusters
from ..data.files import replace_files
from ..types import FloatArray, IntArray

# A named tuple of numbers and arrays, with `number` and a `record` for the history.
RoundT = TypeVar("RoundT", bound=Any)
HistoryT = List[Dict[str, Any]]

STATE = "last_round.npz"
# To be raised when rounds come out otherwise, or are kept in another way.
VERSION = 2


class RoundStore:
    """A folder with the last finished round of a run, and its history."""

    def __init__(self, folder: Path) -> None:
        """Open or make the folder.

        folder (Path): Where to keep the rounds.
        """
        self.path = folder / STATE
        folder.mkdir(parents=True, exist_ok=True)

    def load(self, kind: Type[RoundT]) -> Tuple[Optional[RoundT], HistoryT]:
        """The last finished round, or None, and the records of all that are finished.

        kind (Type[RoundT]): What was saved.
        RETURNS (Tuple[Optional[RoundT], HistoryT]): The round and the records.
        """
        if not self.path.exists():
            return None, []
        try:
            # NumPy leaves a damaged file open that it has opened itself.
            with self.path.open("rb") as file, numpy.load(file) as stored:
                history = srsly.json_loads(str(stored["history"]))
                names = [name for name in kind._fields if name != "record"]
                fields = {name: stored[name] for name in names}
            if not history:
                raise ValueError("no rounds")
        except (EOFError, KeyError, ValueError, BadZipFile):
            # Of a machine that stopped before the disk had it all.
            logger.warning("Starting anew: '%s' is damaged", self.path)
            return None, []
        for name, value in fields.items():
            fields[name] = value if value.ndim else value.item()
        return kind(**fields, record=history[-1]), history

    def save(self, last: RoundT, history: HistoryT) -> None:
        """Keep a round. One file is put in place, so that it is there whole or not.

        last (RoundT): The round.
        history (HistoryT): The records of all rounds, with that of this one.
        """
        fields = last._asdict()
        fields.pop("record")
        try:
            with replace_files(self.path) as (unfinished,):
                # To a file that is open: to a name, NumPy adds its own ending.
                with unfinished.open("wb") as file:
                    numpy.savez(file, history=srsly.json_dumps(history), **fields)
        except OSError as error:
            logger.warning("Round not kept: cannot write '%s' (%s)", self.path, error)


class MemoryStore(RoundStore):
    """The same for the life of the process, where nothing can be written: spaCy asks
    for a corpus more than once.
    """

    kept: ClassVar[Dict[str, Tuple[Any, HistoryT]]] = {}

    def __init__(self, key: str) -> None:
        """Open the store of a run.

        key (str): Tells all that the rounds depend on.
        """
        self.key = key

    def load(self, kind: Type[RoundT]) -> Tuple[Optional[RoundT], HistoryT]:
        """See `RoundStore`."""
        return self.kept.get(self.key, (None, []))

    def save(self, last: RoundT, history: HistoryT) -> None:
        """See `RoundStore`."""
        self.kept[self.key] = (last, history)


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
    RETURNS (Optional[RoundStore]): The folder, or memory where nothing can be written
        beside the file; None where the corpus is no file.
    """
    if corpus.path is None:
        return None
    data = _hash_data(corpus, docs, more)
    versions = {"version": version("spacy-cbl"), "rounds": VERSION}
    described = {**versions, "data": data, **described}
    key = sha256(srsly.json_dumps(described, sort_keys=True).encode()).hexdigest()
    folder = rounds_folder(corpus.path) / key[:16]
    try:
        return RoundStore(folder)
    except OSError as error:
        logger.warning("Rounds are not kept: cannot write to '%s' (%s)", folder, error)
        return MemoryStore(key)


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
        *(doc.to_array([ENT_IOB, ENT_TYPE]) for doc in docs),
        # What languages say of words differs.
        Doc(vocab, words=corpus.forms).to_array([NORM, LOWER, PREFIX, SUFFIX, SHAPE]),
        *_look_up_vectors(corpus.forms, vocab),
        _look_up_clusters(corpus.forms, vocab),
    ]
    for array in arrays:
        state.update(repr(array.shape).encode())
        state.update(numpy.ascontiguousarray(array).data)
    return state.hexdigest()


def _look_up_vectors(forms: Sequence[str], vocab: Vocab) -> List[Any]:
    """The table of vectors, and where each form finds its own in it."""
    vectors = vocab.vectors
    if vectors.mode == "floret":
        # By the parts of words, in a way that these settings tell
        names = ("minn", "maxn", "hash_count", "hash_seed", "bow", "eow")
        settings = repr([getattr(vectors, name) for name in names])
        rows = numpy.frombuffer(settings.encode("utf8"), dtype=numpy.uint8)
    else:
        keys = [vocab.strings.add(form) for form in forms]
        rows = vectors.find(keys=numpy.array(keys, dtype=numpy.uint64))
    return [to_numpy(vectors.data), to_numpy(rows)]


def _look_up_clusters(forms: Sequence[str], vocab: Vocab) -> IntArray:
    """The Brown cluster of each form; nothing where the vocabulary has none."""
    if not vocab.lookups.has_table(CLUSTER_TABLE):
        return numpy.zeros(0, dtype=numpy.int64)
    hashes = [[vocab.strings[form], vocab.strings[form.lower()]] for form in forms]
    table = vocab.lookups.get_table(CLUSTER_TABLE)
    return find_clusters(table, numpy.array(hashes, dtype=numpy.uint64))
