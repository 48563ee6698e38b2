import numpy
import pytest

from spacy_cbl.inference.highs import Matrix, maximise


def test_a_problem_that_highs_cannot_take_is_described():
    rows, columns, values = numpy.array([[0, 0], [0, 1], [1, 1e20]])
    matrix = Matrix(
        rows.astype(int), columns.astype(int), values, numpy.zeros(1), numpy.ones(1)
    )
    with pytest.raises(RuntimeError, match="C211.*'Not Set'.*2 variables and 1 rows"):
        maximise(numpy.ones(2), numpy.zeros(2), numpy.ones(2), matrix, integer=True)
