"""What weighting did, as tables: its rounds, and the weights it gave."""

from typing import Dict, List, Sequence

from .histogram import N_BINS, Group, WeightHistogram
from .results import HistoryT
from .tables import EMPTY, Table

# The columns of rounds: what a record calls them, how many digits, in percent or not
COLUMNS = {
    "b": ("b %", 1, 100),
    "selected": ("Selected", 0, 1),
    "missed_recall_at_k": ("Recall at k", 1, 100),
    "selected_precision": ("P of selected", 1, 100),
    "selected_recall": ("R of selected", 1, 100),
    "taken_back": ("Taken back %", 1, 100),
}


def make_weighting_tables(
    histories: Dict[str, HistoryT], histograms: Sequence[WeightHistogram]
) -> List[Table]:
    """The tables that there is something for.

    histories (Dict[str, HistoryT]): The rounds of corpora, by name.
    histograms (Sequence[WeightHistogram]): The weights of corpora whose gold is known.
    RETURNS (List[Table]): The tables.
    """
    tables = [_make_round_table(name, found) for name, found in histories.items()]
    if histograms:
        tables.append(_make_weight_table(histograms))
    return [table for table in tables if table.rows]


def _make_round_table(name: str, history: HistoryT) -> Table:
    known = [key for key in COLUMNS if any(key in record for record in history)]
    rows = []
    for number, record in enumerate(history, 1):
        cells = [_show(record.get(key), *COLUMNS[key][1:]) for key in known]
        rows.append([str(number), _name_model(record), *cells])
    header = ["Round", "Model", *(COLUMNS[key][0] for key in known)]
    note = (
        "Selected: tokens that this round takes for entities, labelled ones included."
    )
    return Table(f"Rounds of {name}", header, rows, 2, note)


def _name_model(record: Dict) -> str:
    return "typed" if record.get("typed") else "binary" if "typed" in record else EMPTY


def _make_weight_table(histograms: Sequence[WeightHistogram]) -> Table:
    rows = []
    for histogram in histograms:
        rows.append([histogram.name, "missed entities", *_cells(histogram.missed)])
        rows.append([histogram.name, "true negatives", *_cells(histogram.outside)])
    header = [
        "Method",
        "Tokens without label",
        "Tokens",
        "Mean weight",
        "Weigh below 0.5, %",
    ]
    note = "The lower missed entities weigh, and the higher true negatives, the better."
    return Table("Weights", header, rows, 2, note)


def _cells(group: Group) -> List[str]:
    if not group.n_tokens:
        return ["0", EMPTY, EMPTY]
    below = 100 * float(group.shares[: N_BINS // 2].sum())
    return [f"{group.n_tokens:,}", f"{group.mean:.2f}", f"{below:.1f}"]


def _show(value: object, digits: int, scale: int) -> str:
    if not isinstance(value, (int, float)):
        return EMPTY
    return f"{scale * value:,.{digits}f}"
