import json

import pytest

from spacy_cbl.data.convert import Options, read_corpus
from spacy_cbl.data.convert.iob2 import CROSSED
from spacy_cbl.data.convert.labelstudio import SEVERAL, SKIPPED
from spacy_cbl.data.convert.prodigy import (
    IGNORED,
    MERGED,
    REJECTED,
    REJECTED_SPANS,
)
from spacy_cbl.data.convert.spans import ALIGNED, BLANK, OVERLAPS, UNALIGNED

TEXT = "Ada Moreau rows. She lives in Lund."
PER = {"start": 0, "end": 10, "label": "PER"}
LOC = {"start": 30, "end": 34, "label": "LOC"}
BOTH = [("Ada Moreau", "PER"), ("Lund", "LOC")]


def read(tmp_path, records, name="x.jsonl", format=None, lines=True, **options):
    path = tmp_path / name
    text = (
        "\n".join(map(json.dumps, records)) if lines else json.dumps(records, indent=1)
    )
    path.write_text(text, encoding="utf-8")
    options.setdefault("lang", "en")
    found, docs, notes = read_corpus(path, format=format, options=Options(**options))
    docs = list(docs)
    return docs, found, {note: n for note, n in notes.counts.items() if n}


def ents(doc):
    return [(ent.text, ent.label_) for ent in doc.ents]


def iobs(doc):
    return {token.ent_iob_ for token in doc if not token.ent_type}


def prodigy(*spans, text=TEXT, **fields):
    return {"text": text, "spans": list(spans), "answer": "accept", **fields}


def doccano(**fields):
    entity = {"start_offset": 1, "end_offset": 10, "label": "PER", **fields}
    return {"text": TEXT, "entities": [entity]}


def studio(*values, text=TEXT, **fields):
    result = [{"value": value, "type": "labels"} for value in values]
    return {"data": {"text": text}, "annotations": [{"result": result}], **fields}


def region(start, end, label, **fields):
    return {"start": start, "end": end, "labels": [label], **fields}


@pytest.mark.parametrize(
    "record, expected",
    [
        (prodigy(PER, LOC), "prodigy"),
        ({"text": TEXT, "label": [[0, 10, "PER"], [30, 34, "LOC"]]}, "doccano"),
        ({"data": TEXT, "labels": [[0, 10, "PER"], [30, 34, "LOC"]]}, "doccano"),
        (
            {
                "text": TEXT,
                "entities": [
                    {"start_offset": 0, "end_offset": 10, "label": "PER"},
                    {"start_offset": 30, "end_offset": 34, "label": "LOC"},
                ],
            },
            "doccano",
        ),
        (studio(region(0, 10, "PER"), region(30, 34, "LOC")), "labelstudio"),
        (
            {"text": TEXT, "label": [region(0, 10, "PER"), region(30, 34, "LOC")]},
            "labelstudio",
        ),
    ],
)
@pytest.mark.parametrize("lines", [True, False])
def test_exports_are_told_apart_and_read(tmp_path, record, expected, lines):
    empty = {
        key: [] if isinstance(value, list) else value for key, value in record.items()
    }
    (first, doc), found, notes = read(
        tmp_path,
        [empty, record] if expected != "labelstudio" else [record] * 2,
        lines=lines,
    )
    assert found == expected
    assert ents(doc) == BOTH
    assert iobs(doc) == {"O"}
    assert first.text == doc.text == TEXT
    assert [sent.text for sent in doc.sents] == [
        "Ada Moreau rows.",
        "She lives in Lund.",
    ]
    assert notes == {}


def test_unlabelled_may_be_missing(tmp_path):
    (doc,), _, _ = read(tmp_path, [prodigy(PER)], unlabelled="missing")
    assert iobs(doc) == {""}


def test_sentences_become_documents(tmp_path):
    docs, _, _ = read(tmp_path, [prodigy(PER, LOC)], split_sents=True)
    assert [ents(doc) for doc in docs] == [[BOTH[0]], [BOTH[1]]]
    assert [doc.text for doc in docs] == ["Ada Moreau rows. ", "She lives in Lund."]


def test_no_sentence_starts_inside_an_entity(tmp_path):
    text = "We hum Stop! Go! all day."
    (doc,), _, _ = read(
        tmp_path, [prodigy({"start": 7, "end": 16, "label": "SONG"}, text=text)]
    )
    assert [sent.text for sent in doc.sents] == ["We hum Stop! Go!", "all day."]


@pytest.mark.parametrize(
    "align, expected, note",
    [
        ("expand", [("Moreau", "PER")], ALIGNED),
        ("contract", [], UNALIGNED),
    ],
)
def test_spans_inside_a_token(tmp_path, align, expected, note):
    record = prodigy({"start": 5, "end": 9, "label": "PER"})
    (doc,), _, notes = read(tmp_path, [record], align=align)
    assert ents(doc) == expected
    assert notes == {note: 1}


def test_contract_drops_the_token_cut_in_two(tmp_path):
    record = prodigy({"start": 0, "end": 7, "label": "PER"})
    (doc,), _, notes = read(tmp_path, [record], align="contract")
    assert ents(doc) == [("Ada", "PER")]
    assert notes == {ALIGNED: 1}


def test_space_around_a_span_is_no_misalignment(tmp_path):
    record = prodigy(
        {"start": 10, "end": 11, "label": "X"}, {"start": 29, "end": 34, "label": "LOC"}
    )
    (doc,), _, notes = read(tmp_path, [record])
    assert ents(doc) == [("Lund", "LOC")]
    assert notes == {BLANK: 1}


def test_longer_spans_win(tmp_path):
    record = prodigy({"start": 4, "end": 10, "label": "PER"}, PER, PER)
    (doc,), _, notes = read(tmp_path, [record])
    assert ents(doc) == [("Ada Moreau", "PER")]
    assert notes == {OVERLAPS: 1}


def test_prodigy_tokens_are_kept(tmp_path):
    tokens = [
        {"text": "Ada Moreau", "start": 0, "end": 10, "id": 0},
        {"text": "rows", "start": 11, "end": 15, "id": 1},
    ]
    (doc,), _, _ = read(tmp_path, [prodigy(PER, text="Ada Moreau rows", tokens=tokens)])
    assert [token.text for token in doc] == ["Ada Moreau", "rows"]
    assert doc.text == "Ada Moreau rows"


def test_prodigy_tokens_that_do_not_make_the_text_are_not_used(tmp_path):
    tokens = [{"text": "ada", "start": 0, "end": 3, "id": 0}]
    (doc,), _, _ = read(tmp_path, [prodigy(PER, tokens=tokens)])
    assert ents(doc) == [("Ada Moreau", "PER")]


def test_prodigy_answers(tmp_path):
    docs, _, notes = read(
        tmp_path,
        [
            prodigy(PER, answer="ignore"),
            prodigy(PER, answer="reject", _view_id="ner_manual"),
            prodigy(LOC, _view_id="ner_manual"),
        ],
    )
    assert [ents(doc) for doc in docs] == [[("Lund", "LOC")]]
    assert notes == {IGNORED: 1, REJECTED: 1}


def test_prodigy_yes_no_answers_make_one_document(tmp_path):
    yes_no = {"_view_id": "ner", "_input_hash": 7}
    other = prodigy(text="Nothing here", answer="reject", _view_id="ner", _input_hash=8)
    records = [prodigy(PER, **yes_no), other, prodigy(LOC, **yes_no)]
    records.append(prodigy({"start": 11, "end": 15, "label": "X"}, **yes_no))
    records[-1]["answer"] = "reject"
    docs, _, notes = read(tmp_path, records)
    assert [ents(doc) for doc in docs] == [BOTH, []]
    assert [iobs(doc) for doc in docs] == [{""}, {""}]
    assert notes == {REJECTED_SPANS: 2, MERGED: 2}


def test_labelstudio_tasks(tmp_path):
    several = studio(region(0, 10, "PER"))
    several["annotations"].append(
        {"ground_truth": True, "result": [{"value": region(30, 34, "LOC")}]}
    )
    cancelled = studio(region(0, 10, "PER"))
    cancelled["annotations"][0]["was_cancelled"] = True
    choice = studio({"choices": ["good"]}, region(0, 10, "PER"))
    docs, _, notes = read(tmp_path, [several, cancelled, choice], lines=False)
    assert [ents(doc) for doc in docs] == [[BOTH[1]], [BOTH[0]]]
    assert notes == {SEVERAL: 1, SKIPPED: 1}


def test_labelstudio_text_by_another_name(tmp_path):
    task = studio(region(0, 10, "PER"))
    task["data"] = {"body": TEXT, "number": 3}
    (doc,), _, _ = read(tmp_path, [task])
    assert ents(doc) == [BOTH[0]]


def test_labelstudio_offsets_after_an_emoji(tmp_path):
    # The browser counts the emoji as two.
    task = studio(region(3, 6, "PER", text="Ada"), text="\N{WATER WAVE} Ada rows")
    (doc,), _, _ = read(tmp_path, [task])
    assert ents(doc) == [("Ada", "PER")]


def tajson(*constituents, view="NER_CONLL", **fields):
    return {
        "corpusId": "c",
        "id": "d",
        "text": "Ada rows. Oh",
        "tokens": ["Ada", "rows.", "Oh"],
        "sentences": {"sentenceEndPositions": [2, 3], "score": 1.0},
        "views": [
            {"viewName": "SENTENCE", "viewData": [{}]},
            {"viewName": view, "viewData": [{"constituents": list(constituents)}]},
        ],
        **fields,
    }


@pytest.mark.parametrize("view", ["NER_CONLL", "NER_ONTONOTES"])
@pytest.mark.parametrize("lines", [True, False])
def test_tajson(tmp_path, view, lines):
    record = tajson({"label": "PER", "score": 1.0, "start": 0, "end": 1}, view=view)
    (doc, _), found, _ = read(tmp_path, [record, record], name="x.json", lines=lines)
    assert found == "tajson"
    assert ents(doc) == [("Ada", "PER")]
    assert [len(sent) for sent in doc.sents] == [2, 1]
    assert doc.has_unknown_spaces


def test_tajson_object_over_several_lines(tmp_path):
    path = tmp_path / "x"
    path.write_text(json.dumps(tajson(), indent=2), encoding="utf-8")
    found, docs, _ = read_corpus(path)
    assert (found, [ents(doc) for doc in docs]) == ("tajson", [[]])


def test_tajson_without_constituents(tmp_path):
    record = tajson()
    del record["views"][1]["viewData"][0]["constituents"]
    (doc,), _, _ = read(tmp_path, [record])
    assert iobs(doc) == {"O"}


def test_tajson_sentences_do_not_cut_entities(tmp_path):
    record = tajson({"label": "PER", "start": 1, "end": 3})
    (doc,), _, counts = read(tmp_path, [record], split_sents=True)
    assert ents(doc) == [("rows. Oh", "PER")]
    assert counts == {CROSSED: 1}


def test_tajson_sentences_keep_their_tokens(tmp_path):
    record = tajson({"label": "PER", "start": 0, "end": 1})
    docs, _, _ = read(tmp_path, [record], split_sents=True, unlabelled="missing")
    assert [[token.text for token in doc] for doc in docs] == [["Ada", "rows."], ["Oh"]]
    assert [[token.ent_iob_ for token in doc] for doc in docs] == [["B", ""], [""]]
    assert all(doc.has_unknown_spaces for doc in docs)


@pytest.mark.parametrize(
    "record, format, code",
    [
        (prodigy({"start": 3, "end": 3, "label": "X"}), None, "C114"),
        (prodigy({"start": 0, "end": 99, "label": "X"}), None, "C114"),
        (prodigy({"start": -1, "end": 2, "label": "X"}), None, "C114"),
        (prodigy({"start": "0", "end": 2, "label": "X"}), None, "C116"),
        (prodigy({"start": 0, "end": 2}), None, "C116"),
        (prodigy("PER"), None, "C116"),
        ({"spans": []}, None, "C116"),
        ({"text": TEXT, "spans": 5}, None, "C116"),
        (prodigy(tokens=7), None, "C116"),
        (prodigy(tokens=[7]), None, "C116"),
        (prodigy({"start": 0, "end": 3, "label": ""}), None, "C127"),
        (prodigy({"start": 0, "end": 3, "label": " "}), None, "C127"),
        (prodigy({"start": 0, "end": 3, "label": "\udc00"}), None, "C128"),
        (prodigy(text="Ada \ud83d"), None, "C128"),
        ({"text": TEXT, "label": 5}, None, "C116"),
        ({"text": TEXT, "label": "PER"}, None, "C116"),
        ({"text": TEXT, "label": [[False, 3, "PER"]]}, None, "C116"),
        ({"text": TEXT, "label": [[0, 3, ""]]}, None, "C127"),
        (doccano(start_offset=True), None, "C116"),
        (doccano(label=""), None, "C127"),
        ({"text": TEXT, "label": [[0, "PER"]]}, None, "C116"),
        ({"text": TEXT, "label": ["PER"]}, None, "C116"),
        ({"text": TEXT, "entities": None}, None, "C116"),
        (studio(region(0, 3, "X", text="Bo")), None, "C117"),
        (studio(region(None, 3, "X")), None, "C116"),
        (studio(data={}), None, "C116"),
        (studio(annotations=[{}]), None, "C116"),
        (studio(annotations=5), None, "C116"),
        (studio(annotations=[5]), None, "C116"),
        (studio(annotations=[{"result": None}]), None, "C116"),
        (studio(annotations=[{"result": [5]}]), None, "C116"),
        (studio(None), None, "C116"),
        (studio(region(0, 3, "X", labels=None)), None, "C116"),
        (studio(region(0, 3, "X", labels="X")), None, "C116"),
        (studio(region(0, 3, 5)), None, "C116"),
        (studio(region(0, 3, "")), None, "C127"),
        (studio(region(0, 3, "X", text="\ud83d")), None, "C128"),
        (studio(data={"body": "\ud83d"}), None, "C128"),
        ({"text": TEXT, "label": [region(0, 3, "X"), 5]}, "labelstudio", "C116"),
        ({"text": TEXT, "label": 5}, "labelstudio", "C116"),
        (tajson({"label": "PER", "start": 2, "end": 4}), None, "C114"),
        (tajson({"start": 0, "end": 1}), None, "C116"),
        (tajson({"label": 5, "start": 0, "end": 1}), None, "C116"),
        (tajson({"label": "", "start": 0, "end": 1}), None, "C127"),
        (tajson({"label": "PER", "start": False, "end": 1}), None, "C116"),
        (tajson(tokens=None), None, "C116"),
        (tajson(tokens="Ada"), None, "C116"),
        (tajson(tokens=["Ada", 5]), None, "C116"),
        (tajson(tokens=["Ada", ""]), None, "C113"),
        (tajson(tokens=["Ada", "\ud83d"]), None, "C128"),
        (tajson(sentences={"sentenceEndPositions": ["2"]}), None, "C116"),
        (tajson(views={"NER": []}), None, "C113"),
    ],
)
def test_malformed_records_are_pointed_at(tmp_path, record, format, code):
    good = {"C113": tajson(), "C114": prodigy()}.get(code, prodigy())
    if "views" in record:
        good = tajson()
    elif "annotations" in record or format == "labelstudio":
        good = studio()
    elif "label" in record or "entities" in record:
        good = {"text": TEXT, "label": [[0, 3, "PER"]]}
    with pytest.raises(ValueError, match=rf"(?s)\[{code}\].*record 2"):
        read(tmp_path, [good, record], format=format)


@pytest.mark.parametrize("name", ["label", "labels"])
def test_doccano_texts_without_labels(tmp_path, name):
    (doc,), _, _ = read(tmp_path, [{"text": TEXT, name: None}], format="doccano")
    assert iobs(doc) == {"O"}


def test_prodigy_hashes_may_be_anything(tmp_path):
    record = prodigy(PER, _view_id="ner", _input_hash=[1])
    docs, _, _ = read(tmp_path, [record, record])
    assert [ents(doc) for doc in docs] == [[BOTH[0]]]


def test_prodigy_tokens_may_not_be_empty(tmp_path):
    tokens = [{"text": "Ada", "end": 3}, {"text": "", "end": 3}]
    (doc,), _, _ = read(tmp_path, [prodigy(text="Ada", tokens=tokens)])
    assert [token.text for token in doc] == ["Ada"]


@pytest.mark.parametrize(
    "text, code",
    [
        ('{"text": "a", "spans": []}\n{"text": \n', r"C103.*line 2"),
        ('[\n{"text": "a"},\n{"text"\n]', r"C103.*line 4"),
        ('{"text": "a", "spans": []}\n[1]\n', r"C102.*record 2"),
        ("[1]", r"C102.*record 1"),
        ("", r"C103"),
        ('{"text": "a"}', r"C119"),
        ("[" * 100_000, r"C103.*line 1.*nested"),
        ('{"text": "a", "spans": []}\n' + "[" * 100_000, r"C103.*line 2.*nested"),
        ('{"text": "a", "spans": ' + "1" * 5000 + "}", r"C103.*line 1.*digits"),
    ],
)
def test_malformed_json(tmp_path, text, code):
    path = tmp_path / "x.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=rf"(?s)\[{code[:4]}\]{code[4:]}"):
        list(read_corpus(path)[1])


def test_brackets_may_be_tokens(tmp_path):
    path = tmp_path / "x.tsv"
    path.write_text("[\tO\nAda\tB-PER\n]\tO\n", encoding="utf-8")
    assert read_corpus(path)[0] == "columns"


def test_unknown_language(tmp_path):
    with pytest.raises(ValueError, match=r"\[C115\]"):
        read(tmp_path, [prodigy(PER)], lang="qq")


def test_deeply_nested_values_are_shown_in_short(tmp_path):
    deep = 5
    for _ in range(300):
        deep = [deep]
    with pytest.raises(ValueError, match=r"\[C116\]") as error:
        read(tmp_path, [prodigy(deep)])
    assert len(str(error.value)) < 500
