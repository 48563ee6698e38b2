"""A small weighted corpus with missed entities, and its gold."""

from spacy.tokens import Doc, Span

from spacy_cbl.data.docbin import write_docs

EVIL = "<script>alert(1)</script>"
# Words, given tags, gold tags, weights; a bar ends a sentence.
DOCS = [
    (
        "Ada met Bob Smith . | Bob Smith left .",
        "B-PER O O O O | B-PER I-PER O O",
        "B-PER O B-PER I-PER O | B-PER I-PER O O",
        "1 1 0 0.2 1 | 1 1 1 1",
    ),
    (
        f"Rain fell on Paris | Monday {EVIL} <!-- 😀 Lima .",
        "O O O O | O O O O O O",
        "O O O B-LOC | O B-MISC O O B-LOC O",
        "1 0.9 1 0 | 0 0.1 1 1 0.4 1",
    ),
    ("Nobody came .", "O O O", "O O O", "1 1 1"),
    ("Bob Smith slept .", "O O O O", "B-PER I-PER O O", "0.1 0.1 1 1"),
]


def make_weighted(vocab):
    """The documents with the given tags and weights."""
    docs = []
    for words, tags, _, weights in DOCS:
        doc = make_doc(vocab, words, tags)
        doc._.cbl_weights = [float(w) for w in weights.split() if w != "|"]
        docs.append(doc)
    return docs


def make_doc(vocab, words, tags):
    starts, tokens = [], []
    for sentence in words.split(" | "):
        starts += [i == 0 for i in range(len(sentence.split()))]
        tokens += sentence.split()
    ents = [tag for tag in tags.split() if tag != "|"]
    doc = Doc(vocab, words=tokens, ents=ents, sent_starts=starts)
    doc.spans["other"] = [Span(doc, 0, 1, label="X")]
    return doc


def write_corpora(folder, vocab):
    """Write weighted.spacy, partial.spacy and gold.spacy."""
    write_docs(folder / "weighted.spacy", make_weighted(vocab))
    for name, column in (("partial", 1), ("gold", 2)):
        docs = [make_doc(vocab, row[0], row[column]) for row in DOCS]
        write_docs(folder / f"{name}.spacy", docs)
    return folder
