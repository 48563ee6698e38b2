"""The paper's tables, with our figures beside its own."""

import srsly
from spacy.cli._util import app
from typer.testing import CliRunner

import spacy_cbl.cli  # noqa: F401
from spacy_cbl.report.counts import read_counts
from spacy_cbl.report.paper_tables import (
    collect_ratio_rows,
    make_annotator_table,
    make_bengali_table,
    make_data_table,
    make_paper_tables,
    make_ratio_table,
)
from spacy_cbl.report.results import Result, Scores
from spacy_cbl.report.summary import summarize

from .cells import write_cell


def write_stats(folder, *paths, scores=None):
    """What `spacy cbl stats --json` writes."""
    rows = [
        {
            "path": path,
            "sents": 1200,
            "tokens": 20000,
            "spans": 1500,
            "entity_tokens": 2500,
            "unique_entity_tokens": 600,
            "ratio": 0.125,
            **({"scores": scores} if scores else {}),
        }
        for path in paths
    ]
    folder.mkdir(exist_ok=True)
    srsly.write_json(folder / "stats.json", rows)


def summaries(**f1s):
    """Results named corpus__method, of the perceptron."""
    return summarize(
        [
            Result(method, Scores(f1 + 1, f1 - 1, f1), corpus, "perceptron")
            for name, f1 in f1s.items()
            for corpus, method in [name.split("__")]
        ]
    )


def test_corpora_stand_beside_those_of_the_paper(tmp_path):
    paths = [f"w/{name}/{part}.spacy" for name in ("hau", "amh") for part in PARTS]
    write_stats(tmp_path, *paths, "w/eng/train.spacy")
    table = make_data_table(read_counts([tmp_path]))
    assert [row[:2] for row in table.rows] == [
        ["amh", "ours"],
        ["amh", "paper"],
        ["hau", "ours"],
    ]
    assert table.rows[0][2:] == ["12.5", "1,500", "20,000"] * 2
    assert table.rows[1][2:] == ["11.2", "3K", "52K", "11.3", "1K", "18K"]
    assert "amh are other ones" in table.note


PARTS = ("train", "dev", "test")


def test_ratios_are_compared_on_the_languages_that_have_them_all():
    found = summaries(
        eng__raw=40,
        deu__raw=30,
        eng__oracle=80,
        eng__oracle_b10=70,
        eng__oracle_b15=75,
        deu__oracle=60,
        deu__oracle_b10=50,
        eng__cbl_raw=60,
    )
    table = make_ratio_table(collect_ratio_rows(found))
    oracle, raw = table.rows
    assert oracle[:6] == ["oracle", "perceptron", "70.0", "75.0", "80.0", "eng"]
    assert oracle[6:] == ["65.8", "65.9", "65.4"]
    assert raw[:6] == ["raw", "perceptron", "35.0", "35.0", "35.0", "eng deu"]


def test_ratios_are_compared_on_the_seeds_that_all_rows_have():
    f1s = {"raw": [40, 60], "oracle": [80, 90], "oracle_b10": [70]}
    found = [
        Result(method, Scores(f1, f1, f1), "eng", "perceptron", seed)
        for method, figures in f1s.items()
        for seed, f1 in enumerate(figures)
    ]
    oracle, raw = make_ratio_table(collect_ratio_rows(summarize(found))).rows
    assert oracle[2:6] == ["70.0", "–", "80.0", "eng"]
    assert raw[2:6] == ["40.0", "40.0", "40.0", "eng"]


def test_no_ratios_no_table():
    assert not collect_ratio_rows(summaries(eng__raw=40, eng__oracle=50))
    assert not make_paper_tables(summaries(eng__raw=40), [])


def test_bengali_rows_are_followed_by_the_papers():
    found = summaries(
        ben__cbl=50, ben_latin__cbl=40, eng__cbl=70, bench__cbl=60, ben__other=10
    )
    table = make_bengali_table(found)
    assert [row[1:] for row in table.rows] == [
        ["ben", "perceptron", "51.0", "49.0", "50.0"],
        ["ben_latin", "perceptron", "41.0", "39.0", "40.0"],
        ["paper", "BiLSTM-CRF (paper)", "57.8", "47.3", "52.0"],
    ]


def test_annotators_have_scores_beside_gold(tmp_path):
    scores = {"precision": 0.84, "recall": 0.34, "f1": 0.484}
    paths = ["w/bengali/annotator_1.spacy", "w/mine/annotator_2.spacy"]
    write_stats(tmp_path, *paths, scores=scores)
    rows = make_annotator_table(read_counts([tmp_path])).rows
    assert [row[1] for row in rows] == ["ours", "paper", "paper", "paper"]
    assert rows[0][:2] == ["annotator 1", "ours"]
    assert rows[0][-4:] == ["600", "84", "34", "48"]
    assert rows[-1][-4:] == ["664", "83", "32", "47"]


def test_compare_shows_them_and_draws_them(tmp_path):
    for method in ("oracle", "oracle_b10", "oracle_b15"):
        write_cell(tmp_path, "eng", method, 70.0, model="perceptron")
    write_cell(tmp_path, "ben", "cbl", 50.0)
    write_stats(tmp_path, "w/eng/train.spacy", "w/eng/test.spacy")
    arguments = ["cbl", "compare", str(tmp_path), "--output", str(tmp_path / "out")]
    ran = CliRunner().invoke(app, arguments)
    assert ran.exit_code == 0, ran.output
    text = (tmp_path / "out" / "compare.md").read_text("utf8")
    page = (tmp_path / "out" / "compare.html").read_text("utf8")
    for title in ("Corpora", "F1 by the entity ratio", "Bengali: methods beside"):
        assert f"### {title}" in text
        assert f"<h2>{title}" in page
    for label in (
        "Entity ratio of training data",
        "mean F1 by the entity ratio",
        "F1 on Bengali",
    ):
        assert label in page
