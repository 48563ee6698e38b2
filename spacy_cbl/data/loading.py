"""Load what is given by name: a wrong name is a coded error."""

from contextlib import contextmanager
from typing import Any, Iterator

import spacy
from spacy.language import Language
from spacy.util import get_lang_class
from spacy.vocab import Vocab, create_vocab

from ..errors import Errors


def make_blank(lang: str) -> Language:
    """A blank pipeline.

    lang (str): Language code.
    RETURNS (Language): The pipeline.
    """
    with coded("language", lang):
        return spacy.blank(lang)


def blank_vocab(lang: str = "xx") -> Vocab:
    """The vocabulary of a blank pipeline. To make the pipeline itself takes seconds
    where packages with heavy components are installed: all of them are imported.

    lang (str): Language code.
    RETURNS (Vocab): The vocabulary.
    """
    with coded("language", lang):
        return create_vocab(lang, get_lang_class(lang).Defaults)


@contextmanager
def coded(what: str, name: Any) -> Iterator[None]:
    """Turn what spaCy raises on a wrong name into an error of ours.

    what (str): What is being loaded.
    name (Any): Its name.
    """
    try:
        yield
    except (ImportError, OSError, TypeError, ValueError) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        message = Errors.C244.format(what=what, name=name, error=lines[0].rstrip("."))
        raise ValueError(message) from None
