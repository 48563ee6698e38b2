"""Warn of training settings that would pass without a word, and do no good."""

from typing import Callable, Iterable, Optional

from spacy.language import Language
from spacy.training import Example
from spacy.util import logger, registry

from ..errors import Warnings


def warn_of_settings(
    nlp: Optional[Language], get_examples: Callable[[], Iterable[Example]]
) -> None:
    """Look at the config of a pipeline before it is trained.

    nlp (Optional[Language]): The pipeline; None if it is not known.
    get_examples (Callable[[], Iterable[Example]]): Gives the training examples.
    """
    config = {} if nlp is None else nlp.config
    paths, features = config.get("paths", {}), config.get("features", {})
    for name in ("vectors", "clusters"):
        if paths.get(name) and name in features and not features[name]:
            logger.warning(Warnings.C041.format(name=name, path=paths[name]))
    if not paths.get("dev"):
        return  # nothing is chosen by a score
    every = config["training"]["eval_frequency"]
    n_steps = _count_steps(config, get_examples, every)
    if n_steps is not None:
        fit = max(n_steps // 10, 1)
        logger.warning(Warnings.C042.format(n_steps=n_steps, every=every, fit=fit))


def _count_steps(
    config: dict, get_examples: Callable[[], Iterable[Example]], most: int
) -> Optional[int]:
    """The steps of a whole training, if they are fewer than some number."""
    training = config["training"]
    n_epochs, n_steps = training["max_epochs"], training["max_steps"]
    if 0 < n_steps <= most:
        return n_steps
    if n_epochs < 1:  # as many as there are steps
        return None
    block = {"batcher": training["batcher"]}
    batches = registry.resolve(block)["batcher"](get_examples())
    n_batches = 0
    for _ in batches:
        n_batches += 1
        if n_batches * n_epochs > most:
            return None
    return n_batches * n_epochs
