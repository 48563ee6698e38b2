"""Bring the corpora that `spacy project assets` downloads to one form: a folder per
corpus with train.iob2, dev.iob2 and test.iob2. Say where a file is not the one that the
published results were made with.
"""

import argparse
import json
import random
from hashlib import md5
from pathlib import Path
from typing import Callable, Dict, Iterable, Iterator, List, Tuple

from wasabi import msg

PARTS = ("train", "dev", "test")
OUTSIDE = "O"
Row = Tuple[str, str]  # token, tag
Sentence = List[Row]
PartsT = Dict[str, List[List[Sentence]]]  # documents by part; one document if unknown

# MD5 of train, dev and test
CHECKSUMS = {
    "conll2003_eng": """b03ace2e231c5e93af49837f7b93de4c
        ee4f6dfb64b2cb6e2ef1978f995be30a 99f366fc48384c8d50b18ffa07292231""",
    "conll2003_deu": """4371c7b822e26a1e8985929e37be1469
        3122150efb02526ef7d79dfcf128bbb8 8dcd41a8efeb4dbb605be871d8d9f83a""",
    "conll2002_esp": """edee9dcd018a90bf19b5fd4c7ec664b5
        da84043146327c0b18486b84e2030218 cb6460eb21397913b21d61498138e060""",
    "conll2002_ned": """61d82c91f65516ac01c97ee97c0cb965
        3755dd3a109003874db34d5fd3dd6d9f 7563e55025a1ca93b5bd126dba21d472""",
    "amharic_say": """6351b1353d507413a5f8c0b471e0d2cc
        cf0a16635a1803d79aca5a21d2285c05 4a9e85b9a6275a467417fe275af31b51""",
    "arabic_anercorp": """939610261994a85dd4a9db1761b595d7
        bf937d1db9c0af27291a98211d3c6ae7 a520c3a07883efd000700dfc8a147af3""",
    "hindi_hiner": """cb9fc3cbfecdd21c6e20625d45a32a18
        e53bc301263b8ede12cea51836f634ad b5b3bf5174c5c8ae5728688da6e4cb53""",
    "masakhaner_hau": """908cff8c5ba301c50ef742b23d5bea45
        0af05e9637872724d153773d056f9d6c cd9a79c64d9d28a0d98e9bb904742dd0""",
    "bengali_rifat": """b9eede31d7491c8c9db467a6d7889588
        959233644c5d64f8ff51f710cb5ec1af a08df87d24b06cdfd35b09dd02d95a74""",
}


def read_json_docs(folder: Path) -> PartsT:
    """A document per line: tokens, spans of tokens, ends of sentences."""
    return {
        part: [
            list(_cut_record(json.loads(line)))
            for line in _read(folder / f"{part}.jsonl").strip().split("\n")
        ]
        for part in PARTS
    }


def read_columns(folder: Path) -> PartsT:
    """Token and tag per line, in three files."""
    return {part: [parse(_read(folder / f"{part}.txt"))] for part in PARTS}


def read_hindi(folder: Path) -> PartsT:
    """One file, cut anew: distinct sentences in random order, to the paper's sizes."""
    names = {"PERSON": "PER", "LOCATION": "LOC", "ORGANIZATION": "ORG"}
    found = parse(_read(folder / "validation.conll"))
    distinct = list({tuple(sent): None for sent in found})
    random.Random(0).shuffle(distinct)
    rest = iter([[(word, _rename(tag, names)) for word, tag in s] for s in distinct])
    sizes = {"train": 74_000, "dev": 25_000, "test": 25_000}
    return {part: [list(_take(rest, size))] for part, size in sizes.items()}


def read_bengali(folder: Path) -> PartsT:
    """Two files. Times are no names; the last tenth of the training file is for dev."""
    train, test = (
        [[(word, "O" if tag == "TIM" else tag) for word, tag in sent] for sent in sents]
        for sents in (
            parse(_read(folder / f"{part}.txt")) for part in ("train", "test")
        )
    )
    cut = round(0.9 * len(train))
    return {"train": [train[:cut]], "dev": [train[cut:]], "test": [test]}


READERS: Dict[str, Callable[[Path], PartsT]] = {
    "conll2003_eng": read_json_docs,
    "conll2003_deu": read_json_docs,
    "conll2002_esp": read_json_docs,
    "conll2002_ned": read_json_docs,
    "amharic_say": read_columns,
    "arabic_anercorp": read_columns,
    "hindi_hiner": read_hindi,
    "masakhaner_hau": read_columns,
    "bengali_rifat": read_bengali,
}


def parse(text: str) -> List[Sentence]:
    """Sentences between blank lines. Lines without a token or a tag are left out."""
    sentences: List[Sentence] = [[]]
    for line in text.split("\n"):  # other kinds of line breaks belong to tokens
        cells = line.split("\t") if "\t" in line else line.split(" ")
        if not line.strip():
            sentences.append([])
        elif len(cells) > 1 and cells[0].strip() and cells[-1].strip():
            sentences[-1].append((cells[0].strip(), cells[-1].strip()))
    return [sentence for sentence in sentences if sentence]


def to_iob2(documents: List[List[Sentence]], marked: bool) -> str:
    """The text of a file. An inside tag that continues nothing begins an entity."""
    lines: List[str] = []
    for document in documents:
        lines += [f"-DOCSTART-\t{OUTSIDE}", ""] if marked else []
        for sentence in document:
            before = OUTSIDE
            for word, tag in sentence:
                if tag.startswith("I-") and before[2:] != tag[2:]:
                    tag = f"B-{tag[2:]}"
                lines.append(f"{word}\t{tag}")
                before = tag
            lines.append("")
    return "".join(f"{line}\n" for line in lines)


def import_corpus(name: str, source: Path, target: Path) -> List[str]:
    """Write a corpus. Returns the parts that are not as expected."""
    parts = READERS[name](source / name)
    other = []
    for part, checksum in zip(PARTS, CHECKSUMS[name].split()):
        text = to_iob2(parts[part], marked=READERS[name] is read_json_docs)
        path = target / name / f"{part}.iob2"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf8"))
        if md5(path.read_bytes()).hexdigest() != checksum:
            other.append(part)
    return other


def _read(path: Path) -> str:
    return path.read_text(encoding="utf8")


def _cut_record(record: Dict) -> Iterator[Sentence]:
    tags = [OUTSIDE] * len(record["tokens"])
    for span in record["gold_annotations"]:
        inside = range(span["start"] + 1, span["end"])
        tags[span["start"]] = f"B-{span['type']}"
        for i in inside:
            tags[i] = f"I-{span['type']}"
    rows = list(zip(record["tokens"], tags))
    ends = record["sentence_ends"]
    for start, end in zip([0, *ends], ends):
        yield rows[start:end]


def _rename(tag: str, names: Dict[str, str]) -> str:
    return tag if tag == OUTSIDE else f"{tag[:2]}{names[tag[2:]]}"


def _take(sentences: Iterable[Sentence], n_tokens: int) -> Iterator[Sentence]:
    for sentence in sentences:
        yield sentence
        n_tokens -= len(sentence)
        if n_tokens <= 0:
            break


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path, help="folder of downloads")
    parser.add_argument("target", type=Path, help="folder to write corpora to")
    args = parser.parse_args()
    n_missing = 0
    for name in READERS:
        try:
            other = import_corpus(name, args.source, args.target)
        except FileNotFoundError as error:
            n_missing += 1
            msg.fail(f"{name}: '{error.filename}' is missing")
            continue
        if other:
            text = "Results may differ a little from the published ones."
            msg.warn(f"{name}: other content than expected in {', '.join(other)}", text)
        else:
            msg.good(name)
    if n_missing:
        text = "`spacy project assets` downloads what is missing."
        msg.fail(f"{n_missing} of {len(READERS)} corpora are missing", text, exits=1)


if __name__ == "__main__":
    main()
