"""The embedded corpora: the same from their seed, and what their README promises."""

import importlib
import sys
from collections import Counter, defaultdict
from pathlib import Path
from types import ModuleType
from typing import Dict, Iterator, List, Set, Tuple

import pytest

ASSETS = Path(__file__).parent.parent / "assets"
PARTS = ["train", "dev", "test"]
FOLDERS = ["news", "bengali"]

Sentence = List[Tuple[str, str]]
Mention = Tuple[str, str]


@pytest.fixture(scope="module")
def maker() -> Iterator[ModuleType]:
    """The generator, imported from its file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ASSETS))
        yield importlib.import_module("make_corpus")
    for name in [
        n for n in sys.modules if n.split(".")[0] in {"make_corpus", "corpus"}
    ]:
        del sys.modules[name]


def read_documents(folder: str, part: str) -> List[List[Sentence]]:
    """Read a file as documents of tagged sentences."""
    documents: List[List[Sentence]] = []
    text = (ASSETS / folder / f"{part}.iob2").read_text(encoding="utf8")
    assert text.endswith("\n\n")
    for block in text[:-2].split("\n\n"):
        if block == "-DOCSTART-\tO":
            documents.append([])
        else:
            rows = [tuple(line.split("\t")) for line in block.split("\n")]
            documents[-1].append(rows)  # type: ignore[arg-type]
    return documents


def read_sentences(folder: str, part: str) -> List[Sentence]:
    """Read the sentences of a file."""
    return [sent for document in read_documents(folder, part) for sent in document]


def mentions(sentence: Sentence) -> List[Mention]:
    """List the names of a sentence with their types."""
    found: List[Tuple[List[str], str]] = []
    for word, tag in sentence:
        if tag.startswith("B-"):
            found.append(([word], tag[2:]))
        elif tag.startswith("I-"):
            found[-1][0].append(word)
    return [(" ".join(words), label) for words, label in found]


def all_mentions(folder: str, *parts: str) -> List[Mention]:
    """List the names of some parts with their types."""
    sentences = [sent for part in parts for sent in read_sentences(folder, part)]
    return [mention for sent in sentences for mention in mentions(sent)]


def names(folder: str, *parts: str) -> Set[str]:
    """Collect the different names of some parts, whatever their case."""
    return {name.lower() for name, _ in all_mentions(folder, *parts)}


def test_the_seed_gives_the_committed_files(maker: ModuleType) -> None:
    files = maker.generate(maker.SEED)
    assert sorted(files) == sorted(f"{f}/{p}.iob2" for f in FOLDERS for p in PARTS)
    for name, text in files.items():
        assert (ASSETS / name).read_bytes() == text.encode("utf8"), name
    assert sum(len(text.encode("utf8")) for text in files.values()) < 1_500_000


def test_another_seed_gives_another_corpus(maker: ModuleType) -> None:
    assert maker.generate(maker.SEED + 1) != maker.generate(maker.SEED)


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("part", PARTS)
def test_files_are_valid_iob2(folder: str, part: str) -> None:
    labels = {"PER", "ORG", "LOC", "MISC"}
    valid = {"O"} | {f"{prefix}-{label}" for prefix in "BI" for label in labels}
    for sentence in read_sentences(folder, part):
        before = "O"
        for word, tag in sentence:
            assert word and word == word.strip() and not set(word) & set("{}[]|")
            assert tag in valid
            assert not tag.startswith("I-") or before[2:] == tag[2:]
            before = tag
    assert {label for _, label in all_mentions(folder, part)} == labels


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("part", PARTS)
def test_documents_have_5_to_15_sentences(folder: str, part: str) -> None:
    assert {len(document) for document in read_documents(folder, part)} <= {
        *range(5, 16)
    }


@pytest.mark.parametrize(
    "folder,minimum",
    [
        ("news", {"train": 2000, "dev": 400, "test": 500}),
        ("bengali", {"train": 200, "dev": 50, "test": 50}),
    ],
)
def test_there_are_enough_sentences(folder: str, minimum: Dict[str, int]) -> None:
    for part, count in minimum.items():
        assert len(read_sentences(folder, part)) >= count


def test_patterns_are_many_and_some_are_kept_for_the_test(
    maker: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = defaultdict(set)
    write = maker.Writer._sentence

    def record(self, pattern, memory):
        used[self.part].add(pattern)
        return write(self, pattern, memory)

    monkeypatch.setattr(maker.Writer, "_sentence", record)
    maker.generate(maker.SEED)
    english = {p: {x for x in used[p] if x.text.isascii()} for p in PARTS}
    every = set.union(*english.values())
    assert len({pattern.text for pattern in every}) >= 400
    assert len({pattern.topic for pattern in every} - {"general"}) >= 10
    unseen = english["test"] - english["train"]
    assert 0.15 <= len(unseen) / len(english["test"]) <= 0.3
    assert english["dev"] - english["train"] - english["test"]


def test_names_are_many_with_a_few_frequent_and_many_rare_ones() -> None:
    assert len(names("news", *PARTS)) > 2000
    counts = sorted(Counter(n for n, _ in all_mentions("news", "train")).values())
    assert sum(counts[-len(counts) // 10 :]) > 0.3 * sum(counts)
    assert counts.count(1) > 0.4 * len(counts)


def test_half_of_the_test_names_are_new() -> None:
    test, train = names("news", "test"), names("news", "train")
    assert 0.5 <= len(test - train) / len(test) <= 0.55


def test_names_are_ambiguous() -> None:
    types = defaultdict(set)
    for name, label in all_mentions("news", *PARTS):
        types[name.lower()].add(label)
    assert sum(len(labels) > 1 for labels in types.values()) >= 50
    for pair in [{"PER", "LOC"}, {"PER", "ORG"}, {"LOC", "ORG"}, {"PER", "MISC"}]:
        assert any(pair <= labels for labels in types.values()), pair


def test_names_are_also_common_words_and_come_in_every_case() -> None:
    sentences = [sent for part in PARTS for sent in read_sentences("news", part)]
    common = {w for sent in sentences for w, tag in sent if tag == "O" and w.islower()}
    found = [name for name, _ in all_mentions("news", *PARTS)]
    words = {word.lower() for name in found for word in name.split()}
    assert len(words & common) >= 150
    assert {"hope", "bill", "mark", "rose", "rich", "may", "reading"} <= words
    assert sum(name.isupper() and len(name) > 4 for name in found) >= 100
    assert sum(any(w.islower() for w in name.split()) for name in found) >= 200
    assert sum(sent[0][1].startswith("B-") for sent in sentences) >= 500


def test_words_are_varied() -> None:
    sentences = [sent for part in PARTS for sent in read_sentences("news", part)]
    words = {word for sent in sentences for word, _ in sent}
    assert sum(word.isalpha() and word.islower() for word in words) >= 2500


def test_documents_come_back_to_their_people() -> None:
    documents = read_documents("news", "train")
    again = 0
    for document in documents:
        people = [
            name for s in document for name, label in mentions(s) if label == "PER"
        ]
        full = {name.split()[-1] for name in people if " " in name}
        again += bool(full & set(people))
    assert again > 0.4 * len(documents)


@pytest.mark.parametrize("part", PARTS)
def test_bengali_is_in_its_own_script(part: str) -> None:
    letters = "".join(w for sent in read_sentences("bengali", part) for w, _ in sent)
    assert all("\u0980" <= c <= "\u09ff" for c in letters if c.isalnum())
    assert any("\u09e6" <= c <= "\u09ef" for c in letters)
