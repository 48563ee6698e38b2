import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_cbl.attrs import OUTSIDE_GROUP, get_weights, set_weights
from spacy_cbl.data.convert import Notes, Options, convert, read_corpus
from spacy_cbl.data.convert.formats import BLOCKED
from spacy_cbl.data.convert.iob2 import CROSSED, SPACE, WEIGHTS, to_iob2
from spacy_cbl.data.docbin import read_docs, write_docs

PLAIN = """\
Ada\tB-PER
Moreau\tI-PER
rows\tO

to\tO
Lund\tB-LOC
"""


def read(tmp_path, text, name="x.tsv", format=None, **options):
    path = tmp_path / name
    path.write_text(text, encoding=options.get("encoding", "utf-8"), newline="")
    found, docs, notes = read_corpus(path, format=format, options=Options(**options))
    return list(docs), found, notes


def ents(doc):
    return [(ent.text, ent.label_) for ent in doc.ents]


def iobs(doc):
    return [token.ent_iob_ for token in doc]


def sents(doc):
    return [sent.text for sent in doc.sents]


def test_two_columns(tmp_path):
    (doc,), found, notes = read(tmp_path, PLAIN)
    assert (found, notes.scheme) == ("columns", "iob2")
    assert ents(doc) == [("Ada Moreau", "PER"), ("Lund", "LOC")]
    assert iobs(doc) == ["B", "I", "O", "O", "B"]
    assert sents(doc) == ["Ada Moreau rows", "to Lund"]
    assert doc.has_unknown_spaces


@pytest.mark.parametrize(
    "text, scheme",
    [
        ("Ada I-PER\nBo B-PER\n", "iob1"),
        ("Ada B-PER\nBo B-PER\n", "iob2"),
        ("Ada U-PER\nBo U-PER\n", "biluo"),
        ("Ada S-PER\nBo S-PER\n", "biluo"),
    ],
)
def test_schemes_are_recognised(tmp_path, text, scheme):
    (doc,), _, notes = read(tmp_path, text)
    assert notes.scheme == scheme
    assert ents(doc) == [("Ada", "PER"), ("Bo", "PER")]


def test_columns_are_chosen(tmp_path):
    text = "1 Ada NNP B-PER _\n2 rows VBZ O _\n"
    (doc,), _, _ = read(tmp_path, text, token_column=1, tag_column=-2)
    assert ents(doc) == [("Ada", "PER")]


def test_other_spaces_belong_to_the_token(tmp_path):
    (doc,), _, _ = read(tmp_path, "10\u00a0000  O\nx\u2028y  B-X\n")
    assert [token.text for token in doc] == ["10\u00a0000", "x\u2028y"]


def test_spaces_belong_to_the_token_where_tabs_separate(tmp_path):
    (doc,), _, _ = read(tmp_path, "New York\tB-LOC\n")
    assert [token.text for token in doc] == ["New York"]


def test_byte_order_mark_and_line_ends(tmp_path):
    text = "\ufeff" + PLAIN.replace("\n", "\r\n")
    (doc,), _, _ = read(tmp_path, text)
    assert doc[0].text == "Ada"
    assert len(list(doc.sents)) == 2


def test_comments_are_not_tokens_but_hash_signs_are(tmp_path):
    text = "# newdoc\n# text = He is # one\nHe O\nis O\n# O\n#one B-X\n"
    (doc,), _, _ = read(tmp_path, text)
    assert [token.text for token in doc] == ["He", "is", "#", "#one"]


def test_encoding(tmp_path):
    (doc,), _, _ = read(tmp_path, "Åsa\tB-PER\n", encoding="latin-1")
    assert doc[0].text == "Åsa"


def test_document_marks_start_documents(tmp_path):
    text = "-DOCSTART- -X- O\n\na x O\n\nb x O\n\n-DOCSTART- -X- O\n\nc x O\n"
    docs, _, _ = read(tmp_path, text)
    assert [[token.text for token in doc] for doc in docs] == [["a", "b"], ["c"]]


def test_document_mark_may_have_fewer_columns(tmp_path):
    docs, _, _ = read(tmp_path, "-DOCSTART-\n\na\tO\n\n-DOCSTART-\n\nb\tO\n")
    assert [doc.text for doc in docs] == ["a ", "b "]


@pytest.mark.parametrize("n_sents, sizes", [(2, [2, 2, 1]), (10, [5]), (0, [5])])
def test_sentences_are_grouped_without_document_marks(tmp_path, n_sents, sizes):
    text = "\n\n".join(f"{word}\tO" for word in "abcde")
    docs, _, _ = read(tmp_path, text, n_sents=n_sents)
    assert [len(list(doc.sents)) for doc in docs] == sizes


def test_sentences_become_documents(tmp_path):
    docs, _, _ = read(tmp_path, PLAIN, split_sents=True)
    assert [ents(doc) for doc in docs] == [[("Ada Moreau", "PER")], [("Lund", "LOC")]]


def test_files_of_a_folder_are_documents(tmp_path):
    folder = tmp_path / "annotated"
    folder.mkdir()
    (folder / ".hidden").write_text("not this", encoding="utf-8")
    for name in ("b", "a"):
        (folder / name).write_text(f"{name}\tO\n\nmore\tO\n", encoding="utf-8")
    _, docs, _ = read_corpus(folder)
    assert [doc.text for doc in docs] == ["a more ", "b more "]


@pytest.mark.parametrize("name", ["out.iob2", "out.conll", "out.txt"])
def test_the_name_of_the_output_says_what_to_write(tmp_path, name):
    (tmp_path / "a.iob").write_text("Ada\tB-PER\n", encoding="utf-8")
    convert(tmp_path / "a.iob", tmp_path / "doc.spacy")
    convert(tmp_path / "doc.spacy", tmp_path / name)
    assert "Ada\tB-PER\n" in (tmp_path / name).read_text("utf8")
    convert(tmp_path / "doc.spacy", tmp_path / name, to="spacy")
    assert [len(doc) for doc in read_docs(tmp_path / name, Vocab())] == [1]


def test_the_output_is_not_among_what_is_read(tmp_path):
    (tmp_path / "a.iob").write_text("a\tO\n", encoding="utf-8")
    with pytest.raises(ValueError, match="C319"):
        convert(tmp_path, tmp_path / "out.spacy")
    assert len(list(tmp_path.iterdir())) == 1


def test_unlabelled_may_be_missing(tmp_path):
    (doc,), _, _ = read(tmp_path, PLAIN, unlabelled="missing")
    assert iobs(doc) == ["B", "I", "", "", "B"]


def test_a_hyphen_is_missing_whatever_the_rest_is(tmp_path):
    (doc,), _, _ = read(tmp_path, "a\t-\nb\tO\nc\tB-X\n", unlabelled="outside")
    assert iobs(doc) == ["", "O", "B"]


@pytest.mark.parametrize(
    "text, options, code, place",
    [
        ("a\tO\n\nb\tO\tO\n", {}, "C108", "line 3"),
        ("a\tO\nb\n", {}, "C108", "line 2"),
        ("a\tO\n\tO\n", {}, "C109", "line 2"),
        ("\tO\n", {}, "C109", "line 1"),
        ("a\tO\nb\tPER\n", {}, "C106", "line 2"),
        ("a\tO\nb\tI-PER\n", {"scheme": "iob2"}, "C107", "line 2.*iob1"),
        ("a\tO\nb\tI-PER\n", {"scheme": "BIO"}, "C107", "line 2"),
        ("a\tB-X\nb\tO\n", {"scheme": "bioes"}, "C106", "line 2"),
        ("a\tB-X\nb\tO\nc\tI-X\n", {}, "C105", "iob1"),
        ("a\tO\n", {"scheme": "ibo"}, "C104", "ibo"),
        ("a\tO\n", {"tag_column": 2}, "C110", "line 1"),
        ("a\tO\n", {"token_column": 1}, "C111", "line 1"),
    ],
)
def test_malformed_lines_are_pointed_at(tmp_path, text, options, code, place):
    with pytest.raises(ValueError, match=rf"(?s)\[{code}\].*{place}"):
        read(tmp_path, text, **options)


def test_wrong_encoding_names_the_line(tmp_path):
    path = tmp_path / "x.tsv"
    path.write_bytes("a\tO\nÅsa\tO\n".encode("latin-1"))
    with pytest.raises(ValueError, match=r"\[C100\].*line 2"):
        read_corpus(path)
    with pytest.raises(ValueError, match=r"\[C101\]"):
        read_corpus(path, options=Options(encoding="latin-seventeen"))


@pytest.mark.parametrize("text", ["", "\n\n", "-DOCSTART- O\n\n"])
def test_nothing_to_convert(tmp_path, text):
    path, output = tmp_path / "x.tsv", tmp_path / "x.spacy"
    path.write_text(text, encoding="utf-8")
    output.write_text("kept", encoding="utf-8")
    with pytest.raises(ValueError, match=r"\[C123\]"):
        convert(path, output)
    assert output.read_text(encoding="utf-8") == "kept"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.spacy", "x.tsv"]


def test_no_file(tmp_path):
    with pytest.raises(ValueError, match=r"\[C122\]"):
        read_corpus(tmp_path)


def test_iob2_text():
    doc = Doc(
        Vocab(),
        words=["Ada", "Moreau", "rows", "to", "Lund"],
        sent_starts=[True, False, False, True, False],
        ents=["B-PER", "I-PER", "O", "", "B-LOC"],
    )
    text = "".join(to_iob2([doc, doc], Notes()))
    once = (
        "-DOCSTART-\tO\n\nAda\tB-PER\nMoreau\tI-PER\nrows\tO\n\nto\t-\nLund\tB-LOC\n\n"
    )
    assert text == once * 2


def test_iob2_leaves_out_what_it_cannot_hold():
    doc = Doc(Vocab(), words=["\n", "Ada", " ", "Moreau", "!"])
    doc.ents = [Span(doc, 0, 4, "PER")]
    doc[3].is_sent_start = True
    set_weights(doc, [1.0] * 5)
    notes = Notes()
    text = "".join(to_iob2([doc], notes))
    assert text == "-DOCSTART-\tO\n\nAda\tB-PER\nMoreau\tI-PER\n!\tO\n\n"
    assert {n: c for n, c in notes.counts.items() if c} == {
        SPACE: 2,
        WEIGHTS: 1,
        CROSSED: 1,
    }


@pytest.mark.parametrize("word", ["a\tb", "a\nb", "-DOCSTART-"])
def test_iob2_refuses_tokens_that_would_not_come_back(word):
    with pytest.raises(ValueError, match=r"\[C118\]"):
        list(to_iob2([Doc(Vocab(), words=["a", word])], Notes()))


WORDS = st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4
).filter(lambda word: not word.isspace() and not set(word) & set("\t\n\r"))
TOKENS = st.tuples(
    WORDS, st.booleans(), st.sampled_from(["O", "", "B-X", "I-X", "B-Y-z"])
)


def make_doc(tokens):
    """A Doc of drawn tokens; an I- that continues nothing becomes O."""
    tags, previous = [], "O"
    for i, (_, starts, tag) in enumerate(tokens):
        if tag == "I-X" and (i == 0 or starts or previous not in ("B-X", "I-X")):
            tag = "O"
        tags.append(tag)
        previous = tag
    words = [word for word, _, _ in tokens]
    starts = [i == 0 or starts for i, (_, starts, _) in enumerate(tokens)]
    return Doc(Vocab(), words=words, sent_starts=starts, ents=tags)


def facts(doc):
    return [
        (token.text, token.ent_iob_, token.ent_type_, token.is_sent_start)
        for token in doc
    ]


@given(st.lists(st.lists(TOKENS, min_size=1, max_size=8), min_size=1, max_size=4))
def test_iob2_round_trip(tmp_path_factory, drawn):
    docs = [make_doc(tokens) for tokens in drawn]
    text = "".join(to_iob2(docs, Notes()))
    read_back, _, _ = read(tmp_path_factory.mktemp("trip"), text, format="columns")
    assert [facts(doc) for doc in read_back] == [facts(doc) for doc in docs]


def test_spacy_file_round_trip(tmp_path):
    source, stored, back = tmp_path / "a.tsv", tmp_path / "b.spacy", tmp_path / "c.iob2"
    source.write_text("-DOCSTART-\tO\n\n" + PLAIN + "\n", encoding="utf-8")
    report = convert(source, stored)
    assert (report.docs, report.sents, report.tokens, report.spans) == (1, 2, 5, 2)
    assert convert(stored, back, to="iob2").format == "spacy"
    assert back.read_text(encoding="utf-8") == source.read_text(encoding="utf-8")


def test_iob2_writes_blocked_tokens_as_outside(tmp_path):
    doc = Doc(Vocab(), words=["so", "Ada", "Moreau", "rows"])
    doc.set_ents([Span(doc, 1, 3, "PER")], blocked=[doc[0:1], doc[3:4]])
    text = "".join(to_iob2([doc], Notes()))
    assert text == "-DOCSTART-\tO\n\nso\tO\nAda\tB-PER\nMoreau\tI-PER\nrows\tO\n\n"
    (back,), _, _ = read(tmp_path, text)
    assert ents(back) == ents(doc)
    assert iobs(back) == ["O", "B", "I", "O"]


def stored(tmp_path):
    """Two sentences, one token of each kind: entity, missing, outside, blocked."""
    words = ["Ada", "rows", "to", "Lund", "now"]
    starts = [True, False, False, True, False]
    doc = Doc(Vocab(), words=words, sent_starts=starts)
    doc.set_ents(
        [Span(doc, 0, 1, "PER", kb_id="Q7"), Span(doc, 3, 4, "LOC")],
        missing=[doc[1:2]],
        blocked=[doc[4:5]],
    )
    doc.spans[OUTSIDE_GROUP] = [doc[2:3]]
    set_weights(doc, [1.0, 0.5, 0.25, 1.0, 0.75])
    path = tmp_path / "stored.spacy"
    write_docs(path, [doc, Doc(doc.vocab)])
    return path


def reconvert(path, **options):
    output = path.with_name("out.spacy")
    report = convert(path, output, options=Options(**options))
    counts = {note: n for note, n in report.notes.counts.items() if n}
    return list(read_docs(output, Vocab())), report, counts


def test_spacy_file_as_stored(tmp_path):
    (doc, empty), report, counts = reconvert(stored(tmp_path))
    assert iobs(doc) == ["B", "", "O", "B", "B"]
    assert len(empty) == 0
    assert (report.unlabelled, counts) == ("as stored", {})


@pytest.mark.parametrize("unlabelled, iob", [("outside", "O"), ("missing", "")])
def test_unlabelled_tokens_of_a_spacy_file(tmp_path, unlabelled, iob):
    (doc, _), report, counts = reconvert(stored(tmp_path), unlabelled=unlabelled)
    assert iobs(doc) == ["B", iob, iob, "B", "B"]
    assert ents(doc) == [("Ada", "PER"), ("Lund", "LOC")]
    assert doc.ents[0].kb_id_ == "Q7"
    assert [span.text for span in doc.spans[OUTSIDE_GROUP]] == ["to"]
    assert get_weights(doc).tolist() == [1.0, 0.5, 0.25, 1.0, 0.75]
    assert (report.unlabelled, counts) == (unlabelled, {BLOCKED: 1})


def test_sentences_of_a_spacy_file_become_documents(tmp_path):
    docs, report, counts = reconvert(stored(tmp_path), split_sents=True)
    assert [[token.text for token in doc] for doc in docs] == [
        ["Ada", "rows", "to"],
        ["Lund", "now"],
    ]
    assert [iobs(doc) for doc in docs] == [["B", "", "O"], ["B", "B"]]
    assert [ents(doc) for doc in docs] == [[("Ada", "PER")], [("Lund", "LOC")]]
    assert get_weights(docs[0]).tolist() == [1.0, 0.5, 0.25]
    assert get_weights(docs[1]).tolist() == [1.0, 0.75]
    assert [len(doc.spans.get(OUTSIDE_GROUP, [])) for doc in docs] == [1, 0]
    assert all(doc.has_unknown_spaces for doc in docs)
    assert (report.docs, report.sents, counts) == (2, 2, {})


@pytest.mark.parametrize("parsed", [True, False])
def test_entities_of_a_spacy_file_are_not_cut(tmp_path, parsed):
    parse = {"heads": [0, 0, 2, 2], "deps": ["ROOT", "x", "ROOT", "x"]}
    doc = Doc(Vocab(), words=["so", "Ada", "Moreau", "rows"], **parse if parsed else {})
    if not parsed:
        for i in range(4):
            doc[i].is_sent_start = i in (0, 2)
    doc.ents = [Span(doc, 1, 3, "PER")]
    write_docs(tmp_path / "a.spacy", [doc])
    (doc,), report, counts = reconvert(tmp_path / "a.spacy", split_sents=True)
    assert [ent.label_ for ent in doc.ents] == ["PER"]
    # The document is not cut there; the boundary stays marked in it.
    assert (report.docs, report.sents, counts) == (1, 2, {CROSSED: 1})


@pytest.mark.parametrize("n_sents", [0, 3, 10])
def test_documents_of_a_spacy_file_are_not_regrouped(tmp_path, n_sents):
    with pytest.raises(ValueError, match=r"\[C129\].*stored.spacy"):
        reconvert(stored(tmp_path), n_sents=n_sents)
    assert not (tmp_path / "out.spacy").exists()


@pytest.mark.parametrize(
    "encoding, data, code",
    [
        ("utf-16", "Ada\tB-PER\n".encode("utf-16-le"), "C100"),
        ("utf-16", b"Ada\tO\n", "C100"),
        ("undefined", b"Ada\tO\n", "C100"),
        ("ascii", "Ada\tO\nÅsa\tO\n".encode(), "C100.*line 2"),
        ("utf-7", b"Ada\tO\n+2D0-\tO\n", "C100.*line 2"),
        ("utf-9", b"Ada\tO\n", "C101"),
        ("rot13", b"Ada\tO\n", "C101"),
        ("utf\0", b"Ada\tO\n", "C101"),
    ],
)
def test_wrong_encodings(tmp_path, encoding, data, code):
    path = tmp_path / "x.tsv"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=rf"\[{code[:4]}\]{code[4:]}"):
        list(read_corpus(path, options=Options(encoding=encoding))[1])


def test_not_a_spacy_file(tmp_path):
    path = tmp_path / "x.spacy"
    path.write_text("nothing of the kind", encoding="utf-8")
    with pytest.raises(ValueError, match=r"\[C126\]"):
        convert(path, tmp_path / "y.iob2", to="iob2")
    with pytest.raises(ValueError, match=r"\[C120\]"):
        convert(path, tmp_path / "y", to="conllu")
    with pytest.raises(ValueError, match=r"\[C121\]"):
        convert(path, tmp_path / "y", format="conllu")


TALEN = """\
O\t0\t0\tO\t-X-\t-DOCSTART-\tx\tx\t0

B-PER\t0\t0\tx\tx\tAda\t1.0\tx\t0
O\t0\t1\tx\tx\trows\t0.25\tx\t0

O\t0\t0\tx\tx\tslowly\tx\tx\t0
"""


def test_talen_column_has_weights(tmp_path):
    (doc,), found, _ = read(tmp_path, TALEN, name="x.txt")
    assert found == "talen-column"
    assert ents(doc) == [("Ada", "PER")]
    assert get_weights(doc).tolist() == [1.0, 0.25, 1.0]
    assert sents(doc) == ["Ada rows", "slowly"]


def test_talen_column_without_weights(tmp_path):
    text = TALEN.replace("1.0", "x").replace("0.25", "x")
    (doc,), _, _ = read(tmp_path, text)
    assert get_weights(doc) is None


def test_talen_weights_are_stored(tmp_path):
    path, output = tmp_path / "x.txt", tmp_path / "x.spacy"
    path.write_text(TALEN, encoding="utf-8")
    convert(path, output)
    (doc,) = read_docs(output, Vocab())
    assert get_weights(doc).tolist() == [1.0, 0.25, 1.0]


@pytest.mark.parametrize(
    "old, new, code",
    [
        ("0.25", "heavy", "C112"),
        ("0.25", "-1", "C112"),
        ("0.25", "nan", "C112"),
        ("0.25", "inf", "C112"),
        ("\trows", "", "C108"),
        ("rows", "", "C109"),
        ("O\t0\t1", "PER\t0\t1", "C106"),
    ],
)
def test_talen_column_malformed(tmp_path, old, new, code):
    with pytest.raises(ValueError, match=rf"\[{code}\].*line 4"):
        read(tmp_path, TALEN.replace(old, new), format="talen-column")


REACT = """\
# newdoc id = first
# sent_id = 0
# text = Ada rows
1\tAda\tB-PER\t-\tbo
2\trows\tO\t-\tbo

# sent_id = 1
# text = Oh
1\tOh\tO\t-\tbo

# newdoc id = second
# sent_id = 0
# text = Lund
1\tLund\tB-LOC\t-\tbo
"""


def test_talen_react(tmp_path):
    docs, found, _ = read(tmp_path, REACT, name="x.iob2")
    assert found == "talen-iob2"
    assert [ents(doc) for doc in docs] == [[("Ada", "PER")], [("Lund", "LOC")]]
    assert sents(docs[0]) == ["Ada rows", "Oh"]


def test_talen_react_malformed(tmp_path):
    with pytest.raises(ValueError, match=r"\[C108\].*line 4"):
        read(tmp_path, REACT.replace("1\tAda", "Ada"), format="talen-iob2")
