"""Write suspects with their sentences, as annotation tools read them."""

import json
import random
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional

from ..data.files import check_output, write_text
from ..errors import Errors
from .inspection import ModelT, Sentence, inspect
from .review_ids import FIELD, SuspectId, make_id
from .suspects import THRESHOLD, Suspect

MOST_AROUND = 100  # tokens shown on each side of a suspect
SUGGESTED = "?"  # ends labels that nobody has confirmed; alone, the type is unknown


class Task(NamedTuple):
    """A question to an annotator. Tokens and characters are counted in the sentence."""

    id: SuspectId
    sent: Sentence
    suspect: Suspect

    @property
    def tokens(self) -> List[Dict[str, Any]]:
        """The tokens as Prodigy writes them."""
        starts = [0, *accumulate(map(len, self.sent.words))]
        last = len(self.sent.words) - 1
        tokens: List[Dict[str, Any]] = []
        for i, word in enumerate(self.sent.words):
            has_space = i < last and word.endswith(" ") and len(word) > 1
            text = word[:-1] if has_space else word
            end = starts[i] + len(text)
            token = {"text": text, "start": starts[i], "end": end, "id": i}
            tokens.append({**token, "ws": has_space})
        return tokens

    @property
    def span(self) -> Dict[str, Any]:
        """The suspect as Prodigy writes a span."""
        first = self.suspect.start - self.sent.start
        last = self.suspect.end - self.sent.start - 1
        tokens = self.tokens
        return {
            "start": tokens[first]["start"],
            "end": tokens[last]["end"],
            "token_start": first,
            "token_end": last,
            "label": self.suspect.label or SUGGESTED,
        }


def export_suspects(
    weighted: Path,
    output: Path,
    *,
    format: str = "prodigy",
    top: int = 500,
    model: Optional[ModelT] = None,
    threshold: float = THRESHOLD,
    order: str = "ranked",
    seed: int = 0,
) -> int:
    """Write probable missed entities, one task each.

    weighted (Path): The weighted corpus.
    output (Path): The file to write.
    format (str): prodigy, doccano, labelstudio or iob2.
    top (int): How many suspects to write.
    model (Optional[ModelT]): A pipeline that gives suspects types.
    threshold (float): Unlabelled tokens of less weight are suspected.
    order (str): ranked: the most probable first; random; uncertain: those first of
        which it is hardest to say whether they are entities.
    seed (int): For the random order.
    RETURNS (int): How many suspects were written.
    """
    if top < 1:
        raise ValueError(Errors.C307.format(value=top, what="suspects"))
    check_output(output, weighted)
    found = inspect(weighted, model=model, threshold=threshold)
    suspects = ORDERS[order](found.suspects, seed)[:top]
    if not suspects:
        raise ValueError(Errors.C308.format(path=weighted, threshold=threshold))
    sents = {
        (doc, sent.start): sent for doc, rows in found.docs.items() for sent in rows
    }
    tasks = [
        make_task(suspect, sents[suspect.doc, suspect.sent[0]]) for suspect in suspects
    ]
    write_text(output, WRITERS[format](tasks))
    return len(tasks)


def _shuffle(suspects: List[Suspect], seed: int) -> List[Suspect]:
    return random.Random(seed).sample(suspects, len(suspects))


def _sort_by_doubt(suspects: List[Suspect], seed: int) -> List[Suspect]:
    return sorted(suspects, key=lambda suspect: abs(suspect.score - 0.5))


ORDERS: Dict[str, Callable[[List[Suspect], int], List[Suspect]]] = {
    "ranked": lambda suspects, seed: suspects,
    "random": _shuffle,
    "uncertain": _sort_by_doubt,
}


def make_task(suspect: Suspect, sent: Sentence) -> Task:
    """Ask about a suspect. Of a long sentence, such as a whole document whose sentences
    are not known, what is around the suspect is shown.

    suspect (Suspect): The suspect.
    sent (Sentence): Its sentence.
    RETURNS (Task): The task.
    """
    first = max(0, suspect.start - sent.start - MOST_AROUND)
    last = min(len(sent.words), suspect.end - sent.start + MOST_AROUND)
    # Whether the last word ends in space of its own cannot be told from space alone.
    while last < len(sent.words) and not sent.words[last - 1].strip():
        last += 1
    words = sent.words[first:last]
    if last < len(sent.words):
        words[-1] = words[-1].removesuffix(" ")
    start = sent.start + first
    shown = Sentence(start, words, sent.weights[first:last], [])
    suspect = replace(suspect, sent=(start, start + len(words)))
    return Task(make_id(suspect, shown.text), shown, suspect)


def _to_prodigy(tasks: List[Task]) -> str:
    return _to_lines(
        {
            "text": task.sent.text,
            "tokens": task.tokens,
            "spans": [task.span],
            "meta": _make_meta(task),
            FIELD: str(task.id),
        }
        for task in tasks
    )


def _to_doccano(tasks: List[Task]) -> str:
    """The label ends in a question mark until somebody confirms it."""
    records = []
    for task in tasks:
        span = task.span
        label = span["label"].rstrip(SUGGESTED) + SUGGESTED
        triple = [span["start"], span["end"], label]
        record = {"text": task.sent.text, "label": [triple], FIELD: str(task.id)}
        records.append({**record, **_make_meta(task)})
    return _to_lines(iter(records))


def _to_labelstudio(tasks: List[Task]) -> str:
    """Suggestions are predictions: a task without annotation is not answered."""
    records = []
    for task in tasks:
        text, span = task.sent.text, task.span
        covered = text[span["start"] : span["end"]]
        # The tool counts in UTF-16 units, as browsers do.
        start = len(text[: span["start"]].encode("utf-16-le")) // 2
        end = start + len(covered.encode("utf-16-le")) // 2
        value = {"start": start, "end": end, "text": covered, "labels": [span["label"]]}
        region = {"from_name": "label", "to_name": "text", "type": "labels"}
        result = [{"id": "suspect", **region, "value": value}]
        score = round(task.suspect.score, 4)
        prediction = {"model_version": "spacy-cbl", "score": score, "result": result}
        data = {"text": text, FIELD: str(task.id), **_make_meta(task)}
        records.append({"data": data, "predictions": [prediction]})
    return json.dumps(records, ensure_ascii=False, indent=1) + "\n"


def _to_iob2(tasks: List[Task]) -> str:
    """For reading: a comment with the id, then the sentence with its suspect."""
    blocks = []
    for task in tasks:
        span = task.span
        lines = [f"# {FIELD} = {task.id}"]
        for token in task.tokens:
            tag = "O"
            if span["token_start"] <= token["id"] <= span["token_end"]:
                prefix = "B" if token["id"] == span["token_start"] else "I"
                tag = f"{prefix}-{span['label']}"
            text = "".join("_" if c.isspace() else c for c in token["text"])
            lines.append(f"{text}\t{tag}")
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


WRITERS: Dict[str, Callable[[List[Task]], str]] = {
    "prodigy": _to_prodigy,
    "doccano": _to_doccano,
    "labelstudio": _to_labelstudio,
    "iob2": _to_iob2,
}


def _make_meta(task: Task) -> Dict[str, Any]:
    suspect = task.suspect
    return {"score": round(suspect.score, 4), "document": suspect.doc + 1}


def _to_lines(records: Iterator[Dict[str, Any]]) -> str:
    return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records)
