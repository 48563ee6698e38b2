"""Write the embedded news corpus from patterns, names and words, by a fixed seed.

Usage: python assets/make_corpus.py [--seed N] [--output FOLDER]
"""

import argparse
import re
import sys
from bisect import bisect
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Dict, List, Optional, Sequence, Set, Tuple, TypeVar

HERE = Path(__file__).parent
SOURCE = HERE / "corpus"
SEED = 7
SENTENCES = {"train": 2400, "dev": 480, "test": 600}
HELD_PATTERNS = {"test": 0.2, "dev": 0.1}
HELD_NAMES = {"test": 0.3, "dev": 0.12}
REUSE = 0.5  # how often a slot repeats a name of its document
SHORT_FORM = {"PER": 0.75, "other": 0.4, "headline": 0.7}
NEW_NAME = 0.31  # share of a held-out part's names that come from its own pool
LABELS = {
    "PER": ["PER"],
    "LOC": ["TOWN", "COUNTRY", "REGION", "RIVER", "SITE"],
    "ORG": ["FIRM", "TEAM", "BODY", "PARTY", "UNI", "CLINIC", "MEDIA", "GROUP"],
    "MISC": ["NAT", "LANG", "EVENT", "WORK", "PRODUCT", "AWARD", "LAW", "STORM"],
}
LABEL_OF = {kind: label for label, kinds in LABELS.items() for kind in kinds}
MIXED = {
    "LOC": ["TOWN", "TOWN", "TOWN", "COUNTRY", "COUNTRY", "REGION"],
    "ORG": ["FIRM", "FIRM", "FIRM", "BODY", "UNI", "TEAM", "PARTY", "MEDIA", "GROUP"],
}
MADE = {  # lists of invented words: the list of endings, how many words
    "made_towns": ("town_ends", 380),
    "made_surnames": ("surname_ends", 380),
    "coined": ("coined_ends", 160),
}
ALL_CAPS, TITLE_CASE, LIST_LINE, DATELINE, BODY = "^", "~", "#", "=", ""
SMALL_WORDS = set("a an and as at by for from in into of on or the to with 's".split())
DETERMINERS = {"the", "The", "a", "A", "its", "his", "her", "every", "'s", "("}
IRREGULAR = {
    "wife": "wives",
    "calf": "calves",
    "jellyfish": "jellyfish",
}
PRONOUNS = {
    "he": {"he": "he", "his": "his", "him": "him"},
    "she": {"he": "she", "his": "her", "him": "her"},
}

Tagged = List[Tuple[str, str]]
T = TypeVar("T")


@dataclass(frozen=True)
class Name:
    """A name in its full and its short form, each perhaps with an article."""

    kind: str
    full: str
    short: str


@dataclass(frozen=True)
class Pattern:
    """A sentence with slots, from the file of one topic."""

    topic: str
    style: str
    text: str


@dataclass
class Memory:
    """The names a document has used, and those of its present sentence."""

    cast: Dict[str, List[Name]] = field(default_factory=dict)
    sentence: Set[str] = field(default_factory=set)
    pronoun: str = "he"
    style: str = BODY


# Chance: only `Random.random` is used, which gives the same numbers everywhere.


@lru_cache(maxsize=None)
def zipf(size: int, offset: float, power: float) -> List[float]:
    """Give the cumulative weights of ranks 1 to size."""
    return list(accumulate((rank + offset) ** -power for rank in range(1, size + 1)))


def pick(rng: Random, items: Sequence[T], sums: Optional[List[float]] = None) -> T:
    """Draw one item, evenly or by cumulative weights."""
    if sums is None:
        return items[int(rng.random() * len(items))]
    return items[bisect(sums, rng.random() * sums[-1])]


def between(rng: Random, low: int, high: int) -> int:
    """Draw a whole number, both ends included."""
    return low + int(rng.random() * (high - low + 1))


def shuffled(rng: Random, items: Sequence[T]) -> List[T]:
    """Give the items in a random order."""
    order = sorted((rng.random(), i) for i in range(len(items)))
    return [items[i] for _, i in order]


# Sources


def read_lists(folder: Path) -> Dict[str, List[str]]:
    """Read every file of comma-separated entries, by file name."""
    lists = {}
    for path in sorted(folder.glob("*.txt")):
        text = path.read_text(encoding="utf8").replace("\n", ",")
        lists[path.stem] = [entry.strip() for entry in text.split(",") if entry.strip()]
    return lists


def read_patterns(folder: Path = SOURCE / "patterns") -> List[Pattern]:
    """Read the sentence patterns, one per line, the file name being the topic."""
    patterns = []
    for path in sorted(folder.glob("*.txt")):
        for line in path.read_text(encoding="utf8").splitlines():
            styled = line[:2] in {"^ ", "~ ", "# ", "= "}
            style, text = (line[0], line[2:]) if styled else (BODY, line)
            patterns.append(Pattern(path.stem, style, text))
    return patterns


# Names


class NameMaker:
    """Composes names from the lists in `corpus/names`."""

    def __init__(self, rng: Random, lists: Dict[str, List[str]]) -> None:
        self.rng = rng
        self.lists = dict(lists)
        pairs = [entry.partition("=") for entry in lists["countries"]]
        self.lists["country"] = [country.strip() for country, _, _ in pairs]
        self.lists["nation"] = [adj.strip() for _, _, adj in pairs if adj.strip()]
        for made, (ends, count) in MADE.items():
            joined = [self._join(ends) for _ in range(2 * count)]
            self.lists[made] = list(dict.fromkeys(joined))[:count]

    def pool(self, kind: str, count: int, forms: List[Tuple[int, str]]) -> List[Name]:
        """Compose up to `count` different names of a kind, most frequent first."""
        sums = list(accumulate(weight for weight, _ in forms))
        names: Dict[str, Name] = {}
        for _ in range(count * 20):
            full, _, short = pick(self.rng, forms, sums)[1].partition(" > ")
            memo: Dict[str, str] = {}
            full = self._fill(full, memo)
            short = self._fill(short, memo) or full
            names.setdefault(full, Name(kind, full, short))
            if len(names) == count:
                break
        return list(names.values())

    def _fill(self, form: str, memo: Dict[str, str]) -> str:
        def value(match: "re.Match[str]") -> str:
            key = match.group(1)
            if key not in memo:
                memo[key] = self._part(key.rstrip("2"))
            return memo[key]

        return re.sub(r"\{(\w+)\}", value, form)

    def _part(self, key: str) -> str:
        if key == "letter":
            return pick(self.rng, "ABCDEFGHJKLMNPRSTVW")
        if key == "acronym":
            size = between(self.rng, 2, 3)
            return pick(self.rng, "AEIOU") + "".join(
                pick(self.rng, "BCDFGLMNPRSTW") for _ in range(size)
            )
        return pick(self.rng, self.lists[key])

    def _join(self, ends: str) -> str:
        stem, end = (
            pick(self.rng, self.lists["stems"]),
            pick(self.rng, self.lists[ends]),
        )
        return stem + (end[1:] if stem[-1] == end[0] else end)


def read_forms(path: Path) -> Dict[str, Tuple[int, List[Tuple[int, str]]]]:
    """Read how many names each kind has and the forms they are composed by."""
    kinds: Dict[str, Tuple[int, List[Tuple[int, str]]]] = {}
    for line in path.read_text(encoding="utf8").splitlines():
        head, _, rest = line.strip().partition(" ")
        if line.startswith("  "):
            kinds[kind][1].append((int(head), rest))
        elif not line.startswith("#"):
            kind = head
            kinds[kind] = (int(rest), [])
    return kinds


def split_names(rng: Random, names: List[Name]) -> Dict[str, Dict[str, List[Name]]]:
    """Deal names into the parts they may occur in, those of one short form together."""
    home: Dict[str, str] = {}
    pools: Dict[str, Dict[str, List[Name]]] = {}
    for name in names:
        part = home.setdefault(name.short, draw_part(rng, HELD_NAMES))
        pools.setdefault(part, {}).setdefault(name.kind, []).append(name)
    return pools


def draw_part(rng: Random, shares: Dict[str, float]) -> str:
    """Draw the part something is kept for, or "shared"."""
    chance = rng.random()
    for part, share in shares.items():
        if chance < share:
            return part
        chance -= share
    return "shared"


# Words and numbers


def inflect(word: str, form: Optional[str]) -> str:
    """Give the plural or -s, -ed or -ing form of a regular word."""
    consonant_y = word[-1:] == "y" and word[-2:-1] not in set("aeiou")
    if form == "s":
        if word in IRREGULAR:
            return IRREGULAR[word]
        if word.endswith(("man", "woman")):
            return word[:-2] + "en"
        if consonant_y:
            return word[:-1] + "ies"
        return word + ("es" if word.endswith(("s", "x", "ch", "sh", "z")) else "s")
    if form == "ed":
        if consonant_y:
            return word[:-1] + "ied"
        return word + ("d" if word.endswith("e") else "ed")
    if form == "ing":
        return (word[:-1] if word.endswith("e") else word) + "ing"
    return word


def number(rng: Random, key: str) -> Optional[str]:
    """Make a number, amount, date or time, or None if the key is none of these."""
    small, big = between(rng, 1, 9), between(rng, 10, 99)
    low, high = between(rng, 0, 3), between(rng, 0, 4)
    makers = {
        "n1": f"{small}",
        "n2": f"{between(rng, 2, 31) if low else big}",
        "n3": f"{big * 10}" if low else f"{small},{big}0",
        "dd": f"{between(rng, 1, 28)}",
        "age": f"{between(rng, 19, 78)}",
        "year": f"{between(rng, 1950, 2023)}",
        "pct": f"{small}.{high} percent" if low else f"{big} percent",
        "money": f"$ {small}.{high} million" if low else f"{big}0,000 euros",
        "cost": f"$ {big}" if low else f"{big * 10} euros",
        "price": f"{big}.{small}",
        "score": f"{high}-{low}",
        "set": f"6-{high}",
        "clock": f"{small}:{big}.{between(rng, 10, 99)}",
        "oclock": f"{small}.{pick(rng, ['00', '15', '30', '45'])} p.m.",
        "date": f"20{between(rng, 10, 23)}-0{small}-{between(rng, 10, 28)}",
    }
    return makers.get(key)


# Sentences and documents


class Writer:
    """Writes the documents of one part of the corpus."""

    def __init__(
        self,
        rng: Random,
        part: str,
        words: Dict[str, List[str]],
        pools: Dict[str, Dict[str, List[Name]]],
        patterns: List[Pattern],
    ) -> None:
        self.rng = rng
        self.part = part
        self.words = words
        self.pools = pools
        self.patterns = patterns
        topics = {pattern.topic for pattern in patterns} - {"general"}
        self.topics = sorted(topics)

    def document(self) -> List[Tagged]:
        """Write one document on one topic."""
        topic = pick(self.rng, self.topics)
        memory = Memory()
        size = between(self.rng, 5, 15)
        plan = self._opening(topic)
        body = self._body(topic)
        while len(plan) < size:
            if self.rng.random() < 0.06:
                plan.extend(self._run(topic)[: size - len(plan)])
            else:
                plan.append(next(body))
        return [self._sentence(pattern, memory) for pattern in plan]

    def _select(self, topic: str, styles: str) -> List[Pattern]:
        wanted = set(styles) or {BODY}
        return [p for p in self.patterns if p.topic == topic and p.style in wanted]

    def _opening(self, topic: str) -> List[Pattern]:
        heads = self._select(topic, ALL_CAPS + TITLE_CASE)
        opening = [pick(self.rng, heads)] if self.rng.random() < 0.75 else []
        if self.rng.random() < 0.5:
            opening.append(pick(self.rng, self._select("general", DATELINE)))
        return opening

    def _body(self, topic: str):
        own = iter(shuffled(self.rng, self._select(topic, BODY)))
        general = iter(shuffled(self.rng, self._select("general", BODY)))
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
            tagged.extend(self._slot(key, slot.group(2), memory, tagged))
        return tagged

    def _slot(
        self, key: str, form: Optional[str], memory: Memory, before: Tagged
    ) -> Tagged:
        if key.isupper():
            return self._mention(key, form, memory, before)
        if key in PRONOUNS["he"]:
            return [(PRONOUNS[memory.pronoun][key], "O")]
        made = number(self.rng, key)
        if made is None:
            words = self.words[key]
            made = inflect(pick(self.rng, words, zipf(len(words), 10.0, 0.6)), form)
        return self._expand(made, memory) if "{" in made else plain(made)

    def _mention(
        self, key: str, form: Optional[str], memory: Memory, before: Tagged
    ) -> Tagged:
        kind = {"SUR": "PER", "INI": "PER"}.get(key, key)
        kind = pick(self.rng, MIXED[kind]) if kind in MIXED else kind
        noun = form in {"s", "one"}
        name, known = self._name(kind, memory, noun, 1.0 if key == "SUR" else REUSE)
        text = name.short if self._shortens(key, kind, known, memory) else name.full
        if key == "INI" and " " in name.full:
            text = f"{name.full[0]}. {name.short}"
        text = {"s": text + "s", "up": text.upper()}.get(form or "", text)
        last = before[-1][0] if before else ""
        article = memory.style == BODY and last not in DETERMINERS
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
            name = pick(self.rng, pool, zipf(len(pool), 6.0, 0.8)) if pool else None
            if name is None or name.full in memory.sentence:
                continue
            if not noun or name.full.endswith(("n", "i", "Czech", "Greek", "Arab")):
                return name


def plain(text: str) -> Tagged:
    """Tag every word of a text as outside."""
    return [(word, "O") for word in text.split()]


def tag_name(text: str, label: str, article: bool) -> Tagged:
    """Tag a name's tokens, its article staying outside or being left away."""
    tagged: Tagged = []
    if text.startswith("the "):
        text = text[4:]
        if article:
            tagged.append(("the", "O"))
    for i, token in enumerate(text.split()):
        tagged.append((token, f"{'I' if i else 'B'}-{label}"))
    return tagged


def finish(tagged: Tagged, style: str) -> Tagged:
    """Set the articles and the capitals of a sentence."""
    tagged = [
        (word + "n" if vowel_follows(tagged, i) else word, tag)
        for i, (word, tag) in enumerate(tagged)
    ]
    if style == ALL_CAPS:
        return [(word.upper(), tag) for word, tag in tagged]
    if style == TITLE_CASE:
        tagged = [
            (word if word in SMALL_WORDS else capital(word), tag)
            for word, tag in tagged
        ]
    first = 1 if tagged[0][0] in {'"', "("} else 0
    tagged[first] = (capital(tagged[first][0]), tagged[first][1])
    return tagged


def capital(word: str) -> str:
    """Raise a word's first letter."""
    return word[0].upper() + word[1:]


def vowel_follows(tagged: Tagged, i: int) -> bool:
    """Tell whether an article stands here before a vowel sound."""
    if tagged[i] not in {("a", "O"), ("A", "O")} or i + 1 == len(tagged):
        return False
    word = tagged[i + 1][0].lower()
    if word.startswith(("hour", "honest", "heir", "honour", "8", "18")):
        return True
    silent = ("uni", "unanim", "use", "eu", "one", "ura", "uk", "uganda")
    return word[:1] in set("aeiou") and not word.startswith(silent)


def split_patterns(rng: Random, patterns: List[Pattern]) -> Dict[str, List[Pattern]]:
    """Give each part the shared patterns and those kept for it alone."""
    held: Dict[str, List[Pattern]] = {"shared": []}
    groups = sorted({(p.topic, p.style) for p in patterns})
    for group in groups:
        own = shuffled(rng, [p for p in patterns if (p.topic, p.style) == group])
        start = 0
        for part, share in HELD_PATTERNS.items():
            end = start + int(share * len(own) + 0.5)
            held.setdefault(part, []).extend(own[start:end])
            start = end
        held["shared"].extend(own[start:])
    return {part: held["shared"] + held.get(part, []) for part in SENTENCES}


def make_names(rng: Random) -> Dict[str, Dict[str, List[Name]]]:
    """Compose all names and deal them out to the parts."""
    lists = read_lists(SOURCE / "names")
    maker = NameMaker(rng, lists)
    names = []
    for kind, (count, forms) in read_forms(SOURCE / "names" / "compose.txt").items():
        names.extend(maker.pool(kind, count, forms))
    return split_names(rng, names)


def generate(seed: int = SEED) -> Dict[str, str]:
    """Make the whole corpus: the text of each file, by its name."""
    rng = Random(seed)
    words = read_lists(SOURCE / "words")
    pools = make_names(rng)
    patterns = split_patterns(rng, read_patterns())
    files = {}
    for part, size in SENTENCES.items():
        writer = Writer(Random(f"{seed}-{part}"), part, words, pools, patterns[part])
        documents: List[List[Tagged]] = []
        while sum(map(len, documents)) < size:
            documents.append(writer.document())
        files[f"{part}.iob2"] = "".join(map(format_document, documents))
    return files


def format_document(document: List[Tagged]) -> str:
    """Write a document as token and tag lines, after a line that starts it."""
    blocks = ["-DOCSTART-\tO\n"]
    for sentence in document:
        blocks.append("".join(f"{word}\t{tag}\n" for word, tag in sentence))
    return "\n".join(blocks) + "\n"


def main() -> None:
    """Write the files to the output folder."""
    parser = argparse.ArgumentParser(description="Write the embedded news corpus.")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--output", type=Path, default=HERE / "news")
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    for name, text in generate(args.seed).items():
        (args.output / name).write_text(text, encoding="utf8", newline="\n")
        sys.stdout.write(f"{args.output / name}: {text.count(chr(10) * 2)} blocks\n")


if __name__ == "__main__":
    main()
