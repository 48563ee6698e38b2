"""The words of a text as numbers, whatever kind of file they are in."""

import re
from pathlib import Path
from typing import Dict, List, NamedTuple

import numpy
from spacy.attrs import ORTH, SENT_START
from spacy.vocab import Vocab
from tqdm import tqdm

from ..errors import Errors
from ..types import IntArray
from .docbin import read_docs
from .files import read_text

# These separate words and lines in the files that we write.
SEPARATORS = re.compile(r"[\t\n\r]")


class Words(NamedTuple):
    """The words of a text, in order."""

    forms: List[str]  # distinct forms; `tokens` index them
    tokens: IntArray
    sentences: IntArray  # the number of the sentence of each token


def read_words(path: Path, lower: bool = False) -> Words:
    """Read the words of a text. White space is no word, nor is what has a tab or a line
    break inside.

    path (Path): A corpus (.spacy), where a document without sentence starts is one
        sentence; or plain text (.txt) with a sentence per line and white space between
        words.
    lower (bool): Whether to put words into lower case.
    RETURNS (Words): The words; forms in the order of their characters.
    """
    if path.suffix == ".spacy":
        words = _read_docs(path)
    elif path.suffix == ".txt":
        words = _read_lines(path)
    else:
        raise ValueError(Errors.C270.format(path=path))
    forms = [form.lower() for form in words.forms] if lower else words.forms
    distinct = sorted(set(forms))
    number_of = {form: i for i, form in enumerate(distinct)}
    numbers = numpy.array([number_of[form] for form in forms], dtype=numpy.int64)
    is_word = numpy.array([_is_word(form) for form in words.forms], dtype=bool)
    kept = is_word[words.tokens]
    return Words(distinct, numbers[words.tokens[kept]], words.sentences[kept])


def keep_frequent(words: Words, min_count: int) -> Words:
    """Number the words from the commonest, and leave the rare ones out.

    words (Words): The words of a text.
    min_count (int): How often a word must occur.
    RETURNS (Words): The words; rare ones are -1 among the tokens. Equally frequent
        ones stay in order.
    """
    counts = numpy.bincount(words.tokens, minlength=len(words.forms))
    ranked = numpy.argsort(-counts, kind="stable")
    ranked = ranked[: numpy.count_nonzero(counts >= min_count)]
    numbers = numpy.full(len(words.forms), -1)
    numbers[ranked] = numpy.arange(len(ranked))
    forms = [words.forms[i] for i in ranked.tolist()]
    return Words(forms, numbers[words.tokens], words.sentences)


def _is_word(form: str) -> bool:
    return bool(form.strip()) and SEPARATORS.search(form) is None


def _read_docs(path: Path) -> Words:
    vocab = Vocab()
    arrays = [
        doc.to_array([ORTH, SENT_START])
        for doc in tqdm(
            read_docs(path, vocab), desc="Reading", unit="doc", disable=None
        )
        if len(doc)
    ]
    for array in arrays:
        array[0, 1] = 1
    columns = numpy.concatenate(arrays or [numpy.zeros((0, 2), dtype=numpy.uint64)])
    orths, tokens = numpy.unique(columns[:, 0], return_inverse=True)
    forms = [vocab.strings[orth] for orth in orths.tolist()]
    return Words(forms, tokens, numpy.cumsum(columns[:, 1] == 1))


def _read_lines(path: Path) -> Words:
    number_of: Dict[str, int] = {}
    lines = [
        [number_of.setdefault(form, len(number_of)) for form in line.split()]
        for line in read_text(path).split("\n")
    ]
    tokens = numpy.array([token for line in lines for token in line], dtype=numpy.int64)
    sentences = numpy.repeat(numpy.arange(len(lines)), [len(line) for line in lines])
    return Words(list(number_of), tokens, sentences)
