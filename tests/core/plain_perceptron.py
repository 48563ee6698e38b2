"""A perceptron as one would write it down: token by token, weight by weight."""

import numpy


class PlainPerceptron:
    """Keeps every iterate, so that their mean can be taken as it is defined."""

    def __init__(self, n_rows, n_dense, n_tags):
        self.table = numpy.zeros((n_rows, n_tags), "f")
        self.dense = numpy.zeros((n_dense, n_tags), "f")
        self.iterates = []

    def score(self, rows, dense):
        found = numpy.zeros(self.table.shape[1], "f")
        for row in rows:
            found = found + self.table[row]
        return found + dense @ self.dense

    def step(self, rows, dense, gold, weights, rule, rate, thickness):
        scores = [self.score(r, d) for r, d in zip(rows, dense)]
        changes = [
            rule(s, y, thickness) * numpy.float32(rate * v)
            for s, y, v in zip(scores, gold, weights)
        ]
        for row_list, change in zip(rows, changes):
            for row in row_list:
                if row != 0:
                    self.table[row] += change
        for vector, change in zip(dense, changes):
            self.dense += numpy.outer(vector, change)
        self.iterates.append((self.table.copy(), self.dense.copy()))

    def average(self):
        tables, denses = zip(*self.iterates)
        return numpy.mean(tables, axis=0, dtype="d"), numpy.mean(denses, axis=0)


def plain_one_vs_all(scores, gold, thickness):
    change = numpy.zeros(len(scores), "f")
    for tag, value in enumerate(scores):
        if tag == gold and value < thickness:
            change[tag] = 1
        if tag != gold and value >= -thickness:
            change[tag] = -1
    return change


def plain_multiclass(scores, gold, thickness):
    change = numpy.zeros(len(scores), "f")
    rival = max((t for t in range(len(scores)) if t != gold), key=lambda t: scores[t])
    if scores[gold] - scores[rival] < thickness:
        change[gold], change[rival] = 1, -1
    return change


PLAIN_RULES = {"one_vs_all": plain_one_vs_all, "multiclass": plain_multiclass}
