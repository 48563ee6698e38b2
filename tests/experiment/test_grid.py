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
        {"runs": [{"corpora": ["c"]}]},
        {"methods": {"raw": {"schema": "raw"}}},
        {"models": {"cnn": {}}},
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
