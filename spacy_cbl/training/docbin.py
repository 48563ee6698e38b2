"""Read and write `.spacy` files, user data included."""

import os
from pathlib import Path
from typing import Iterable, Iterator

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from ..errors import Errors


def read_docs(path: Path, vocab: Vocab) -> Iterator[Doc]:
    """Yield the documents of a `.spacy` file in order.

    path (Path): The file.
    vocab (Vocab): The vocabulary to use.
    YIELDS (Doc): The documents, with their user data.
    """
    try:
        doc_bin = DocBin().from_disk(path)
    except FileNotFoundError:
        raise
    except Exception as error:
        # zlib, msgpack and DocBin each fail in their own ways on other files.
        kind = type(error).__name__
        raise ValueError(Errors.C029.format(path=path, error=kind)) from None
    yield from doc_bin.get_docs(vocab)


def write_docs(path: Path, docs: Iterable[Doc]) -> int:
    """Write documents to a `.spacy` file. The file appears when it is complete.

    path (Path): The file to write; folders are made as needed.
    docs (Iterable[Doc]): The documents.
    RETURNS (int): How many were written.
    """
    doc_bin = DocBin(docs=docs, store_user_data=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        unfinished.write_bytes(doc_bin.to_bytes())
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    return len(doc_bin)
