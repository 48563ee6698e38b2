import sys

import pytest
from spacy.cli._util import app
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401
from spacy_cbl.attrs import get_weights, set_weights
from spacy_cbl.data.docbin import read_docs, write_docs
from spacy_cbl.data.romanize import romanize

LATIN = {"আনা": "aanaa", "ঢাকা": "dha kaa", "\u200d": ""}
WORDS = ["আনা", "in", "ঢাকা", "\u200d", "আনা"]


@pytest.fixture
def corpus(tmp_path):
    doc = Doc(
        Vocab(),
        words=WORDS,
        ents=["B-PER", "O", "B-LOC", "O", "O"],
        sent_starts=[True, False, False, True, False],
    )
    doc.set_ents(list(doc.ents), missing=[doc[4:5]], default="unmodified")
    doc.spans["cbl_outside"] = [Span(doc, 1, 2)]
    set_weights(doc, [1, 0.5, 1, 1, 0])
    write_docs(tmp_path / "in.spacy", [doc])
    return tmp_path / "in.spacy"


def test_tokens_keep_their_number_and_all_that_belongs_to_them(corpus, tmp_path):
    asked = []

    def romanizer(text):
        asked.append(text)
        return LATIN.get(text, text)

    counts = romanize(corpus, tmp_path / "out.spacy", romanizer=romanizer)
    (doc,) = read_docs(tmp_path / "out.spacy", Vocab())
    # Space inside would be two tokens, and nothing at all would be none.
    assert [t.text for t in doc] == ["aanaa", "in", "dhakaa", "\u200d", "aanaa"]
    assert [(ent.text, ent.label_) for ent in doc.ents] == [
        ("aanaa", "PER"),
        ("dhakaa", "LOC"),
    ]
    assert [t.ent_iob_ for t in doc] == ["B", "O", "B", "O", ""]
    assert [t.is_sent_start for t in doc] == [True, False, False, True, False]
    assert get_weights(doc).tolist() == [1, 0.5, 1, 1, 0]
    assert [span.text for span in doc.spans["cbl_outside"]] == ["in"]
    assert len(asked) == len(set(asked)) == 4
    assert counts == {"docs": 1, "tokens": 5, "forms": 4}


def test_columns_are_written_where_the_name_says_so(tmp_path):
    (tmp_path / "in.iob2").write_text("আনা\tB-PER\nhere\tO\n", "utf8")
    output = tmp_path / "out.iob2"
    romanize(tmp_path / "in.iob2", output, romanizer=lambda text: LATIN.get(text, text))
    lines = output.read_text("utf8").split("\n")
    assert lines[2:4] == ["aanaa\tB-PER", "here\tO"]


def test_what_is_missing_is_said(corpus, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "uroman", None)
    arguments = ["cbl", "romanize", str(corpus), str(tmp_path / "out.spacy")]
    ran = CliRunner().invoke(app, arguments)
    assert ran.exit_code == 1
    assert "C351" in ran.output
    arguments[-1] = str(tmp_path / "out.txt")
    ran = CliRunner().invoke(app, arguments)
    assert "C350" in ran.output


@pytest.mark.slow
def test_uroman_gives_latin_letters(corpus, tmp_path):
    pytest.importorskip("uroman")
    output = tmp_path / "out.spacy"
    arguments = ["cbl", "romanize", str(corpus), str(output), "--language", "ben"]
    ran = CliRunner().invoke(app, arguments)
    assert ran.exit_code == 0, ran.output
    (doc,) = read_docs(output, Vocab())
    assert doc[0].text == "aanaa"
    assert doc[2].text == "ddhaakaa"
