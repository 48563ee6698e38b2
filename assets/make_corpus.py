"""Write the embedded corpora from patterns, names and words, by a fixed seed.

Usage: python assets/make_corpus.py [--seed N] [--output FOLDER]
"""

import argparse
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Dict, Iterator, List, Optional, Set, Tuple

from corpus.chance import between, endless, pick, shuffled, zipf
from corpus.names import LABEL_OF, Name, Pools, make_names, read_lists
from corpus.text import (
    ALL_CAPS,
    BODY,
    DATELINE,
    LIST_LINE,
    TITLE_CASE,
    Tagged,
    finish,
    inflect,
    number,
    plain,
    tag_name,
)

HERE = Path(__file__).parent
SEED = 7
HELD_PATTERNS = {"test": 0.2, "dev": 0.1}
NEW_NAME = 0.28  # share of a held-out part's names that come from its own pool
REUSE = 0.45  # how often a slot repeats a name of its document
SHORT_FORM = {"PER": 0.75, "other": 0.3, "headline": 0.7}
MIXED = {
    "LOC": ["TOWN", "TOWN", "TOWN", "COUNTRY", "COUNTRY", "REGION"],
    "ORG": ["FIRM", "FIRM", "FIRM", "BODY", "UNI", "TEAM", "PARTY", "MEDIA", "GROUP"],
}
DETERMINERS = {"the", "The", "a", "A", "its", "his", "her", "every", "'s", "("}
PRONOUNS = {
    "he": {"he": "he", "his": "his", "him": "him"},
    "she": {"he": "she", "his": "her", "him": "her"},
}


@dataclass(frozen=True)
class Corpus:
    """What to write: the folder of sources, the sentences per part, the digits."""

    source: str
    sentences: Dict[str, int]
    digits: str = "0123456789"


CORPORA = {
    "news": Corpus("english", {"train": 2500, "dev": 480, "test": 600}),
    "bengali": Corpus("bengali", {"train": 240, "dev": 60, "test": 80}, "০১২৩৪৫৬৭৮৯"),
}


@dataclass(frozen=True)
class Pattern:
    """A sentence with slots, from the file of one topic."""

    topic: str
    style: str
    text: str


@dataclass
class Memory:
    """The names a document has used, and what its present sentence is like."""

    cast: Dict[str, List[Name]] = field(default_factory=dict)
    sentence: Set[str] = field(default_factory=set)
    pronoun: str = "he"
    style: str = BODY


def read_patterns(folder: Path) -> List[Pattern]:
    """Read the sentence patterns, one per line, the file name being the topic."""
    patterns = []
    for path in sorted(folder.glob("*.txt")):
        for line in path.read_text(encoding="utf8").splitlines():
            styled = line[:2] in {"^ ", "~ ", "# ", "= "}
            style, text = (line[0], line[2:]) if styled else (BODY, line)
            patterns.append(Pattern(path.stem, style, text))
    return patterns


def split_patterns(rng: Random, patterns: List[Pattern]) -> Dict[str, List[Pattern]]:
    """Keep some patterns of each topic and style for one part, share the others."""
    held: Dict[str, List[Pattern]] = {"shared": []}
    for group in sorted({(p.topic, p.style) for p in patterns}):
        own = shuffled(rng, [p for p in patterns if (p.topic, p.style) == group])
        start = 0
        for part, share in HELD_PATTERNS.items():
            end = start + int(share * len(own) + 0.5)
            held.setdefault(part, []).extend(own[start:end])
            start = end
        held["shared"].extend(own[start:])
    return held


class Writer:
    """Writes the documents of one part of a corpus."""

    def __init__(
        self,
        rng: Random,
        part: str,
        words: Dict[str, List[str]],
        pools: Pools,
        patterns: List[Pattern],
    ) -> None:
        self.rng = rng
        self.part = part
        self.words = words
        self.pools = pools
        self.patterns = patterns
        self.topics = sorted({pattern.topic for pattern in patterns} - {"general"})

    def document(self) -> List[Tagged]:
        """Write one document on one topic."""
        topic = pick(self.rng, self.topics)
        size = between(self.rng, 5, 15)
        plan = self._opening(topic)
        body = self._body(topic)
        while len(plan) < size:
            run = self._run(topic) if self.rng.random() < 0.06 else []
            plan.extend(run[: size - len(plan)] or [next(body)])
        memory = Memory()
        return [self._sentence(pattern, memory) for pattern in plan]

    def _select(self, topic: str, *styles: str) -> List[Pattern]:
        return [p for p in self.patterns if p.topic == topic and p.style in styles]

    def _opening(self, topic: str) -> List[Pattern]:
        heads = self._select(topic, ALL_CAPS, TITLE_CASE)
        opening = [pick(self.rng, heads)] if self.rng.random() < 0.75 else []
        if self.rng.random() < 0.5:
            opening.append(pick(self.rng, self._select("general", DATELINE)))
        return opening

    def _body(self, topic: str) -> Iterator[Pattern]:
        own = endless(self.rng, self._select(topic, BODY))
        general = endless(self.rng, self._select("general", BODY))
        while True:
            yield next(general if self.rng.random() < 0.18 else own)

    def _run(self, topic: str) -> List[Pattern]:
        lists = self._select(topic, LIST_LINE)
        return [pick(self.rng, lists)] * between(self.rng, 3, 5) if lists else []

    def _sentence(self, pattern: Pattern, memory: Memory) -> Tagged:
        memory.sentence = set()
        memory.style = pattern.style
        memory.pronoun = pick(self.rng, ["he", "she"])
        return finish(self._expand(pattern.text, memory), pattern.style)

    def _expand(self, text: str, memory: Memory) -> Tagged:
        while "[" in text:
            text = re.sub(
                r"\[([^\[\]]*)\]",
                lambda match: pick(self.rng, match.group(1).split("|")),
                text,
            )
        tagged: Tagged = []
        for token in text.split():
            slot = re.fullmatch(r"\{([\w/]+)(?::(\w+))?\}", token)
            if slot is None:
                tagged.append((token, "O"))
                continue
            key = pick(self.rng, slot.group(1).split("/"))
            last = tagged[-1][0] if tagged else ""
            tagged.extend(self._slot(key, slot.group(2), memory, last))
        return tagged

    def _slot(self, key: str, form: Optional[str], memory: Memory, last: str) -> Tagged:
        if key.isupper():
            article = memory.style == BODY and last not in DETERMINERS
            return self._mention(key, form, memory, article)
        if key in PRONOUNS["he"]:
            return plain(PRONOUNS[memory.pronoun][key])
        made = number(self.rng, key)
        if made is None:
            words = self.words[key]
            made = inflect(pick(self.rng, words, zipf(len(words), 10.0, 0.6)), form)
        return self._expand(made, memory) if "{" in made else plain(made)

    def _mention(
        self, key: str, form: Optional[str], memory: Memory, article: bool
    ) -> Tagged:
        kind = {"SUR": "PER", "INI": "PER"}.get(key, key)
        kind = pick(self.rng, MIXED[kind]) if kind in MIXED else kind
        noun = form in {"s", "one"}
        name, known = self._name(kind, memory, noun, 1.0 if key == "SUR" else REUSE)
        text = name.short if self._shortens(key, kind, known, memory) else name.full
        if key == "INI" and " " in name.full:
            text = f"{name.full[0]}. {name.short}"
        text = {"s": text + "s", "up": text.upper()}.get(form or "", text)
        return tag_name(text, LABEL_OF[kind], article)

    def _shortens(self, key: str, kind: str, known: bool, memory: Memory) -> bool:
        if memory.style in {ALL_CAPS, TITLE_CASE}:
            return self.rng.random() < SHORT_FORM["headline"]
        usual = SHORT_FORM["PER" if kind == "PER" else "other"]
        return known and (key == "SUR" or self.rng.random() < usual)

    def _name(
        self, kind: str, memory: Memory, noun: bool, reuse: float
    ) -> Tuple[Name, bool]:
        cast = memory.cast.setdefault(kind, [])
        free = [name for name in cast if name.full not in memory.sentence]
        known = bool(free) and not noun and self.rng.random() < reuse
        name = pick(self.rng, free) if known else self._new(kind, noun, memory)
        memory.sentence.add(name.full)
        if name not in cast:
            cast.append(name)
        return name, known

    def _new(self, kind: str, noun: bool, memory: Memory) -> Name:
        while True:
            own = self.part != "train" and self.rng.random() < NEW_NAME
            pool = self.pools[self.part if own else "shared"].get(kind, [])
            name = pick(self.rng, pool, zipf(len(pool), 12.0, 0.8)) if pool else None
            if name is None or name.full in memory.sentence:
                continue
            if not noun or name.full.endswith(("n", "i", "Czech", "Greek", "Arab")):
                return name


def generate(seed: int = SEED) -> Dict[str, str]:
    """Make all corpora: the text of each file, by its path."""
    files: Dict[str, str] = {}
    for folder, corpus in CORPORA.items():
        source = HERE / "corpus" / corpus.source
        rng = Random(f"{seed}-{folder}")
        words = read_lists(source / "words")
        pools = make_names(rng, source / "names")
        held = split_patterns(rng, read_patterns(source / "patterns"))
        digits = str.maketrans("0123456789", corpus.digits)
        for part, size in corpus.sentences.items():
            patterns = held["shared"] + held.get(part, [])
            writer = Writer(
                Random(f"{seed}-{folder}-{part}"), part, words, pools, patterns
            )
            text = write_part(writer, size).translate(digits)
            files[f"{folder}/{part}.iob2"] = text
    return files


def write_part(writer: Writer, size: int) -> str:
    """Write documents until there are enough sentences."""
    documents: List[List[Tagged]] = []
    while sum(map(len, documents)) < size:
        documents.append(writer.document())
    return "".join(map(format_document, documents))


def format_document(document: List[Tagged]) -> str:
    """Write a document as token and tag lines, after a line that starts it."""
    blocks = ["-DOCSTART-\tO\n"]
    for sentence in document:
        blocks.append("".join(f"{word}\t{tag}\n" for word, tag in sentence))
    return "\n".join(blocks) + "\n"


def main() -> None:
    """Write the files under the output folder."""
    parser = argparse.ArgumentParser(description="Write the embedded corpora.")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--output", type=Path, default=HERE)
    args = parser.parse_args()
    for name, text in generate(args.seed).items():
        path = args.output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf8"))
        sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
