"""What a batch of examples says about the tags of its tokens, as flat arrays."""

from typing import List, NamedTuple, Sequence, Tuple

import numpy
from spacy.attrs import ENT_IOB, ENT_TYPE, ORTH
from spacy.tokens import Doc
from spacy.training import Example

from ..attrs import get_label_probs, get_weights
from ..core.soft_labels import MISSING, soft_labels
from ..core.tags import TagSet
from ..data.arrays import blocked_tokens, trusted_outside
from ..data.sentences import lengths_between, sentence_starts
from ..errors import Errors
from ..types import BoolArray, FloatArray, IntArray

# Values of spaCy's ENT_IOB
IOB_MISSING, IOB_INSIDE, IOB_BEGIN = 0, 1, 3


class Targets(NamedTuple):
    """The tokens of a batch, all documents end to end."""

    soft_labels: FloatArray  # tokens x tags
    lengths: IntArray  # tokens per sequence: sentences, or documents without them


def get_targets(
    examples: Sequence[Example], tags: TagSet, name: str, latent: bool = False
) -> Targets:
    """Read what the references say of the predicted tokens.

    examples (Sequence[Example]): The batch.
    tags (TagSet): The tags of the component.
    name (str): The name of the component, for messages.
    latent (bool): Whether unlabelled tokens say nothing, whatever their weights: all
        but those that are certainly outside. Label probabilities stay as they are.
    RETURNS (Targets): Soft labels and sequences.
    """
    parts = [read_example(eg, tags, name) for eg in examples]
    gold = numpy.concatenate([tag for tag, _ in parts])
    weights = numpy.concatenate([weight for _, weight in parts])
    if latent:
        certain = numpy.concatenate([_certain_outside(eg) for eg in examples])
        weights = numpy.where((gold > 0) | certain, weights, 0.0)
    G = soft_labels(gold, len(tags), weights)
    starts = numpy.concatenate([sentence_starts(eg.predicted) for eg in examples])
    _use_label_probs(G, examples, tags, name)
    # An entity across a sentence boundary is more certain than the boundary.
    doc_starts = numpy.zeros(len(starts), dtype=bool)
    lengths = numpy.array([len(eg.predicted) for eg in examples])
    doc_starts[(numpy.cumsum(lengths) - lengths)[lengths > 0]] = True
    starts &= ~_continues(gold, tags) | doc_starts
    return Targets(G, lengths_between(starts))


def read_example(eg: Example, tags: TagSet, name: str) -> Tuple[IntArray, FloatArray]:
    """Read what the reference of an example says of the predicted tokens.

    eg (Example): The example.
    tags (TagSet): The tags of the component.
    name (str): The name of the component, for messages.
    RETURNS (Tuple[IntArray, FloatArray]): The tag of each token, MISSING where it is
        not known, and its weight.
    """
    reference = eg.reference
    gold = read_tags(reference, tags, name)
    weights = get_weights(reference)
    v = numpy.ones(len(reference)) if weights is None else weights.copy()
    trusted = trusted_outside(reference)
    v[trusted] = 1.0
    gold[trusted] = 0
    if same_tokens(eg):
        return gold, v
    return _aligned_tags(eg, tags), _aligned_weights(eg, v)


def read_tags(doc: Doc, tags: TagSet, name: str) -> IntArray:
    """The tag of each token, MISSING where the annotation is missing.

    doc (Doc): An annotated document.
    tags (TagSet): The tags of the component.
    name (str): The name of the component, for messages.
    RETURNS (IntArray): One tag per token.
    """
    iob, types = doc.to_array([ENT_IOB, ENT_TYPE]).reshape((-1, 2)).T
    hashes = numpy.array([doc.vocab.strings[label] for label in tags.labels], "uint64")
    order = numpy.argsort(hashes)
    found = numpy.searchsorted(hashes, types, sorter=order).clip(max=len(hashes) - 1)
    label = order[found]
    # A token with IOB 3 and no type is blocked: certainly no entity.
    is_entity = types != 0
    unknown = is_entity & (hashes[label] != types)
    if unknown.any():
        raise ValueError(
            Errors.C022.format(
                label=doc[int(unknown.argmax())].ent_type_,
                text=doc[:8].text,
                name=name,
                labels=list(tags.labels),
            )
        )
    first = is_entity & (iob == IOB_BEGIN)
    goes_on = numpy.zeros(len(iob), dtype=bool)
    goes_on[:-1] = (iob[1:] == IOB_INSIDE) & is_entity[1:]
    base = 1 + label * len(tags.prefixes)
    inside = tags.prefixes.index("I")
    if tags.scheme == "biluo":
        unit, last = tags.prefixes.index("U"), tags.prefixes.index("L")
        offset = numpy.where(
            first, numpy.where(goes_on, 0, unit), numpy.where(goes_on, inside, last)
        )
    else:
        offset = numpy.where(first, 0, inside)
    gold = numpy.where(is_entity, base + offset, 0)
    return numpy.where(iob == IOB_MISSING, MISSING, gold)


def read_all_tags(
    docs: Sequence[Doc], scheme: str, name: str
) -> Tuple[TagSet, IntArray]:
    """The tags that documents have, and those of their tokens.

    docs (Sequence[Doc]): Annotated documents.
    scheme (str): "biluo" or "bio".
    name (str): Who asks, for messages.
    RETURNS (Tuple[TagSet, IntArray]): The tags, and one per token, documents laid end
        to end.
    """
    tags = TagSet(sorted({ent.label_ for doc in docs for ent in doc.ents}), scheme)
    return tags, numpy.concatenate([read_tags(doc, tags, name) for doc in docs])


def same_tokens(eg: Example) -> bool:
    """Whether the predicted document has the tokens of the reference.

    eg (Example): The example.
    RETURNS (bool): Whether it has.
    """
    predicted, reference = eg.predicted, eg.reference
    return len(predicted) == len(reference) and bool(
        (predicted.to_array(ORTH) == reference.to_array(ORTH)).all()
    )


def _aligned_tags(eg: Example, tags: TagSet) -> IntArray:
    """Tags of tokens that are cut otherwise than those of the reference."""
    index = {name: i for i, name in enumerate(tags.names)}
    found = eg.get_aligned_ner()
    if tags.scheme == "bio":
        as_bio = {"U": "B", "L": "I"}
        found = [t and as_bio.get(t[0], t[0]) + t[1:] for t in found]
    gold = numpy.array([MISSING if t is None else index[t] for t in found])
    gold[_certain_outside(eg) & (gold == MISSING)] = 0
    return _drop_broken_entities(gold, tags)


def _certain_outside(eg: Example) -> BoolArray:
    """Which predicted tokens are trusted negatives or blocked."""
    certain = trusted_outside(eg.reference) | blocked_tokens(eg.reference)
    if same_tokens(eg):
        return certain
    return _aligned_weights(eg, certain * 1.0, fill=0.0) == 1


def _drop_broken_entities(gold: IntArray, tags: TagSet) -> IntArray:
    """Forget the tags of entities of which alignment lost a part."""
    legal = tags.legal
    path = numpy.where(gold == MISSING, 0, gold)
    steps = numpy.stack([[len(tags), *path], [*path, len(tags)]])
    broken = ~legal[steps[0], steps[1]]
    for i in numpy.flatnonzero(broken):
        for step in (-1, 1):
            j = i - 1 if step < 0 else i
            while 0 <= j < len(gold) and gold[j] > 0:
                gold[j] = MISSING
                j += step
    return gold


def _aligned_weights(eg: Example, v: FloatArray, fill: float = 1.0) -> FloatArray:
    """Each predicted token takes the least weight of the tokens it overlaps."""
    least = numpy.full(len(eg.predicted), numpy.inf)
    ours, theirs = overlaps(eg)
    numpy.minimum.at(least, ours, v[theirs])
    return numpy.where(numpy.isinf(least), fill, least)


def _continues(gold: IntArray, tags: TagSet) -> BoolArray:
    """Which tags go on from the token before."""
    position = (gold - 1) % len(tags.prefixes)
    inside = [i for i, prefix in enumerate(tags.prefixes) if prefix in "IL"]
    return (gold > 0) & numpy.isin(position, inside)


def _use_label_probs(
    G: FloatArray, examples: Sequence[Example], tags: TagSet, name: str
) -> None:
    """Put distributions that documents carry in the place of the soft labels."""
    start = 0
    for eg in examples:
        end = start + len(eg.predicted)
        label_probs = get_label_probs(eg.reference)
        if label_probs is not None:
            columns = _match_columns(label_probs.tags, tags, eg.reference, name)
            probs = label_probs.probs[:, columns].astype(numpy.float64)
            probs[trusted_outside(eg.reference)] = numpy.eye(len(tags))[0]
            if not same_tokens(eg):
                probs = _aligned_rows(eg, probs)
            G[start:end] = probs
        start = end


def _match_columns(names: List[str], tags: TagSet, doc: Doc, name: str) -> List[int]:
    if sorted(names) != sorted(tags.names):
        raise ValueError(
            Errors.C028.format(
                text=doc[:8].text, found=names, name=name, expected=tags.names
            )
        )
    return [names.index(tag) for tag in tags.names]


def _aligned_rows(eg: Example, probs: FloatArray) -> FloatArray:
    """Rows for tokens that match one token of the reference; the rest is unknown."""
    aligned = numpy.full((len(eg.predicted), probs.shape[1]), 1.0 / probs.shape[1])
    ours, theirs = one_to_one(eg)
    aligned[ours] = probs[theirs]
    return aligned


def overlaps(eg: Example) -> Tuple[IntArray, IntArray]:
    """The pairs of tokens that share characters.

    eg (Example): The example.
    RETURNS (Tuple[IntArray, IntArray]): Indices of predicted tokens, and of those of
        the reference.
    """
    rows = eg.alignment.x2y
    return numpy.repeat(numpy.arange(len(eg.predicted)), rows.lengths), rows.data


def one_to_one(eg: Example) -> Tuple[IntArray, IntArray]:
    """The tokens that are cut alike on both sides.

    eg (Example): The example.
    RETURNS (Tuple[IntArray, IntArray]): Indices of predicted tokens, and of those of
        the reference that they match.
    """
    ours, theirs = overlaps(eg)
    forth, back = eg.alignment.x2y.lengths, eg.alignment.y2x.lengths
    alone = (numpy.asarray(forth)[ours] == 1) & (numpy.asarray(back)[theirs] == 1)
    return ours[alone], theirs[alone]
