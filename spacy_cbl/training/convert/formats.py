"""The formats, by name."""

from pathlib import Path
from typing import Callable, Dict, Iterator, NamedTuple, Sequence

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...errors import Errors
from ..docbin import read_docs
from .columns import read_columns
from .doccano import read_doccano
from .labelstudio import read_labelstudio
from .options import Notes, Options
from .prodigy import read_prodigy
from .tajson import read_tajson
from .talen_column import read_talen_column
from .talen_iob2 import read_talen_iob2

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
    """Read `.spacy` files as they are.

    vocab (Vocab): The vocabulary to use.
    paths (Sequence[Path]): The files.
    options (Options): Not used.
    notes (Notes): Not used.
    YIELDS (Doc): The documents.
    """
    for path in paths:
        try:
            yield from read_docs(path, vocab)
        except ValueError:
            raise ValueError(Errors.C126.format(path=path)) from None


OUTSIDE = "outside (O)"
FORMATS: Dict[str, Format] = {
    "columns": Format(read_columns, f"{OUTSIDE}; missing where the tag is '-'"),
    "talen-column": Format(read_talen_column, OUTSIDE),
    "talen-iob2": Format(read_talen_iob2, OUTSIDE),
    "tajson": Format(read_tajson, OUTSIDE),
    "prodigy": Format(
        read_prodigy, f"{OUTSIDE}; missing in answers to yes/no questions"
    ),
    "doccano": Format(read_doccano, OUTSIDE),
    "labelstudio": Format(read_labelstudio, OUTSIDE),
    "spacy": Format(read_spacy, "as stored"),
}
