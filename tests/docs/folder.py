"""The files that pages speak of, made from the embedded corpus, most of them from its
first sentences.
"""

from importlib.util import find_spec
from shutil import copyfile, copytree

import numpy
import spacy
import srsly

from ..models.small_bert import write_bert
from ..test_project import cut_corpus
from .blocks import ROOT
from .shell import run_line

# What each page presupposes, besides the repository; the README makes its own.
FILES = {
    "docs/brown.md": ["text.spacy", "partial.spacy", "dev.spacy"],
    "docs/contextual.md": [
        "partial.spacy",
        "dev.spacy",
        "vectors/glove",
        "models/minilm",
        "elsewhere/minilm",
    ],
    "docs/data-formats.md": [
        "train.conll",
        "export.jsonl",
        "talen-annotation-bo",
        "train.txt",
    ],
    "docs/experiments.md": ["text.spacy", "weighted.spacy", "dev.spacy"],
    "docs/faq.md": ["partial.spacy", "dev.spacy", "partial_dev.spacy"],
    "docs/inspect.md": ["corpus/partial.spacy", "corpus/weighted.spacy"],
    "docs/peers.md": ["partial.spacy", "gold.spacy", "dev.spacy"],
    "docs/perceptron.md": ["corpus/weighted.spacy", "corpus/dev.spacy"],
    "docs/perturbation.md": ["gold.spacy"],
    "docs/settings.md": ["corpus/weighted.spacy", "corpus/partial.spacy"],
    "docs/weighting.md": ["partial.spacy"],
}

CORPORA = """\
spacy cbl convert assets/news/train.iob2 gold.spacy
spacy cbl convert ROOT/assets/news/train.iob2 text.spacy
spacy cbl convert assets/news/dev.iob2 dev.spacy
spacy cbl perturb gold.spacy partial.spacy --recall 0.5
spacy cbl perturb dev.spacy partial_dev.spacy --recall 0.5
spacy cbl weigh partial.spacy weighted.spacy --scheme combined
"""


def make_files(folder, monkeypatch):
    """Make one of each."""
    # As many sentences as `spacy cbl threshold` takes for three folds
    cut_corpus(ROOT / "assets" / "news", folder / "assets" / "news", n_sents=300)
    monkeypatch.chdir(folder)
    for line in CORPORA.splitlines():
        run_line(line.replace("ROOT", str(ROOT)))
    columns = (folder / "assets" / "news" / "train.iob2").read_text("utf8")
    (folder / "train.conll").write_text(columns, "utf8")
    dated = columns.replace("-MISC", "-DATE").replace("-LOC", "-TIME")
    (folder / "train.txt").write_text(dated, "utf8")
    record = {"text": "Ada met Bob", "label": [[0, 3, "PER"]]}
    srsly.write_jsonl(folder / "export.jsonl", [record])
    (folder / "talen-annotation-bo").mkdir()
    row = "B-PER\t0\t0\tx\tx\tAda\tx\tx\t0\n"
    (folder / "talen-annotation-bo" / "1.txt").write_text(row, "utf8")
    write_vectors(folder / "glove")


def write_vectors(path):
    nlp = spacy.blank("en")
    for i, word in enumerate(("the", "in", "said")):
        nlp.vocab.set_vector(word, numpy.full(50, i + 1, dtype="f"))
    nlp.to_disk(path)


def lay_out(page, source, folder):
    """Prepare the folder in which the blocks of a page are run."""
    copyfile(ROOT / "project.yml", folder / "project.yml")
    copytree(ROOT / "configs", folder / "configs")
    copytree(source / "assets", folder / "assets")
    names = FILES.get(page, [])
    if "models/minilm" in names and find_spec("spacy_transformers"):
        (source / "minilm").mkdir()
        # Its pieces are letters, so texts are long.
        write_bert(source / "minilm", n_positions=1024)
    for name in names:
        target = folder / name
        target.parent.mkdir(exist_ok=True)
        made = source / target.name
        if made.is_dir():
            copytree(made, target)
        elif made.is_file():
            copyfile(made, target)
