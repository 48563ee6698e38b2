"""The model of `cbl_ner`: token vectors, a linear layer, transitions."""

from typing import List, Optional, Tuple

from spacy.tokens import Doc
from thinc.api import Dropout, Linear, Model, chain, glorot_uniform_init, with_array
from thinc.types import Floats2d

from .transitions import transitions

MarginalCRFModelT = Model[List[Doc], Tuple[List[Floats2d], Floats2d]]


def build_marginal_crf_v1(
    tok2vec: Model[List[Doc], List[Floats2d]], nO: Optional[int] = None
) -> MarginalCRFModelT:
    """Build a conditional random field over the output of a tok2vec model. The layer
    gives scores; partition functions and decoding are in `core/crf.py`.

    tok2vec (Model[List[Doc], List[Floats2d]]): Any tok2vec model or listener.
    nO (Optional[int]): The number of tags. Set by the component when absent.
    RETURNS (MarginalCRFModelT): Docs to token scores per doc and transition scores.
    """
    nI = tok2vec.get_dim("nO") if tok2vec.has_dim("nO") else None
    output: Model[Floats2d, Floats2d] = Linear(nO, nI, init_W=glorot_uniform_init)
    step = transitions(nO)
    drop: Model[Floats2d, Floats2d] = Dropout()
    model: MarginalCRFModelT = chain(tok2vec, with_array(chain(drop, output)), step)
    model.set_ref("tok2vec", tok2vec)
    model.set_ref("output", output)
    model.set_ref("transitions", step)
    model.attrs["set_tags"] = set_tags
    return model


def set_tags(model: MarginalCRFModelT, n_tags: int) -> None:
    """Fix the number of tags, before initialization.

    model (MarginalCRFModelT): The model.
    n_tags (int): The number of tags.
    """
    for name in ("output", "transitions"):
        model.get_ref(name).set_dim("nO", n_tags, force=True)
