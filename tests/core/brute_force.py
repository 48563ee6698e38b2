"""The definitions of `core.crf`, by enumerating every tag sequence."""

from itertools import product

import numpy


def all_paths(emissions, transitions, legal):
    """Every legal tag sequence of one sequence of tokens, with its score."""
    n_tokens, n_tags = emissions.shape
    for tags in product(range(n_tags), repeat=n_tokens):
        steps = list(zip((n_tags, *tags), (*tags, n_tags)))
        if all(legal[step] for step in steps):
            score = sum(emissions[i, tag] for i, tag in enumerate(tags))
            yield tags, score + sum(transitions[step] for step in steps)


def log_sum(scores):
    scores = numpy.array(list(scores), dtype=numpy.longdouble)
    return float(numpy.logaddexp.reduce(scores))


def log_partition(emissions, transitions, legal, G=None):
    with numpy.errstate(divide="ignore"):
        log_g = numpy.zeros(emissions.shape) if G is None else numpy.log(G)
    return log_sum(
        score + sum(log_g[i, tag] for i, tag in enumerate(tags))
        for tags, score in all_paths(emissions, transitions, legal)
    )


def event_probability(emissions, transitions, legal, event):
    """The probability that `event(tags)` holds."""
    paths = list(all_paths(emissions, transitions, legal))
    happens = [score for tags, score in paths if event(tags)]
    if not happens:
        return 0.0
    return numpy.exp(log_sum(happens) - log_sum(score for _, score in paths))


def best_path(emissions, transitions, legal):
    return max(all_paths(emissions, transitions, legal), key=lambda path: path[1])[0]
