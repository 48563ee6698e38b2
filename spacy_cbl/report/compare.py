"""Compare results: read them, make tables, write files."""

from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Sequence

from ..data.files import read_format, replace_files
from .counts import Counts, read_counts
from .histogram import WeightHistogram, read_histogram
from .markdown import DEFAULT_TITLE, update_markdown
from .page import make_page
from .paper_tables import make_paper_tables
from .results import Result, add_histories, read_history, read_results
from .summary import summarize
from .tables import Table, make_tables
from .weighting_tables import make_weighting_tables

FORMATS = ("md", "html")


class Comparison(NamedTuple):
    """Results, and what is to be shown of them."""

    results: List[Result]
    tables: List[Table]
    histograms: List[WeightHistogram]
    counts: List[Counts]


def compare(
    paths: Sequence[Path], weighted: Sequence[Path] = (), gold: Optional[Path] = None
) -> Comparison:
    """Read results and compare them.

    paths (Sequence[Path]): Files of results, or folders of them; in folders, figures of
        `spacy cbl stats` too.
    weighted (Sequence[Path]): Weighted corpora, each named for its method.
    gold (Optional[Path]): The same documents, completely annotated.
    RETURNS (Comparison): The results, their tables, and histograms of weights.
    """
    results = add_histories(read_results(paths), weighted)
    histograms = [read_histogram(path, gold) for path in weighted] if gold else []
    counts = read_counts(paths)
    histories = {path.stem: read_history(path) for path in weighted}
    tables = make_tables(results) + make_paper_tables(summarize(results), counts)
    tables += make_weighting_tables(histories, histograms)
    return Comparison(results, tables, histograms, counts)


def choose_files(output: Path) -> List[Path]:
    """Where to write a comparison.

    output (Path): A file that ends in .md or .html, or a folder for both.
    RETURNS (List[Path]): The files.
    """
    if read_format(output, FORMATS) is not None:
        return [output]
    return [output / f"compare.{name}" for name in FORMATS]


def write_comparison(
    comparison: Comparison, paths: Sequence[Path], title: Optional[str] = None
) -> None:
    """Write a comparison. All files are written or none.

    comparison (Comparison): What to write.
    paths (Sequence[Path]): The files, as `choose_files` gave them.
    title (Optional[str]): What is compared.
    """
    texts: Dict[Path, str] = {}
    for path in paths:
        if path.suffix == ".md":
            texts[path] = update_markdown(path, comparison.tables, title)
        else:
            texts[path] = make_page(*comparison, title or DEFAULT_TITLE)
    with replace_files(*texts) as unfinished:
        for path, text in zip(unfinished, texts.values()):
            path.write_text(text, encoding="utf-8", newline="\n")
