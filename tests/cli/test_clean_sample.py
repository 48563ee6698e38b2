import numpy
from spacy.cli import app
from spacy.tokens import Span
from spacy.vocab import Vocab
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401
from spacy_cbl.attrs import CLEAN_GROUP, set_weights
from spacy_cbl.data.clean_sample import sample_clean_tokens
from spacy_cbl.data.docbin import read_docs, write_docs

from ..data.small_corpus import make_docs


def run(*args):
    return CliRunner().invoke(app, ["cbl", "clean-sample", *map(str, args)])


def write_corpora(folder, n_docs=10):
    """Gold, and a copy whose PER entities are not labelled."""
    gold, partial = folder / "gold.spacy", folder / "partial.spacy"
    docs = make_docs(Vocab(), n=n_docs)
    write_docs(gold, docs)
    for doc in docs:
        doc.set_ents([ent for ent in doc.ents if ent.label_ != "PER"])
        set_weights(doc, numpy.full(len(doc), 0.5))
    write_docs(partial, docs)
    return partial, gold


def samples(path):
    return [
        [(span.start, span.end, span.label_) for span in doc.spans[CLEAN_GROUP]]
        for doc in read_docs(path, Vocab())
    ]


def test_the_sample_has_gold_labels_and_the_rest_stays(tmp_path):
    partial, gold = write_corpora(tmp_path)
    output = tmp_path / "new" / "output.spacy"
    result = run(partial, gold, output, "--tokens", 40, "--seed", 3)
    assert result.exit_code == 0, result.output
    n_clean = n_inside = n_wrong = 0
    for before, true, doc in zip(
        read_docs(partial, Vocab()),
        read_docs(gold, Vocab()),
        read_docs(output, Vocab()),
    ):
        assert [str(e) for e in doc.ents] == [str(e) for e in before.ents]
        assert doc._.cbl_weights.tolist() == [0.5] * len(doc)
        assert [span.text for span in doc.spans["other"]] == [doc[:2].text]
        for span in doc.spans[CLEAN_GROUP]:
            (token,) = span
            assert span.label_ == (true[token.i].ent_type_ or "O")
            n_clean += 1
            n_inside += span.label_ != "O"
            n_wrong += token.ent_type_ != true[token.i].ent_type_
    assert n_clean == 40 and 0 < n_wrong < n_inside < 40
    said = " ".join(result.output.split())
    assert f"40 tokens, {n_inside} of them in entities; {n_wrong} have" in said


def test_the_seed_decides_and_a_second_sample_replaces_the_first(tmp_path):
    partial, gold = write_corpora(tmp_path)
    paths = [tmp_path / f"{i}.spacy" for i in range(3)]
    for path, seed in zip(paths, (0, 0, 1)):
        sample_clean_tokens(partial, gold, path, n_tokens=20, seed=seed)
    one, two, other = map(samples, paths)
    assert one == two != other
    sample_clean_tokens(paths[2], gold, paths[2], n_tokens=20, seed=0)
    assert samples(paths[2]) == one


def test_tokens_of_unknown_gold_label_are_never_drawn(tmp_path):
    partial, gold = write_corpora(tmp_path, n_docs=4)
    docs = list(read_docs(gold, Vocab()))
    for doc in docs:
        doc.set_ents([], missing=[Span(doc, 0, len(doc) - 1)], default="unmodified")
    write_docs(gold, docs)
    report = sample_clean_tokens(partial, gold, partial, n_tokens=4)
    assert report["tokens"] == 4
    assert [len(sample) for sample in samples(partial)] == [1] * 4


def test_bad_input_ends_with_code_1_and_leaves_the_output(tmp_path):
    partial, gold = write_corpora(tmp_path)
    output = tmp_path / "output.spacy"
    output.write_bytes(b"before")
    write_docs(tmp_path / "short.spacy", make_docs(Vocab(), n=9))
    for args, code in [
        ((partial, gold, output, "--tokens", 0), "C293"),
        ((partial, gold, output, "--tokens", 100000), "C293"),
        ((tmp_path / "short.spacy", gold, output, "--tokens", 5), "C150"),
        ((partial, output, tmp_path / "x.spacy"), "C029"),
    ]:
        result = run(*args)
        assert (result.exit_code, code in result.output) == (1, True), result.output
    assert output.read_bytes() == b"before"
