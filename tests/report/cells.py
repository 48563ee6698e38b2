"""Results as the commands write them."""

import srsly

HISTORY = [
    {
        "round": number,
        "b": 0.1 * number,
        "selected": 100 * number,
        "missed_recall_at_k": 0.8,
        "selected_precision": 0.9,
        "selected_recall": 0.5,
    }
    for number in (1, 2)
]


def write_cell(folder, corpus, method, f1, *, model="cnn", seed=0, recall=0.5):
    """What `spacy cbl experiment` writes of a cell."""
    history = {"history": HISTORY} if method.startswith("cbl") else {}
    cell = {
        "key": "0",
        "cell": {
            "corpus": {"name": corpus},
            "method": {"name": method},
            "model": {"name": model},
            "seed": seed,
            "recall": recall,
            "precision": 0.9,
        },
        "weighing": {"seconds": 3.0, **history},
        "seconds_train": 60.0,
        "selected_on": "gold dev",
        "dev": {"ents_p": 1.0, "ents_r": 1.0, "ents_f": f1 + 1},
        "test": {"ents_p": f1 + 2, "ents_r": f1 - 2, "ents_f": f1},
    }
    folder.mkdir(exist_ok=True)
    path = folder / f"{corpus}-{method}-{model}-{seed}-{recall}.json"
    srsly.write_json(path, cell)
    return path


def write_evaluation(folder, name, f1):
    """What `spacy evaluate` writes."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.json"
    scores = {"token_acc": 1.0, "ents_p": f1, "ents_r": f1, "ents_f": f1, "speed": 1}
    srsly.write_json(path, scores)
    return path
