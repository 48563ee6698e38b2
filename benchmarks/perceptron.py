"""Speed and memory of `cbl_perceptron` beside crfsuite's averaged perceptron, on the
same features of words, and beside spaCy's `ner` for prediction.

Run as `python -m benchmarks.perceptron [--corpus FOLDER]`. Every peer runs in a process
of its own, on one thread, and repeats are interleaved. Training is tokens times rounds
per second, features included.
"""

import tempfile
import time
from pathlib import Path
from typing import Any, Dict, List, NamedTuple

import typer

from . import options
from .peers import report, run_peers

N_TOKENS, QUICK_TOKENS = 200_000, 30_000
SEED = 0
PEERS = ["cbl_perceptron", "crfsuite ap", "spacy ner"]
SETTINGS: Dict[str, Any] = {"history_cased": False, "second_pass": True}
PAIRS = [(-1, 0), (0, 1), (-1, 1)]
PREFIXES, SUFFIXES, PATHS = (3, 4), (1, 2, 3, 4), (4, 6, 10, 20)


class Word(NamedTuple):
    """Features of a form for crfsuite, by how far around the token they are used."""

    far: List[str]
    near: List[str]
    here: List[str]
    lower: str
    paths: List[str]  # prefixes of its Brown path, for pairs


def measure(peer: str, corpus: Path, rounds: int, clusters: str) -> Dict[str, Any]:
    """Train a peer and predict with it."""
    from spacy_cbl.data.docbin import read_docs
    from spacy_cbl.training.setup import make_vocab

    vocab = make_vocab(None, None, "en", clusters or None)
    train, test = (
        [doc for doc in read_docs(corpus / f"{part}.spacy", vocab) if len(doc)]
        for part in ("train", "test")
    )
    run = {"cbl_perceptron": _ours, "crfsuite ap": _crfsuite, "spacy ner": _spacy_ner}
    return run[peer](train, test, rounds, bool(clusters))


def _ours(train: List, test: List, rounds: int, clusters: bool) -> Dict[str, Any]:
    import numpy
    from spacy.util import fix_random_seed

    from spacy_cbl.core.tags import TagSet
    from spacy_cbl.models import form_features
    from spacy_cbl.models.averaged_perceptron import (
        build_averaged_perceptron_v1,
        get_tagger,
    )
    from spacy_cbl.pipeline.targets import read_tags

    fix_random_seed(SEED)
    features = {
        "forms": form_features.make_forms(),
        "lower_forms": form_features.make_lower_forms(),
        "form_pairs": form_features.make_form_pairs(),
        "capitalization": form_features.make_capitalization(),
        "word_type": form_features.make_word_type(),
        "affixes": form_features.make_affixes(PREFIXES, SUFFIXES),
        "brown": form_features.make_brown_paths(PATHS if clusters else (), window=2),
        "brown_pairs": form_features.make_brown_pairs(PATHS if clusters else ()),
    }
    tags = TagSet(_labels(train), "biluo")
    tagger = get_tagger(build_averaged_perceptron_v1(features, **SETTINGS))
    start = time.perf_counter()
    tagger.start(tags.legal, tags.types)
    gold = numpy.concatenate([read_tags(doc, tags, "") for doc in train])
    tagger.fit(train, gold, numpy.ones(len(gold)), rounds)
    trained = time.perf_counter()
    found = tags.decode(tagger.predict(test).tags)
    seconds = time.perf_counter() - trained
    spans = {(s, e, tags.labels[k]) for s, e, k in zip(*(a.tolist() for a in found))}
    return _result(train, test, rounds, trained - start, seconds, spans)


def _crfsuite(train: List, test: List, rounds: int, clusters: bool) -> Dict[str, Any]:
    import pycrfsuite

    from spacy_cbl.core.tags import TagSet
    from spacy_cbl.pipeline.targets import read_tags

    tags = TagSet(_labels(train), "biluo")
    names = tags.names
    describe = _make_describe(clusters)
    start = time.perf_counter()
    trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False)
    trainer.set_params({"max_iterations": rounds, "epsilon": 0.0})
    for doc in train:
        doc_tags = read_tags(doc, tags, "").tolist()
        for first, features in _sentences(doc, describe):
            labels = [names[t] for t in doc_tags[first : first + len(features)]]
            trainer.append(features, labels)
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "model")
        trainer.train(model)
        trained = time.perf_counter()
        tagger = pycrfsuite.Tagger()
        tagger.open(model)
        found: List[str] = []
        for doc in test:
            for _, features in _sentences(doc, describe):
                found.extend(tagger.tag(features))
        seconds = time.perf_counter() - trained
    return _result(train, test, rounds, trained - start, seconds, _spans(found))


def _spacy_ner(train: List, test: List, rounds: int, clusters: bool) -> Dict[str, Any]:
    """Prediction alone: that of a model that was hardly trained is as fast."""
    import spacy
    from spacy.tokens import Doc
    from spacy.training import Example

    nlp = spacy.blank("en")
    nlp.add_pipe("ner")
    docs = [Doc(nlp.vocab, words=[t.text for t in doc]) for doc in train[:20]]
    examples = [
        Example(bare, Doc(nlp.vocab).from_bytes(doc.to_bytes()))
        for bare, doc in zip(docs, train)
    ]
    optimizer = nlp.initialize(lambda: examples)
    nlp.update(examples, sgd=optimizer)
    copies = [Doc(nlp.vocab, words=[t.text for t in doc]) for doc in test]
    start = time.perf_counter()
    for _ in nlp.pipe(copies, batch_size=256):
        pass
    seconds = time.perf_counter() - start
    return {"predict": sum(map(len, test)) / seconds}


def _result(
    train: List, test: List, rounds: int, trained: float, seconds: float, spans: set
) -> Dict[str, Any]:
    gold, offset = set(), 0
    for doc in test:
        gold |= {(e.start + offset, e.end + offset, e.label_) for e in doc.ents}
        offset += len(doc)
    n_tokens = sum(map(len, train))
    return {
        "train": n_tokens * rounds / trained,
        "train_seconds": trained,
        "predict": sum(map(len, test)) / seconds,
        "f1": 100 * 2 * len(spans & gold) / (len(spans) + len(gold)),
    }


def _labels(docs: List) -> List[str]:
    return sorted({ent.label_ for doc in docs for ent in doc.ents})


def _make_describe(clusters: bool) -> Any:
    """Give each form its features as strings, once."""
    from spacy_cbl.data.clusters import CLUSTER_TABLE
    from spacy_cbl.models.form_features import normalize_digits

    cache: Dict[int, Word] = {}

    def describe(token: Any) -> Word:
        if token.orth in cache:
            return cache[token.orth]
        text = token.text
        far = [f"w={text}", f"n={normalize_digits(text)}"]
        near = [f"c={text[:1].isupper()}", f"u={text.isupper()}"]
        near += [f"d={text.isdigit()}", f"a={any(map(str.isalpha, text))}"]
        near += [f"l={text.lower()}"]
        paths = []
        if clusters:
            table = token.vocab.lookups.get_table(CLUSTER_TABLE)
            path = table.get(token.orth) or table.get(token.lower) or 0
            paths = [f"b{k}={path & ((1 << k) - 1)}" for k in PATHS if path]
            near += paths
        here = [f"p{n}={text[:n]}" for n in PREFIXES if len(text) > n]
        here += [f"s{n}={text[-n:]}" for n in SUFFIXES if len(text) > n]
        cache[token.orth] = Word(far, near, here, text.lower(), paths)
        return cache[token.orth]

    return describe


def _sentences(doc: Any, describe: Any) -> Any:
    for sent in doc.sents:
        words = [describe(token) for token in sent]
        yield sent.start, [_around(words, i) for i in range(len(words))]


def _around(words: List, i: int) -> List[str]:
    found = list(words[i].here)
    for offset in range(max(-3, -i), min(4, len(words) - i)):
        found += [f"{offset}{feature}" for feature in words[i + offset].far]
        if -2 <= offset <= 2:
            found += [f"{offset}{feature}" for feature in words[i + offset].near]
    for first, second in PAIRS:
        if i + first >= 0 and i + second < len(words):
            one, two = words[i + first], words[i + second]
            place = f"{first},{second}"
            found.append(f"{place}={one.lower}|{two.lower}")
            if (first, second) != PAIRS[-1]:  # as `make_brown_pairs` has it
                found += [f"{place}{a}|{b}" for a, b in zip(one.paths, two.paths)]
    return found


def _spans(names: List[str]) -> set:
    """Entities of BILUO tags; what is not well-formed is no entity."""
    spans, start = set(), None
    for i, name in enumerate(names):
        prefix, _, label = name.partition("-")
        if prefix == "U":
            spans.add((i, i + 1, label))
        if prefix == "L" and start is not None and start[1] == label:
            spans.add((start[0], i + 1, label))
        if prefix == "B":
            start = (i, label)
        elif prefix != "I":
            start = None
    return spans


def main(
    corpus: options.Corpus = None,
    rounds: int = typer.Option(0, help="Rounds of training; 30, or 5 if --quick"),
    clusters: str = typer.Option("", help="Brown clusters: a file, or en, de, es"),
    repeats: options.Repeats = None,
    quick: options.Quick = False,
    output: options.Output = None,
    peer: options.Peer = None,
) -> None:
    """Measure all peers and write JSON and Markdown."""
    if peer is not None and corpus is not None:
        report(measure(peer, corpus, rounds, clusters))
        return
    from .corpora import describe_corpus, open_corpus

    rounds = rounds or (5 if quick else 30)
    with open_corpus(corpus, QUICK_TOKENS if quick else N_TOKENS) as folder:
        arguments = ["--corpus", str(folder), "--rounds", str(rounds)]
        run_peers(
            "benchmarks.perceptron",
            PEERS,
            [*arguments, "--clusters", clusters],
            repeats or (2 if quick else 3),
            options.make_folder(output, quick) / "perceptron",
            title=f"Perceptrons: tokens per second on one thread, {rounds} rounds",
            baselines=[
                ("cbl_perceptron", "crfsuite ap"),
                ("cbl_perceptron", "spacy ner"),
            ],
            notes=[
                f"Corpus: {describe_corpus(folder)}. "
                f"Brown clusters: {clusters or 'none'}.",
                "Training of `spacy ner` is not measured here.",
            ],
        )


if __name__ == "__main__":
    typer.run(main)
