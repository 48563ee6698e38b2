"""A toy language in which names are capitalised, and half of them never labelled."""

import random

from spacy.tokens import Doc

from spacy_cbl.training.default_learner import make_default_learner

NAMES = ["Ada", "Bob", "Eve", "Ivo", "Una", "Max", "Lea", "Tom"]
LABELLED = NAMES[:4]
VERBS = ["sees", "helps", "hears", "knows"]
FILLERS = ["today", "again", "now", "often", "there", "slowly"]


def make_docs(vocab, labelled_names, n_docs=30, seed=0):
    """Documents of four sentences such as 'Ada sees Bob today .'"""
    rng = random.Random(seed)
    docs = []
    for _ in range(n_docs):
        words, tags, starts = [], [], []
        for _ in range(4):
            pair = rng.sample(NAMES, 2)
            sentence = [pair[0], rng.choice(VERBS), pair[1], rng.choice(FILLERS), "."]
            words += sentence
            tags += ["B-PER" if w in labelled_names else "O" for w in sentence]
            starts += [True, False, False, False, False]
        docs.append(Doc(vocab, words=words, ents=tags, sent_starts=starts))
    return docs


def quick_learner(vocab):
    """The default model, hurried: the toy language is easy."""
    return make_default_learner(vocab, epochs=1, learn_rate=0.02, min_updates=12)
