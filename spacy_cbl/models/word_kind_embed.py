"""An embedding that sees what kind of word a token is, even where not which word."""

from collections import Counter
from typing import Callable, Iterable, List, Tuple

import numpy
from spacy.attrs import LOWER, ORTH, PREFIX, SUFFIX
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d, Ints2d

from ..core.word_kinds import UNKNOWN, count_kinds, is_caseless
from ..errors import Errors
from ..types import IntArray
from .feature_embed import embed_features, extract_columns

NAME = "extract_word_kinds"
N_COLUMNS = 3  # kind, prefix, suffix


def build_word_kind_embed_v1(
    width: int,
    attrs: List[str],
    rows: List[int],
    kind_rows: int,
    include_static_vectors: bool,
    cluster_prefixes: List[int],
    cluster_rows: int,
) -> Model[List[Doc], List[Floats2d]]:
    """Build an embedding like `spacy_cbl.FeatureEmbed.v1` that also sees how often the
    corpus has a word, and how often in lower case; in scripts without case, its first
    and last letters instead. Words are counted when the model is initialized.

    width (int): Output width, and that of each table.
    attrs (List[str]): Lexical attributes. SHAPE alone leaves it open which word it is.
    rows (List[int]): Rows of the table of each attribute.
    kind_rows (int): Rows of the tables of kinds and of letters.
    include_static_vectors (bool): Whether to use the vectors of the vocabulary.
    cluster_prefixes (List[int]): Lengths in bits of the path prefixes; may be empty.
    cluster_rows (int): Rows of the table of each prefix length.
    RETURNS (Model[List[Doc], List[Floats2d]]): The embedding layer.
    """
    return embed_features(
        width,
        attrs,
        rows,
        include_static_vectors,
        cluster_prefixes,
        cluster_rows,
        more=[(extract_word_kinds(), [kind_rows] * N_COLUMNS)],
    )


def extract_word_kinds() -> Model[List[Doc], List[Ints2d]]:
    """Give each token the number of its kind, and its prefix and suffix where it has no
    case. Words are counted by `count_words`.

    RETURNS (Model[List[Doc], List[Ints2d]]): The layer.
    """
    return Model(NAME, forward, attrs={"words": None, "kinds": None})


def forward(
    model: Model[List[Doc], List[Ints2d]], docs: List[Doc], is_train: bool
) -> Tuple[List[Ints2d], Callable]:
    words = model.attrs["words"]
    if words is None:
        raise ValueError(Errors.C014)

    def find_columns(docs: List[Doc]) -> IntArray:
        lower, *affixes = numpy.concatenate(
            [doc.to_array([LOWER, PREFIX, SUFFIX]) for doc in docs]
        ).T
        kinds = look_up(words, model.attrs["kinds"], lower)
        caseless = is_caseless(kinds).astype(numpy.uint64)
        columns = [kinds.astype(numpy.uint64), *(caseless * a for a in affixes)]
        return numpy.stack(columns, axis=1)

    return extract_columns(model, docs, find_columns)


def count_words(model: Model, docs: Iterable[Doc]) -> None:
    """Count the words of a corpus, for layers of a model that look at kinds of words.

    model (Model): The model; nothing happens if it has no such layer.
    docs (Iterable[Doc]): The corpus; documents share a vocabulary.
    """
    layers = [node for node in model.walk() if node.name == NAME]
    if not layers:
        return
    counts: Counter = Counter()
    strings = None
    for doc in docs:
        strings = doc.vocab.strings
        forms, n = numpy.unique(doc.to_array(ORTH), return_counts=True)
        counts.update(dict(zip(forms.tolist(), n.tolist())))
    if strings is None:
        return
    kinds = count_kinds([strings[key] for key in counts], list(counts.values()))
    keys = numpy.array([strings.add(form) for form in kinds], dtype=numpy.uint64)
    order = numpy.argsort(keys)
    for layer in layers:
        layer.attrs["words"] = keys[order]
        layer.attrs["kinds"] = numpy.array(list(kinds.values()))[order]


def look_up(words: IntArray, kinds: IntArray, keys: IntArray) -> IntArray:
    """The kinds of words.

    words (IntArray): Hashes of words, sorted.
    kinds (IntArray): Their kinds.
    keys (IntArray): Hashes to look up.
    RETURNS (IntArray): A kind for each key, UNKNOWN for words that are not there.
    """
    if not len(words):
        return numpy.full(len(keys), UNKNOWN)
    places = numpy.minimum(numpy.searchsorted(words, keys), len(words) - 1)
    return numpy.where(words[places] == keys, kinds[places], UNKNOWN)
