import random
from os.path import commonprefix

import pytest
from spacy.cli import app
from spacy.tokens import Doc
from spacy.vocab import Vocab
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401
from spacy_cbl.data.clusters import CLUSTER_TABLE, read_clusters
from spacy_cbl.data.docbin import write_docs

CLASSES = {
    "determiner": "the a this every".split(),
    "adjective": "old red quiet small heavy".split(),
    "noun": "boat dog house river farmer teacher".split(),
    "verb": "sees likes finds paints".split(),
}


def make_sentences(n=400, seed=0):
    draw = random.Random(seed)

    def noun_phrase():
        phrase = [draw.choice(CLASSES["determiner"])]
        phrase += [draw.choice(CLASSES["adjective"])] * draw.randint(0, 1)
        return [*phrase, draw.choice(CLASSES["noun"])]

    return [
        noun_phrase() + [draw.choice(CLASSES["verb"])] + noun_phrase() for _ in range(n)
    ]


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    write_lines(path, make_sentences())
    return path


def write_lines(path, sentences):
    path.write_text("\n".join(map(" ".join, sentences)) + "\n", encoding="utf8")


def run(*args):
    return CliRunner().invoke(app, ["cbl", "brown", *map(str, args)])


def read_rows(path):
    return [line.split("\t") for line in path.read_text(encoding="utf8").splitlines()]


def test_classes_of_a_grammar_are_found(text, tmp_path):
    output = tmp_path / "clusters.tsv"
    result = run(text, output, "--clusters", len(CLASSES))
    assert result.exit_code == 0, result.output
    found = {}
    for path, word, _ in read_rows(output):
        found.setdefault(path, set()).add(word)
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, CLASSES.values()))


def test_classes_of_a_grammar_are_subtrees(text, tmp_path):
    output = tmp_path / "clusters.tsv"
    n_words = sum(map(len, CLASSES.values()))
    result = run(text, output, "--clusters", n_words)
    assert result.exit_code == 0, result.output
    path_of = {word: path for path, word, _ in read_rows(output)}
    for words in CLASSES.values():
        root = commonprefix([path_of[word] for word in words])
        below = {word for word, path in path_of.items() if path.startswith(root)}
        assert below == set(words)


def test_output_is_sorted_and_counted(text, tmp_path):
    output = tmp_path / "clusters.tsv"
    run(text, output, "--clusters", 5)
    rows = read_rows(output)
    assert rows == sorted(rows, key=lambda row: (row[0], -int(row[2])))
    tokens = [word for sentence in make_sentences() for word in sentence]
    assert {word: int(count) for _, word, count in rows} == {
        word: tokens.count(word) for word in set(tokens)
    }


def test_models_read_the_output(text, tmp_path):
    output = tmp_path / "clusters.tsv"
    run(text, output, "--clusters", 5)
    table = read_clusters(str(output)).get_table(CLUSTER_TABLE)
    for path, word, _ in read_rows(output):
        assert table.get(word) == int("1" + path[::-1], 2)


def test_same_text_gives_the_same_file(text, tmp_path):
    outputs = [tmp_path / "first.tsv", tmp_path / "second.tsv"]
    for output in outputs:
        run(text, output, "--clusters", 7)
    assert outputs[0].read_bytes() == outputs[1].read_bytes()


def test_documents_give_what_their_text_gives(text, tmp_path):
    vocab, sentences = Vocab(), make_sentences()
    docs = [Doc(vocab)]
    # Three sentences in a document, a line break before each, and one without starts.
    for i in range(0, len(sentences) - 1, 3):
        part = sentences[i : min(i + 3, len(sentences) - 1)]
        words = [word for sentence in part for word in ["\n", *sentence]]
        starts = [k == 0 for sentence in part for k in range(len(sentence) + 1)]
        docs.append(Doc(vocab, words=words, sent_starts=starts))
    docs.append(Doc(vocab, words=sentences[-1]))
    write_docs(tmp_path / "text.spacy", docs)
    run(text, tmp_path / "lines.tsv", "--clusters", 5)
    result = run(tmp_path / "text.spacy", tmp_path / "docs.tsv", "--clusters", 5)
    assert result.exit_code == 0, result.output
    expected = (tmp_path / "lines.tsv").read_bytes()
    assert (tmp_path / "docs.tsv").read_bytes() == expected


def test_forms_that_would_break_a_line_are_left_out(tmp_path):
    words = ["a", "x\ty", "b", "x\ty", "a", "b"] * 3
    write_docs(tmp_path / "text.spacy", [Doc(Vocab(), words=words)])
    output = tmp_path / "clusters.tsv"
    result = run(tmp_path / "text.spacy", output, "--clusters", 2)
    assert result.exit_code == 0, result.output
    assert {word for _, word, _ in read_rows(output)} == {"a", "b"}


def test_rare_words_are_left_out_and_case_can_be_folded(tmp_path):
    path, output = tmp_path / "text.txt", tmp_path / "clusters.tsv"
    path.write_text("The cat saw the dog\nthe Cat saw a fly\n", encoding="utf8")
    run(path, output, "--clusters", 2, "--min-count", 2)
    assert {word for _, word, _ in read_rows(output)} == {"the", "saw"}
    run(path, output, "--clusters", 2, "--min-count", 2, "--lower")
    assert {word: n for _, word, n in read_rows(output)} == {
        "the": "3",
        "cat": "2",
        "saw": "2",
    }


@pytest.mark.parametrize(
    "content,options,code",
    [
        ("a b\n", ["--clusters", 1], "C271"),
        ("a b\n", ["--clusters", 2, "--min-count", 0], "C272"),
        (" \n\n", ["--clusters", 2], "C273"),
        ("", ["--clusters", 2], "C273"),
        ("a b a b a b c\n", ["--clusters", 3], "C274"),
        ("a\nb\na\nb\na\nb\n", ["--clusters", 2], "C275"),
    ],
)
def test_errors_end_with_code_1_and_no_output(tmp_path, content, options, code):
    path, output = tmp_path / "text.txt", tmp_path / "clusters.tsv"
    path.write_text(content, encoding="utf8")
    result = run(path, output, *options)
    assert result.exit_code == 1
    assert code in result.output
    assert not output.exists()


def test_other_kinds_of_files_are_refused(tmp_path):
    (tmp_path / "text.conll").write_text("a b\n", encoding="utf8")
    result = run(tmp_path / "text.conll", tmp_path / "clusters.tsv", "--clusters", 2)
    assert result.exit_code == 1
    assert "C270" in result.output


def test_empty_corpus(tmp_path):
    write_docs(tmp_path / "text.spacy", [])
    result = run(tmp_path / "text.spacy", tmp_path / "clusters.tsv", "--clusters", 2)
    assert result.exit_code == 1
    assert "C273" in result.output
