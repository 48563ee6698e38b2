"""The tokenizer of whatever language a config is used for."""

from typing import Any, Callable

from spacy.language import Language
from spacy.util import registry


def create_language_tokenizer() -> Callable[[Language], Any]:
    """A tokenizer for `[nlp.tokenizer]`: that of the language of the pipeline. A config
    that names spaCy's general one would split Chinese or Japanese at spaces.

    RETURNS (Callable[[Language], Any]): Makes the tokenizer.
    """
    return make_language_tokenizer


def make_language_tokenizer(nlp: Language) -> Any:
    """Make the tokenizer that a blank pipeline of the language has.

    nlp (Language): The pipeline.
    RETURNS (Any): The tokenizer.
    """
    block = type(nlp).default_config["nlp"]["tokenizer"]
    return registry.resolve({"tokenizer": block})["tokenizer"](nlp)
