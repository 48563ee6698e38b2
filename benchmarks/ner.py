"""Speed and memory of `cbl_ner` beside what one would use instead.

Run as `python -m benchmarks.ner [--corpus FOLDER]`. Every peer runs in a process of
its own, on one thread, on the same documents and batches; repeats are interleaved.
"""

import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

import typer

from . import options
from .peers import one_thread, report, run_peers

SEED = 0
WARM_UP = 3
PEERS = [
    "cbl_ner",
    "cbl_ner, BLIS",
    "spacy ner",
    "spacy ner, fast ops",
    "cbl_ner BiLSTM",
    "torch BiLSTM-CRF",
]
TOK2VEC = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "pretrained_vectors": None,
    "width": 96,
    "depth": 4,
    "embed_size": 2000,
    "window_size": 1,
    "maxout_pieces": 3,
    "subword_features": True,
}
BILSTM = {
    "@architectures": "spacy_cbl.SentenceTok2Vec.v1",
    "embed": {
        "@architectures": "spacy_cbl.CharCNNEmbed.v1",
        "word_width": 50,
        "word_rows": 20000,
        "char_width": 16,
        "char_rows": 1024,
        "char_filters": 128,
        "char_window": 1,
        "include_static_vectors": False,
        "trainable_vectors": False,
    },
    "encode": {
        "@architectures": "spacy_cbl.BiLSTMEncoder.v1",
        "width": 512,
        "depth": 2,
        "variational_dropout": False,
    },
}


def measure(peer: str, corpus: Path, n_batches: int) -> Dict[str, Any]:
    """Train a peer for some batches and predict with it."""
    if peer.startswith("torch"):
        return _measure_torch(corpus, n_batches)
    return _measure_spacy(peer, corpus, n_batches)


def _measure_spacy(peer: str, corpus: Path, n_batches: int) -> Dict[str, Any]:
    import spacy
    from spacy.util import fix_random_seed
    from thinc.api import NumpyOps, set_current_ops

    fast = peer in ("cbl_ner", "spacy ner, fast ops", "cbl_ner BiLSTM")
    set_current_ops(NumpyOps(use_blis=not fast))
    fix_random_seed(SEED)
    nlp = spacy.blank("en")
    is_bilstm = peer.endswith("BiLSTM")
    crf = {"@architectures": "spacy_cbl.MarginalCRF.v1"}
    if peer.startswith("spacy"):
        nlp.add_pipe("ner", config={"model": {"tok2vec": TOK2VEC}})
    else:
        tok2vec = BILSTM if is_bilstm else TOK2VEC
        nlp.add_pipe("cbl_ner", config={"model": {**crf, "tok2vec": tok2vec}})
    batches = _batches(nlp, corpus, n_batches, by_sentence=is_bilstm)
    examples = [eg for batch in batches for eg in batch]
    optimizer = nlp.initialize(lambda: examples)
    share = _time_loss(nlp) if "cbl_ner" in nlp.pipe_names else None
    drop = 0.5 if is_bilstm else 0.1
    train = _speed(batches, lambda batch: nlp.update(batch, sgd=optimizer, drop=drop))
    result = {"train": train["speed"]}
    if share is not None:
        result["loss_share"] = share[0] / train["all_seconds"]
    docs = [eg.predicted for eg in examples]
    n_tokens = sum(len(doc) for doc in docs)
    copies = [doc.copy() for doc in docs]
    start = time.perf_counter()
    for _ in nlp.pipe(copies, batch_size=256):
        pass
    result["predict"] = n_tokens / (time.perf_counter() - start)
    return result


def _time_loss(nlp: Any) -> List[float]:
    """Add up the seconds that the loss and its gradient take."""
    pipe = nlp.get_pipe("cbl_ner")
    plain, total = pipe.loss, [0.0]

    def timed(*args: Any) -> Any:
        start = time.perf_counter()
        result = plain(*args)
        total[0] += time.perf_counter() - start
        return result

    pipe.loss = timed
    return total


def _batches(nlp: Any, corpus: Path, n_batches: int, by_sentence: bool) -> List[List]:
    import random

    from spacy.training.batchers import minibatch_by_words
    from spacy.util import minibatch

    from spacy_cbl.training.reader import WeightedCorpus

    examples = list(WeightedCorpus(corpus, split_sents=by_sentence)(nlp))
    random.Random(SEED).shuffle(examples)
    if by_sentence:
        batches: Iterator = minibatch(examples, 32)
    else:
        batches = minibatch_by_words(examples, size=1000)
    return [batch for batch, _ in zip(batches, range(n_batches))]


def _speed(batches: List[List], update: Callable[[List], Any]) -> Dict[str, float]:
    begin = time.perf_counter()
    for batch in batches[:WARM_UP]:
        update(batch)
    start = time.perf_counter()
    for batch in batches[WARM_UP:]:
        update(batch)
    end = time.perf_counter()
    n_tokens = sum(len(eg.predicted) for batch in batches[WARM_UP:] for eg in batch)
    return {"speed": n_tokens / (end - start), "all_seconds": end - begin}


def _measure_torch(corpus: Path, n_batches: int) -> Dict[str, Any]:
    import spacy

    from .torch_bilstm_crf import TorchTagger

    one_thread()
    nlp = spacy.blank("en")
    batches = _batches(nlp, corpus, n_batches, by_sentence=True)
    tagger = TorchTagger([eg for batch in batches for eg in batch], seed=SEED)
    train = _speed(batches, tagger.update)
    n_tokens = sum(len(eg.predicted) for batch in batches for eg in batch)
    start = time.perf_counter()
    for batch in batches:
        tagger.predict(batch)
    return {
        "train": train["speed"],
        "predict": n_tokens / (time.perf_counter() - start),
    }


def main(
    corpus: options.Corpus = None,
    batches: int = typer.Option(0, help="Batches to train on; 60, or 10 if --quick"),
    repeats: options.Repeats = None,
    quick: options.Quick = False,
    output: options.Output = None,
    peer: options.Peer = None,
) -> None:
    """Measure all peers and write JSON and Markdown."""
    if peer is not None and corpus is not None:
        report(measure(peer, corpus / "train.spacy", batches))
        return
    from .corpora import describe_corpus, open_corpus

    batches = batches or (10 if quick else 60)
    with open_corpus(corpus, n_tokens=1500 * batches) as folder:
        run_peers(
            "benchmarks.ner",
            PEERS,
            ["--corpus", str(folder), "--batches", str(batches)],
            repeats or (2 if quick else 3),
            options.make_folder(output, quick) / "ner",
            title="NER: tokens per second on one thread",
            baselines=[
                ("cbl_ner", "spacy ner"),
                ("cbl_ner", "spacy ner, fast ops"),
                ("cbl_ner, BLIS", "spacy ner"),
                ("spacy ner, fast ops", "spacy ner"),
                ("cbl_ner BiLSTM", "torch BiLSTM-CRF"),
            ],
            notes=[
                f"Corpus: {describe_corpus(folder)}.",
                "`spacy ner` and `cbl_ner, BLIS` multiply matrices as thinc does by "
                "itself; `spacy ner, fast ops` and other rows of `cbl_ner` by numpy. "
                "`spacy_cbl.fast_ops.v1` chooses that in our configs, and may do so in "
                "any spaCy pipeline.",
            ],
        )


if __name__ == "__main__":
    typer.run(main)
