import spacy.cli
from spacy.tokens import DocBin
from spacy.vocab import Vocab
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401

COLUMNS = "x Ada I-PER\nx rows O\n\nx Bo I-PER\n"


def run(*args):
    return CliRunner().invoke(spacy.cli.app, ["cbl", "convert", *map(str, args)])


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def read(path):
    return list(DocBin().from_disk(path).get_docs(Vocab()))


def test_convert_says_what_it_took_the_file_for(tmp_path):
    source, output = write(tmp_path / "x.conll", COLUMNS), tmp_path / "new" / "x.spacy"
    shown = run(source, output, "--token-column", 1)
    assert shown.exit_code == 0, shown.stdout
    assert "columns, tag scheme: iob1" in shown.stdout
    assert "outside (O)" in shown.stdout
    assert "1 documents, 2 sentences, 3 tokens, 2 entities" in shown.stdout
    (doc,) = read(output)
    assert [ent.text for ent in doc.ents] == ["Ada", "Bo"]


def test_options_reach_the_reader(tmp_path):
    source, output = write(tmp_path / "x.conll", COLUMNS), tmp_path / "x.spacy"
    shown = run(
        source,
        output,
        "--token-column=1",
        "--split-sents",
        "--unlabelled=missing",
        "--format=columns",
        "--scheme=iob1",
        "--encoding=ascii",
    )
    assert shown.exit_code == 0, shown.stdout
    assert "Tokens without entity: missing" in shown.stdout
    docs = read(output)
    assert [[token.ent_iob_ for token in doc] for doc in docs] == [["B", ""], ["B"]]


def test_moved_spans_are_warned_of(tmp_path):
    record = '{"text": "Adas boat", "spans": [{"start": 0, "end": 3, "label": "PER"}]}'
    source, output = write(tmp_path / "x.jsonl", record), tmp_path / "x.spacy"
    shown = run(source, output, "--lang", "en", "--align", "expand")
    assert "1 spans moved to token boundaries" in shown.stdout
    assert [ent.text for ent in read(output)[0].ents] == ["Adas"]


def test_and_back(tmp_path):
    source, stored = write(tmp_path / "x.conll", COLUMNS), tmp_path / "x.spacy"
    run(source, stored, "--token-column", 1)
    shown = run(stored, tmp_path / "x.iob2", "--to", "iob2")
    assert shown.exit_code == 0, shown.stdout
    text = (tmp_path / "x.iob2").read_text(encoding="utf-8")
    assert text == "-DOCSTART-\tO\n\nAda\tB-PER\nrows\tO\n\nBo\tB-PER\n\n"


def test_errors_end_with_their_code_and_leave_the_output(tmp_path):
    source = write(tmp_path / "x.conll", "Ada\tB-PER\nrows\n")
    output = write(tmp_path / "x.spacy", "kept")
    for args in ([], ["--to", "iob2"]):
        shown = run(source, output, *args)
        assert shown.exit_code == 1
        assert "[C108]" in shown.stdout
        assert output.read_text(encoding="utf-8") == "kept"


def test_wrong_options(tmp_path):
    source = write(tmp_path / "x.conll", COLUMNS)
    for code, args in {
        "C104": ["--scheme", "x"],
        "C120": ["--to", "x"],
        "C121": ["--format", "x"],
        "C124": ["--unlabelled", "x"],
        "C125": ["--n-sents", "-1"],
    }.items():
        shown = run(source, tmp_path / "x.spacy", *args)
        assert (shown.exit_code, f"[{code}]" in shown.stdout) == (1, True), shown.stdout


def test_spacy_files_obey_the_options(tmp_path):
    source, stored = write(tmp_path / "x.conll", COLUMNS), tmp_path / "x.spacy"
    run(source, stored, "--token-column", 1)
    output = tmp_path / "y.spacy"
    shown = run(stored, output, "--split-sents", "--unlabelled", "missing")
    assert shown.exit_code == 0, shown.stdout
    assert "Tokens without entity: missing" in shown.stdout
    assert "2 documents, 2 sentences" in shown.stdout
    docs = read(output)
    assert [[token.ent_iob_ for token in doc] for doc in docs] == [["B", ""], ["B"]]
    shown = run(stored, output, "-n", 5)
    assert (shown.exit_code, "[C129]" in shown.stdout) == (1, True), shown.stdout


def test_sentences_per_document(tmp_path):
    source = write(tmp_path / "x.conll", "\n\n".join(["a O"] * 11))
    output = tmp_path / "x.spacy"
    for args, n_docs in (([], 2), (["-n", 0], 1), (["-n", 3], 4)):
        assert run(source, output, *args).exit_code == 0
        assert len(read(output)) == n_docs


def test_files_that_cannot_be_written(tmp_path):
    source = write(tmp_path / "x.conll", "a O\n")
    in_the_way = write(tmp_path / "file", "kept")
    (tmp_path / "folder").mkdir()
    assert run(source, tmp_path / "folder").exit_code == 2
    for args in ([], ["--to", "iob2"]):
        shown = run(source, in_the_way / "x.spacy", *args)
        assert shown.exit_code == 1
        assert isinstance(shown.exception, SystemExit)
        said = "".join(shown.stdout.split())
        assert "Can'treadorwrite" in said and f"{in_the_way}'" in said
    shown = run(source, "/proc/x.spacy")
    assert shown.exit_code == 1
    assert "Can't read or write '/proc/x.spacy'" in shown.stdout


def test_dropped_types_are_outside_and_counted(tmp_path):
    text = "Ada\tB-PER\nin\tO\nMay\tB-DATE\n1843\tI-DATE\nhere\t-\n"
    source, output = write(tmp_path / "x.iob2", text), tmp_path / "x.spacy"
    shown = run(source, output, "--drop", "DATE", "--drop", "TIME")
    assert shown.exit_code == 0, shown.stdout
    assert "1 entities left out because of their type" in shown.stdout
    (doc,) = read(output)
    assert [token.ent_iob_ for token in doc] == ["B", "O", "O", "O", ""]
    assert [ent.label_ for ent in doc.ents] == ["PER"]
