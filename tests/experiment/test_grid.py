import pytest
import srsly

from spacy_cbl.experiment.grid import read_grid

GRID = {
    "corpora": {"a": {"folder": "x"}, "b": {"folder": "y", "lang": "en"}},
    "methods": {"gold": None, "raw": {"scheme": "raw"}},
    "models": {"cnn": {"config": "cnn.cfg"}},
    "runs": [{"seeds": [0, 1]}, {"corpora": ["a"], "methods": ["raw"]}],
}


def write(tmp_path, **changes):
    path = tmp_path / "grid.yml"
    srsly.write_yaml(path, {**GRID, **changes})
    return path


def test_cells_are_products_and_each_is_there_once(tmp_path):
    grid = read_grid(write(tmp_path))
    names = [cell.name for cell in grid.cells]
    assert len(names) == len(set(names)) == 8
    assert names[0] == "a-gold-cnn-0"
    assert grid.root == tmp_path
    assert grid.cells[0].recall == 0.5 and grid.cells[0].precision == 0.9


def test_recall_and_precision_can_be_set(tmp_path):
    grid = read_grid(write(tmp_path, perturb={"recall": 0.3}))
    assert grid.cells[0].recall == 0.3 and grid.cells[0].precision == 0.9


@pytest.mark.parametrize(
    "changes",
    [
        {"runs": None},
        {"runs": []},
        {"runs": ["a"]},
        {"runs": [None]},
        {"runs": [3]},
        {"corpora": {"../x": {"folder": "a"}}},
        {"methods": {"..": None}},
        {"runs": [{"seeds": 3}]},
        {"runs": [{"seed": [3]}]},
        {"runs": [{"method": ["raw"]}]},
        {"run": [{}]},
        {"runs": [{"seeds": ["a"]}]},
        {  # two cells named alike
            "corpora": {"a-b": {"folder": "x"}, "a": {"folder": "x"}},
            "methods": {"c": None, "b-c": None},
        },
        {"runs": [{"corpora": ["c"]}]},
        {"perturb": {"recal": 0.3}},
        {"perturb": [0.3]},
        {"perturb": {"recall": "x"}},
        {"perturb": {"recall": 1.5}},
        {"methods": {"raw": {"schema": "raw"}}},
        {"methods": {"raw": {"scheme": ["raw"]}}},
        {"methods": {"raw": {"settings": [1]}}},
        {"methods": {"raw": {"missing_below": "abc"}}},
        {"methods": {"raw": {"clean_tokens": 0.5}}},
        {"methods": {"raw": {"train_configs": 5}}},
        {"methods": {"raw": {"settings": {"a": {1, 2}}}}},
        {"corpora": {"a": {"folder": "x", "vectors": 5}}},
        {"corpora": 5},
        {"runs": [{"corpora": [["a"]]}]},
        {"models": {"cnn": {}}},
        {"methods": {"raw": {"train_configs": {"bilstm": "eer.cfg"}}}, "runs": [{}]},
    ],
)
def test_what_cannot_be_read_says_so(tmp_path, changes):
    with pytest.raises(ValueError, match="C260.*grid.yml"):
        read_grid(write(tmp_path, **changes))


def test_no_yaml(tmp_path):
    path = tmp_path / "grid.yml"
    path.write_text("runs: [", encoding="utf8")
    with pytest.raises(ValueError, match="C260"):
        read_grid(path)


def test_a_method_may_bring_a_config_of_its_own(tmp_path):
    methods = {"raw": None, "eer": {"train_configs": {"cnn": "eer.cfg"}}}
    cells = read_grid(write(tmp_path, methods=methods, runs=[{}])).cells
    configs = {cell.method.name: cell.train_config for cell in cells}
    assert configs == {"raw": "cnn.cfg", "eer": "eer.cfg"}


def test_settings_that_are_not_given_are_not_described(tmp_path):
    """Else a new setting would make all results of the past look out of date."""
    methods = {"raw": None, "noise": {"clean_tokens": 5}}
    raw, noise = read_grid(write(tmp_path, methods=methods, runs=[{}])).cells[:2]
    assert set(raw.describe()["method"]) == {
        *("name", "scheme", "config", "settings", "entity_ratio")
    }
    assert noise.describe()["method"]["clean_tokens"] == 5
