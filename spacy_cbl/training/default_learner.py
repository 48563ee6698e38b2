"""The models that CBL trains when none are given."""

from typing import Any, Dict

from spacy.ml.models.tok2vec import MaxoutWindowEncoder, build_Tok2Vec_model
from spacy.vocab import Vocab
from thinc.api import Model

from ..data.clusters import CLUSTER_TABLE
from ..models.marginal_crf import build_marginal_crf_v1
from ..models.word_kind_embed import build_word_kind_embed_v1
from .crf_learner import create_crf_learner
from .learner import Learner

WIDTH = 96
ROWS = 2000
PREFIXES = [4, 6, 10, 20]


def make_default_learner(vocab: Vocab, **settings: Any) -> Learner:
    """Make a small model that cannot see which word a token is, only its shape, what
    kind of word it is and, where the vocabulary has them, its vector and Brown cluster:
    a model that sees word identity learns the missed entities by heart.

    vocab (Vocab): The vocabulary of the corpus.
    **settings (Any): Settings of the learner other than the defaults.
    RETURNS (Learner): The learner.
    """
    embed = _embed(vocab, {"SHAPE": 2000})
    return create_crf_learner(_build_model(embed, depth=1), **settings)


def make_default_refiner(vocab: Vocab, **settings: Any) -> Learner:
    """Make a model with the usual features of `cbl_ner`, kinds of words, and the
    vectors and Brown clusters of the vocabulary.

    vocab (Vocab): The vocabulary of the corpus.
    **settings (Any): Settings of the learner other than the defaults.
    RETURNS (Learner): The learner.
    """
    attrs = {"NORM": 5000, "PREFIX": 1000, "SUFFIX": 2500, "SHAPE": 1000}
    usual = {"epochs": 5, "average_parameters": True, "L2": 0.01}
    model = _build_model(_embed(vocab, attrs), depth=4)
    return create_crf_learner(model, **{**usual, **settings})


def _embed(vocab: Vocab, attrs: Dict[str, int]) -> Model:
    """Embed some attributes, kinds of words, and what else the vocabulary has."""
    has_clusters = vocab.lookups.has_table(CLUSTER_TABLE)
    return build_word_kind_embed_v1(
        width=WIDTH,
        attrs=list(attrs),
        rows=list(attrs.values()),
        kind_rows=ROWS,
        include_static_vectors=vocab.vectors_length > 0,
        cluster_prefixes=PREFIXES if has_clusters else [],
        cluster_rows=ROWS,
    )


def _build_model(embed: Model, depth: int) -> Model:
    encode = MaxoutWindowEncoder(WIDTH, window_size=1, maxout_pieces=3, depth=depth)
    return build_marginal_crf_v1(build_Tok2Vec_model(embed, encode))
