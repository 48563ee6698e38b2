"""A tok2vec model whose encoder reads sentence by sentence."""

from typing import Callable, List, Optional, Tuple

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..data.sentences import lengths_between, sentence_starts

InT = List[Doc]
OutT = List[Floats2d]


def build_sentence_tok2vec_v1(
    embed: Model[InT, OutT], encode: Model[OutT, OutT]
) -> Model[InT, OutT]:
    """Build a tok2vec model like `spacy.Tok2Vec.v2`, but encode each sentence alone
    where a Doc has sentence boundaries. A recurrent encoder is faster that way.

    embed (Model[List[Doc], List[Floats2d]]): The embedding layer.
    encode (Model[List[Floats2d], List[Floats2d]]): The encoder.
    RETURNS (Model[List[Doc], List[Floats2d]]): The model.
    """
    model: Model[InT, OutT] = Model(
        "sentence_tok2vec",
        forward,
        init=init,
        dims={"nO": encode.get_dim("nO") if encode.has_dim("nO") else None},
        layers=[embed, encode],
        refs={"embed": embed, "encode": encode},
    )
    return model


def forward(
    model: Model[InT, OutT], docs: InT, is_train: bool
) -> Tuple[OutT, Callable[[OutT], InT]]:
    embed, encode = model.layers
    lengths = [len(doc) for doc in docs]
    pieces = _piece_lengths(docs)
    X, backprop_embed = embed(docs, is_train)
    Y, backprop_encode = encode(_cut(model, X, pieces), is_train)

    def backprop(dY: OutT) -> InT:
        dX = backprop_encode(_cut(model, dY, pieces))
        return backprop_embed(_cut(model, dX, lengths))

    return _cut(model, Y, lengths), backprop


def init(
    model: Model[InT, OutT], X: Optional[InT] = None, Y: Optional[OutT] = None
) -> None:
    embed, encode = model.layers
    embed.initialize(X=X)
    encode.initialize(X=embed.predict(X) if X else None)
    if encode.has_dim("nO") and model.has_dim("nO") is None:
        model.set_dim("nO", encode.get_dim("nO"))


def _piece_lengths(docs: List[Doc]) -> List[int]:
    return [n for doc in docs for n in lengths_between(sentence_starts(doc)).tolist()]


def _cut(model: Model, X: OutT, lengths: List[int]) -> OutT:
    return model.ops.unflatten(model.ops.flatten(X), model.ops.asarray1i(lengths))
