"""F1 on the test sets in Table 2 of Mayhew et al. (2019), to put beside ours."""

from typing import Dict, Optional, Tuple

COGCOMP, BILSTM = "CogComp", "BiLSTM-CRF"
LANGUAGES = ("eng", "deu", "esp", "ned", "amh", "ara", "hin", "som")
# Of these, the corpora are public, and ours are the same.
SAME_CORPORA = ("eng", "deu", "esp", "ned")

# Which of the paper's methods one of ours is
METHODS = {
    "gold": "Gold",
    "oracle": "Oracle Weighting",
    "noise_adaptation": "Noise Adaptation",
    "self_training": "Self-training",
    "raw": "Raw Annotations",
    "cbl": "CBL-Raw",
    "cbl_raw": "CBL-Raw",
    "combined": "Combined Weighting",
    "cbl_combined": "CBL-Combined",
}
# Which of the paper's two tools one of our models is like; the neural one if not here
TOOLS = {"perceptron": COGCOMP}

_FIGURES: Dict[Tuple[str, str], Tuple[Optional[float], ...]] = {
    ("Gold", COGCOMP): (89.1, 72.5, 82.5, 82.6, 67.2, 53.4, 74.4, 80.3),
    ("Gold", BILSTM): (90.3, 77.3, 85.2, 81.1, 69.2, 52.8, 73.8, 82.3),
    ("Oracle Weighting", COGCOMP): (83.7, 65.7, 76.2, 76.4, 54.3, 42.0, 56.3, 68.5),
    ("Oracle Weighting", BILSTM): (87.8, 70.2, 78.5, 70.4, 60.4, 43.4, 57.6, 73.2),
    ("Noise Adaptation", BILSTM): (61.5, 46.1, 57.3, 41.5, None, None, None, None),
    ("Self-training", BILSTM): (82.3, 65.2, 76.3, 65.5, 52.1, 40.1, 55.1, 65.3),
    ("Raw Annotations", COGCOMP): (54.8, 36.9, 49.5, 47.9, 31.0, 32.6, 30.9, 44.0),
    ("Raw Annotations", BILSTM): (73.3, 57.7, 61.9, 58.3, 42.2, 36.8, 47.5, 54.9),
    ("CBL-Raw", COGCOMP): (74.7, 63.0, 68.7, 67.0, 45.0, 37.8, 50.6, 67.9),
    ("CBL-Raw", BILSTM): (84.6, 67.9, 79.6, 70.0, 52.9, 42.1, 55.2, 70.4),
    ("Combined Weighting", COGCOMP): (75.2, 56.6, 70.8, 70.8, 46.5, 44.1, 57.5, 60.2),
    ("Combined Weighting", BILSTM): (73.5, 60.3, 64.9, 61.9, 48.0, 38.0, 49.0, 56.6),
    ("CBL-Combined", COGCOMP): (77.3, 61.8, 74.0, 72.4, 49.2, 43.7, 58.2, 67.6),
    ("CBL-Combined", BILSTM): (81.1, 64.9, 74.9, 63.4, 52.2, 39.8, 52.0, 67.0),
}


def paper_scores(method: str, tool: str) -> Dict[str, float]:
    """What the paper reports.

    method (str): One of ours.
    tool (str): One of the paper's.
    RETURNS (Dict[str, float]): F1 by language; empty if the paper has none.
    """
    figures = _FIGURES.get((METHODS.get(method, ""), tool), ())
    return {lang: f for lang, f in zip(LANGUAGES, figures) if f is not None}
