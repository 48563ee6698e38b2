import numpy
import pytest
import srsly
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_cbl.attrs import OUTSIDE_GROUP
from spacy_cbl.data.docbin import read_docs, write_docs
from spacy_cbl.data.perturb import (
    PerturbOptions,
    add_false,
    apply_to_docs,
    choose_mentions,
    perturb,
    read_mentions,
)

from .small_corpus import describe, entities, make_doc, make_docs


def run(tmp_path, docs, seed=0, **options):
    write_docs(tmp_path / "gold.spacy", docs)
    output = tmp_path / "partial.spacy"
    report = perturb(tmp_path / "gold.spacy", output, PerturbOptions(**options), seed)
    return report, list(read_docs(output, Vocab()))


def perturb_docs(make, seed, **options):
    options = PerturbOptions(**options)
    rng = numpy.random.default_rng(seed)
    mentions = read_mentions(make())
    kept = choose_mentions(mentions, options, rng)
    added = add_false(mentions, kept, options.precision, rng)
    return list(apply_to_docs(make(), mentions, kept, added)), kept, added


def large_corpus(n_docs=100, n_sents=24):
    """About 5,000 mentions of some 800 forms."""
    rng = numpy.random.default_rng(7)
    vocab = Vocab()
    for n in range(n_docs):
        sentences = [
            [
                ("so", ""),
                (f"Name{rng.zipf(1.5) % 997}", rng.choice(["PER", "LOC"])),
                ("went to", ""),
                (f"Port {rng.zipf(1.3) % 997}", "LOC"),
                ("and came back", ""),
            ]
            for _ in range(n_sents)
        ]
        yield make_doc(vocab, sentences, name=f"doc {n}")


def test_everything_but_entities_is_as_before(tmp_path):
    docs = make_docs(Vocab(), n=10)
    before = [describe(doc) for doc in docs]
    _, partial = run(tmp_path, docs, recall=0.5, precision=0.7)
    assert [describe(doc) for doc in partial] == before


def test_report_tells_what_is_in_the_file(tmp_path):
    docs = make_docs(Vocab(), n=10)
    gold = {(n, *ent) for n, doc in enumerate(docs) for ent in entities(doc)}
    report, partial = run(tmp_path, docs, seed=3, recall=0.5, precision=0.7)
    found = {(n, *ent) for n, doc in enumerate(partial) for ent in entities(doc)}
    assert report["precision"] == pytest.approx(len(found & gold) / len(found))
    assert report["recall"] == pytest.approx(len(found & gold) / len(gold))
    tokens = [token.ent_type != 0 for doc in partial for token in doc]
    assert report["entity_ratio"] == pytest.approx(numpy.mean(tokens))
    assert report["counts"]["kept"] == len(found & gold)
    assert report["counts"]["added"] == len(found - gold)
    assert report["seed"] == 3
    assert report["options"]["recall"] == 0.5
    assert srsly.read_json(tmp_path / "partial.json") == srsly.json_loads(
        srsly.json_dumps(report)
    )
    totals = [
        sum(row[k] for row in report["labels"].values()) for k in ("kept", "added")
    ]
    assert totals == [report["counts"]["kept"], report["counts"]["added"]]


def test_same_seed_same_file(tmp_path):
    docs = make_docs(Vocab(), n=10)
    files = []
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        run(tmp_path / name, docs, seed=seed, recall=0.5, precision=0.5)
        files.append((tmp_path / name / "partial.spacy").read_bytes())
    assert files[0] == files[1]
    assert files[0] != files[2]


def test_global_random_state_is_left_alone(tmp_path):
    numpy.random.seed(1)
    expected = numpy.random.random()
    numpy.random.seed(1)
    run(tmp_path, make_docs(Vocab()), recall=0.5, precision=0.5)
    assert numpy.random.random() == expected


@settings(max_examples=40)
@given(
    st.integers(0, 2**32),
    st.floats(0.3, 1),
    st.floats(0.5, 1),
    st.sampled_from(["forms", "mentions"]),
)
def test_false_entities_never_touch_gold_or_leave_a_sentence(
    seed, recall, precision, remove
):
    docs, kept, added = perturb_docs(
        lambda: make_docs(Vocab(), n=12),
        seed,
        recall=recall,
        precision=precision,
        remove=remove,
    )
    gold_docs = make_docs(Vocab(), n=12)
    n_false = 0
    for gold, doc in zip(gold_docs, docs):
        assert [t.text for t in doc] == [t.text for t in gold]
        for start, end, label in set(entities(doc)) - set(entities(gold)):
            n_false += 1
            assert not any(token.ent_type for token in gold[start:end])
            assert not any(token.is_sent_start for token in gold[start + 1 : end])
            assert label in {"PER", "LOC", "ORG"}
    assert n_false == len(added)
    assert sum(len(doc.ents) for doc in docs) == kept.sum() + n_false


def test_kept_and_removed_forms_never_overlap():
    docs, kept, _ = perturb_docs(large_corpus, 0, recall=0.5)
    gold = [ent.text for doc in large_corpus() for ent in doc.ents]
    left = {ent.text for doc in docs for ent in doc.ents}
    assert {text for text, k in zip(gold, kept) if k} == left
    assert not left & {text for text, k in zip(gold, kept) if not k}


@pytest.mark.parametrize("seed", range(5))
def test_forms_are_removed_by_exact_case_whatever_their_label(seed):
    pieces = [("Arlo", "LOC"), ("or", ""), ("Arlo", "PER"), ("or", ""), ("arlo", "PER")]
    for recall, expected in ((2 / 3, [1, 1, 0]), (1 / 3, [0, 0, 1])):
        _, kept, _ = perturb_docs(
            lambda: [make_doc(Vocab(), [pieces])], seed, recall=recall
        )
        assert kept.tolist() == expected


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("remove", ["forms", "mentions"])
def test_wishes_are_met_on_five_thousand_mentions(tmp_path, remove, seed):
    report, _ = run(
        tmp_path, large_corpus(), seed=seed, recall=0.5, precision=0.9, remove=remove
    )
    assert report["counts"]["gold"] >= 4800
    assert abs(report["recall"] - 0.5) < 0.005
    assert abs(report["precision"] - 0.9) < 0.005


def test_removal_of_single_mentions_splits_forms():
    _, kept, _ = perturb_docs(large_corpus, 0, recall=0.5, remove="mentions")
    gold = [ent.text for doc in large_corpus() for ent in doc.ents]
    removed = {text for text, k in zip(gold, kept) if not k}
    assert removed & {text for text, k in zip(gold, kept) if k}


def test_dropping_a_label(tmp_path):
    report, partial = run(
        tmp_path, make_docs(Vocab(), n=10), drop_labels=["LOC"], precision=0.5
    )
    assert {ent.label_ for doc in partial for ent in doc.ents} == {"ORG", "PER"}
    assert report["labels"]["LOC"]["kept"] == report["labels"]["LOC"]["added"] == 0
    assert report["labels"]["PER"]["kept"] == report["labels"]["PER"]["gold"]


def test_first_entities_of_each_document_up_to_a_total(tmp_path):
    docs = make_docs(Vocab(), n=10)
    report, partial = run(tmp_path, docs, per_doc=2, total=7)
    assert report["counts"]["kept"] == 7
    for gold, doc in zip(docs, partial):
        assert entities(doc) == entities(gold)[: len(doc.ents)]
        assert len(doc.ents) <= 2


def test_ids_of_kept_entities_stay(tmp_path):
    doc = make_doc(Vocab())
    doc.set_ents([Span(doc, 0, 1, label="PER", kb_id="Q7", span_id="ann")])
    _, (partial,) = run(tmp_path, [doc], precision=0.5)
    kept = partial.ents[0]
    assert (kept.kb_id_, kept.ent_id_) == ("Q7", "ann")
    assert len(partial.ents) == 2


def test_tokens_without_a_label_or_with_a_trusted_one_stay(tmp_path):
    doc = make_doc(Vocab())
    doc.set_ents([doc.ents[0]], missing=[doc[5:12]], blocked=[doc[1:2]])
    doc.spans[OUTSIDE_GROUP] = [doc[12:24]]
    before = [token.ent_iob for token in doc]
    n_free = sum(token.ent_iob == 2 and not 12 <= token.i < 24 for token in doc)
    _, (partial,) = run(tmp_path, [doc], precision=1 / 3)
    assert n_free >= 2
    after = [token.ent_iob for token in partial]
    changed = [i for i, (a, b) in enumerate(zip(before, after)) if a != b]
    assert changed
    assert all(before[i] == 2 and not 12 <= i < 24 for i in changed)


def test_empty_documents_are_kept(tmp_path):
    vocab = Vocab()
    docs = [make_doc(vocab), Doc(vocab), make_doc(vocab)]
    _, partial = run(tmp_path, docs, recall=0.5, precision=0.5)
    assert [len(doc) for doc in partial] == [len(doc) for doc in docs]


@pytest.mark.parametrize(
    "options,code",
    [
        ({"recall": 0.0}, "C153.*recall 0.0"),
        ({"recall": 1.1}, "C153"),
        ({"precision": 0.0}, "C153.*precision 0.0"),
        ({"precision": float("nan")}, "C153"),
        ({"precision": 0.01}, "C156"),
        ({"precision": 1e-12}, "C156"),
        ({"precision": 5e-324}, "C156"),
        ({"recall": 0.01}, "C155"),
        ({"drop_labels": ["PER", "LOC", "ORG"]}, "C155"),
        ({"drop_labels": ["CITY"]}, "C157.*'CITY'.*LOC, ORG, PER"),
        ({"per_doc": 0}, "C158.*per_doc 0"),
        ({"total": 0}, "C158.*total 0"),
        ({"overlook": 1.0}, "C159"),
    ],
)
def test_bad_input_leaves_existing_output(tmp_path, options, code):
    output = tmp_path / "partial.spacy"
    output.write_bytes(b"old")
    with pytest.raises(ValueError, match=code):
        run(tmp_path, make_docs(Vocab(), n=5), **options)
    assert output.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "gold.spacy",
        "partial.spacy",
    ]


@pytest.mark.parametrize("name", ["partial.json", "partial", "partial.spacy.gz"])
def test_output_must_be_a_spacy_file(tmp_path, name):
    write_docs(tmp_path / "gold.spacy", make_docs(Vocab()))
    with pytest.raises(ValueError, match=rf"\[C174\].*{name}"):
        perturb(tmp_path / "gold.spacy", tmp_path / name, PerturbOptions())
    assert [path.name for path in tmp_path.iterdir()] == ["gold.spacy"]


def test_report_is_beside_the_output(tmp_path):
    write_docs(tmp_path / "gold.spacy", make_docs(Vocab()))
    perturb(tmp_path / "gold.spacy", tmp_path / "a" / "b.0.spacy", PerturbOptions())
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == [
        "b.0.json",
        "b.0.spacy",
    ]


def test_output_stays_if_the_report_cannot_be_written(tmp_path):
    output = tmp_path / "partial.spacy"
    output.write_bytes(b"old")
    (tmp_path / "partial.json").mkdir()
    with pytest.raises(IsADirectoryError, match="partial.json"):
        run(tmp_path, make_docs(Vocab()), recall=0.5)
    assert output.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "gold.spacy",
        "partial.json",
        "partial.spacy",
    ]


def test_gold_without_entities(tmp_path):
    doc = make_doc(Vocab())
    doc.set_ents([])
    with pytest.raises(ValueError, match="C154"):
        run(tmp_path, [doc])


def test_a_json_file_of_the_user_is_not_replaced(tmp_path):
    theirs = tmp_path / "partial.json"
    theirs.write_text('{"notes": "mine"}')
    with pytest.raises(ValueError, match="C178.*partial.json"):
        run(tmp_path, make_docs(Vocab()))
    assert "mine" in theirs.read_text()
    assert not (tmp_path / "partial.spacy").exists()
    theirs.unlink()
    run(tmp_path, make_docs(Vocab()))
    run(tmp_path, make_docs(Vocab()), seed=1)  # a report of ours is
    assert srsly.read_json(theirs)["seed"] == 1
