import subprocess
import sys

import pytest
import spacy

from spacy_cbl.data.loading import blank_vocab

IMPORTED = """
import sys
from spacy_cbl.data.loading import blank_vocab
blank_vocab("de")
print("spacy_cbl.pipeline.cbl_ner" in sys.modules)
"""


@pytest.mark.parametrize("lang", ["xx", "en", "am"])
def test_the_vocabulary_is_that_of_a_blank_pipeline(lang):
    ours, theirs = blank_vocab(lang), spacy.blank(lang).vocab
    assert ours.lang == theirs.lang
    for word in ("Cannot", "3.5", "the", "Ümit"):
        a, b = ours[word], theirs[word]
        assert (a.norm_, a.shape_, a.suffix_) == (b.norm_, b.shape_, b.suffix_)
        assert (a.is_stop, a.like_num) == (b.is_stop, b.like_num)


def test_no_component_is_imported_for_it():
    ran = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True)
    assert ran.stdout.strip() == b"False"


def test_unknown_languages_are_refused():
    with pytest.raises(ValueError, match="C244.*'qq'"):
        blank_vocab("qq")
