import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from spacy_cbl.core.perturb import (
    count_false,
    draw_spans,
    keep_at_random,
    keep_by_form,
    keep_explored,
)

seeds = st.integers(0, 2**32)
shares = st.floats(0.01, 1)


def rng(seed=0):
    return numpy.random.default_rng(seed)


def zipfian_forms(n_mentions, seed=0):
    """Surface forms as they are distributed in text: few common, many rare."""
    raw = rng(seed).zipf(1.6, size=n_mentions)
    return numpy.unique(raw, return_inverse=True)[1]


@given(st.lists(st.integers(0, 8), min_size=1, max_size=60), shares, seeds)
def test_kept_and_removed_mentions_share_no_form(forms, recall, seed):
    _, ids = numpy.unique(forms, return_inverse=True)
    kept = keep_by_form(ids, recall, rng(seed))
    assert not set(ids[kept]) & set(ids[~kept])
    assert_array_equal(kept, keep_by_form(ids, recall, rng(seed)))


@given(st.lists(st.integers(0, 8), min_size=1, max_size=60), shares, seeds)
def test_no_single_form_more_or_less_comes_nearer(forms, recall, seed):
    _, ids = numpy.unique(forms, return_inverse=True)
    kept = keep_by_form(ids, recall, rng(seed))
    wanted = round(recall * len(ids))
    missed = abs(kept.sum() - wanted)
    if wanted:
        for form in set(ids[kept]):
            without = kept.sum() - (ids == form).sum()
            assert missed <= abs(without - wanted) or without == 0


@pytest.mark.parametrize("recall", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_recall_is_reached_on_five_thousand_mentions(recall, seed):
    kept = keep_by_form(zipfian_forms(5000), recall, rng(seed))
    assert abs(kept.mean() - recall) < 0.005


def test_other_seeds_remove_other_forms():
    forms = zipfian_forms(500)
    kept = [keep_by_form(forms, 0.5, rng(seed)) for seed in (0, 1)]
    assert (kept[0] != kept[1]).any()


def test_whole_recall_keeps_everything():
    assert keep_by_form(zipfian_forms(50), 1.0, rng()).all()
    assert keep_at_random(50, 1.0, rng()).all()


@given(st.integers(1, 200), shares, seeds)
def test_random_removal_keeps_the_exact_share(n, recall, seed):
    assert keep_at_random(n, recall, rng(seed)).sum() == round(recall * n)


def test_explorer_keeps_the_first_mentions_of_each_document():
    docs = numpy.array([0, 0, 0, 1, 3, 3, 3, 3])
    kept = keep_explored(docs, rng(), per_doc=2)
    assert_array_equal(kept, [1, 1, 0, 1, 1, 1, 0, 0])


@given(
    st.lists(st.integers(0, 6), max_size=60),
    st.none() | st.integers(1, 4),
    st.none() | st.integers(1, 20),
    seeds,
)
def test_explorer_keeps_within_both_limits(docs, per_doc, total, seed):
    docs = numpy.array(sorted(docs), dtype=int)
    kept = keep_explored(docs, rng(seed), per_doc=per_doc, total=total)
    counts = numpy.bincount(docs, minlength=7)
    wanted = counts if per_doc is None else numpy.minimum(counts, per_doc)
    assert (numpy.bincount(docs[kept], minlength=7) <= wanted).all()
    assert kept.sum() == min(wanted.sum(), len(docs) if total is None else total)
    # A document is left early only where the total is used up.
    assert (numpy.isin(numpy.bincount(docs[kept], minlength=7), [0, *wanted])).sum() > 5


def test_explorer_overlooks_a_share():
    kept = keep_explored(numpy.arange(10_000), rng(), overlook=0.2)
    assert abs(kept.mean() - 0.8) < 0.02


def test_number_of_false_mentions():
    assert count_false(9, 0.9) == 1
    assert count_false(11_750, 0.9) == 1306  # 1305.6
    assert count_false(100, 1.0) == 0
    assert count_false(1, 0.5) == 1


@st.composite
def token_masks(draw):
    n = draw(st.integers(1, 80))
    masks = st.lists(st.booleans(), min_size=n, max_size=n)
    free, starts = numpy.array(draw(masks)), numpy.array(draw(masks))
    starts[0] = True
    return free, starts


@given(token_masks(), st.integers(0, 30), seeds)
def test_spans_lie_on_free_tokens_of_one_sentence_and_never_overlap(masks, n, seed):
    free, sent_starts = masks
    n = min(n, free.sum() // 3)
    spans = draw_spans(free, sent_starts, n, rng(seed))
    covered = [i for start, end in spans for i in range(start, end)]
    assert len(spans) == n
    assert len(covered) == len(set(covered))
    assert all(free[i] for i in covered)
    assert all(1 <= end - start <= 3 for start, end in spans)
    assert not any(sent_starts[start + 1 : end].any() for start, end in spans)
    assert spans == sorted(spans) == draw_spans(free, sent_starts, n, rng(seed))


def test_spans_start_anywhere_and_have_every_length():
    free = numpy.ones(30_000, dtype=bool)
    sent_starts = numpy.arange(30_000) % 30 == 0
    spans = numpy.array(draw_spans(free, sent_starts, 1000, rng()))
    lengths = numpy.bincount(spans[:, 1] - spans[:, 0], minlength=4)[1:]
    assert (lengths > 250).all()
    assert (numpy.bincount(spans[:, 0] // 3000) > 60).all()


def test_every_free_token_can_be_used():
    free = numpy.array([True, False, True, False, True])
    spans = draw_spans(free, numpy.arange(5) == 0, 3, rng())
    assert spans == [(0, 1), (2, 3), (4, 5)]


def test_no_room_for_spans():
    free = numpy.array([True, False, True, False])
    with pytest.raises(ValueError, match="C156.*2 of 3"):
        draw_spans(free, numpy.arange(4) == 0, 3, rng())
