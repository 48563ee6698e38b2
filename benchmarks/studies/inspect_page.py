"""Size and speed of the page of `spacy cbl inspect` on a large corpus.

    python -m benchmarks.studies.inspect_page corpus/weighted.spacy

Repeats a weighted corpus up to so many sentences. With selenium and chromium, a browser
opens the page as well. Writes inspect.json and inspect.md to
benchmarks/results.
"""

import resource
import tempfile
import time
from pathlib import Path
from shutil import which
from typing import Any, Dict, List

import spacy
import srsly
import typer

from spacy_cbl.data.arrays import read_doc_arrays
from spacy_cbl.data.docbin import read_docs, write_docs
from spacy_cbl.report.inspection import inspect

RESULTS = Path(__file__).parents[1] / "results"
FLAGS = "--headless=new --no-sandbox --disable-gpu"


def main(weighted: Path, n_sents: int = 100_000) -> None:
    """Measure and write the table."""
    with tempfile.TemporaryDirectory() as folder:
        path, page = Path(folder) / "large.spacy", Path(folder) / "inspect.html"
        figures: Dict[str, Any] = repeat(weighted, path, n_sents)
        start = time.process_time()
        found = inspect(path)
        figures["seconds to inspect"] = round(time.process_time() - start, 1)
        start = time.process_time()
        page.write_text(found.to_html(), encoding="utf8")
        figures["seconds to write the page"] = round(time.process_time() - start, 1)
        figures["suspects"] = len(found.suspects)
        figures["page MB"] = round(page.stat().st_size / 1e6, 1)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        figures["peak MiB"] = round(peak / 1024)
        if which("chromium") and which("chromedriver"):
            figures.update(browse(page))
    RESULTS.mkdir(exist_ok=True)
    srsly.write_json(RESULTS / "inspect.json", figures)
    (RESULTS / "inspect.md").write_text(render(figures), encoding="utf8")


def repeat(source: Path, path: Path, n_sents: int) -> Dict[str, int]:
    """Write a corpus again and again until it is large enough."""
    docs = list(read_docs(source, spacy.blank("xx").vocab))
    sizes = [int(read_doc_arrays(doc).sent_starts.sum()) for doc in docs]
    chosen: List[Any] = []
    n_done = n_tokens = 0
    while n_done < n_sents:
        doc = docs[len(chosen) % len(docs)]
        n_done += sizes[len(chosen) % len(docs)]
        n_tokens += len(doc)
        chosen.append(doc)
    write_docs(path, chosen)
    return {"sentences": n_done, "tokens": n_tokens, "documents": len(chosen)}


def browse(page: Path) -> Dict[str, Any]:
    """How long a browser needs, and how much it renders."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = which("chromium")
    for flag in FLAGS.split():
        options.add_argument(flag)
    service = webdriver.ChromeService(which("chromedriver"))
    browser = webdriver.Chrome(options=options, service=service)
    try:
        start = time.perf_counter()
        browser.get(page.as_uri())
        opened = time.perf_counter() - start
        start = time.perf_counter()
        browser.find_element("id", "context").send_keys("a")
        searched = time.perf_counter() - start
        n_nodes = browser.execute_script("return document.querySelectorAll('*').length")
    finally:
        browser.quit()
    return {
        "seconds to open": round(opened, 2),
        "seconds to search all sentences": round(searched, 2),
        "elements rendered": n_nodes,
    }


def render(figures: Dict[str, Any]) -> str:
    """The figures as a table."""
    lines = [
        "# The page of `spacy cbl inspect`",
        "",
        "Written by `python -m benchmarks.studies.inspect_page`; the figures are those "
        "of inspect.json. The embedded corpus, perturbed and weighed by CBL, repeated. "
        "Seconds of Python are processor time, those of the browser (chromium) are of "
        "a busy machine of two cores.",
        "",
        "| | |",
        "|---|--:|",
    ]
    lines += [f"| {name} | {value:,} |" for name, value in figures.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    typer.run(main)
