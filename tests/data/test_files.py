"""Where files may be written."""

import os

import pytest
from spacy.cli._util import app
from spacy.tokens import Doc
from spacy.vocab import Vocab
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401
from spacy_cbl.data.docbin import write_docs
from spacy_cbl.data.files import check_output, write_text


@pytest.fixture
def folder(tmp_path):
    doc = Doc(Vocab(), words=["Ada", "sat"] * 20, ents=["B-PER", "O"] * 20)
    doc._.cbl_weights = [1.0, 0.0] * 20
    for name in ("gold", "partial"):
        write_docs(tmp_path / f"{name}.spacy", [doc])
    (tmp_path / "text.iob2").write_text("Ada\tB-PER\nsat\tO\n", "utf8")
    (tmp_path / "answers.jsonl").write_text("", "utf8")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "perturb gold.spacy gold.spacy --recall 0.5",
        "clean-sample partial.spacy gold.spacy gold.spacy -n 5",
        "weigh partial.spacy gold.spacy --scheme oracle --gold gold.spacy",
        "stats partial.spacy --json partial.spacy",
        "convert text.iob2 text.iob2",
        "review export partial.spacy partial.spacy",
        "review import partial.spacy answers.jsonl answers.jsonl",
        "brown text.iob2 text.iob2 --clusters 2",
    ],
)
def test_what_is_read_is_not_overwritten(folder, monkeypatch, command):
    monkeypatch.chdir(folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    ran = CliRunner().invoke(app, ["cbl", *command.split()])
    assert ran.exit_code == 1
    assert "[C316]" in ran.output
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_links_are_followed_and_devices_left_alone(tmp_path):
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="C317.*pipe"):
        write_text(tmp_path / "pipe", "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "link", "pipe"]


def test_a_place_that_cannot_be_is_told_before_the_work(tmp_path):
    (tmp_path / "file").write_text("old")
    with pytest.raises(NotADirectoryError):
        check_output(tmp_path / "file" / "below" / "x.spacy")
    with pytest.raises(IsADirectoryError):
        check_output(tmp_path)
    check_output(tmp_path / "new" / "x.spacy", tmp_path / "file", None)
