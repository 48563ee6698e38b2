"""Read and write `.spacy` files, user data and span groups included."""

from functools import partial
from pathlib import Path
from struct import Struct
from typing import Any, Callable, Dict, Iterable, Iterator, List

from spacy.tokens import Doc, DocBin, Span, SpanGroup
from spacy.vocab import Vocab
from srsly.msgpack import Packer, msgpack_decoders, unpackb

from ..errors import Errors
from .files import replace_files

# As spaCy packs a span: id, kb_id, label, start, end, start_char, end_char.
SPAN = Struct(">QQQllll")


def read_docs(path: Path, vocab: Vocab) -> Iterator[Doc]:
    """Yield the documents of a `.spacy` file in order.

    path (Path): The file.
    vocab (Vocab): The vocabulary to use.
    YIELDS (Doc): The documents, with their user data.
    """
    doc_bin = _read_bin(path)
    packed = zip(doc_bin.span_groups, doc_bin.user_data)
    doc_bin.span_groups, doc_bin.user_data = [b""] * len(doc_bin), []
    unpack = _make_unpack()
    docs = zip(doc_bin.get_docs(vocab), packed)
    while True:
        try:
            doc, (span_groups, user_data) = next(docs)
            if span_groups:
                _read_groups(doc, span_groups, unpack)
            if user_data is not None:
                doc.user_data.update(unpack(user_data, use_list=False))
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
        _add_doc(doc_bin, doc, packer)
    doc_bin.store_user_data = True
    with replace_files(path) as (unfinished,):
        unfinished.write_bytes(doc_bin.to_bytes())
    return len(doc_bin)


def _read_bin(path: Path) -> DocBin:
    try:
        doc_bin = DocBin().from_disk(path)
        found = {
            "span groups": len(doc_bin.span_groups),
            "user data": len(doc_bin.user_data),
        }
    except FileNotFoundError:
        raise
    except Exception as error:
        # zlib, msgpack and DocBin each fail in their own ways on other files.
        kind = type(error).__name__
        raise ValueError(Errors.C029.format(path=path, error=kind)) from None
    for name, n_found in found.items():
        if n_found != len(doc_bin):
            said = f"{name} of {n_found} documents, of {len(doc_bin)}"
            raise ValueError(Errors.C029.format(path=path, error=said))
    return doc_bin


def _make_unpack() -> Callable[..., Any]:
    """One for all: spaCy looks through the entry points of all packages for each
    document and each span group, which takes longer than to read a sentence.
    """
    hook = None
    for decode in msgpack_decoders.get_all().values():
        hook = partial(decode, chain=hook)
    # With any `object_pairs_hook`, srsly does not look for decoders itself.
    return partial(unpackb, raw=False, object_hook=hook, object_pairs_hook=None)


def _read_groups(doc: Doc, packed: bytes, unpack: Callable[..., Any]) -> None:
    """What `doc.spans.from_bytes` does."""
    found = unpack(packed)
    if found == []:
        return
    if isinstance(found, list):  # spaCy's first format
        doc.spans.from_bytes(packed)
        return
    for packed_group, keys in found.items():
        group = _read_group(doc, unpack(packed_group))
        doc.spans[keys[0]] = group
        for key in keys[1:]:
            doc.spans[key] = group.copy()


def _read_group(doc: Doc, message: Dict[str, Any]) -> SpanGroup:
    group = SpanGroup(doc, name=message["name"], attrs=message["attrs"])
    span: Any = Span(doc, 0, 0)  # one for all: groups copy what they are given
    for packed in message["spans"]:
        # Set, as spaCy does, without asking whether the document has such a span.
        span.id, span.kb_id, span.label, *place = SPAN.unpack(packed)
        span.start, span.end, span.start_char, span.end_char = place
        group.append(span)
    return group


def _add_doc(doc_bin: DocBin, doc: Doc, packer: Packer) -> None:
    # DocBin would make a packer for each span group: it is not shown them.
    groups, doc.spans.data = doc.spans.data, {}
    try:
        doc_bin.add(doc)
    finally:
        doc.spans.data = groups
    doc_bin.user_data.append(packer.pack(doc.user_data))
    if groups:
        doc_bin.span_groups[-1] = _pack_groups(groups, packer)
        for group in groups.values():
            doc_bin.strings.update(_span_strings(group))


def _pack_groups(groups: Dict[str, SpanGroup], packer: Packer) -> bytes:
    """What `doc.spans.to_bytes` does."""
    found: Dict[bytes, List[str]] = {}
    for key, group in groups.items():
        spans = [
            SPAN.pack(s.id, s.kb_id, s.label, s.start, s.end, s.start_char, s.end_char)
            for s in group
        ]
        message = {"name": group.name, "attrs": group.attrs, "spans": spans}
        found.setdefault(packer.pack(message), []).append(key)
    return packer.pack(found)


def _span_strings(group: SpanGroup) -> Iterator[str]:
    strings: Any = group.doc.vocab.strings
    for span in group:
        yield span.label_
        yield from (strings[i] for i in (span.kb_id, span.id) if i in strings)
