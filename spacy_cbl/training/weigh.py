"""Give each token of a `.spacy` file its weight."""

from collections import Counter
from pathlib import Path
from typing import Any, Dict, Iterator, Optional

import numpy
import srsly
from spacy.tokens import Doc
from spacy.vocab import Vocab
from tqdm import tqdm

from ..attrs import (
    LabelProbs,
    set_label_probs,
    set_p_outside,
    set_weights,
)
from ..core.balance import balance, weighted_ratio
from ..core.weighting import settle
from ..data.arrays import CorpusArrays, read_corpus_arrays
from ..data.docbin import read_docs, write_docs
from ..data.files import check_output, write_text
from ..data.loading import blank_vocab
from ..data.missing import label_missing_as_outside, mark_all_missing
from ..errors import Errors
from ..types import FloatArray
from .entity_ratio import EntityRatioT, find_ratio
from .schemes import WeightingScheme, run_scheme


def weigh(
    input_path: Path,
    output_path: Path,
    scheme: WeightingScheme,
    *,
    entity_ratio: Optional[EntityRatioT] = None,
    gold_path: Optional[Path] = None,
    missing_below: Optional[float] = None,
    vocab: Optional[Vocab] = None,
) -> Dict[str, Any]:
    """Weigh the tokens of a file and write it anew. Missing tokens become O, since in
    training they would count nothing whatever their weight.

    input_path (Path): The partially annotated file.
    output_path (Path): The file to write.
    scheme (WeightingScheme): Gives the weights.
    entity_ratio (Optional[EntityRatioT]): Scale the weights to this weighted entity
        ratio.
    gold_path (Optional[Path]): The same documents with complete annotation, for
        schemes that need it and for figures.
    missing_below (Optional[float]): Mark tokens of less weight as missing, and
        entities that have such a token: for recognizers that know no weights.
    vocab (Optional[Vocab]): With vectors and lookups, for schemes that learn.
    RETURNS (Dict[str, Any]): Counts and ratios, and the history of a scheme that has
        one (also written beside the output).
    """
    if missing_below is not None and not 0 < missing_below <= 1:
        raise ValueError(Errors.C283.format(value=missing_below))
    history_path = output_path.with_suffix(".history.jsonl")
    check_output(output_path, input_path, gold_path)
    if history_path.exists() and not _is_history(history_path):
        raise ValueError(Errors.C320.format(path=history_path))
    if vocab is None:
        vocab = blank_vocab()
    corpus = read_corpus_arrays(
        lambda: read_docs(input_path, vocab),
        vocab,
        gold=None if gold_path is None else lambda: read_docs(gold_path, vocab),
        path=input_path,
    )
    weights = compute_weights(corpus, scheme, entity_ratio)
    docs = attach_weights(
        corpus,
        weights,
        getattr(scheme, "label_probs", None),
        getattr(scheme, "p_outside", None),
    )
    marked: Counter = Counter()
    if missing_below is not None:
        docs = mark_all_missing(docs, missing_below, marked)
    n_docs = len(corpus.doc_lengths)
    bar = tqdm(docs, desc="Writing", unit="doc", total=n_docs, disable=None)
    write_docs(output_path, bar)
    report = {**summarize(corpus, weights), "marked_missing": dict(marked)}
    history = getattr(scheme, "history", None)
    if history:
        lines = "".join(srsly.json_dumps(record) + "\n" for record in history)
        write_text(history_path, lines)
        report["history"] = history
    else:
        history_path.unlink(missing_ok=True)  # of an earlier run
    return report


def _is_history(path: Path) -> bool:
    """Whether a file is what `weigh` wrote beside an earlier output."""
    try:
        records = list(srsly.read_jsonl(path))
    except (OSError, ValueError):
        return False
    names = {"round", "iteration"}
    return all(isinstance(r, dict) and names & r.keys() for r in records)


def compute_weights(
    corpus: CorpusArrays,
    scheme: WeightingScheme,
    entity_ratio: Optional[EntityRatioT] = None,
) -> FloatArray:
    """Weigh a corpus: run the scheme, set P and trusted negatives to 1, balance.

    corpus (CorpusArrays): The corpus; it must have an entity.
    scheme (WeightingScheme): Gives the weights.
    entity_ratio (Optional[EntityRatioT]): Scale the weights to this weighted entity
        ratio.
    RETURNS (FloatArray): One weight per token, float32.
    """
    if not len(corpus):
        raise ValueError(Errors.C154.format(found="no token"))
    if not corpus.is_entity.any():
        raise ValueError(Errors.C154.format(found="no entity"))
    if entity_ratio is not None and hasattr(scheme, "label_probs"):
        raise ValueError(Errors.C288)
    # First, as it may be an error, and the scheme may learn for long.
    ratio = find_ratio(entity_ratio, corpus)
    weights = run_scheme(scheme, corpus)
    certain = corpus.trusted
    if not getattr(scheme, "weighs_entities", False):
        certain = certain | corpus.is_entity
    weights = settle(weights, certain)
    if ratio is not None:
        balanced = balance(corpus.is_entity, weights, ratio, corpus.trusted)
        # A scheme may doubt labels of P.
        balanced[corpus.is_entity] = weights[corpus.is_entity]
        weights = balanced
    return weights


def attach_weights(
    corpus: CorpusArrays,
    weights: FloatArray,
    label_probs: Optional[LabelProbs] = None,
    p_outside: Optional[FloatArray] = None,
) -> Iterator[Doc]:
    """Read the documents of a corpus again and set their weights. Probabilities that
    they have already, in whose place the weights come, are removed.

    corpus (CorpusArrays): The corpus.
    weights (FloatArray): One weight per token.
    label_probs (Optional[LabelProbs]): Distributions, one per token, of schemes that
        have found them.
    p_outside (Optional[FloatArray]): P(O) of each token, of schemes whose weights do
        not tell it.
    YIELDS (Doc): The documents; tokens that were missing are O.
    """
    rows = corpus.split(numpy.arange(len(corpus)))
    for doc, tokens in zip(corpus.docs(), rows):
        label_missing_as_outside(doc)
        set_weights(doc, weights[tokens])
        probs = label_probs and LabelProbs(label_probs.tags, label_probs.probs[tokens])
        set_label_probs(doc, probs)
        set_p_outside(doc, None if p_outside is None else p_outside[tokens])
        yield doc


def summarize(corpus: CorpusArrays, weights: FloatArray) -> Dict[str, Any]:
    """Count what a weighted corpus holds.

    corpus (CorpusArrays): The corpus.
    weights (FloatArray): One weight per token.
    RETURNS (Dict[str, Any]): Counts of documents and tokens, and the entity ratio
        before and after weighing.
    """
    negative = weights[~corpus.is_entity]
    return {
        "docs": len(corpus.doc_lengths),
        "tokens": len(corpus),
        "entity_tokens": int(numpy.count_nonzero(corpus.is_entity)),
        "missing_tokens": int(numpy.count_nonzero(corpus.is_missing)),
        "doubted_tokens": int(numpy.count_nonzero(weights[corpus.is_entity] < 0.5)),
        "trusted_tokens": int(numpy.count_nonzero(corpus.trusted)),
        "entity_ratio": float(corpus.is_entity.mean()),
        "weighted_entity_ratio": weighted_ratio(corpus.is_entity, weights),
        "mean_negative_weight": float(negative.mean(dtype=numpy.float64))
        if len(negative)
        else None,
    }
