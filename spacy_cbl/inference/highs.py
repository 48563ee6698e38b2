"""HiGHS on arrays."""

import math
from typing import Any, Dict, NamedTuple, Optional

import numpy

from ..errors import Errors
from ..types import FloatArray, IntArray

# Above this size HiGHS is faster without presolve, which explodes on dense rows.
PRESOLVE_LIMIT = 20_000


class Matrix(NamedTuple):
    """The entries of sparse rows and the bounds of these.

    rows (IntArray): The row of each entry.
    columns (IntArray): Its column.
    values (FloatArray): Its value.
    lower (FloatArray): One bound per row.
    upper (FloatArray): One bound per row.
    """

    rows: IntArray
    columns: IntArray
    values: FloatArray
    lower: FloatArray
    upper: FloatArray

    def sum(self, values: FloatArray) -> FloatArray:
        """The left side of each row.

        values (FloatArray): One value per column.
        RETURNS (FloatArray): One sum per row.
        """
        products = self.values * values[self.columns]
        return numpy.bincount(self.rows, products, len(self.lower))


class Answer(NamedTuple):
    """What HiGHS found.

    status (str): "optimal", "infeasible" or "limit".
    values (Optional[FloatArray]): The best feasible point, if one was found.
    bound (float): No feasible point has a higher objective.
    prices (Optional[FloatArray]): The multiplier of each row (of an LP alone): what one
        more unit of a binding bound is worth.
    """

    status: str
    values: Optional[FloatArray]
    bound: float
    prices: Optional[FloatArray]


def maximise(
    objective: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    matrix: Matrix,
    *,
    integer: bool,
    time_limit: float = math.inf,
    abs_gap: float = 0.0,
) -> Answer:
    """Solve max objective · x, lower <= x <= upper, matrix rows within their bounds.

    objective (FloatArray): One coefficient per variable.
    lower (FloatArray): One bound per variable.
    upper (FloatArray): One bound per variable.
    matrix (Matrix): The rows.
    integer (bool): Whether the variables are whole numbers.
    time_limit (float): Seconds.
    abs_gap (float): How far from the best an integer solution may be.
    RETURNS (Answer): What was found.
    """
    if len(objective) == 0:
        return _answer_without_variables(matrix)
    import highspy

    solver = highspy.Highs()
    options: Dict[str, Any] = {
        "output_flag": False,
        "parallel": "off",  # the same result on every machine
        "time_limit": max(time_limit, 0.0),
        "mip_rel_gap": 0.0,
        "mip_abs_gap": abs_gap,
        "presolve": "on" if len(objective) < PRESOLVE_LIMIT else "off",
    }
    for name, value in options.items():
        solver.setOptionValue(name, value)
    passed = solver.passModel(_make_model(-objective, lower, upper, matrix, integer))
    if passed != highspy.HighsStatus.kError:
        solver.run()
    return _read_answer(solver, integer)


def _read_answer(solver: Any, integer: bool) -> Answer:
    import highspy

    status, statuses = solver.getModelStatus(), highspy.HighsModelStatus
    if status in (statuses.kInfeasible, statuses.kUnboundedOrInfeasible):
        return Answer("infeasible", None, -math.inf, None)
    if status not in (statuses.kOptimal, statuses.kTimeLimit):
        name = solver.modelStatusToString(status)
        n_columns, n_rows = solver.getNumCol(), solver.getNumRow()
        raise RuntimeError(
            Errors.C211.format(status=name, n_columns=n_columns, n_rows=n_rows)
        )
    optimal = status == statuses.kOptimal
    info, solution = solver.getInfo(), solver.getSolution()
    feasible = highspy.SolutionStatus.kSolutionStatusFeasible
    found = info.primal_solution_status == feasible
    lp_bound = -info.objective_function_value if optimal else math.inf
    return Answer(
        "optimal" if optimal else "limit",
        numpy.array(solution.col_value) if found else None,
        -info.mip_dual_bound if integer else lp_bound,
        -numpy.array(solution.row_dual) if optimal and not integer else None,
    )


def _answer_without_variables(matrix: Matrix) -> Answer:
    """HiGHS calls a model without variables empty, whatever its rows ask for."""
    if (matrix.lower <= 0).all() and (matrix.upper >= 0).all():
        return Answer("optimal", numpy.zeros(0), 0.0, numpy.zeros(len(matrix.lower)))
    return Answer("infeasible", None, -math.inf, None)


def _make_model(
    costs: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    matrix: Matrix,
    integer: bool,
):
    import highspy

    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(costs), len(matrix.lower)
    model.col_cost_, model.col_lower_, model.col_upper_ = costs, lower, upper
    model.row_lower_, model.row_upper_ = matrix.lower, matrix.upper
    order = numpy.argsort(matrix.rows, kind="stable")
    counts = numpy.bincount(matrix.rows, minlength=len(matrix.lower))
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = numpy.append(0, numpy.cumsum(counts))
    model.a_matrix_.index_ = matrix.columns[order]
    model.a_matrix_.value_ = matrix.values[order]
    if integer:
        model.integrality_ = [highspy.HighsVarType.kInteger] * len(costs)
    return model
