from importlib.metadata import distribution

import pytest
import spacy
from spacy.language import Language
from thinc.api import registry as thinc_registry

ENTRY_POINTS = [
    (entry.group, entry.name)
    for entry in distribution("spacy-cbl").entry_points
    if entry.group.startswith(("spacy_", "thinc_"))
]


def test_there_are_entry_points_to_check():
    groups = {group for group, _ in ENTRY_POINTS}
    assert {"spacy_factories", "spacy_architectures", "spacy_readers"} <= groups


@pytest.mark.parametrize("group,name", ENTRY_POINTS)
def test_every_registered_name_resolves(group, name):
    if group.startswith("spacy_cbl_"):
        (entry,) = [
            e
            for e in distribution("spacy-cbl").entry_points
            if (e.group, e.name) == (group, name)
        ]
        assert callable(entry.load())
        return
    if group == "spacy_factories":
        assert name in Language().factory_names
        return
    library, _, registry_name = group.partition("_")
    registry = spacy.registry if library == "spacy" else thinc_registry
    assert callable(getattr(registry, registry_name).get(name))
