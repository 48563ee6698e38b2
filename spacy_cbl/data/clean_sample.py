"""Give a partially annotated file the true labels of a few tokens, for experiments."""

from pathlib import Path
from typing import Dict, Iterator

import numpy
from spacy.attrs import ENT_TYPE
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab
from tqdm import tqdm

from ..attrs import CLEAN_GROUP
from ..core.tags import OUTSIDE
from ..errors import Errors
from ..types import BoolArray
from .align import check_aligned
from .arrays import read_doc_arrays
from .docbin import read_docs, write_docs
from .files import check_output


def sample_clean_tokens(
    partial_path: Path,
    gold_path: Path,
    output_path: Path,
    n_tokens: int = 500,
    seed: int = 0,
) -> Dict[str, int]:
    """Write a partially annotated file anew, with the gold labels of random tokens in
    the span group of clean tokens. An earlier sample is replaced.

    partial_path (Path): The partially annotated file.
    gold_path (Path): The same documents, completely annotated.
    output_path (Path): The file to write.
    n_tokens (int): How many tokens to draw.
    seed (int): The same seed gives the same sample.
    RETURNS (Dict[str, int]): How many tokens were drawn, how many of them are in
        entities, and how many have another label in the partial file.
    """
    check_output(output_path, gold_path)
    vocab = Vocab()
    known = [~read_doc_arrays(doc).is_missing for doc in read_docs(gold_path, vocab)]
    positions = numpy.flatnonzero(numpy.concatenate([*known, []]))
    if not 1 <= n_tokens <= len(positions):
        raise ValueError(
            Errors.C293.format(
                n_tokens=n_tokens, n_known=len(positions), path=gold_path
            )
        )
    rng = numpy.random.default_rng(seed)
    drawn = numpy.zeros(sum(map(len, known)), dtype=bool)
    drawn[rng.choice(positions, n_tokens, replace=False)] = True
    report = {"tokens": n_tokens, "entity_tokens": 0, "wrong_tokens": 0}
    write_docs(output_path, _add_samples(partial_path, gold_path, drawn, vocab, report))
    return report


def _add_samples(
    partial_path: Path,
    gold_path: Path,
    drawn: BoolArray,
    vocab: Vocab,
    report: Dict[str, int],
) -> Iterator[Doc]:
    pairs = check_aligned(read_docs(gold_path, vocab), read_docs(partial_path, vocab))
    start = 0
    for gold, doc in tqdm(pairs, desc="Sampling", unit="doc", disable=None):
        here = numpy.flatnonzero(drawn[start : start + len(doc)])
        start += len(doc)
        doc.spans[CLEAN_GROUP] = [
            Span(doc, i, i + 1, label=gold[i].ent_type_ or OUTSIDE)
            for i in here.tolist()
        ]
        types, noisy_types = gold.to_array(ENT_TYPE)[here], doc.to_array(ENT_TYPE)[here]
        report["entity_tokens"] += int(numpy.count_nonzero(types))
        report["wrong_tokens"] += int(numpy.count_nonzero(types != noisy_types))
        yield doc
