"""Make a partially annotated file from a completely annotated one."""

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import (
    Any,
    Dict,
    Iterable,
    Iterator,
    List,
    Literal,
    Optional,
    Sequence,
    Tuple,
)

import numpy
import srsly
from numpy.random import Generator
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab
from tqdm import tqdm

from ..core.perturb import (
    count_false,
    draw_spans,
    keep_at_random,
    keep_by_form,
    keep_explored,
)
from ..errors import Errors
from ..types import BoolArray, IntArray
from .arrays import read_doc_arrays
from .docbin import read_docs, write_docs
from .files import check_output, replace_files, write_text

Removal = Literal["forms", "mentions"]
FalseEntity = Tuple[int, int, str]


@dataclass(frozen=True)
class PerturbOptions:
    """How to perturb. The steps are taken in this order."""

    drop_labels: Sequence[str] = ()  # remove all entities of these labels
    per_doc: Optional[int] = None  # keep at most so many entities of a document
    total: Optional[int] = None  # keep at most so many entities in all
    overlook: float = 0.0  # the chance to miss an entity, for the two above
    recall: float = 1.0  # the share of the entities left by now to keep
    remove: Removal = "forms"  # remove whole surface forms, or single mentions
    precision: float = 1.0  # the share of true entities in the result


@dataclass(frozen=True)
class GoldMentions:
    """The entities of a corpus and the tokens around them, as flat arrays."""

    labels: List[str]  # distinct labels; `label_ids` index them
    label_ids: IntArray
    forms: IntArray  # surface form of each entity, exact case, whatever its label
    docs: IntArray  # document of each entity
    n_entity_tokens: IntArray  # length of each entity
    free: BoolArray  # tokens where a false entity may be
    sent_starts: BoolArray
    doc_ends: IntArray


def perturb(
    gold_path: Path, output_path: Path, options: PerturbOptions, seed: int = 0
) -> Dict[str, Any]:
    """Write a partially annotated copy of a file, and JSON with what was reached.

    gold_path (Path): The completely annotated file.
    output_path (Path): The file to write, named .spacy. The JSON has its name with
        suffix .json.
    options (PerturbOptions): How to perturb.
    seed (int): The same seed gives the same file.
    RETURNS (Dict[str, Any]): What the JSON holds.
    """
    check_options(options)
    if output_path.suffix != ".spacy":
        raise ValueError(Errors.C174.format(path=output_path))
    check_output(output_path, gold_path)
    report_path = output_path.with_suffix(".json")
    if report_path.exists() and not _is_report(report_path):
        raise ValueError(Errors.C178.format(path=report_path))
    vocab = Vocab()
    mentions = read_mentions(read_docs(gold_path, vocab))
    rng = numpy.random.default_rng(seed)
    kept = choose_mentions(mentions, options, rng)
    added = add_false(mentions, kept, options.precision, rng)
    report = summarize(mentions, kept, added)
    report.update(seed=seed, options=asdict(options))
    docs = apply_to_docs(read_docs(gold_path, vocab), mentions, kept, added)
    with replace_files(output_path, report_path) as (unfinished, unfinished_report):
        write_text(unfinished_report, srsly.json_dumps(report, indent=2) + "\n")
        write_docs(unfinished, docs)
    return report


def _is_report(path: Path) -> bool:
    """Whether a file is what `perturb` wrote beside an earlier output."""
    try:
        found = srsly.read_json(path)
    except ValueError:
        return False
    return isinstance(found, dict) and {"seed", "options"} <= set(found)


def check_options(options: PerturbOptions) -> None:
    """Raise an error where an option is out of range.

    options (PerturbOptions): The options.
    """
    for name in ("recall", "precision"):
        value = getattr(options, name)
        if not 0 < value <= 1:
            raise ValueError(Errors.C153.format(name=name, value=value))
    for name in ("per_doc", "total"):
        value = getattr(options, name)
        if value is not None and value < 1:
            raise ValueError(Errors.C158.format(name=name, value=value))
    if not 0 <= options.overlook < 1:
        raise ValueError(Errors.C159.format(value=options.overlook))


def read_mentions(docs: Iterable[Doc]) -> GoldMentions:
    """Read the entities of documents, one document at a time.

    docs (Iterable[Doc]): The documents, completely annotated.
    RETURNS (GoldMentions): Their entities.
    """
    labels: Dict[str, int] = {}
    forms: Dict[str, int] = {}
    rows: List[Tuple[int, int, int, int]] = []
    free, sent_starts, lengths = [], [], []
    progress = tqdm(docs, desc="Reading", unit="doc", disable=None)
    for n, doc in enumerate(progress):
        for ent in doc.ents:
            form = " ".join(token.text for token in ent)
            label = labels.setdefault(ent.label_, len(labels))
            rows.append((label, forms.setdefault(form, len(forms)), n, len(ent)))
        arrays = read_doc_arrays(doc)
        # Where nobody said O, a false entity might be a true one.
        free.append(arrays.is_outside & ~arrays.trusted)
        sent_starts.append(arrays.sent_starts)
        lengths.append(len(doc))
    if not rows:
        raise ValueError(Errors.C154.format(found="no entity"))
    label_ids, form_ids, doc_ids, n_entity_tokens = numpy.array(rows).T
    return GoldMentions(
        labels=list(labels),
        label_ids=label_ids,
        forms=form_ids,
        docs=doc_ids,
        n_entity_tokens=n_entity_tokens,
        free=numpy.concatenate(free),
        sent_starts=numpy.concatenate(sent_starts),
        doc_ends=numpy.cumsum(lengths),
    )


def choose_mentions(
    mentions: GoldMentions, options: PerturbOptions, rng: Generator
) -> BoolArray:
    """Choose the entities that keep their label.

    mentions (GoldMentions): The entities.
    options (PerturbOptions): How to choose.
    rng (Generator): The source of randomness.
    RETURNS (BoolArray): Which entities are kept, at least one.
    """
    for label in options.drop_labels:
        if label not in mentions.labels:
            known = ", ".join(sorted(mentions.labels))
            raise ValueError(Errors.C157.format(label=label, labels=known))
    kept = numpy.array([label not in options.drop_labels for label in mentions.labels])
    left = numpy.flatnonzero(kept[mentions.label_ids])
    if options.per_doc is not None or options.total is not None or options.overlook:
        left = left[
            keep_explored(
                mentions.docs[left],
                rng,
                per_doc=options.per_doc,
                total=options.total,
                overlook=options.overlook,
            )
        ]
    if options.recall < 1 and len(left):
        if options.remove == "forms":
            left = left[keep_by_form(mentions.forms[left], options.recall, rng)]
        else:
            left = left[keep_at_random(len(left), options.recall, rng)]
    if not len(left):
        raise ValueError(Errors.C155.format(n_mentions=len(mentions.forms)))
    chosen = numpy.zeros(len(mentions.forms), dtype=bool)
    chosen[left] = True
    return chosen


def add_false(
    mentions: GoldMentions, kept: BoolArray, precision: float, rng: Generator
) -> List[FalseEntity]:
    """Draw false entities: spans of 1 to 3 tokens that gold calls O, inside a sentence,
    with one of the labels that are left.

    mentions (GoldMentions): The entities.
    kept (BoolArray): Which of them keep their label.
    precision (float): The precision to reach.
    rng (Generator): The source of randomness.
    RETURNS (List[FalseEntity]): Start and end in the corpus and label, in order.
    """
    n_false = count_false(int(numpy.count_nonzero(kept)), precision)
    spans = draw_spans(mentions.free, mentions.sent_starts, n_false, rng)
    labels = rng.choice(numpy.unique(mentions.label_ids[kept]), size=n_false)
    return [
        (start, end, mentions.labels[label])
        for (start, end), label in zip(spans, labels.tolist())
    ]


def apply_to_docs(
    docs: Iterable[Doc],
    mentions: GoldMentions,
    kept: BoolArray,
    added: Sequence[FalseEntity],
) -> Iterator[Doc]:
    """Unlabel entities that are not kept and label false ones.

    docs (Iterable[Doc]): The documents that `mentions` was read from.
    mentions (GoldMentions): Their entities.
    kept (BoolArray): Which entities keep their label.
    added (Sequence[FalseEntity]): The false entities, in order.
    YIELDS (Doc): The documents, modified; all but the entities is as before.
    """
    is_kept, false_entities = iter(kept.tolist()), list(reversed(added))
    ends = mentions.doc_ends.tolist()
    progress = tqdm(docs, desc="Writing", unit="doc", total=len(ends), disable=None)
    for doc, end in zip(progress, ends):
        removed = [ent for ent in doc.ents if not next(is_kept)]
        offset = end - len(doc)
        new = []
        while false_entities and false_entities[-1][0] < end:
            first, last, label = false_entities.pop()
            new.append(Span(doc, first - offset, last - offset, label=label))
        if new or removed:
            doc.set_ents(new, outside=removed, default="unmodified")
        yield doc


def summarize(
    mentions: GoldMentions, kept: BoolArray, added: Sequence[FalseEntity]
) -> Dict[str, Any]:
    """Measure a perturbation against gold.

    mentions (GoldMentions): The entities of gold.
    kept (BoolArray): Which of them keep their label.
    added (Sequence[FalseEntity]): The false entities.
    RETURNS (Dict[str, Any]): Precision and recall, entity ratios and counts.
    """
    n_kept = int(numpy.count_nonzero(kept))
    n_tokens = len(mentions.free)
    n_gold_tokens = int(mentions.n_entity_tokens.sum())
    n_partial_tokens = int(mentions.n_entity_tokens[kept].sum()) + sum(
        end - start for start, end, _ in added
    )
    return {
        "precision": n_kept / (n_kept + len(added)),
        "recall": n_kept / len(kept),
        "entity_ratio": n_partial_tokens / n_tokens,
        "gold_entity_ratio": n_gold_tokens / n_tokens,
        "counts": {
            "docs": len(mentions.doc_ends),
            "tokens": n_tokens,
            "gold": len(kept),
            "kept": n_kept,
            "removed": len(kept) - n_kept,
            "added": len(added),
            "gold_forms": len(set(mentions.forms.tolist())),
            "kept_forms": len(set(mentions.forms[kept].tolist())),
        },
        "labels": _count_labels(mentions, kept, added),
    }


def _count_labels(
    mentions: GoldMentions, kept: BoolArray, added: Sequence[FalseEntity]
) -> Dict[str, Dict[str, int]]:
    gold = Counter(mentions.label_ids.tolist())
    left = Counter(mentions.label_ids[kept].tolist())
    false = Counter(label for _, _, label in added)
    return {
        label: {"gold": gold[i], "kept": left[i], "added": false[label]}
        for i, label in sorted(enumerate(mentions.labels), key=lambda item: item[1])
    }
