import json

import pytest
import srsly

from spacy_cbl.report.results import add_histories, read_results

from .cells import HISTORY, write_cell, write_evaluation


def test_both_kinds_of_results_become_the_same_record(tmp_path):
    write_cell(tmp_path, "eng", "cbl", 70.0, seed=3)
    write_evaluation(tmp_path, "raw", 0.5)
    write_evaluation(tmp_path, "raw.dev", 0.6)
    cell, evaluation = read_results([tmp_path])
    assert cell.test == (72.0, 68.0, 70.0)
    assert (cell.method, cell.corpus, cell.model, cell.seed) == ("cbl", "eng", "cnn", 3)
    assert (cell.seconds_weigh, cell.seconds_train) == (3.0, 60.0)
    assert cell.history == HISTORY
    assert evaluation.method == "raw"
    assert evaluation.test == (50.0, 50.0, 50.0)
    assert evaluation.dev == pytest.approx((60.0, 60.0, 60.0))


def test_rounds_that_another_cell_kept_took_their_time(tmp_path):
    path = write_cell(tmp_path, "eng", "cbl", 70.0)
    data = srsly.read_json(path)
    for record in data["weighing"]["history"]:
        record.update(seconds_train=50.0, seconds_infer=1.0)
    srsly.write_json(path, data)
    (cell,) = read_results([path])
    assert cell.seconds_weigh == 102.0


def test_other_files_are_passed_over_in_a_folder_and_refused_by_name(tmp_path):
    write_cell(tmp_path, "eng", "cbl", 70.0)
    for name, text in {
        "list": "[1]",
        "no_entities": '{"ents_f": null, "ents_p": null, "ents_r": null}',
        "broken": "{",
        "half": '{"cell": {"seed": 0}}',
    }.items():
        (tmp_path / f"{name}.json").write_text(text, "utf8")
        with pytest.raises(ValueError, match="C295"):
            read_results([tmp_path / f"{name}.json"])
    assert len(read_results([tmp_path])) == 1


@pytest.mark.parametrize(
    "place, wrong",
    [
        (("test", "ents_f"), "nan"),
        (("test", "ents_f"), 1e300),
        (("cell", "seed"), [1]),
        (("cell", "method", "name"), 5),
        (("cell", "model", "name"), None),
        (("cell", "corpus", "name"), "\ud800"),
        (("selected_on",), 5),
        (("seconds_train",), []),
        (("weighing",), "x"),
        (("weighing", "history"), ["x"]),
        (("weighing", "history"), [{"b": "x"}]),
    ],
)
def test_fields_of_other_kinds_make_it_no_result(tmp_path, place, wrong):
    path = write_cell(tmp_path, "eng", "cbl", 70.0)
    data = srsly.read_json(path)
    inner = data
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = wrong
    path.write_text(json.dumps(data))
    with pytest.raises(ValueError, match="C295"):
        read_results([path])


def test_damaged_files_of_a_folder_are_told(tmp_path, caplog):
    path = write_cell(tmp_path, "eng", "cbl", 70.0)
    write_evaluation(tmp_path, "raw", 0.5)
    (tmp_path / "raw.dev.json").write_text("{")  # the scores on test are good
    path.with_name("cut.json").write_text("{")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert [result.method for result in read_results([tmp_path])] == ["cbl", "raw"]
    assert [r.message for r in caplog.records if "cut.json" in r.message]


def test_nothing_to_compare_and_the_same_run_twice(tmp_path):
    with pytest.raises(ValueError, match="C296"):
        read_results([tmp_path])
    write_cell(tmp_path / "a", "eng", "cbl", 70.0)
    write_cell(tmp_path / "b", "eng", "cbl", 71.0)
    with pytest.raises(ValueError, match="C297.*eng-cbl-cnn-0"):
        read_results([tmp_path / "a", tmp_path / "b"])


def test_corpora_made_partial_in_different_ways_stay_apart(tmp_path):
    write_cell(tmp_path, "eng", "cbl", 70.0, recall=0.5)
    write_cell(tmp_path, "eng", "cbl", 80.0, recall=0.7)
    assert {result.corpus for result in read_results([tmp_path])} == {
        "eng (recall 0.5, precision 0.9)",
        "eng (recall 0.7, precision 0.9)",
    }


def test_rounds_are_found_beside_the_weighted_corpus(tmp_path):
    paths = [write_evaluation(tmp_path, name, 0.5) for name in ("cbl", "raw")]
    srsly.write_jsonl(tmp_path / "cbl.history.jsonl", HISTORY)
    results = add_histories(read_results(paths), [tmp_path / "cbl.spacy"])
    assert [result.history for result in results] == [HISTORY, []]
