"""Names: composed from lists, then dealt out to the parts of the corpus."""

import re
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Dict, List, Tuple

from corpus.chance import between, draw_part, pick

HELD_NAMES = {"test": 0.3, "dev": 0.12}
MADE = {  # lists of invented words: the list of endings, how many words
    "made_towns": ("town_ends", 380),
    "made_surnames": ("surname_ends", 380),
    "coined": ("coined_ends", 160),
}
LABELS = {
    "PER": ["PER"],
    "LOC": ["TOWN", "COUNTRY", "REGION", "RIVER", "SITE"],
    "ORG": ["FIRM", "TEAM", "BODY", "PARTY", "UNI", "CLINIC", "MEDIA", "GROUP"],
    "MISC": ["NAT", "LANG", "EVENT", "WORK", "PRODUCT", "AWARD", "LAW", "STORM"],
}
LABEL_OF = {kind: label for label, kinds in LABELS.items() for kind in kinds}

Forms = Dict[str, Tuple[int, List[Tuple[int, str]]]]


@dataclass(frozen=True)
class Name:
    """A name in its full and its short form, each perhaps with an article."""

    kind: str
    full: str
    short: str


Pools = Dict[str, Dict[str, List[Name]]]


def read_lists(folder: Path) -> Dict[str, List[str]]:
    """Read every file of comma-separated entries, by file name."""
    lists = {}
    for path in sorted(folder.glob("*.txt")):
        text = path.read_text(encoding="utf8").replace("\n", ",")
        lists[path.stem] = [entry.strip() for entry in text.split(",") if entry.strip()]
    return lists


def read_forms(path: Path) -> Forms:
    """Read how many names each kind has and the forms they are composed by."""
    kinds: Forms = {}
    for block in re.split(r"\n(?=[A-Z])", path.read_text(encoding="utf8"))[1:]:
        head, *lines = block.strip().splitlines()
        kind, count = head.split()
        weighted = [line.strip().partition(" ") for line in lines]
        kinds[kind] = (
            int(count),
            [(int(weight), form) for weight, _, form in weighted],
        )
    return kinds


class NameMaker:
    """Composes names from the lists of one language."""

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
        sums: List[float] = list(accumulate(weight for weight, _ in forms))
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
        for key in re.findall(r"\{(\w+)\}", form):
            if key not in memo:
                memo[key] = self._part(key.rstrip("2"))
            form = form.replace(f"{{{key}}}", memo[key])
        return form

    def _part(self, key: str) -> str:
        if key == "letter":
            return pick(self.rng, "ABCDEFGHJKLMNPRSTVW")
        if key == "acronym":
            rest = range(between(self.rng, 2, 3))
            first = pick(self.rng, "AEIOU")
            return first + "".join(pick(self.rng, "BCDFGLMNPRSTW") for _ in rest)
        return pick(self.rng, self.lists[key])

    def _join(self, ends: str) -> str:
        stem, end = (pick(self.rng, self.lists[key]) for key in ("stems", ends))
        return stem + (end[1:] if stem[-1] == end[0] else end)


def make_names(rng: Random, folder: Path) -> Pools:
    """Compose all names of a folder's lists and deal them out to the parts."""
    maker = NameMaker(rng, read_lists(folder))
    names: List[Name] = []
    for kind, (count, forms) in read_forms(folder / "compose.txt").items():
        names.extend(maker.pool(kind, count, forms))
    return split_names(rng, names)


def split_names(rng: Random, names: List[Name]) -> Pools:
    """Deal names into the parts they may occur in, those of one short form together."""
    home: Dict[str, str] = {}
    pools: Pools = {}
    for name in names:
        part = home.setdefault(name.short, draw_part(rng, HELD_NAMES))
        pools.setdefault(part, {}).setdefault(name.kind, []).append(name)
    return pools
