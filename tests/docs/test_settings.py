"""docs/settings.md has every setting of what it speaks of, with its default and what it
means.
"""

import re
from inspect import signature

import pytest
from spacy.language import Language
from spacy.util import registry

from .blocks import BLOCKS
from .test_blocks import read_settings

PARTS = {"nlp", "name", "model", "loss", "scorer"}  # given by spaCy, or blocks
SETTINGS = [block for block in BLOCKS if block.page == "docs/settings.md"]


def walk(node):
    """All sections of a config."""
    yield node
    for value in node.values():
        if isinstance(value, dict):
            yield from walk(value)


def find_defaults(section):
    """The settings of a component or function of ours; Ellipsis where there is no
    default.
    """
    if "factory" in section:
        given = Language().get_factory_meta(section["factory"]).default_config
        return {name: value for name, value in given.items() if name not in PARTS}
    for key, name in section.items():
        if key.startswith("@") and name.startswith("spacy_cbl."):
            found = signature(getattr(registry, key[1:]).get(name)).parameters.values()
            return {p.name: ... if p.default is p.empty else p.default for p in found}
    return None


@pytest.mark.parametrize("block", SETTINGS, ids=str)
def test_all_settings_are_there_with_their_defaults(block):
    n_sections = 0
    for section in walk(read_settings(block.text)):
        defaults = find_defaults(section)
        if defaults is not None:
            n_sections += 1
            given = {k: v for k, v in section.items() if k[0] != "@" and k != "factory"}
            known = {k: v for k, v in defaults.items() if v is not ...}
            assert set(given) == set(defaults)
            assert {name: given[name] for name in known} == known
    assert n_sections


@pytest.mark.parametrize("block", SETTINGS, ids=str)
def test_each_setting_has_a_comment_before_it(block):
    for before, line in zip(block.lines, block.lines[1:]):
        if re.match(r"\w+ = ", line) and not line.startswith("factory"):
            assert before.startswith("#"), line
            assert "#" not in line
