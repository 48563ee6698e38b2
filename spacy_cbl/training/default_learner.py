"""The binary model that CBL trains when none is given."""

from typing import Any, List

from spacy.ml.models.tok2vec import MaxoutWindowEncoder, build_Tok2Vec_model
from spacy.vocab import Vocab

from ..models.feature_embed import CLUSTER_TABLE, build_feature_embed_v1
from ..models.marginal_crf import build_marginal_crf_v1
from .learner import Learner, create_crf_learner

WIDTH = 96
PREFIXES = [4, 6, 10, 20]


def make_default_learner(vocab: Vocab, **settings: Any) -> Learner:
    """Make a small model that cannot see which word a token is, only its shape and,
    where the vocabulary has them, its vector and Brown cluster: a model that sees word
    identity learns the missed entities by heart.

    vocab (Vocab): The vocabulary of the corpus.
    **settings (Any): Settings of the learner other than the defaults.
    RETURNS (Learner): The learner.
    """
    prefixes: List[int] = []
    if vocab.lookups.has_table(CLUSTER_TABLE):
        prefixes = PREFIXES
    embed = build_feature_embed_v1(
        width=WIDTH,
        attrs=["SHAPE"],
        rows=[1000],
        include_static_vectors=vocab.vectors_length > 0,
        cluster_prefixes=prefixes,
        cluster_rows=2000,
    )
    encode = MaxoutWindowEncoder(WIDTH, window_size=1, maxout_pieces=3, depth=1)
    return create_crf_learner(
        build_marginal_crf_v1(build_Tok2Vec_model(embed, encode)), **settings
    )
