"""The paper's other tables, with our figures and its own side by side: Table 2 is among
the tables of results.
"""

import re
from statistics import mean
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from .counts import Counts
from .paper import (
    ANNOTATORS,
    BENGALI_DATA,
    BENGALI_SCORES,
    BILSTM,
    DATA,
    RATIO_F1S,
    RATIOS,
    SAME_CORPORA,
)
from .summary import PAPER_MODELS, RAW, Summary, shared_seeds
from .tables import EMPTY, Table, show, sort_corpora

BENGALI = re.compile(r"ben(_.+)?")  # names of its corpora in grids
BENGALI_LABELS = "bengali"  # the folder of what its annotators labelled
OURS, PAPER = "ours", "paper"
RATIO_NAME = re.compile(r"(.+)_b(\d+)")  # a method with an assumed entity ratio


class RatioRow(NamedTuple):
    """F1 of a method at each ratio, as a mean over languages."""

    method: str
    model: str
    f1s: List[Optional[float]]
    corpora: List[str]  # those with a figure for each ratio that is there


ColumnT = Dict[str, Dict[int, float]]  # F1 by corpus and seed


def make_paper_tables(
    summaries: Sequence[Summary], counts: Sequence[Counts]
) -> List[Table]:
    """Those of the paper's tables that there are figures for.

    summaries (Sequence[Summary]): The results.
    counts (Sequence[Counts]): What the corpora hold.
    RETURNS (List[Table]): The tables.
    """
    tables = [
        make_data_table(counts),
        make_ratio_table(collect_ratio_rows(summaries)),
        make_annotator_table(counts),
        make_bengali_table(summaries),
    ]
    return [table for table in tables if table.rows]


def make_data_table(counts: Sequence[Counts]) -> Table:
    """Table 1: what the corpora hold.

    counts (Sequence[Counts]): Their figures.
    RETURNS (Table): The table.
    """
    parts = {(c.corpus, c.part): c for c in counts if c.scores is None}
    rows = []
    for corpus in sort_corpora({corpus for corpus, part in parts}):
        found = [parts.get((corpus, part)) for part in ("train", "test")]
        if None in found:
            continue
        rows.append([corpus, OURS, *(cell for c in found if c for cell in _cells(c))])
        if corpus in DATA:
            rows.append([corpus, PAPER, *DATA[corpus]])
    others = [row[0] for row in rows if row[1] == PAPER]
    others = [corpus for corpus in others if corpus not in SAME_CORPORA]
    note = "b: share of tokens in entities. The paper's rows are its Table 1."
    if others:
        note += f" Its corpora of {', '.join(others)} are other ones than ours."
    columns = [f"{part} {name}" for part in ("Train", "Test") for name in COLUMNS]
    return Table("Corpora", ["Corpus", "Whose", *columns], rows, 2, note)


COLUMNS = ("b %", "spans", "tokens")


def _cells(counts: Counts) -> List[str]:
    return [f"{counts.ratio:.1f}", f"{counts.spans:,}", f"{counts.tokens:,}"]


def collect_ratio_rows(summaries: Sequence[Summary]) -> List[RatioRow]:
    """Methods that were run with several entity ratios, and raw, which has none.

    summaries (Sequence[Summary]): The results.
    RETURNS (List[RatioRow]): F1 at the paper's ratios, by method and model.
    """
    models: Dict[str, Dict[str, Dict[str, ColumnT]]] = {}
    for summary in summaries:
        key = summary.key
        match = RATIO_NAME.fullmatch(key.method)
        method, ratio = (match[1], f"{match[2]}%") if match else (key.method, "gold")
        columns = models.setdefault(key.model, {}).setdefault(method, {})
        columns.setdefault(ratio, {})[key.corpus] = summary.by_seed
    rows = []
    for model, methods in models.items():
        several = {name: by for name, by in methods.items() if len(by) > 1}
        if several and RAW in methods:
            several[RAW] = {ratio: methods[RAW]["gold"] for ratio in RATIOS}
        seeds = _seeds_of_all(
            by for columns in several.values() for by in columns.values()
        )
        for method, columns in several.items():
            shared = sort_corpora(set.intersection(*map(set, columns.values())))
            shared = [corpus for corpus in shared if seeds[corpus]]
            f1s = [_mean(columns.get(ratio, {}), shared, seeds) for ratio in RATIOS]
            rows.append(RatioRow(method, model, f1s, shared))
    return sorted(rows, key=lambda row: (row.model, _place(row.method, RATIO_F1S)))


def make_ratio_table(rows: Sequence[RatioRow]) -> Table:
    """Table 3: F1 by the entity ratio that a method is told.

    rows (Sequence[RatioRow]): The figures.
    RETURNS (Table): The table.
    """
    shown = [
        [
            row.method,
            row.model,
            *(EMPTY if f1 is None else f"{f1:.1f}" for f1 in row.f1s),
            " ".join(row.corpora),
            *(f"{f1:.1f}" for f1 in RATIO_F1S.get(row.method, ())),
        ]
        for row in rows
    ]
    header = ["Method", "Model", *RATIOS, "Mean of"]
    header += [f"{PAPER} {ratio}" for ratio in RATIOS]
    width = len(header)
    shown = [[*row, *[EMPTY] * (width - len(row))] for row in shown]
    note = (
        "Gold: the ratio of each language's gold labels. Means are of the seeds that "
        "all rows have. The paper's figures (Table 3) are of CogComp, and means of its "
        "eight languages."
    )
    return Table("F1 by the entity ratio that is assumed", header, shown, 2, note)


def make_annotator_table(counts: Sequence[Counts]) -> Table:
    """Table 4: what annotators labelled, and how good it is beside gold.

    counts (Sequence[Counts]): Figures of labels; those of Bengali with scores are used.
    RETURNS (Table): The table.
    """
    scored = [row for row in counts if row.scores and row.corpus == BENGALI_LABELS]
    rows = [
        [
            row.part.replace("_", " "),
            OURS,
            f"{row.tokens:,}",
            f"{row.sents:,}",
            f"{row.entity_tokens:,}",
            f"{row.ratio:.2f}",
            f"{row.unique_entity_tokens:,}",
            *(f"{score:.0f}" for score in row.scores or ()),
        ]
        for row in scored
    ]
    if rows:
        unknown = [EMPTY] * len(BENGALI_DATA)
        for name, scores in ANNOTATORS.items():
            known = [*BENGALI_DATA.values()] if name == "combined" else unknown
            rows.append([name, PAPER, *known, *scores])
    note = (
        "Labels of annotators beside gold. Ours are simulated at the paper's precision "
        "and recall; the paper's rows are its Table 4, of other text."
    )
    header = ["Labels", "Whose", *BENGALI_DATA, "P", "R", "F1"]
    return Table("Bengali: annotators", header, rows, 2, note)


def make_bengali_table(summaries: Sequence[Summary]) -> Table:
    """Table 5: what recognizers learn from these labels, in either script.

    summaries (Sequence[Summary]): The results.
    RETURNS (Table): The table.
    """
    ours = [
        summary
        for summary in summaries
        if BENGALI.fullmatch(summary.key.corpus)
        and summary.key.method in BENGALI_SCORES
    ]
    rows = []
    for method, scores in BENGALI_SCORES.items():
        found = [summary for summary in ours if summary.key.method == method]
        for row in found:
            names = [method, row.key.corpus, row.key.model]
            rows.append([*names, show(row.p), show(row.r), show(row.f)])
        if found:
            figures = [f"{score:.1f}" for score in scores]
            rows.append([method, PAPER, PAPER_MODELS[BILSTM], *figures])
    note = "The paper's rows are its Table 5, of other text and of people's labels."
    header = ["Method", "Corpus", "Model", "P", "R", "F1"]
    return Table("Bengali: methods beside the paper", header, rows, 3, note)


def _seeds_of_all(columns: Iterable[ColumnT]) -> Dict[str, List[int]]:
    """The seeds of each corpus that all columns have which have the corpus at all: rows
    and columns are of the same partial labels.
    """
    found: Dict[str, List[Dict[int, float]]] = {}
    for column in columns:
        for corpus, f1s in column.items():
            found.setdefault(corpus, []).append(f1s)
    return {corpus: shared_seeds(f1s) for corpus, f1s in found.items()}


def _mean(
    column: ColumnT, corpora: List[str], seeds: Dict[str, List[int]]
) -> Optional[float]:
    known = [corpus for corpus in corpora if corpus in column]
    f1s = [mean(column[name][seed] for seed in seeds[name]) for name in known]
    return mean(f1s) if f1s else None


def _place(method: str, methods: Dict[str, Tuple]) -> Tuple[int, str]:
    names = list(methods)
    return (names.index(method) if method in names else len(names), method)
