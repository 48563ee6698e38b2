"""Brown clusters of words: read from files, and looked up."""

from pathlib import Path
from typing import Optional, Sequence

import numpy
from spacy.lookups import Lookups, Table, load_lookups

from ..errors import Errors
from ..types import IntArray

CLUSTER_TABLE = "lexeme_cluster"


def path_prefixes(clusters: IntArray, prefixes: Sequence[int]) -> IntArray:
    """Number the prefixes of bit paths. A path is stored from its lowest bit on.

    clusters (IntArray): One path per token; 0 is none.
    prefixes (Sequence[int]): Lengths of the prefixes, in bits.
    RETURNS (IntArray): A column per prefix; 0 where there is no path.
    """
    # The bit above the prefix tells the prefix 00 from 000 and from no path at all.
    columns = [
        numpy.where(clusters > 0, (clusters & ((1 << k) - 1)) | (1 << k), 0)
        for k in prefixes
    ]
    if not columns:
        return numpy.zeros((len(clusters), 0), dtype=numpy.uint64)
    return numpy.stack(columns, axis=1).astype(numpy.uint64)


def read_clusters(path: str) -> Lookups:
    """Read Brown clusters from a file of `bits<TAB>word<TAB>count` lines.

    path (str): The file, as the usual trainers write it.
    RETURNS (Lookups): A table for `[initialize.lookups]`.
    """
    clusters = {}
    with open(path, "rb") as lines:
        for n, encoded in enumerate(lines, start=1):
            try:
                line = encoded.decode("utf8")
            except UnicodeDecodeError:
                raise ValueError(Errors.C016.format(path=path, n=n)) from None
            bits, _, rest = line.rstrip("\r\n").partition("\t")
            word = rest.split("\t")[0]
            if not word or set(bits) - {"0", "1"} or not 0 < len(bits) < 63:
                raise ValueError(Errors.C013.format(path=path, n=n, line=line.strip()))
            # First bit lowest; a one above the last keeps the length of the path.
            clusters[word] = int("1" + bits[::-1], 2)
    lookups = Lookups()
    lookups.add_table(CLUSTER_TABLE, clusters)
    return lookups


def load_clusters(path: Optional[str]) -> Optional[Lookups]:
    """Load Brown clusters from wherever they are.

    path (Optional[str]): A file, or a language of the package spacy-lookups-data.
    RETURNS (Optional[Lookups]): A table for `[initialize.lookups]`; None for None.
    """
    if path is None:
        return None
    if Path(path).is_file():
        return read_clusters(path)
    return load_lookups(path, [CLUSTER_TABLE])


def find_clusters(table: Table, forms: IntArray) -> IntArray:
    """Look up the clusters of tokens.

    table (Table): Clusters by hash.
    forms (IntArray): The hash of the form of each token, and of its lower-case form.
    RETURNS (IntArray): One cluster per token, 0 for none.
    """
    # The lower-case form follows from the form.
    _, first, token_of = numpy.unique(
        forms[:, 0], return_index=True, return_inverse=True
    )
    distinct = forms[first].tolist()
    found = [table.get(orth) or table.get(low) or 0 for orth, low in distinct]
    return numpy.array(found, dtype=numpy.int64)[token_of.reshape(-1)]
