import json

import numpy
import pytest
import srsly
from numpy.testing import assert_array_equal
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_cbl.attrs import OUTSIDE_GROUP, LabelProbs
from spacy_cbl.core.crf import marginal_loss
from spacy_cbl.core.tags import TagSet
from spacy_cbl.data.docbin import read_docs, write_docs
from spacy_cbl.pipeline.targets import get_targets
from spacy_cbl.report.inspection import inspect
from spacy_cbl.report.review_export import export_suspects
from spacy_cbl.report.review_ids import parse_id
from spacy_cbl.report.review_import import import_answers

from .doubted import write_corpora

TOOLS = ["prodigy", "doccano", "labelstudio"]


@pytest.fixture
def folder(tmp_path, nlp):
    return write_corpora(tmp_path, nlp.vocab)


def export(folder, tool, **settings):
    path = folder / f"tasks.{tool}"
    export_suspects(folder / "weighted.spacy", path, format=tool, **settings)
    if tool == "labelstudio":
        return list(srsly.read_json(path))
    return list(srsly.read_jsonl(path))


def merge(folder, records, corpus="partial"):
    """Import answers; the output is out.spacy."""
    srsly.write_jsonl(folder / "answers.jsonl", records)
    return import_answers(
        folder / f"{corpus}.spacy", folder / "answers.jsonl", folder / "out.spacy"
    )


def read(folder, nlp, name="out"):
    return list(read_docs(folder / f"{name}.spacy", nlp.vocab))


def ents(doc):
    return [(ent.text, ent.label_) for ent in doc.ents]


def find(records, form):
    """The first task about a form."""
    return next(record for record in records if form in covered(record))


def covered(record):
    if "data" in record:
        return record["predictions"][0]["result"][0]["value"]["text"]
    if "spans" in record:
        span = record["spans"][0]
        return record["text"][span["start"] : span["end"]]
    start, end, _ = record["label"][0]
    return record["text"][start:end]


def answer(record, label):
    """Accept a suggestion with a label, or reject it."""
    if "data" in record:
        (region,) = record["predictions"][0]["result"]
        region = {**region, "value": {**region["value"], "labels": [label]}}
        record["annotations"] = [{"result": [region] if label else []}]
    elif "spans" in record:
        record["answer"] = "accept" if label else "reject"
        record["spans"][0]["label"] = label or "?"
    else:
        start, end, _ = record["label"][0]
        record["label"] = [[start, end, label]] if label else []
    return record


@pytest.mark.parametrize("tool", TOOLS)
def test_nothing_answered_changes_no_byte(folder, tool):
    for corpus in ("partial", "weighted"):
        report = merge(folder, export(folder, tool), corpus)
        assert report.counts["unanswered"] == 5
        before = (folder / f"{corpus}.spacy").read_bytes()
        assert (folder / "out.spacy").read_bytes() == before


def test_a_file_without_answers_changes_no_byte(folder):
    (folder / "answers.jsonl").write_text("\n", encoding="utf8")
    partial, output = folder / "partial.spacy", folder / "out.spacy"
    report = import_answers(partial, folder / "answers.jsonl", output)
    assert output.read_bytes() == partial.read_bytes()
    assert not any(report.counts.values())


@pytest.mark.parametrize("tool", TOOLS)
def test_accepted_and_rejected(folder, nlp, tool):
    tasks = export(folder, tool)
    records = [
        answer(find(tasks, "Lima"), "LOC"),  # after an emoji
        answer(find(tasks, "Monday"), None),
        find(tasks, "Paris"),
    ]
    report = merge(folder, records)
    assert report.conflicts == []
    assert report.counts["accepted"] == report.counts["rejected"] == 1
    before, after = read(folder, nlp, "partial"), read(folder, nlp)
    assert ents(after[1]) == [("Lima", "LOC")]
    assert [(s.start, s.end) for s in after[1].spans[OUTSIDE_GROUP]] == [(4, 6)]
    for i in (0, 2, 3):
        assert before[i].to_bytes() == after[i].to_bytes()
    for token, old in zip(after[1], before[1]):
        assert token.is_sent_start == old.is_sent_start
        assert token.ent_iob == old.ent_iob or token.text == "Lima"
    assert [s.label_ for s in after[1].spans["other"]] == ["X"]


def test_of_several_annotations_of_a_task_the_last_counts(folder, nlp):
    task = answer(find(export(folder, "labelstudio"), "Lima"), None)
    rejected = task["annotations"]
    (accepted,) = answer(task, "LOC")["annotations"]
    task["annotations"] = [*rejected, accepted]
    report = merge(folder, [task])
    assert ents(read(folder, nlp)[1]) == [("Lima", "LOC")]
    assert report.counts["answered again"] == 1


def test_answers_weigh_fully_in_a_weighted_corpus(folder, nlp):
    tasks = export(folder, "prodigy")
    merge(
        folder,
        [answer(find(tasks, "Paris"), "LOC"), answer(find(tasks, "Monday"), None)],
        "weighted",
    )
    weights = read(folder, nlp)[1]._.cbl_weights.tolist()
    assert weights == pytest.approx([1, 0.9, 1, 1, 1, 1, 1, 1, 0.4, 1])


def write_label_probs(folder, nlp, tags, best):
    """Give the second document of the corpus distributions, from its fourth token on
    the given tags are certain.
    """
    docs = read(folder, nlp, "weighted")
    probs = numpy.full((len(docs[1]), len(tags)), 1 / len(tags))
    for i, name in enumerate(best.split(), 3):
        probs[i] = numpy.eye(len(tags))[tags.names.index(name)]
    names = tags.names[::-1]  # other than the component has them
    docs[1]._.cbl_label_probs = LabelProbs(names, probs[:, ::-1])
    write_docs(folder / "weighted.spacy", docs)


def read_label_probs(doc, tags):
    names, probs = doc._.cbl_label_probs
    return probs[:, [names.index(name) for name in tags.names]]


def read_targets(folder, nlp, tags):
    doc = read(folder, nlp)[1]
    predicted = Doc(nlp.vocab, words=[token.text for token in doc])
    return get_targets([Example(predicted, doc)], tags, "cbl_ner")


@pytest.mark.parametrize("scheme", ["biluo", "bio"])
def test_answers_are_certain_in_a_corpus_with_label_probs(folder, nlp, scheme):
    tags = TagSet(["LOC", "MISC"], scheme)
    write_label_probs(folder, nlp, tags, "O")
    tasks = export(folder, "prodigy", threshold=1)
    records = [
        answer(find(tasks, "Paris"), "LOC"),
        answer(find(tasks, "Monday"), "MISC"),
        answer(find(tasks, "Lima"), None),
    ]
    assert merge(folder, records, "weighted").conflicts == []
    found = read_targets(folder, nlp, tags).soft_labels
    path = tags.encode(10, [(3, 4, "LOC"), (4, 6, "MISC")])
    answered = [3, 4, 5, 8]
    assert_array_equal(found[answered], numpy.eye(len(tags))[path[answered]])
    assert (found[[2, 6, 7, 9]] < 0.5).all()  # nobody was asked


@pytest.mark.parametrize("scheme", ["biluo", "bio"])
def test_what_an_answer_cuts_off_is_unknown(folder, nlp, scheme):
    """Without that, no sequence of tags would be legal."""
    tags = TagSet(["LOC", "MISC"], scheme)
    last = "L" if scheme == "biluo" else "I"
    write_label_probs(
        folder, nlp, tags, f"B-LOC I-LOC I-LOC {last}-LOC B-MISC {last}-MISC"
    )
    record = find(export(folder, "prodigy", threshold=1), "Monday")
    start = record["text"].index("<script>")
    spans = [{"start": start, "end": start + 1, "label": "MISC"}]
    merge(folder, [{**record, "answer": "accept", "spans": spans}], "weighted")
    found = read_targets(folder, nlp, tags)
    assert found.soft_labels[5].max() == 1
    assert (found.soft_labels[[3, 4, 6]] < 0.5).all()
    assert (found.soft_labels[7:9].max(axis=1) == 1).all()  # another entity
    n_tags = len(tags)
    emissions, transitions = numpy.zeros((10, n_tags)), numpy.zeros([n_tags + 1] * 2)
    loss, _, _ = marginal_loss(emissions, transitions, tags.legal, *found[::-1])
    assert numpy.isfinite(loss).all()


@pytest.mark.parametrize("scheme", ["biluo", "bio"])
def test_answers_about_a_document_are_as_one_after_the_other(folder, nlp, scheme):
    """One entity is probable where each of them is about a part of it."""
    tags = TagSet(["LOC", "MISC"], scheme)
    last = "L" if scheme == "biluo" else "I"
    write_label_probs(folder, nlp, tags, f"B-LOC {'I-LOC ' * 5}{last}-LOC")
    tasks = export(folder, "prodigy", threshold=1)
    evil = find(tasks, "Monday")
    start, end = evil["text"].index("<script>"), len("Monday <script>")
    corrected = [
        {"start": 0, "end": start - 1, "label": "MISC"},
        {"start": 0, "end": end, "label": "LOC"},  # clashes with the first
        {"start": start, "end": end, "label": "MISC"},
    ]
    records = [
        answer(find(tasks, "Paris"), "LOC"),
        {**evil, "answer": "accept", "spans": corrected},
        answer(find(tasks, "Lima"), None),
    ]
    (conflict,) = merge(folder, records, "weighted").conflicts
    assert "line 2" in conflict and "(LOC) overlaps 'Monday' (MISC)" in conflict
    together = read(folder, nlp)
    for record in records:
        merge(folder, [record], "weighted")
        (folder / "out.spacy").replace(folder / "weighted.spacy")
    for doc, expected in zip(together, read(folder, nlp, "weighted"), strict=True):
        assert doc.to_bytes() == expected.to_bytes()
    probs = read_label_probs(together[1], tags)
    path = tags.encode(10, [(3, 4, "LOC"), (4, 5, "MISC"), (5, 6, "MISC")])
    answered = [3, 4, 5, 8]
    assert_array_equal(probs[answered], numpy.eye(len(tags))[path[answered]])
    assert (probs[[6, 7, 9]] < 0.5).all()  # what they cut off is unknown
    assert together[1]._.cbl_weights[answered].tolist() == [1] * 4


def test_a_type_that_label_probs_do_not_know_is_a_conflict(folder, nlp):
    write_label_probs(folder, nlp, TagSet(["LOC"]), "O")
    record = answer(find(export(folder, "prodigy", threshold=1), "Paris"), "ORG")
    report = merge(folder, [record], "weighted")
    assert "no tags for 'Paris' (ORG)" in report.conflicts[0]
    assert not report.has_changes


def test_corrected_spans(folder, nlp):
    tasks = export(folder, "prodigy")
    record = find(tasks, "Monday")
    text = record["text"]
    start = text.index("<script>")
    # Half of the last word, and the space before the first
    spans = [{"start": start - 1, "end": start + 20, "label": "MISC"}]
    report = merge(folder, [{**record, "answer": "accept", "spans": spans}])
    assert report.counts["corrected"] == 1 and report.counts["accepted"] == 0
    assert ents(read(folder, nlp)[1]) == [("<script>alert(1)</script>", "MISC")]


def test_what_is_there_wins(folder, nlp):
    docs = read(folder, nlp, "partial")
    docs[1].set_ents([Span(docs[1], 3, 4, label="ORG")], default="unmodified")
    docs[1].spans[OUTSIDE_GROUP] = [docs[1][8:9]]
    write_docs(folder / "partial.spacy", docs)
    tasks = export(folder, "prodigy")
    report = merge(
        folder,
        [
            answer(find(tasks, "Paris"), "LOC"),
            answer(find(tasks, "Lima"), "LOC"),
            answer(find(tasks, "Monday"), None),
        ],
    )
    assert len(report.conflicts) == report.counts["conflicts"] == 2
    assert (
        "answers.jsonl, line 1: 'Paris' (LOC) overlaps 'Paris' (ORG)"
        in (report.conflicts[0])
    )
    assert "line 2" in report.conflicts[1] and "trusted" in report.conflicts[1]
    after = read(folder, nlp)[1]
    assert ents(after) == [("Paris", "ORG")]
    assert len(after.spans[OUTSIDE_GROUP]) == 2
    # The same again changes nothing.
    (folder / "out.spacy").replace(folder / "partial.spacy")
    before = (folder / "partial.spacy").read_bytes()
    merge(folder, [answer(find(export(folder, "prodigy"), "Monday"), None)])
    assert (folder / "out.spacy").read_bytes() == before


def test_rejecting_an_entity_and_accepting_no_type_are_conflicts(folder, nlp):
    docs = read(folder, nlp, "partial")
    docs[1].set_ents([Span(docs[1], 3, 4, label="ORG")], default="unmodified")
    write_docs(folder / "partial.spacy", docs)
    tasks = export(folder, "prodigy")
    records = [answer(find(tasks, "Paris"), None)]
    records.append({**find(tasks, "Lima"), "answer": "accept"})
    report = merge(folder, records)
    assert len(report.conflicts) == 2
    assert "without a type" in report.conflicts[0]
    assert not report.has_changes


def test_the_last_answer_counts(folder, nlp):
    task = json.dumps(find(export(folder, "doccano"), "Paris"))
    answers = [answer(json.loads(task), label) for label in ("PER", "LOC")]
    report = merge(folder, answers)
    assert report.counts["answered again"] == 1
    assert ents(read(folder, nlp)[1]) == [("Paris", "LOC")]


def break_id(record):
    record["cbl_id"] = "d1.s0-4.t3-9.0123456789ab"


def lose_id(record):
    del record["cbl_id"]


def change_text(record):
    record["text"] += " more"


def change_digest(record):
    record["cbl_id"] = record["cbl_id"][:-12] + "0" * 12


def leave_text(record):
    record["spans"][0]["end"] = 9999


def mistype(record):
    record["spans"][0]["start"] = "0"


def misanswer(record):
    record["answer"] = "maybe"


def other_doc(record):
    record["cbl_id"] = "d2" + record["cbl_id"][2:]


def no_doc(record):
    record["cbl_id"] = "d99" + record["cbl_id"][2:]


@pytest.mark.parametrize(
    "spoil,code",
    [
        (lose_id, "C301"),
        (break_id, "C302"),
        (other_doc, "C303"),
        (no_doc, "C303"),
        (change_text, "C304"),
        (change_digest, "C304"),
        (misanswer, "C305"),
        (leave_text, "C306"),
        (mistype, "C116"),
    ],
)
def test_malformed_answers_name_their_line_and_change_nothing(folder, spoil, code):
    tasks = export(folder, "prodigy")
    records = [answer(task, "PER") for task in tasks]
    records.sort(key=lambda record: covered(record) == "Paris")
    spoil(records[-1])
    (folder / "out.spacy").write_text("as before")
    with pytest.raises(ValueError, match=f"{code}.*answers.jsonl'?, (line|record) 5"):
        merge(folder, records)
    assert (folder / "out.spacy").read_text() == "as before"


def test_lines_that_are_no_json(folder):
    path = folder / "answers.jsonl"
    good = json.dumps(export(folder, "doccano")[0])
    path.write_text(f"{good}\n{{\n", encoding="utf8")
    with pytest.raises(ValueError, match="C103.*line 2"):
        import_answers(folder / "partial.spacy", path, folder / "out.spacy")
    assert not (folder / "out.spacy").exists()


def test_answers_of_an_oracle_raise_recall_to_what_suspects_cover(folder, nlp):
    found = inspect(folder / "weighted.spacy", gold=folder / "gold.spacy")
    exact = 0
    records = export(folder, "doccano")
    gold = read(folder, nlp, "gold")
    for record, suspect in zip(records, found.suspects):
        place = parse_id(record["cbl_id"])
        assert (place.doc, place.start, place.end) == (
            suspect.doc,
            suspect.start,
            suspect.end,
        )
        doc = gold[place.doc]
        offset = doc[place.sent_start].idx
        inside = [e for e in doc.ents if place.start <= e.start < e.end <= place.end]
        exact += len(inside)
        record["label"] = [
            [e.start_char - offset, e.end_char - offset, e.label_] for e in inside
        ]
    n_before = sum(len(doc.ents) for doc in read(folder, nlp, "partial"))
    assert merge(folder, records).conflicts == []
    after = read(folder, nlp)
    right = [set(ents(a)) & set(ents(g)) for a, g in zip(after, gold)]
    assert sum(len(doc.ents) for doc in after) == n_before + exact == 7
    assert [len(r) for r in right] == [len(set(ents(g))) for g in gold]


def test_iob2_is_for_reading(folder):
    path = folder / "tasks.iob2"
    export_suspects(folder / "weighted.spacy", path, format="iob2")
    text = path.read_text(encoding="utf8")
    assert "Bob\tB-PER\nSmith\tI-PER\n" in text and text.count("# cbl_id = d") == 5


def test_export_takes_the_most_probable(folder, nlp):
    assert [covered(r) for r in export(folder, "prodigy", top=1)] == ["Paris"]
    with pytest.raises(ValueError, match="C307"):
        export(folder, "prodigy", top=0)
    with pytest.raises(ValueError, match="C300"):
        export(folder, "prodigy", threshold=0)
    with pytest.raises(ValueError, match="C298"):
        export_suspects(folder / "gold.spacy", folder / "tasks")
    (folder / "tasks").write_text("as before")
    write_docs(folder / "weighted.spacy", read(folder, nlp, "weighted")[2:3])
    with pytest.raises(ValueError, match="C308"):
        export_suspects(folder / "weighted.spacy", folder / "tasks")
    assert (folder / "tasks").read_text() == "as before"


def test_other_orders_have_the_same_suspects(folder):
    ranked = export(folder, "prodigy")
    shuffled = export(folder, "prodigy", order="random", seed=1)
    doubtful = export(folder, "prodigy", order="uncertain")
    ids = [record["cbl_id"] for record in ranked]
    for records in (shuffled, doubtful):
        found = [record["cbl_id"] for record in records]
        assert found != ids and sorted(found) == sorted(ids)
    doubts = [abs(record["meta"]["score"] - 0.5) for record in doubtful]
    assert doubts == sorted(doubts) and doubts[0] < doubts[-1]
    assert shuffled == export(folder, "prodigy", order="random", seed=1)
    assert shuffled != export(folder, "prodigy", order="random", seed=2)


def test_of_a_document_without_sentences_the_surroundings_are_shown(nlp, tmp_path):
    words = ["w"] * 1000
    words[500:502] = ["Bob", "Smith"]
    words[601] = " "  # where the text would be cut
    doc = Doc(nlp.vocab, words=words, ents=["O"] * 1000)
    doc._.cbl_weights = [0.0 if word[0] in "BS" else 1.0 for word in words]
    weighted, tasks = tmp_path / "weighted.spacy", tmp_path / "tasks.jsonl"
    write_docs(weighted, [doc])
    export_suspects(weighted, tasks)
    (record,) = srsly.read_jsonl(tasks)
    assert len(record["tokens"]) == 203
    record.update(answer="accept")
    record["spans"][0]["label"] = "PER"
    srsly.write_jsonl(tasks, [record])
    import_answers(weighted, tasks, tmp_path / "out.spacy")
    (loaded,) = read_docs(tmp_path / "out.spacy", nlp.vocab)
    (ent,) = loaded.ents
    assert (ent.start, ent.end, ent.label_) == (500, 502, "PER")
