"""The integer program as one would write it at first: all of it handed to HiGHS."""

import numpy

from spacy_cbl.inference import Agreement, Count
from spacy_cbl.inference.highs import Matrix, maximise


def solve_naively(problem, time_limit=60.0):
    """Hand HiGHS the whole problem, rows as the paper has them. Returns the status and
    Σ (C_1 − C_0) y_1."""
    n = len(problem.weights)
    rows, columns, values, lower, upper, n_columns = [], [], [], [], [], n

    def add(row_columns, row_values, low, high):
        rows.append(numpy.full(len(row_columns), len(lower)))
        columns.append(row_columns)
        values.append(numpy.broadcast_to(row_values, len(row_columns)))
        lower.append(low)
        upper.append(high)

    for part in problem.parts:
        if isinstance(part, Count):
            where = numpy.arange(n) if part.where is None else part.where.nonzero()[0]
            add(where, 1.0, part.lower, part.upper)
        elif isinstance(part, Agreement):
            for group, (most, least) in enumerate(zip(part.at_most, part.at_least)):
                # |s| a + Σ y1 >= α|s| and |s| (1 − a) + Σ (1 − y1) >= α|s|
                those = numpy.flatnonzero(part.groups == group)
                size = most + least
                entries = numpy.append(those, n_columns)
                ones = numpy.ones(len(those))
                add(entries, numpy.append(ones, size), least, numpy.inf)
                add(entries, numpy.append(-ones, -size), least - 2 * size, numpy.inf)
                n_columns += 1
        else:
            raise NotImplementedError
    matrix = Matrix(
        numpy.concatenate(rows),
        numpy.concatenate(columns),
        numpy.concatenate(values).astype(float),
        numpy.array(lower, dtype=float),
        numpy.array(upper, dtype=float),
    )
    high = numpy.ones(n_columns)
    high[:n][problem.fixed] = 0
    objective = numpy.append(problem.weights, numpy.zeros(n_columns - n))
    answer = maximise(
        objective,
        numpy.zeros(n_columns),
        high,
        matrix,
        integer=True,
        time_limit=time_limit,
    )
    worth = None if answer.values is None else float(objective @ answer.values)
    return answer.status, worth
