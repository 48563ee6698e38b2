"""The fenced blocks of the pages."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PATHS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]


@dataclass(frozen=True)
class Block:
    page: str
    line: int
    lang: str
    text: str

    def __str__(self):
        return f"{self.page}:{self.line}"

    @property
    def lines(self):
        """Lines that say something, each with those that continue it."""
        lines = self.text.replace("\\\n", " ").splitlines()
        return [line for line in lines if line.strip()]


def find_blocks(path):
    page = path.read_text(encoding="utf8")
    found = [
        Block(
            path.relative_to(ROOT).as_posix(),
            1 + page.count("\n", 0, match.start()),
            *match.groups(),
        )
        for match in re.finditer(r"^```(\w*)\n(.*?)^```$", page, re.M | re.S)
    ]
    # None in another form, which would go unseen
    assert len(re.findall(r"```|~~~", page)) == 2 * len(found), path
    return found


BLOCKS = [block for path in PATHS for block in find_blocks(path)]
