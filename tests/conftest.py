import pytest
import spacy
from hypothesis import HealthCheck, settings
from spacy.tokens import Doc
from spacy.training import Example

# How long an example takes is not what tests are about: a machine may be busy.
settings.register_profile(
    "patient", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("patient")

SENTENCES = [
    ("Ada Lovelace met Bob in Paris .", "B-PER I-PER O B-PER O B-LOC O"),
    ("Acme Corp hired Ada .", "B-ORG I-ORG O B-PER O"),
    ("The rain fell on Paris again .", "O O O O B-LOC O O"),
    ("Nobody came .", "O O O"),
]


@pytest.fixture
def nlp():
    return spacy.blank("en")


@pytest.fixture
def gold_docs(nlp):
    """Four sentences with their entities."""
    return [
        Doc(nlp.vocab, words=text.split(), ents=tags.split())
        for text, tags in SENTENCES
    ]


@pytest.fixture
def examples(nlp, gold_docs):
    return [
        Example(Doc(nlp.vocab, words=[t.text for t in doc]), doc) for doc in gold_docs
    ]
