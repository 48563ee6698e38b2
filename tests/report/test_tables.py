from dataclasses import replace

import pytest

from spacy_cbl.report.results import Result, Scores
from spacy_cbl.report.tables import make_tables, to_markdown


def result(method, f1, corpus="", model="", seed=0):
    return Result(method, Scores(f1 + 1, f1 - 1, f1), corpus, model, seed)


def cells(table):
    """Cells by the names of their row and column."""
    return {
        (*row[: table.n_names], name): cell
        for row in table.rows
        for name, cell in zip(table.header, row)
    }


def test_methods_stand_from_raw_to_gold_with_their_share_of_the_oracle():
    f1s = {"gold": 90, "cbl": 70, "oracle": 80, "window": 55, "raw": 50}
    (table,) = make_tables([result(method, f1) for method, f1 in f1s.items()])
    assert [row[0] for row in table.rows] == ["raw", "window", "cbl", "oracle", "gold"]
    found = cells(table)
    assert found["cbl", "F1"] == "70.0"
    assert (found["cbl", "P"], found["cbl", "R"]) == ("71.0", "69.0")
    assert found["cbl", "% of Oracle"] == "87.5"
    assert found["cbl", "Gap closed %"] == "66.7"
    assert found["gold", "Gap closed %"] == "–"
    assert "Model" not in table.header
    assert "F1 dev" not in table.header


def test_seeds_give_a_mean_and_a_spread():
    results = [result("cbl", f1, seed=i) for i, f1 in enumerate([70, 72, 74])]
    (table,) = make_tables([*results, result("raw", 50)])
    found = cells(table)
    assert found["cbl", "F1"] == "72.0 ± 2.0"
    assert found["raw", "F1"] == "50.0"
    assert found["cbl", "Seeds"] == "3"
    assert "standard deviation" in table.note


def test_percentages_are_of_the_seeds_that_both_sides_have():
    f1s = {"raw": [50, 30, 10], "cbl": [70], "oracle": [80, 60], "window": [20, 90]}
    results = [
        result(method, f1, "eng", "cnn", seed)
        for method, figures in f1s.items()
        for seed, f1 in enumerate(figures)
        if (method, seed) != ("window", 0)
    ]
    tables = {table.title: table for table in make_tables(results)}
    found = cells(tables["eng: methods"])
    assert found["cbl", "cnn", "% of Oracle"] == "87.5"  # 70 of 80, not of 70
    assert found["cbl", "cnn", "Gap closed %"] == "66.7"  # from 50 to 80
    assert found["raw", "cnn", "% of Oracle"] == "57.1"  # 40 of 70
    assert found["window", "cnn", "Gap closed %"] == "200.0"  # of seed 1 alone
    assert "seeds that both sides have" in tables["eng: methods"].note
    (alone,) = make_tables([result("oracle", 80), result("raw", 50, seed=1)])
    assert "% of Oracle" not in alone.header


def test_seeds_of_other_settings_are_told():
    seeds = [replace(result("cbl", 70, seed=i), settings=str(i)) for i in range(2)]
    (table,) = make_tables(seeds)
    assert "Seeds differ in settings: cbl" in table.note
    (table,) = make_tables([replace(seed, settings="") for seed in seeds])
    assert "settings" not in table.note


def test_no_table_of_the_papers_figures_alone():
    titles = {table.title for table in make_tables([result("cbl", 70, "eng", "cnn")])}
    assert titles == {"F1 by language", "eng: methods"}


def test_recall_at_k_is_that_of_the_last_round():
    rounds = [{"missed_recall_at_k": 0.9}, {"missed_recall_at_k": 0.75}]
    found = replace(result("cbl", 70), history=rounds)
    (table,) = make_tables([found, result("raw", 50)])
    assert cells(table)["cbl", "Recall at k"] == "75.0"
    assert cells(table)["raw", "Recall at k"] == "–"
    (table,) = make_tables([result("raw", 50)])
    assert "Recall at k" not in table.header


def test_languages_side_by_side_with_the_figures_of_the_paper():
    f1s = {"raw": 50, "cbl": 70, "oracle": 80, "cbl_flat": 65}
    results = [
        result(method, f1 + shift, corpus, "cnn")
        for method, f1 in f1s.items()
        for corpus, shift in (("hau", 2), ("deu", 0), ("eng", 1))
    ]
    tables = {table.title: table for table in make_tables(results)}
    f1 = tables["F1 by language"]
    assert f1.header == ["Method", "Model", "eng", "deu", "hau", "mean"]
    found = cells(f1)
    assert found["cbl", "cnn", "eng"] == "71.0"
    assert found["cbl", "cnn", "mean"] == "71.0"
    assert found["cbl", "BiLSTM-CRF (paper)", "eng"] == "84.6"
    assert found["cbl", "BiLSTM-CRF (paper)", "hau"] == "–"
    assert found["cbl", "BiLSTM-CRF (paper)", "mean"] == "–"
    assert ("cbl_flat", "BiLSTM-CRF (paper)", "eng") not in found
    assert not any(row[0] == "gold" for row in f1.rows)  # we have none
    percent = cells(tables["F1 as percentage of Oracle"])
    assert percent["cbl", "BiLSTM-CRF (paper)", "eng"] == "96.4"  # 84.6 of 87.8
    gap = cells(tables["Percentage of the gap Raw → Oracle closed"])
    assert gap["cbl", "cnn", "deu"] == "66.7"
    assert gap["cbl", "BiLSTM-CRF (paper)", "eng"] == "77.9"
    assert not any(row[0] in ("raw", "oracle") for row in gap_rows(tables))
    assert "eng: methods" in tables


def gap_rows(tables):
    return tables["Percentage of the gap Raw → Oracle closed"].rows


def test_the_perceptron_stands_beside_the_papers_perceptron():
    (table, *_) = make_tables([result("cbl_combined", 70, "ned", "perceptron")])
    assert cells(table)["cbl_combined", "CogComp (paper)", "ned"] == "72.4"


def test_the_paper_has_a_row_for_the_kinds_of_models_that_we_have():
    results = [
        result("cbl", 70, "ned", "cnn"),
        result("cbl_raw", 70, "ned", "perceptron"),
    ]
    (table, *_) = make_tables(results)
    assert [row[:2] for row in table.rows] == [
        ["cbl", "cnn"],
        ["cbl", "BiLSTM-CRF (paper)"],
        ["cbl_raw", "perceptron"],
        ["cbl_raw", "CogComp (paper)"],
    ]


def test_other_corpora_than_the_papers_are_said_to_be_so():
    (table, *_) = make_tables([result("raw", 50, "amh", "cnn")])
    assert "amh are other ones" in table.note
    (table, *_) = make_tables([result("raw", 50, "eng", "cnn")])
    assert "other ones" not in table.note


@pytest.mark.parametrize("oracle", [40, 50])
def test_no_share_of_a_gap_that_is_none(oracle):
    results = [result("raw", 50), result("cbl", 45), result("oracle", oracle)]
    (table,) = make_tables(results)
    assert "Gap closed %" not in table.header


def test_markdown_keeps_columns_apart():
    text = to_markdown(make_tables([result("a|b", 50)])[0])
    assert "| a\\|b | 51.0 | 49.0 | 50.0 |" in text
    assert "| --- | ---: | ---: | ---: |" in text
