"""Train floret vectors on plain text: for languages that have no vectors yet."""

import os
import tempfile
from errno import ENOSPC
from pathlib import Path
from typing import Any, Dict, List

import numpy

from ..errors import Errors
from .files import check_output, replace_files
from .words import Words, read_words

# Words and their parts share a table of this many rows, each found by two hashes.
SETTINGS: Dict[str, Any] = {"mode": "floret", "hashCount": 2, "thread": 1, "verbose": 0}


def train_floret(
    input_path: Path,
    output_path: Path,
    *,
    dim: int = 50,
    rows: int = 5000,
    epochs: int = 20,
    min_count: int = 2,
    min_part: int = 3,
    max_part: int = 5,
) -> Dict[str, int]:
    """Train skip-gram vectors of words and of their parts, in a small table.

    input_path (Path): A corpus (.spacy), or plain text (.txt) with a sentence per line
        and white space between words.
    output_path (Path): The file to write, for `spacy init vectors --mode floret`.
    dim (int): Width of the vectors.
    rows (int): Rows of the table.
    epochs (int): How often the text is read.
    min_count (int): Rarer words have no vector of their own, only those of their parts.
    min_part (int): Shortest part of a word, in characters.
    max_part (int): Longest part.
    RETURNS (Dict[str, int]): Figures: tokens, words, rows, dim.
    """
    try:
        import floret
    except ImportError:
        raise ValueError(Errors.C352) from None
    check_output(output_path, input_path)
    words = read_words(input_path)
    counts = numpy.bincount(words.tokens, minlength=len(words.forms))
    n_words = int(numpy.count_nonzero(counts >= min_count))
    if not n_words:
        message = Errors.C353.format(path=input_path, min_count=min_count)
        raise ValueError(message)
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        text.write_text("".join(_make_lines(words)), encoding="utf8")
        model = floret.train_unsupervised(
            str(text),
            model="skipgram",
            dim=dim,
            bucket=rows,
            epoch=epochs,
            minCount=min_count,
            minn=min_part,
            maxn=max_part,
            **SETTINGS,
        )
    with replace_files(output_path) as (unfinished,):
        unfinished.touch()  # says what is wrong with the place; floret does not
        model.save_floret_vectors(str(unfinished))
        with unfinished.open("rb") as lines:
            n_lines = sum(1 for _ in lines)
        if n_lines != rows + 1:  # a full disk is no error to floret
            raise OSError(ENOSPC, os.strerror(ENOSPC), str(output_path))
    return {"tokens": len(words.tokens), "words": n_words, "rows": rows, "dim": dim}


def _make_lines(words: Words) -> List[str]:
    """A line per sentence; floret reads white space as the end of a word."""
    forms = ["_".join(form.split()) for form in words.forms]
    starts = numpy.flatnonzero(numpy.diff(words.sentences)) + 1
    sentences = numpy.split(words.tokens, starts)
    return [" ".join(forms[i] for i in sent.tolist()) + "\n" for sent in sentences]
