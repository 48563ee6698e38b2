"""How time and memory grow with tokens, over two orders of magnitude.

Run as `python -m benchmarks.scaling [--corpus FOLDER]`. Each point is measured in a
process of its own, on one thread; repeats are interleaved, and a point that takes more
than a minute runs once. The corpus is repeated to the size of the point, with new word
forms. Writes scaling.json, scaling.md and the plots in it.
"""

import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

import srsly
import typer
from tqdm import tqdm

from . import options
from .corpora import PARTIAL, open_corpus, write_resized
from .exponent import fit_exponent, fit_slope
from .peers import describe, describe_machine
from .processes import in_fresh_process, peak_mib, timed

CONFIG = options.ROOT / "configs" / "cbl_ner_cnn.cfg"
MINUTE = 60.0
REACH = [1, 3, 10, 30, 100]  # the sizes of a curve, times the smallest
QUICK_REACH = [1, 10]
# Files of plots: what each shows
PLOTS = {
    "scaling_seconds.svg": ("seconds", "Seconds"),
    "scaling_memory.svg": ("peak_mib", "Peak memory, MiB"),
}


class Curve(NamedTuple):
    """What is measured, from which size on, and what to say of it."""

    measure: Callable[[Path, int], Dict[str, float]]
    smallest: int
    data: Optional[str]  # the file it is given; None if it makes its own data
    text: str


def measure_weigh(path: Path, n_tokens: int) -> Dict[str, float]:
    """Weigh a file by frequency and window."""
    from spacy_cbl.training.schemes import get_scheme
    from spacy_cbl.training.weigh import weigh

    start = time.perf_counter()
    weigh(path, path.with_name("weighted.spacy"), get_scheme("combined"))
    return {"seconds": time.perf_counter() - start, "peak_mib": peak_mib()}


def measure_inference(path: Path, n_tokens: int) -> Dict[str, float]:
    """Solve the integer program of the paper."""
    from spacy_cbl.inference import infer

    from .inference import base_constraints, make_base_data

    infer(*make_base_data(1000), base_constraints())  # libraries are loaded
    data = make_base_data(n_tokens)
    seconds = timed(lambda: infer(*data, base_constraints()))
    return {"seconds": seconds, "peak_mib": peak_mib()}


def measure_cbl(path: Path, n_tokens: int) -> Dict[str, float]:
    """Weigh a file by CBL, small data as often as large."""
    from spacy.language import Language

    from spacy_cbl.models.fast_ops import use_fast_ops
    from spacy_cbl.training.cbl_scheme import make_cbl
    from spacy_cbl.training.default_learner import (
        make_default_learner,
        make_default_refiner,
    )
    from spacy_cbl.training.setup import make_vocab
    from spacy_cbl.training.weigh import weigh

    use_fast_ops(Language)
    start = time.perf_counter()
    vocab = make_vocab(None, None, "en")
    scheme = make_cbl(
        learner=make_default_learner(vocab, min_updates=0),
        refiner=make_default_refiner(vocab, min_updates=0),
    )
    with tempfile.TemporaryDirectory() as folder:
        # Rounds are kept beside the corpus: on a copy, none are there yet.
        copy = Path(folder) / path.name
        copy.write_bytes(path.read_bytes())
        weigh(copy, copy.with_name("weighted.spacy"), scheme, vocab=vocab)
    return {"seconds": time.perf_counter() - start, "peak_mib": peak_mib()}


def measure_training(path: Path, n_tokens: int) -> Dict[str, float]:
    """Train a recognizer for one epoch."""
    from contextlib import redirect_stdout
    from io import StringIO

    from spacy.cli.train import train

    settings = {
        "paths.train": str(path),
        "training.max_epochs": 1,
        "training.patience": 0,
    }
    start = time.perf_counter()
    with redirect_stdout(StringIO()):
        train(CONFIG, None, overrides=settings)
    return {"seconds": time.perf_counter() - start, "peak_mib": peak_mib()}


CURVES = {
    "weigh": Curve(
        measure_weigh,
        100_000,
        "train.spacy",
        "`spacy cbl weigh --scheme combined`: a file is read, weighed and written",
    ),
    "inference": Curve(
        measure_inference,
        100_000,
        None,
        "the integer program of the paper, on synthetic scores",
    ),
    "cbl": Curve(
        measure_cbl,
        3000,
        "partial.spacy",
        "`spacy cbl weigh --scheme cbl`: one round and the refining model, with "
        "a fixed number of epochs (`min_updates=0`)",
    ),
    "training": Curve(
        measure_training,
        3000,
        "partial.spacy",
        f"one epoch of {CONFIG.name}, initialization included",
    ),
}


def main(
    corpus: options.Corpus = None,
    only: Optional[List[str]] = typer.Option(None, help=f"Of {', '.join(CURVES)}"),
    repeats: options.Repeats = None,
    quick: options.Quick = False,
    output: options.Output = None,
) -> None:
    """Measure the curves and write JSON, Markdown and plots."""
    reach = QUICK_REACH if quick else REACH
    repeats = repeats or (1 if quick else 3)
    curves = {}
    with open_corpus(corpus) as folder:
        for name in only or CURVES:
            curves[name] = measure_curve(name, folder / "train.spacy", reach, repeats)
    data = {"machine": describe_machine(), "repeats": repeats, "curves": curves}
    target = options.make_folder(output, quick)
    srsly.write_json(target / "scaling.json", data)
    (target / "scaling.md").write_text(render(data), encoding="utf8")
    for file, picture in draw(data).items():
        (target / file).write_text(picture, encoding="utf8")


def measure_curve(
    name: str, source: Path, reach: Sequence[int], repeats: int
) -> Dict[str, Any]:
    """Measure all points of a curve, several times, in turn."""
    curve = CURVES[name]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        sizes = [curve.smallest * times for times in reach]
        if curve.data is not None:
            sizes = [in_fresh_process(make_data, source, work, n) for n in sizes]
        runs: Dict[int, List[Dict[str, float]]] = {n: [] for n in sizes}
        todo = [(i, n) for _ in range(repeats) for i, n in enumerate(sizes)]
        for i, n in tqdm(todo, desc=name, disable=None):
            if runs[n] and runs[n][0]["seconds"] > MINUTE:
                continue
            path = work / str(curve.smallest * reach[i]) / (curve.data or "")
            runs[n].append(in_fresh_process(curve.measure, path, n))
    points = [
        {
            "tokens": n,
            "seconds": median(run["seconds"] for run in runs[n]),
            "peak_mib": median(run["peak_mib"] for run in runs[n]),
            "runs": runs[n],
        }
        for n in sizes
    ]
    return {"points": points, **fit(points)}


def make_data(source: Path, work: Path, n_tokens: int) -> int:
    """Write train.spacy and partial.spacy of some size; return the size reached."""
    from spacy_cbl.data.perturb import perturb

    folder = work / str(n_tokens)
    n_done = write_resized(source, folder / "train.spacy", n_tokens)
    if n_tokens <= CURVES["cbl"].smallest * max(REACH):
        perturb(folder / "train.spacy", folder / "partial.spacy", PARTIAL, seed=0)
    return n_done


def fit(points: Sequence[Dict[str, Any]]) -> Dict[str, float]:
    """How points grow. What a run costs in any case flattens the lower end, so the
    exponent of the upper end, from a tenth of the largest size on, is told as well.

    points (Sequence[Dict[str, Any]]): With tokens, seconds and peak_mib, by size.
    RETURNS (Dict[str, float]): Two exponents of seconds, and bytes per token.
    """
    sizes = [point["tokens"] for point in points]
    seconds = [point["seconds"] for point in points]
    memory = [point["peak_mib"] * 2**20 for point in points]
    n_upper = max(2, sum(10.5 * size >= sizes[-1] for size in sizes))
    return {
        "exponent": fit_exponent(sizes, seconds),
        "upper_exponent": fit_exponent(sizes[-n_upper:], seconds[-n_upper:]),
        "bytes_per_token": fit_slope(sizes, memory),
    }


def render(data: Dict[str, Any]) -> str:
    """A Markdown table of points for each curve, with its exponents."""
    often = "once each"
    if data["repeats"] > 1:
        often = f"medians of {data['repeats']} runs, once if it took over a minute"
    lines = [
        "# Scaling: tokens, seconds, memory",
        "",
        "Written by `python -m benchmarks.scaling`; the figures are those of "
        "scaling.json. Each point is measured in a "
        f"process of its own, on one thread: {often}. Exponents are fitted by least "
        "squares of logarithms: to all points, and to those from a tenth of the "
        "largest size on. Memory is the peak of the process, its growth the slope of a "
        f"straight line through the points. {describe(data['machine'])}.",
        "",
        *(f"![{unit}, by tokens]({file})" for file, (_, unit) in PLOTS.items()),
    ]
    for name, curve in data["curves"].items():
        lines += ["", f"## {name}", "", f"{_capital(CURVES[name].text)}.", ""]
        lines += ["| tokens | seconds | peak MiB |", "|--:|--:|--:|"]
        for point in curve["points"]:
            lines.append(
                f"| {point['tokens']:,} | {point['seconds']:.4g} "
                f"| {point['peak_mib']:,.0f} |"
            )
        lines += [
            "",
            f"Seconds grow as n^{curve['exponent']:.2f}, at the upper end as "
            f"n^{curve['upper_exponent']:.2f}; memory by "
            f"{curve['bytes_per_token']:,.0f} bytes per token.",
        ]
    return "\n".join(lines) + "\n"


def draw(data: Dict[str, Any]) -> Dict[str, str]:
    """The plots of all curves, by the names of their files."""
    from spacy_cbl.report import plots
    from spacy_cbl.report.picture import make_picture

    pictures = {}
    for file, (key, unit) in PLOTS.items():
        curves, names = [], []
        for name, curve in data["curves"].items():
            points = [(point["tokens"], point[key]) for point in curve["points"]]
            curves.append(plots.Curve(name, points))
            names.append(
                f"{name}: n^{curve['exponent']:.2f}" if key == "seconds" else name
            )
        caption = f"{unit}, by tokens"
        plot = plots.log_plot(curves, "tokens", caption)
        pictures[file] = make_picture(caption, names, plot)
    return pictures


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


if __name__ == "__main__":
    typer.run(main)
