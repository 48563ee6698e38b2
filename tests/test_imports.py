"""Imports of the package point one way."""

import ast
from pathlib import Path

import pytest

import spacy_cbl

ROOT = Path(spacy_cbl.__file__).parent
# Each may import from those further to the right, and from itself.
ORDER = [
    {"cli"},
    {"report", "experiment"},
    {"training"},
    {"pipeline"},
    {"models"},
    {"data"},
    {"inference"},
    {"core"},
]
RANK = {folder: rank for rank, folders in enumerate(ORDER) for folder in folders}


def imported_folders(path):
    """The folders of the package that a module imports from, at any depth."""
    inside = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text("utf8"))):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = inside[: len(inside) - (node.level - 1)] if node.level else ()
            base = [ROOT.name, *above] if node.level else []
            base += node.module.split(".") if node.module else []
            modules = [".".join([*base, alias.name]) for alias in node.names]
        else:
            continue
        for name, *rest in (module.split(".") for module in modules):
            if name == ROOT.name and rest and rest[0] in RANK:
                yield rest[0]


def test_every_folder_has_its_place():
    folders = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert folders == set(RANK)


@pytest.mark.parametrize("folder", sorted(RANK))
def test_imports_point_one_way(folder):
    wrong = {
        f"{path.relative_to(ROOT)} imports from {target}"
        for path in (ROOT / folder).rglob("*.py")
        for target in imported_folders(path)
        if target != folder and RANK[target] <= RANK[folder]
    }
    assert not wrong


def test_modules_beside_the_folders_import_none_of_them():
    for path in ROOT.glob("*.py"):
        assert not set(imported_folders(path)), path


def test_core_knows_nothing_of_spacy():
    for path in (ROOT / "core").glob("*.py"):
        assert "import spacy" not in path.read_text("utf8").replace("spacy_cbl", "")
        assert "from spacy" not in path.read_text("utf8").replace("spacy_cbl", "")
