import numpy

from spacy_cbl.core.word_kinds import UNKNOWN, count_kinds, is_caseless


def test_words_that_are_used_alike_are_of_one_kind():
    forms = ["the", "The", "van", "Van", "Ann", "Bob", "ANN"]
    kinds = count_kinds(forms, [90, 10, 9, 1, 9, 10, 1])
    assert set(kinds) == {"the", "van", "ann", "bob"}
    assert kinds["ann"] == kinds["bob"]  # ten times, never in lower case
    assert len({kinds["the"], kinds["van"], kinds["bob"]}) == 3
    assert UNKNOWN not in kinds.values()


def test_the_share_of_lower_case_tells_names_from_first_words():
    kinds = count_kinds(["De", "de", "Smit", "smit"], [30, 70, 95, 5])
    assert kinds["de"] != kinds["smit"]


def test_frequencies_are_told_apart_by_powers_of_two():
    kinds = count_kinds(list("abcd"), [4, 7, 8, 10**9])
    assert kinds["a"] == kinds["b"] != kinds["c"] != kinds["d"]


def test_words_without_case_are_known():
    kinds = count_kinds(["ኢትዮጵያ", "1999", "Oslo", "in"], [1, 1, 1, 1])
    found = is_caseless(numpy.array(list(kinds.values())))
    assert found.tolist() == [1, 1, 0, 0]
    assert not is_caseless(numpy.array([UNKNOWN])).any()


def test_no_words():
    assert count_kinds([], []) == {}
