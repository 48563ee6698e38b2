"""`spacy cbl ...`: thin commands. Each parses, calls the library and reports.

Loaded by every `spacy` command: modules here import nothing heavy at the top.
"""

from spacy.cli._util import app

from ._app import cbl_cli
from .brown import brown_cli
from .clean_sample import clean_sample_cli
from .compare import compare_cli
from .convert import convert_cli
from .experiment import experiment_cli
from .floret import floret_cli
from .inspect import inspect_cli
from .perturb import perturb_cli
from .review import review_cli
from .romanize import romanize_cli
from .stats import stats_cli
from .threshold import threshold_cli
from .vectors import vectors_cli
from .weigh import weigh_cli

app.add_typer(cbl_cli)

__all__ = [
    "brown_cli",
    "cbl_cli",
    "clean_sample_cli",
    "compare_cli",
    "convert_cli",
    "experiment_cli",
    "floret_cli",
    "inspect_cli",
    "perturb_cli",
    "review_cli",
    "romanize_cli",
    "stats_cli",
    "threshold_cli",
    "vectors_cli",
    "weigh_cli",
]
