"""An embedding of chosen features, so that a model can be denied word identity."""

from typing import Any, Callable, List, Sequence, Tuple

import numpy
from spacy.attrs import LOWER, ORTH
from spacy.ml.featureextractor import FeatureExtractor
from spacy.tokens import Doc
from thinc.api import (
    HashEmbed,
    Linear,
    Maxout,
    Model,
    chain,
    concatenate,
    glorot_uniform_init,
    list2ragged,
    ragged2list,
    with_array,
)
from thinc.types import Floats2d, Ints2d, Ragged

from ..data.clusters import CLUSTER_TABLE, find_clusters, path_prefixes
from ..errors import Errors
from ..types import IntArray
from .word_vectors import static_vectors


def build_feature_embed_v1(
    width: int,
    attrs: List[str],
    rows: List[int],
    include_static_vectors: bool,
    cluster_prefixes: List[int],
    cluster_rows: int,
) -> Model[List[Doc], List[Floats2d]]:
    """Build an embedding like `spacy.MultiHashEmbed.v2` of any subset of features:
    lexical attributes, static vectors, path prefixes of Brown clusters. Clusters come
    from the table `lexeme_cluster` of the vocabulary (see `[initialize.lookups]`).

    width (int): Output width, and that of each table.
    attrs (List[str]): Lexical attributes such as SHAPE; may be empty.
    rows (List[int]): Rows of the table of each attribute.
    include_static_vectors (bool): Whether to use the vectors of the vocabulary.
    cluster_prefixes (List[int]): Lengths in bits of the path prefixes; may be empty.
    cluster_rows (int): Rows of the table of each prefix length.
    RETURNS (Model[List[Doc], List[Floats2d]]): The embedding layer.
    """
    return embed_features(
        width, attrs, rows, include_static_vectors, cluster_prefixes, cluster_rows
    )


def embed_features(
    width: int,
    attrs: List[str],
    rows: List[int],
    include_static_vectors: bool,
    cluster_prefixes: List[int],
    cluster_rows: int,
    more: Sequence[Tuple[Model, List[int]]] = (),
) -> Model[List[Doc], List[Floats2d]]:
    """Embed features side by side and mix them. See `build_feature_embed_v1` for the
    other arguments.

    more (Sequence[Tuple[Model, List[int]]]): Layers that extract further columns of
        numbers, and the rows of the table of each column.
    RETURNS (Model[List[Doc], List[Floats2d]]): The embedding layer.
    """
    if len(attrs) != len(rows):
        raise ValueError(Errors.C011.format(n_attrs=len(attrs), n_rows=len(rows)))
    parts: List[Model] = []
    if attrs:
        parts.append(_embed_columns(FeatureExtractor(attrs), width, rows, seed=7))
    if cluster_prefixes:
        sizes = [cluster_rows] * len(cluster_prefixes)
        columns = extract_clusters(cluster_prefixes)
        parts.append(_embed_columns(columns, width, sizes, seed=107))
    if include_static_vectors:
        project: Model[Floats2d, Floats2d] = Linear(width, init_W=glorot_uniform_init)
        parts.append(chain(static_vectors(), with_array(project)))
    for i, (columns, sizes) in enumerate(more):
        parts.append(_embed_columns(columns, width, sizes, seed=207 + 100 * i))
    if not parts:
        raise ValueError(Errors.C012)
    n_features = len(attrs) + len(cluster_prefixes) + int(include_static_vectors)
    n_features += sum(len(sizes) for _, sizes in more)
    mix = Maxout(width, width * n_features, nP=3, dropout=0.0, normalize=True)
    features = concatenate(*parts) if len(parts) > 1 else parts[0]
    return chain(features, with_array(mix), ragged2list())


def _embed_columns(
    extract: Model[List[Doc], List[Ints2d]], width: int, rows: Sequence[int], seed: int
) -> Model[List[Doc], Ragged]:
    tables: List[Model] = [
        HashEmbed(width, n_rows, column=i, seed=seed + i, dropout=0.0)
        for i, n_rows in enumerate(rows)
    ]
    embed = concatenate(*tables) if len(tables) > 1 else tables[0]
    return chain(extract, list2ragged(), with_array(embed))


def extract_clusters(prefixes: List[int]) -> Model[List[Doc], List[Ints2d]]:
    """Give each token a number per path prefix of its Brown cluster, 0 for none.

    prefixes (List[int]): Lengths of the prefixes, in bits.
    RETURNS (Model[List[Doc], List[Ints2d]]): The layer.
    """
    return Model("extract_clusters", forward_clusters, attrs={"prefixes": prefixes})


def forward_clusters(
    model: Model[List[Doc], List[Ints2d]], docs: List[Doc], is_train: bool
) -> Tuple[List[Ints2d], Callable]:
    def find_columns(docs: List[Doc]) -> IntArray:
        if not docs[0].vocab.lookups.has_table(CLUSTER_TABLE):
            raise ValueError(Errors.C010.format(table=CLUSTER_TABLE))
        table = docs[0].vocab.lookups.get_table(CLUSTER_TABLE)
        forms = numpy.concatenate([doc.to_array([ORTH, LOWER]) for doc in docs])
        return path_prefixes(find_clusters(table, forms), model.attrs["prefixes"])

    return extract_columns(model, docs, find_columns)


def extract_columns(
    model: Model, docs: List[Doc], find_columns: Callable[[List[Doc]], IntArray]
) -> Tuple[List[Ints2d], Callable]:
    """The forward pass of a layer that gives each token some numbers to embed.

    model (Model): The layer.
    docs (List[Doc]): The documents; there may be none.
    find_columns (Callable): The numbers of all tokens, of type uint64.
    RETURNS (Tuple[List[Ints2d], Callable]): The numbers of each document, and a
        backward pass that does nothing.
    """
    if not docs:
        return [], lambda d_features: []
    flat: Any = model.ops.asarray2i(find_columns(docs), dtype="uint64")
    lengths = model.ops.asarray1i([len(doc) for doc in docs])
    return model.ops.unflatten(flat, lengths), lambda d_features: []
