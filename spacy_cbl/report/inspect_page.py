"""The page of `spacy cbl inspect`: figures, and a list that a script renders.

The data is JSON in the page. The script shows a page of the list at a time, so that
large corpora stay readable.
"""

import json
from html import escape
from importlib.resources import files
from typing import Any, List, Tuple

from .figures import history_figures, make_document, section, weight_figure
from .inspection import Inspection, Sentence
from .suspects import Form

CONTROLS = """<h2>Probable missed entities</h2>
<noscript><p class="note">The list needs JavaScript.</p></noscript>
<form id="filters">
<label>Show <select id="view"><option value="form">by surface form</option>
<option value="doc">by document</option></select></label>
<label>Search <input id="search" type="search" placeholder="surface form"></label>
<label>in <input id="context" type="search" placeholder="words of the sentence"></label>
<label>Type <select id="type"><option value="*">all</option></select></label>
<label>Score from <input id="score" type="number" min="0" max="1" step="0.05"
value="0"></label>
<label>Confidence from <input id="confidence" type="number" min="0" max="1" step="0.05"
value="0"></label>
</form>
<div class="pager"><button id="previous" type="button">Previous</button>
<span id="position" role="status"></span>
<button id="next" type="button">Next</button></div>
<div id="list"></div>
<p class="note">Score is P(entity) where the corpus has it, else 1 − the mean weight.
Confidence is that in the type: of the pipeline, or the share of labelled entities of
the same form. <span class="mark ent">labelled<b>TYPE</b></span>
<span class="mark hot" style="--depth: 100%">suspected<b>TYPE?</b></span>
The deeper the colour, the lower the weight.</p>"""


def make_inspect_page(inspection: Inspection) -> str:
    """Put everything on one page.

    inspection (Inspection): What was found.
    RETURNS (str): The HTML.
    """
    title = f"What did we miss in {inspection.name}?"
    figures = [
        weight_figure(inspection.name, inspection.weights),
        *history_figures(inspection.name, inspection.history),
    ]
    parts = [
        _make_tiles(inspection),
        CONTROLS,
        section("Weights and rounds", figures),
        f'<script id="data" type="application/json">{_make_data(inspection)}</script>',
        f"<script>\n{_read('inspect.js')}</script>",
    ]
    body = "\n".join(part for part in parts if part)
    return make_document(title, body, "spacy cbl inspect", _read("inspect.css"))


def list_figures(inspection: Inspection) -> List[Tuple[str, str]]:
    """The figures of a corpus, named.

    inspection (Inspection): What was found.
    RETURNS (List[Tuple[str, str]]): Names and figures, as text.
    """
    n_tokens = max(1, inspection.n_tokens)
    n_found = inspection.n_entity_tokens + inspection.n_suspect_tokens
    suspects = inspection.suspects
    figures = [
        (
            "Entity ratio, labelled",
            f"{100 * inspection.n_entity_tokens / n_tokens:.1f}%",
        ),
        ("Entity ratio, with suspects", f"{100 * n_found / n_tokens:.1f}%"),
    ]
    expected = inspection.history[-1].get("b") if inspection.history else None
    if expected is not None:
        figures.append(("Entity ratio, selected for", f"{100 * expected:.1f}%"))
    if inspection.n_gold_tokens is not None:
        ratio = 100 * inspection.n_gold_tokens / n_tokens
        figures.append(("Entity ratio of gold", f"{ratio:.1f}%"))
    figures.append(("Suspects listed", f"{len(suspects):,}"))
    figures.append(("Surface forms", f"{len(inspection.forms):,}"))
    if inspection.n_gold_tokens is not None and suspects:
        confirmed = sum(bool(suspect.gold) for suspect in suspects)
        share = 100 * confirmed / len(suspects)
        figures.append(("Suspects confirmed by gold", f"{share:.1f}%"))
    return figures


def _make_tiles(inspection: Inspection) -> str:
    tiles = "\n".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in list_figures(inspection)
    )
    return f'<dl class="tiles">\n{tiles}\n</dl>'


def _make_data(inspection: Inspection) -> str:
    """Lists instead of objects: names would be repeated for every sentence."""
    numbers = {doc: i for i, doc in enumerate(inspection.docs)}
    starts = {
        (doc, sent.start): i
        for doc, sents in inspection.docs.items()
        for i, sent in enumerate(sents)
    }
    data = {
        "docs": [
            [doc, [_pack_sentence(sent) for sent in sents]]
            for doc, sents in inspection.docs.items()
        ],
        "forms": [_pack_form(form, numbers, starts) for form in inspection.forms],
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # Nothing in the data may end the script or begin a comment.
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _pack_sentence(sent: Sentence) -> List[Any]:
    # Weights as percent, at most 100: short, and balanced weights may pass 1.
    weights = [min(100, round(100 * weight)) for weight in sent.weights]
    return [sent.words, weights, sent.ents]


def _pack_form(form: Form, numbers: Any, starts: Any) -> List[Any]:
    places = [
        [
            numbers[s.doc],
            starts[s.doc, s.sent[0]],
            s.start - s.sent[0],
            s.end - s.sent[0],
            round(s.weight, 3),
            round(s.score, 3),
            s.label,
            round(s.confidence, 3),
            s.gold,
        ]
        for s in form.suspects
    ]
    return [form.text, places]


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
