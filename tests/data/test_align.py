import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_cbl.data.align import check_aligned


def docs(*texts):
    vocab = Vocab()
    return [Doc(vocab, words=text.split()) for text in texts]


def test_equal_tokens_are_paired_across_vocabularies():
    left, right = docs("a b", "", "c"), docs("a b", "", "c")
    assert list(check_aligned(left, right)) == list(zip(left, right))


@pytest.mark.parametrize(
    "left,right,message",
    [
        (["a b", "c"], ["a b"], "C150.*checked file ends after 1 documents"),
        (["a b"], ["a b", "c"], "C150.*reference file ends after 1 documents"),
        (["a", "b c d"], ["a", "b c e"], "C151.*document 1, token 2 is 'd'.*'e'"),
        (["a", "b c"], ["a", "b c d"], "C152.*document 1.*2 tokens.*3 in the other"),
    ],
)
def test_misaligned_files_say_where(left, right, message):
    with pytest.raises(ValueError, match=message):
        list(check_aligned(docs(*left), docs(*right)))
