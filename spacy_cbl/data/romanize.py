"""Write a corpus in Latin script, token by token, for annotators who read no other."""

from functools import lru_cache
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, Optional

from spacy.attrs import ENT_IOB, ENT_KB_ID, ENT_TYPE, SENT_START
from spacy.tokens import Doc, Span

from ..errors import Errors
from .convert import read_corpus
from .convert.iob2 import to_iob2
from .docbin import write_docs
from .files import check_output, write_text

ATTRS = [ENT_IOB, ENT_TYPE, ENT_KB_ID, SENT_START]
RomanizerT = Callable[[str], str]


def romanize(
    input_path: Path,
    output_path: Path,
    language: Optional[str] = None,
    romanizer: Optional[RomanizerT] = None,
) -> Dict[str, int]:
    """Write a corpus in Latin script. The output has the same tokens, with the same
    labels, weights and sentences.

    input_path (Path): The corpus (.spacy, or what convert reads).
    output_path (Path): The file to write: .spacy, or .iob2.
    language (Optional[str]): ISO 639-3 code of the language, such as ben.
    romanizer (Optional[RomanizerT]): Romanizes a token; uroman if not given.
    RETURNS (Dict[str, int]): How many documents, tokens and distinct tokens there are.
    """
    if output_path.suffix not in (".spacy", ".iob2"):
        raise ValueError(Errors.C350.format(path=output_path))
    check_output(output_path, input_path)
    _, docs, notes = read_corpus(input_path)
    # Loading uroman takes seconds, each token a part of a millisecond: once for each.
    known = lru_cache(maxsize=None)(romanizer or load_uroman(language))
    counts = {"docs": 0, "tokens": 0}
    made = _count(docs, known, counts)
    if output_path.suffix == ".iob2":
        write_text(output_path, "".join(to_iob2(made, notes)))
    else:
        write_docs(output_path, made)
    return {**counts, "forms": known.cache_info().currsize}


def romanize_doc(doc: Doc, romanizer: RomanizerT) -> Doc:
    """A document with its tokens in Latin script, and all that belongs to them.

    doc (Doc): The document.
    romanizer (RomanizerT): Romanizes a token.
    RETURNS (Doc): A new document of as many tokens.
    """
    words = [_as_token(romanizer(token.text), token.text) for token in doc]
    spaces = [bool(token.whitespace_) for token in doc]
    made = Doc(doc.vocab, words=words, spaces=spaces)
    attrs: Any = doc.to_array(ATTRS)
    made.from_array(ATTRS, attrs)
    # spaCy's readers would tokenize anew where spaces are known.
    made.has_unknown_spaces = doc.has_unknown_spaces
    made.user_data.update(doc.user_data)
    for key, group in doc.spans.items():
        made.spans[key] = [Span(made, s.start, s.end, s.label) for s in group]
        made.spans[key].attrs.update(group.attrs)
    return made


def load_uroman(language: Optional[str] = None) -> RomanizerT:
    """The romanizer of the package uroman.

    language (Optional[str]): ISO 639-3 code of the language.
    RETURNS (RomanizerT): Romanizes a text.
    """
    try:
        from uroman import Uroman
    except ImportError:
        raise ValueError(Errors.C351) from None
    uroman = Uroman()
    return lambda text: str(uroman.romanize_string(text, lcode=language))


def _as_token(romanized: str, text: str) -> str:
    """Without space inside, and never empty: then the token stays as it is."""
    return "".join(romanized.split()) or text


def _count(
    docs: Iterable[Doc], romanizer: RomanizerT, counts: Dict[str, int]
) -> Iterator[Doc]:
    for doc in docs:
        counts["docs"] += 1
        counts["tokens"] += len(doc)
        yield romanize_doc(doc, romanizer)
