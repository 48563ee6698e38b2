"""A few made-up documents, with everything that a step must leave as it is."""

from spacy.tokens import Doc, Span

SENTENCES = [
    [("Ann", "PER"), ("met", ""), ("Bob Hill", "PER"), ("in", ""), ("Arlo", "LOC")],
    [("They", ""), ("sailed", ""), ("past", ""), ("Arlo", "LOC"), ("again", "")],
    [("Nobody", ""), ("saw", ""), ("the", ""), ("old", ""), ("boat", ""), (".", "")],
    [("The", ""), ("Harbour Fund", "ORG"), ("paid", ""), ("for", ""), ("it", "")],
    [("Later", ""), ("Ann", "PER"), ("left", ""), ("Port Nim", "LOC"), ("too", "")],
]


def make_doc(vocab, sentences=SENTENCES, name="notes"):
    """Build a document from sentences of (text, label) pieces, label "" for none."""
    words, starts, ents = [], [], []
    for sentence in sentences:
        for i, (text, label) in enumerate(sentence):
            first = len(words)
            words.extend(text.split())
            starts.extend(i == 0 and k == 0 for k in range(len(words) - first))
            if label:
                ents.append((first, len(words), label))
    doc = Doc(vocab, words=words, sent_starts=starts)
    doc.set_ents([Span(doc, *ent) for ent in ents])
    doc.user_data["name"] = name
    doc.spans["other"] = [Span(doc, 0, 2, label="X")]
    doc.cats["short"] = 1.0
    return doc


def make_docs(vocab, n=4):
    """Build documents that differ in their number of sentences."""
    return [
        make_doc(vocab, SENTENCES[: 1 + i % len(SENTENCES)], name=f"notes {i}")
        for i in range(n)
    ]


def describe(doc):
    """What must not change when entities or weights do."""
    return {
        "words": [token.text for token in doc],
        "spaces": [token.whitespace_ for token in doc],
        "sent_starts": [token.is_sent_start for token in doc],
        "name": doc.user_data["name"],
        "other": [(s.start, s.end, s.label_) for s in doc.spans["other"]],
        "cats": doc.cats,
        "unknown spaces": doc.has_unknown_spaces,
    }


def entities(doc):
    return [(ent.start, ent.end, ent.label_) for ent in doc.ents]
