"""`cbl_ner` on a transformer beside `spacy-partial-tagger`, on the same partial data
and with the same transformer.

Run as `python -m benchmarks.contextual --corpus FOLDER --transformer FOLDER`, with
partial.spacy (and train.spacy for gold) and test.spacy in the first folder. Each peer
runs in a process of its own and is measured from the raw corpus on: contextual vectors,
the rounds of CBL and the last epoch included. No gold is used, neither to stop nor to
choose an epoch. The result of a peer is written when it is there; run the command again
for those that are missing. `spacy-partial-tagger` needs an environment of its own, with
sequence-label==0.1.6: name its interpreter with --rival-python. `--quick` takes a few
documents, to see that everything runs.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

import srsly
from spacy.util import load_config
from wasabi import msg

from .corpora import describe_corpus
from .options import ROOT, make_folder
from .peers import RunsT, compare, describe_machine, render, report, run_peer

CONFIGS = ROOT / "configs"
SEED = 0
RIVAL = "spacy-partial-tagger"
PEERS = [
    RIVAL,
    "frozen",
    "frozen raw",
    "frozen gold",
    "fine-tuned",
    f"{RIVAL} gold",
]
RIVAL_PACKAGES = [RIVAL, "pytorch-partial-tagger", "spacy", "torch", "transformers"]
QUICK = 12  # documents
# The settings of the rival's own config, with a schedule for one epoch.
RIVAL_BATCH, RIVAL_RATE = 15, 1e-4


class Places:
    """Where a peer finds its data; all of it below one temporary folder."""

    def __init__(self, args: argparse.Namespace, work: Path) -> None:
        self.work = work
        self.transformer = str(args.transformer.resolve())
        self.vectors = None if args.vectors is None else str(args.vectors)
        self.quick = args.quick
        self.corpus = args.corpus

    def data(self, part: str) -> Path:
        """A part of the corpus; the start of it in a quick run."""
        from spacy.vocab import Vocab

        from spacy_cbl.data.docbin import read_docs, write_docs

        path = self.corpus / f"{part}.spacy"
        if not self.quick:
            return path
        docs = [doc for doc, _ in zip(read_docs(path, Vocab()), range(QUICK))]
        write_docs(self.work / path.name, docs)
        return self.work / path.name

    def settings(self, train: Path) -> Dict[str, Any]:
        """Overrides of a config."""
        settings: Dict[str, Any] = {
            "paths.train": str(train),
            "paths.transformer": self.transformer,
            "system.seed": SEED,
        }
        if self.vectors is not None:
            settings.update({"paths.vectors": self.vectors, "features.vectors": True})
        if self.quick:
            settings["training.max_epochs"] = 1
        return settings


def measure(peer: str, places: Places) -> Dict[str, Any]:
    """Train a peer, from the raw corpus on, and predict with it."""
    run: Dict[str, Callable[[Places], Dict[str, Any]]] = {
        RIVAL: lambda places: _rival(places, "partial"),
        f"{RIVAL} gold": lambda places: _rival(places, "train"),
        "frozen": _frozen,
        "frozen raw": lambda places: _frozen_plain(places, "partial"),
        "frozen gold": lambda places: _frozen_plain(places, "train"),
        "fine-tuned": _fine_tuned,
    }
    return run[peer](places)


def _frozen(places: Places) -> Dict[str, Any]:
    """CBL and the recognizer, in one command."""
    data = places.data("partial")
    settings = {**places.settings(data), "paths.context": str(places.work / "context")}
    trained = _train(CONFIGS / "cbl_train_frozen.cfg", settings, places)
    return _score(trained["folder"], places, data, trained["seconds"])


def _frozen_plain(places: Places, part: str) -> Dict[str, Any]:
    """The recognizer alone."""
    data = places.data(part)
    settings = {**places.settings(data), "paths.context": str(places.work / "context")}
    trained = _train(CONFIGS / "cbl_ner_frozen.cfg", settings, places)
    return _score(trained["folder"], places, data, trained["seconds"])


def _fine_tuned(places: Places) -> Dict[str, Any]:
    """CBL with frozen vectors, then fine-tuning on its weights."""
    from spacy.language import Language

    from spacy_cbl.models.fast_ops import use_fast_ops
    from spacy_cbl.training.setup import make_vocab, read_config, resolve_scheme
    from spacy_cbl.training.weigh import weigh

    use_fast_ops(Language)
    data, weighted = places.data("partial"), places.work / "weighted.spacy"
    path = CONFIGS / "cbl_train_frozen.cfg"
    overrides = {
        **places.settings(data),
        "paths.context": str(places.work / "context"),
    }
    start = time.perf_counter()
    config = read_config(path, overrides)
    scheme = resolve_scheme(config, path)
    weigh(data, weighted, scheme, vocab=make_vocab(config, None, "en"))
    weighed = time.perf_counter() - start
    settings = places.settings(weighted)
    trained = _train(CONFIGS / "cbl_ner_trf.cfg", settings, places)
    n_epochs = trained["config"]["training"]["max_epochs"]
    result = _score(trained["folder"], places, weighted, weighed + trained["seconds"])
    return {**result, "epoch_seconds": trained["seconds"] / n_epochs}


def _train(config: Path, settings: Dict[str, Any], places: Places) -> Dict[str, Any]:
    from spacy.cli.train import train

    start = time.perf_counter()
    train(config, places.work / "trained", overrides=settings)
    return {
        "seconds": time.perf_counter() - start,
        "folder": places.work / "trained" / "model-last",
        "config": load_config(config, overrides=settings),
    }


def _rival(places: Places, part: str) -> Dict[str, Any]:
    """One epoch of `spacy-partial-tagger`, sentence by sentence."""
    import spacy
    from spacy.training import Example
    from spacy.util import fix_random_seed, minibatch
    from thinc.api import Adam, slanted_triangular
    from tqdm import tqdm

    data = places.data(part)
    fix_random_seed(SEED)
    start = time.perf_counter()
    nlp = spacy.blank("en")
    model = {
        "@architectures": "spacy-partial-tagger.PartialTagger.v1",
        "transformer_model_name": places.transformer,
        "padding_index": -1,
    }
    nlp.add_pipe("partial_ner", config={"model": model})
    sentences = _read(nlp, data, by_sentence=True)
    examples = [Example(_bare(nlp, doc), doc) for doc in sentences]
    nlp.initialize(lambda: examples)
    batches = list(minibatch(_shuffled(examples), RIVAL_BATCH))
    rate = slanted_triangular(RIVAL_RATE, len(batches), cut_frac=0.1, ratio=16)
    sgd = Adam(rate, grad_clip=5.0, L2=0.0, use_averages=False)
    ready = time.perf_counter()
    for batch in tqdm(batches, disable=None):
        nlp.update(batch, sgd=sgd)
        sgd.step_schedules()
    trained = time.perf_counter()
    found, n_words, seconds = _predict(nlp, places.data("test"), by_sentence=True)
    return {
        **found,
        "train": sum(map(len, sentences)) / (trained - start),
        "predict": n_words / seconds,
        "seconds": trained - start,
        "epoch_seconds": trained - ready,
    }


def _score(folder: Path, places: Places, data: Path, seconds: float) -> Dict[str, Any]:
    import spacy

    from spacy_cbl.data.docbin import read_docs

    nlp = spacy.load(folder)
    n_train = sum(len(doc) for doc in read_docs(data, nlp.vocab))
    found, n_words, predicting = _predict(nlp, places.data("test"), by_sentence=False)
    return {
        **found,
        "train": n_train / seconds,
        "predict": n_words / predicting,
        "seconds": seconds,
    }


def _predict(nlp: Any, path: Path, by_sentence: bool) -> Any:
    """Scores, the number of words, and the seconds that prediction took. Everyone is
    told the sentences of the corpus, in the form it was trained with.
    """
    gold = _read(nlp, path, by_sentence)
    for _ in nlp.pipe([_bare(nlp, doc) for doc in gold[:4]]):
        pass  # loading is not prediction
    docs = [_bare(nlp, doc) for doc in gold]
    start = time.perf_counter()
    found = list(nlp.pipe(docs, batch_size=64 if by_sentence else 8))
    seconds = time.perf_counter() - start
    true = {(i, e.start, e.end, e.label_) for i, d in enumerate(gold) for e in d.ents}
    said = {(i, e.start, e.end, e.label_) for i, d in enumerate(found) for e in d.ents}
    right = len(true & said)
    scores = {
        "f1": 200 * right / max(len(true) + len(said), 1),
        "precision": 100 * right / max(len(said), 1),
        "recall": 100 * right / max(len(true), 1),
    }
    return scores, sum(map(len, docs)), seconds


def _read(nlp: Any, path: Path, by_sentence: bool) -> List[Any]:
    from spacy_cbl.data.docbin import read_docs
    from spacy_cbl.data.sentences import split_sentences

    docs = [doc for doc in read_docs(path, nlp.vocab) if len(doc)]
    return [s for doc in docs for s in split_sentences(doc)] if by_sentence else docs


def _bare(nlp: Any, doc: Any) -> Any:
    from spacy.tokens import Doc

    return Doc(
        nlp.vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        sent_starts=[bool(token.is_sent_start) for token in doc],
    )


def _shuffled(examples: List) -> List:
    import random

    examples = list(examples)
    random.Random(SEED).shuffle(examples)
    return examples


def run_all(args: argparse.Namespace) -> None:
    """Run the peers that have no result yet, and write what there is."""
    output = make_folder(args.output, args.quick) / "contextual"
    path = output.with_suffix(".json")
    runs: RunsT = {}
    if path.exists() and not args.again:
        earlier = srsly.read_json(path)
        # Ratios are of one machine, and of what else is told.
        if all(earlier[key] == value for key, value in tell(args).items()):
            runs = earlier["runs"]
    left_out: Dict[str, str] = {}
    for peer in args.peers or PEERS:
        if runs.get(peer):
            msg.info(f"'{peer}' has a result", path)
            write(output, runs, args, left_out)
            continue
        python = args.rival_python if peer.startswith(RIVAL) else None
        result = run_peer(
            "benchmarks.contextual",
            peer,
            _arguments(args),
            python=str(python or sys.executable),
            threads=args.threads,
        )
        if isinstance(result, str):
            msg.warn(f"'{peer}' did not run", result)
            left_out[peer] = result
        else:
            runs[peer] = [result]
        write(output, runs, args, left_out)


def write(
    output: Path, runs: RunsT, args: argparse.Namespace, left_out: Dict[str, str]
) -> None:
    """Write JSON and Markdown of the peers that have been run."""
    done = {peer: runs[peer] for peer in PEERS if runs.get(peer)}
    data = {
        **tell(args),
        "repeats": 1,
        "left_out": left_out,
        "runs": runs,
        **compare(done, [(peer, RIVAL) for peer in PEERS if peer != RIVAL]),
    }
    srsly.write_json(output.with_suffix(".json"), data)
    output.with_suffix(".md").write_text(render(data), encoding="utf8")
    msg.good("Wrote", f"{output}.json, {output}.md")


def tell(args: argparse.Namespace) -> Dict[str, Any]:
    """What results are of."""
    return {
        "title": "Recognizers on a transformer, words per second, "
        f"{args.threads} threads",
        "notes": make_notes(args),
        "machine": describe_machine(),
    }


def make_notes(args: argparse.Namespace) -> List[str]:
    """What else the peers differ in."""
    epochs = {
        name: load_config(CONFIGS / f"{config}.cfg")["training"]["max_epochs"]
        for name, config in (
            ("frozen", "cbl_train_frozen"),
            ("fine-tuned", "cbl_ner_trf"),
        )
    }
    told = ", ".join(f"{name} {n}" for name, n in epochs.items())
    has_vectors = "Ours have word vectors as well; " if args.vectors else ""
    return [
        f"Corpus: {describe_corpus(args.corpus)}; the start of it in a quick run.",
        f"Epochs: {RIVAL} 1, {told}. {has_vectors}nothing is chosen on gold.",
        f"{RIVAL} runs in an environment of its own: {_rival_versions(args)}.",
    ]


def _rival_versions(args: argparse.Namespace) -> str:
    code = (
        "from importlib.metadata import version; "
        f"print(', '.join(f'{{p}} {{version(p)}}' for p in {RIVAL_PACKAGES}))"
    )
    command = [str(args.rival_python or sys.executable), "-c", code]
    ran = subprocess.run(command, capture_output=True, text=True)
    return ran.stdout.strip() or "not installed"


def _arguments(args: argparse.Namespace) -> List[str]:
    arguments = ["--corpus", str(args.corpus), "--transformer", str(args.transformer)]
    if args.vectors is not None:
        arguments += ["--vectors", str(args.vectors)]
    return [*arguments, "--quick"] if args.quick else arguments


def main(argv: Optional[List[str]] = None) -> None:
    """Measure all peers and write JSON and Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--transformer", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, help="a pipeline with word vectors")
    parser.add_argument("--peers", nargs="+", choices=PEERS)
    parser.add_argument("--rival-python", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--again", action="store_true", help="run those that are done")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if not args.peer:
        run_all(args)
        return
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    with tempfile.TemporaryDirectory() as work:
        report(measure(args.peer, Places(args, Path(work))))


if __name__ == "__main__":
    main()
