"""Read and write `.spacy` files, user data included."""

from pathlib import Path
from typing import Iterable, Iterator

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from srsly.msgpack import Packer, Unpacker

from ..errors import Errors
from .files import replace_files


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
    user_data, doc_bin.user_data = doc_bin.user_data, []
    if len(user_data) != len(doc_bin):
        found = f"user data of {len(user_data)} documents, of {len(doc_bin)}"
        raise ValueError(Errors.C029.format(path=path, error=found))
    # One unpacker for all: DocBin makes one per document, and each looks through the
    # entry points of all packages, which takes longer than to read a sentence.
    unpacker = Unpacker(raw=False, use_list=False, max_buffer_size=0)
    docs = zip(doc_bin.get_docs(vocab), user_data)
    while True:
        try:
            doc, data = next(docs)
            if data is not None:
                unpacker.feed(data)
                doc.user_data.update(unpacker.unpack())
        except StopIteration:
            return
        except Exception as error:
            # What is inside may be damaged too: strings, tokens, user data.
            kind = type(error).__name__
            raise ValueError(Errors.C029.format(path=path, error=kind)) from None
        yield doc


def write_docs(path: Path, docs: Iterable[Doc]) -> int:
    """Write documents to a `.spacy` file. The file appears when it is complete.

    path (Path): The file to write; folders are made as needed.
    docs (Iterable[Doc]): The documents.
    RETURNS (int): How many were written.
    """
    doc_bin, packer = DocBin(), Packer(use_bin_type=True)
    for doc in docs:
        doc_bin.add(doc)
        doc_bin.user_data.append(packer.pack(doc.user_data))
    doc_bin.store_user_data = True
    with replace_files(path) as (unfinished,):
        unfinished.write_bytes(doc_bin.to_bytes())
    return len(doc_bin)
