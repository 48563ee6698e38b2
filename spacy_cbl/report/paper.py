"""The figures of the tables of Mayhew et al. (2019), to put beside ours."""

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
    "self_training_hard": "Self-training",
    "raw": "Raw Annotations",
    "cbl": "CBL-Raw",
    "cbl_raw": "CBL-Raw",
    "combined": "Combined Weighting",
    "cbl_combined": "CBL-Combined",
}
# Which of the paper's two tools one of our models is like; the neural one if not here
TOOLS = {"perceptron": COGCOMP}

# Table 1, as printed: entity ratio in percent, spans and tokens of train, then of test
DATA = {
    "eng": ("16.6", "23K", "203K", "17.3", "5K", "46K"),
    "deu": ("8.0", "11K", "206K", "9.9", "3K", "51K"),
    "esp": ("12.3", "18K", "264K", "11.9", "3K", "51K"),
    "ned": ("9.5", "13K", "202K", "8.3", "4K", "68K"),
    "amh": ("11.2", "3K", "52K", "11.3", "1K", "18K"),
    "ara": ("12.6", "4K", "60K", "10.2", "931", "16K"),
    "hin": ("7.38", "4K", "74K", "7.53", "1K", "25K"),
    "som": ("11.2", "4K", "57K", "11.9", "1K", "16K"),
}

# Table 2: F1 on the test sets, by language
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

# Table 3: F1 of CogComp, mean of the languages, by the entity ratio that is assumed
RATIOS = ("10%", "15%", "gold")
RATIO_F1S = {
    "oracle": (65.8, 65.9, 65.4),
    "raw": (40.9, 40.9, 40.9),
    "combined": (59.9, 60.2, 60.2),
    "cbl_combined": (62.4, 62.3, 63.0),
}

# Table 4: the Bengali data as printed, and P, R and F1 of its annotators' labels
BENGALI_DATA = {
    "Tokens": "49K",
    "Sentences": "2435",
    "Name tokens": "2326",
    "Entity ratio %": "4.66",
    "Unique name tokens": "664",
}
ANNOTATORS = {
    "annotator 1": ("84", "34", "48"),
    "annotator 2": ("79", "28", "42"),
    "combined": ("83", "32", "47"),
}

# Table 5: P, R and F1 of the BiLSTM-CRF on the Bengali test set
BENGALI_SCORES = {
    "gold": (71.6, 70.2, 70.9),
    "raw": (73.0, 23.8, 35.9),
    "combined": (65.9, 34.2, 45.0),
    "cbl": (57.8, 47.3, 52.0),
    "cbl_combined": (58.3, 44.2, 50.2),
}


def paper_scores(method: str, tool: str) -> Dict[str, float]:
    """What the paper reports.

    method (str): One of ours.
    tool (str): One of the paper's.
    RETURNS (Dict[str, float]): F1 by language; empty if the paper has none.
    """
    figures = _FIGURES.get((METHODS.get(method, ""), tool), ())
    return {lang: f for lang, f in zip(LANGUAGES, figures) if f is not None}
