import pytest
import spacy

from spacy_cbl.data.docbin import write_docs
from spacy_cbl.training import weigh as weigh_module
from spacy_cbl.training.cbl_corpus import create_cbl_corpus
from spacy_cbl.training.schemes import get_scheme

NAME = "spacy_cbl.CBLCorpus.v1"


@pytest.fixture
def path(gold_docs, tmp_path):
    write_docs(tmp_path / "partial.spacy", gold_docs)
    return tmp_path / "partial.spacy"


def test_without_a_path_it_says_which_reader(path):
    with pytest.raises(ValueError, match=f"C026.*'{NAME}'"):
        create_cbl_corpus(None, get_scheme("raw"))


def test_files_that_are_not_there_are_refused(path, tmp_path):
    with pytest.raises(ValueError, match=f"C039.*none.spacy.*'{NAME}'"):
        create_cbl_corpus(tmp_path / "none.spacy", get_scheme("raw"))
    with pytest.raises(ValueError, match=f"C039.*gold.spacy.*'{NAME}'"):
        create_cbl_corpus(path, get_scheme("raw"), gold=tmp_path / "gold.spacy")
    with pytest.raises(ValueError, match="C039.*a .spacy file. Check"):
        create_cbl_corpus(tmp_path, get_scheme("raw"))


def test_only_what_is_written_is_said_to_be_written(path, tmp_path, monkeypatch):
    bars = []

    def show(items, desc, **settings):
        bars.append(desc)
        return items

    monkeypatch.setattr(weigh_module, "tqdm", show)
    reader = create_cbl_corpus(path, get_scheme("raw"))
    for _ in range(2):
        assert len(list(reader(spacy.blank("en")))) == 4
    assert bars == []
    weigh_module.weigh(path, tmp_path / "weighted.spacy", get_scheme("raw"))
    assert bars == ["Writing"]
