from .problem import Agreement, Count, Rows, least, most
from .solver import Solution, infer
from .tokens import Tokens

__all__ = [
    "Agreement",
    "Count",
    "Rows",
    "Solution",
    "Tokens",
    "infer",
    "least",
    "most",
]
