"""The scripts of the project, on files like those that they are for."""

import importlib
import json
from pathlib import Path

import pytest
import srsly

ROOT = Path(__file__).parent.parent
PROJECT = srsly.read_yaml(ROOT / "project.yml")
PARTS = ("train", "dev", "test")


@pytest.fixture
def importer(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("import_corpora")


def run(importer, name, tmp_path, **files):
    """Import a corpus of these files; the text of each part."""
    folder = tmp_path / "public" / name
    folder.mkdir(parents=True)
    for file_name, text in files.items():
        (folder / file_name.replace("__", ".")).write_text(text, "utf8")
    other = importer.import_corpus(name, tmp_path / "public", tmp_path / "out")
    assert other == list(PARTS)  # the checksums are those of the real corpora
    return {p: (tmp_path / "out" / name / f"{p}.iob2").read_text("utf8") for p in PARTS}


def test_documents_in_json_are_cut_into_sentences(importer, tmp_path):
    record = {
        "tokens": ["Ada", "Lovelace", "ran", ".", "Why", "?"],
        "gold_annotations": [{"type": "PER", "start": 0, "end": 2}],
        "sentence_ends": [4, 6],
    }
    text = f"{json.dumps(record)}\n{json.dumps(record)}\n"
    files = {f"{part}__jsonl": text for part in PARTS}
    found = run(importer, "conll2003_eng", tmp_path, **files)
    document = (
        "-DOCSTART-\tO\n\nAda\tB-PER\nLovelace\tI-PER\nran\tO\n.\tO\n\nWhy\tO\n?\tO\n\n"
    )
    assert found["dev"] == 2 * document


def test_columns_without_a_tag_are_left_out(importer, tmp_path):
    text = "Ada B-PER\n፣\nran O\n\n\nBo B-PER\n"
    files = {f"{part}__txt": text for part in PARTS}
    found = run(importer, "amharic_say", tmp_path, **files)
    assert found["train"] == "Ada\tB-PER\nran\tO\n\nBo\tB-PER\n\n"


def test_hindi_is_cut_anew_without_repetition(importer, tmp_path):
    sentences = [f"w{i}\tB-PERSON\n" + "x\tO\n" * 99 for i in range(1300)]
    text = "\n".join([*sentences, *sentences])
    found = run(importer, "hindi_hiner", tmp_path, validation__conll=text)
    parts = {part: text.split("\n\n")[:-1] for part, text in found.items()}
    assert {part: len(sents) for part, sents in parts.items()} == {
        "train": 740,
        "dev": 250,
        "test": 250,
    }
    distinct = {sent for sents in parts.values() for sent in sents}
    assert len(distinct) == 1240
    assert all("\tB-PER\n" in sent for sent in distinct)


def test_bengali_has_no_times_and_no_tag_that_continues_nothing(importer, tmp_path):
    train = "\n".join(f"a{i}\tI-PER\nb\tI-PER\nc\tTIM\n" for i in range(10))
    found = run(
        importer, "bengali_rifat", tmp_path, train__txt=train, test__txt="d\tI-LOC\n"
    )
    assert found["train"].count("\n\n") == 9
    assert found["dev"] == "a9\tB-PER\nb\tI-PER\nc\tO\n\n"
    assert found["test"] == "d\tB-LOC\n\n"


def test_every_corpus_is_downloaded_with_the_files_that_are_read(importer):
    found = {}
    for asset in PROJECT["assets"]:
        folder, name = Path(asset["dest"]).relative_to("assets/public").parts
        found.setdefault(folder, set()).add(name)
        # At a commit, so that it stays as it is
        assert len(asset["url"].split("/")[5]) == 40
    assert set(found) == set(importer.READERS) == set(importer.CHECKSUMS)
    assert found["conll2002_ned"] == {f"{part}.jsonl" for part in PARTS}
    assert found["arabic_anercorp"] == {f"{part}.txt" for part in PARTS}
