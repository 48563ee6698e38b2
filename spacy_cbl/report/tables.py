"""Results as tables of text, for the screen, for Markdown and for the page."""

from dataclasses import dataclass
from statistics import mean
from typing import Callable, Iterable, List, Optional, Sequence, Tuple

from .paper import LANGUAGES, SAME_CORPORA
from .results import Result
from .summary import (
    F1sT,
    Key,
    Mean,
    Summary,
    collect_f1s,
    collect_paper_f1s,
    gap_closed,
    is_ours,
    mean_f1,
    order,
    paper_model,
    percent_of_oracle,
    summarize,
)

EMPTY = "–"
SPREAD = "± is the standard deviation over seeds; each draws partial labels of its own."
OWN_SEEDS = "Percentages are of the seeds that both sides have."
OWN_ORACLE = "Oracle and Raw are those of the same model."
AT_K = (
    "Recall at k: the share of the k missed entity tokens among the k most suspected."
)
ValueT = Callable[[F1sT, Key], Optional[Mean]]


@dataclass(frozen=True)
class Table:
    """A table of text; the first `n_names` columns are names, the others figures."""

    title: str
    header: List[str]
    rows: List[List[str]]
    n_names: int
    note: str = ""


def make_tables(results: Sequence[Result]) -> List[Table]:
    """All tables of some results: languages side by side where there are several, or
    where the paper has figures to put beside ours; then each corpus.

    results (Sequence[Result]): The results.
    RETURNS (List[Table]): The tables.
    """
    summaries = summarize(results)
    chosen = sorted({r.selected_on for r in results if r.selected_on})
    selection = f"Models were chosen on {' or '.join(chosen)}." if chosen else ""
    corpora = sort_corpora({summary.key.corpus for summary in summaries})
    tables: List[Table] = []
    if len(corpora) > 1 or any(corpus in LANGUAGES for corpus in corpora):
        tables = _make_language_tables(summaries, corpora, selection)
    for corpus in corpora:
        tables.append(_make_corpus_table(summaries, corpus, selection))
    return tables


def sort_corpora(corpora: Iterable[str]) -> List[str]:
    """The paper's languages in its order, then the others.

    corpora (Iterable[str]): Names of corpora.
    RETURNS (List[str]): The same, sorted.
    """
    places = {lang: i for i, lang in enumerate(LANGUAGES)}
    return sorted(corpora, key=lambda name: (places.get(name, len(places)), name))


def to_markdown(table: Table) -> str:
    """A table in Markdown, under its title.

    table (Table): The table.
    RETURNS (str): The text.
    """
    n_figures = len(table.header) - table.n_names
    lines = [f"### {table.title}", ""]
    lines += [_row(table.header), _row(["---"] * table.n_names + ["---:"] * n_figures)]
    lines += [_row(row) for row in table.rows]
    if table.note:
        lines += ["", table.note]
    return "\n".join(lines) + "\n"


def _row(cells: List[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _make_corpus_table(summaries: List[Summary], corpus: str, selection: str) -> Table:
    f1s = collect_f1s(summaries)
    rows = [summary for summary in summaries if summary.key.corpus == corpus]
    columns: List[Tuple[str, List[str]]] = [
        ("Method", [row.key.method for row in rows]),
        ("Model", [row.key.model for row in rows]),
        ("P", [show(row.p) for row in rows]),
        ("R", [show(row.r) for row in rows]),
        ("F1", [show(row.f) for row in rows]),
        ("F1 dev", [show(row.f_dev) for row in rows]),
        ("% of Oracle", [show(percent_of_oracle(f1s, row.key)) for row in rows]),
        ("Gap closed %", [show(gap_closed(f1s, row.key)) for row in rows]),
        ("Recall at k", [show(row.recall_at_k) for row in rows]),
        ("Seeds", [str(row.n_seeds) for row in rows]),
        ("Weigh s", [show(row.seconds_weigh, 0) for row in rows]),
        ("Train s", [show(row.seconds_train, 0) for row in rows]),
    ]
    shown = [(name, cells) for name, cells in columns if set(cells) - {"", EMPTY}]
    return Table(
        title=f"{corpus}: methods" if corpus else "Methods",
        header=[name for name, _ in shown],
        rows=[list(cells) for cells in zip(*(cells for _, cells in shown))],
        n_names=2 if shown[1][0] == "Model" else 1,
        note=_join(
            "P, R and F1 are of the test set.",
            selection,
            OWN_ORACLE if any(name == "% of Oracle" for name, _ in shown) else "",
            AT_K if any(name == "Recall at k" for name, _ in shown) else "",
            SPREAD if any(row.n_seeds > 1 for row in rows) else "",
            OWN_SEEDS if len({row.n_seeds for row in rows}) > 1 else "",
            _warn_of_settings(rows),
        ),
    )


def _make_language_tables(
    summaries: List[Summary], corpora: List[str], selection: str
) -> List[Table]:
    ours = collect_f1s(summaries)
    paper = collect_paper_f1s(ours)
    f1s = {**ours, **paper}
    spread = SPREAD if any(row.n_seeds > 1 for row in summaries) else ""
    source = ""
    if paper:
        source = "Rows marked (paper) are from Table 2 of Mayhew et al. (2019)."
        other = [name for name in corpora if name in LANGUAGES]
        other = [name for name in other if name not in SAME_CORPORA]
        if other:
            source += f" Its corpora of {', '.join(other)} are other ones than ours."
    several = len({row.n_seeds for row in summaries}) > 1
    relative = _join(OWN_ORACLE, OWN_SEEDS if several else "")
    kinds: List[Tuple[str, ValueT, str]] = [
        ("F1 by language", mean_f1, _join(selection, spread)),
        ("F1 as percentage of Oracle", percent_of_oracle, relative),
        ("Percentage of the gap Raw → Oracle closed", gap_closed, relative),
    ]
    tables = []
    for title, value, note in kinds:
        header, rows = _spread_out(f1s, corpora, value)
        if rows:
            tables.append(Table(title, header, rows, 2, _join(source, note)))
    return tables


def _spread_out(
    f1s: F1sT, corpora: List[str], value: ValueT
) -> Tuple[List[str], List[List[str]]]:
    """Methods and models down, languages across, and a mean where none is missing."""
    keys = sorted(f1s, key=lambda key: order(key._replace(corpus="")))
    # The paper's rows are for comparison: without a row of ours there is none.
    known = (key for key in f1s if is_ours(key) and value(f1s, key) is not None)
    ours = {(key.method, paper_model(key.model)) for key in known}
    header = ["Method", "Model", *corpora]
    rows = []
    for method, model in dict.fromkeys((key.method, key.model) for key in keys):
        if (method, paper_model(model)) not in ours:
            continue
        figures = [value(f1s, Key(method, model, corpus)) for corpus in corpora]
        if any(figures):
            rows.append([method, model, *map(show, figures)])
            if len(corpora) > 1:
                rows[-1].append(show(_average(figures)))
    return header + (["mean"] if len(corpora) > 1 else []), rows


def _warn_of_settings(rows: List[Summary]) -> str:
    """Seeds of one name are one row, even if they are not of one kind."""
    mixed = [f"{row.key.method} {row.key.model}" for row in rows if not row.one_setting]
    return f"Seeds differ in settings: {', '.join(mixed)}." if mixed else ""


def _average(figures: List[Optional[Mean]]) -> Optional[Mean]:
    known = [figure.mean for figure in figures if figure is not None]
    return Mean(mean(known)) if len(known) == len(figures) else None


def show(figure: Optional[Mean], digits: int = 1) -> str:
    """A figure as text.

    figure (Optional[Mean]): The figure, if there is one.
    digits (int): Digits after the point.
    RETURNS (str): The text, with the spread where it is known.
    """
    if figure is None:
        return EMPTY
    if figure.spread is None:
        return f"{figure.mean:.{digits}f}"
    return f"{figure.mean:.{digits}f} ± {figure.spread:.{digits}f}"


def _join(*notes: str) -> str:
    return " ".join(note for note in notes if note)
