"""The formats, by name."""

from pathlib import Path
from typing import Callable, Dict, Iterator, NamedTuple, Sequence

import numpy
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...errors import Errors
from ..arrays import blocked_tokens, find_runs
from ..docbin import read_docs
from .columns import read_columns
from .doccano import read_doccano
from .labelstudio import read_labelstudio
from .options import Notes, Options, Unlabelled
from .prodigy import read_prodigy
from .spans import split_doc
from .tajson import read_tajson
from .talen_column import read_talen_column
from .talen_iob2 import read_talen_iob2

BLOCKED = "tokens left as they are because no entity may be there (blocked)"

ReaderT = Callable[[Vocab, Sequence[Path], Options, Notes], Iterator[Doc]]


class Format(NamedTuple):
    """A format.

    read (ReaderT): Its reader.
    unlabelled (str): What a token without entity is in it, in words.
    """

    read: ReaderT
    unlabelled: str


def read_spacy(
    vocab: Vocab, paths: Sequence[Path], options: Options, notes: Notes
) -> Iterator[Doc]:
    """Read `.spacy` files as they are, unless the user wants other documents or another
    meaning of the tokens without entity.

    vocab (Vocab): The vocabulary to use.
    paths (Sequence[Path]): The files.
    options (Options): How to read.
    notes (Notes): Counts what was left as it is or left out.
    YIELDS (Doc): The documents.
    """
    if options.n_sents is not None:
        raise ValueError(Errors.C129.format(path=paths[0], n_sents=options.n_sents))
    for path in paths:
        for doc in _read_docs(path, vocab):
            if options.unlabelled is not None:
                _set_unlabelled(doc, options.unlabelled, notes)
            if options.split_sents:
                yield from split_doc(doc, options, notes)
            else:
                yield doc


def _read_docs(path: Path, vocab: Vocab) -> Iterator[Doc]:
    try:
        yield from read_docs(path, vocab)
    except ValueError:
        raise ValueError(Errors.C126.format(path=path)) from None


def _set_unlabelled(doc: Doc, unlabelled: Unlabelled, notes: Notes) -> None:
    is_blocked = blocked_tokens(doc)
    notes.counts[BLOCKED] += int(numpy.count_nonzero(is_blocked))
    blocked = [doc[start:end] for start, end in find_runs(is_blocked)]
    doc.set_ents(list(doc.ents), blocked=blocked, default=unlabelled)


UNLABELLED_IS_O = "outside (O)"
FORMATS: Dict[str, Format] = {
    "columns": Format(read_columns, f"{UNLABELLED_IS_O}; missing where the tag is '-'"),
    "talen-column": Format(read_talen_column, UNLABELLED_IS_O),
    "talen-iob2": Format(read_talen_iob2, UNLABELLED_IS_O),
    "tajson": Format(read_tajson, UNLABELLED_IS_O),
    "prodigy": Format(
        read_prodigy, f"{UNLABELLED_IS_O}; missing in answers to yes/no questions"
    ),
    "doccano": Format(read_doccano, UNLABELLED_IS_O),
    "labelstudio": Format(read_labelstudio, UNLABELLED_IS_O),
    "spacy": Format(read_spacy, "as stored"),
}
