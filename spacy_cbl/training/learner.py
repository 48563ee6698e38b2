"""Models that CBL and its relatives train inside: fitted to soft labels, then asked for
the marginals of tokens.
"""

import random
from contextlib import contextmanager
from typing import (
    Any,
    Dict,
    Iterator,
    List,
    Optional,
    Protocol,
    Sequence,
    runtime_checkable,
)

import numpy
from spacy.tokens import Doc
from spacy.util import fix_random_seed
from thinc.compat import has_torch, torch

from ..types import BoolArray, FloatArray


@runtime_checkable
class Learner(Protocol):
    """What the loop needs of a model."""

    def fit(
        self,
        docs: Sequence[Doc],
        soft_labels: FloatArray,
        seed: int,
        weights: Optional[FloatArray] = None,
        legal: Optional[BoolArray] = None,
    ) -> None:
        """Train a fresh model.

        docs (Sequence[Doc]): The documents.
        soft_labels (FloatArray): How much each tag of each token is believed, all
            documents end to end (tokens x tags).
        seed (int): Fixes everything random.
        weights (Optional[FloatArray]): The weights that the soft labels were made from:
            for models that can use weights near 0 or above 1 as they are.
        legal (Optional[BoolArray]): Which tag may follow which, with the boundary of a
            sequence last; any may if not given.
        """

    def marginals(self, docs: Sequence[Doc]) -> FloatArray:
        """Ask the model.

        docs (Sequence[Doc]): The documents.
        RETURNS (FloatArray): The probability of each tag of each token.
        """

    def describe(self, forms: Sequence[str]) -> Dict[str, Any]:
        """All that its results depend on besides the data, as JSON.

        forms (Sequence[str]): The distinct words of the data: what functions say of
            them tells these apart.
        RETURNS (Dict[str, Any]): Settings and the like.
        """


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Fix the global random state and put the former one back afterwards, so that what
    follows does not depend on whether this ran.

    seed (int): The seed.
    """
    python, numpys = random.getstate(), numpy.random.get_state()
    torchs = torch.get_rng_state() if has_torch else None
    fix_random_seed(seed)
    try:
        yield
    finally:
        random.setstate(python)
        numpy.random.set_state(numpys)
        if torchs is not None:
            torch.set_rng_state(torchs)


def batch_by_words(
    docs: Sequence[Doc], order: Sequence[int], size: int
) -> Iterator[List[int]]:
    """Group documents, in an order, until they have so many words.

    docs (Sequence[Doc]): The documents.
    order (Sequence[int]): Indices of documents.
    size (int): Words per group.
    YIELDS (List[int]): Indices of a group.
    """
    batch: List[int] = []
    n_words = 0
    for i in order:
        batch.append(int(i))
        n_words += len(docs[i])
        if n_words >= size:
            yield batch
            batch, n_words = [], 0
    if batch:
        yield batch
