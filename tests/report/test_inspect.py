import json
from html.parser import HTMLParser

import pytest
import spacy
import srsly
from spacy.tokens import Span

from spacy_cbl.attrs import OUTSIDE_GROUP, LabelProbs, set_label_probs
from spacy_cbl.data.docbin import write_docs
from spacy_cbl.report.displacy import render_weights, weight_colors, weights_to_spans
from spacy_cbl.report.inspection import inspect
from spacy_cbl.report.suspects import add_types, find_suspects, rank_forms

from .cells import HISTORY
from .doubted import EVIL, make_weighted, write_corpora


@pytest.fixture
def folder(tmp_path, nlp):
    return write_corpora(tmp_path, nlp.vocab)


def test_suspects_are_runs_of_unlabelled_tokens_within_sentences(nlp):
    first, second, third, _ = make_weighted(nlp.vocab)
    (suspect,) = find_suspects(first, 7, 0.5)
    assert (suspect.doc, suspect.sent) == (7, (0, 5))
    assert (suspect.start, suspect.end, suspect.text) == (2, 4, "Bob Smith")
    assert suspect.weight == pytest.approx(0.1)
    assert suspect.score == pytest.approx(0.9)
    found = [(s.text, s.sent) for s in find_suspects(second, 0, 0.5)]
    assert found == [
        ("Paris", (0, 4)),
        (f"Monday {EVIL}", (4, 10)),
        ("Lima", (4, 10)),
    ]
    assert [s.text for s in find_suspects(second, 0, 0.3)][-1] != "Lima"
    assert find_suspects(third, 0, 1.0) == []


def test_trusted_and_blocked_tokens_are_no_suspects(nlp):
    _, doc, _, _ = make_weighted(nlp.vocab)
    doc.spans[OUTSIDE_GROUP] = [doc[4:5]]
    doc.set_ents([], blocked=[doc[3:4]], default="unmodified")
    assert [s.text for s in find_suspects(doc, 0, 0.5)] == [EVIL, "Lima"]


def test_probabilities_of_the_corpus_are_the_scores(nlp):
    doc = make_weighted(nlp.vocab)[3]
    probs = [[0.25, 0.75], [0.5, 0.5], [1.0, 0.0], [1.0, 0.0]]
    set_label_probs(doc, LabelProbs(["O", "U-PER"], probs))
    assert find_suspects(doc, 0, 0.5)[0].score == pytest.approx(0.625)


def test_probabilities_rank_suspects_of_equal_weight(nlp, tmp_path):
    docs = make_weighted(nlp.vocab)
    for doc in docs:
        doc._.cbl_weights = [round(float(w)) for w in doc._.cbl_weights]
    docs[1]._.cbl_p_outside = [1.0, 1.0, 1.0, 0.001, 0.2, 0.2, 1.0, 1.0, 0.4, 1.0]
    docs[0]._.cbl_p_outside = [0.1, 1.0, 0.002, 0.002, *[1.0] * 5]
    docs[3]._.cbl_p_outside = [0.002, 0.002, 1.0, 1.0]
    write_docs(tmp_path / "weighted.spacy", docs)
    forms = inspect(tmp_path / "weighted.spacy").forms
    assert [form.text for form in forms[:2]] == ["Paris", "Bob Smith"]
    assert forms[1].score == pytest.approx(0.998, abs=1e-5)
    assert forms[1].weight == 0


def test_forms_are_ranked_and_typed_by_labels_elsewhere(folder):
    found = inspect(folder / "weighted.spacy", gold=folder / "gold.spacy")
    # 1.0, 0.95, 0.9 and 0.6
    texts = [form.text for form in found.forms]
    assert texts == ["Paris", f"Monday {EVIL}", "Bob Smith", "Lima"]
    bob = found.forms[2]
    assert (bob.label, bob.confidence, len(bob.suspects)) == ("PER", 1.0, 2)
    assert found.forms[0].label == ""
    assert [s.gold for s in found.suspects] == ["LOC", "MISC", "PER", "PER", "LOC"]
    assert (found.n_tokens, found.n_entity_tokens) == (26, 3)
    assert (found.n_suspect_tokens, found.n_gold_tokens) == (8, 10)
    groups = {name: group.n_tokens for name, group in found.weights.items()}
    assert groups == {"unlabelled": 23, "missed": 7, "true negatives": 16}
    assert len(inspect(folder / "weighted.spacy", top=2).forms) == 2


def test_equal_scores_are_ranked_by_frequency(nlp, tmp_path):
    docs = make_weighted(nlp.vocab)
    for doc in docs:
        doc._.cbl_weights = [round(float(w)) for w in doc._.cbl_weights]
    write_docs(tmp_path / "weighted.spacy", docs)
    assert inspect(tmp_path / "weighted.spacy").forms[0].text == "Bob Smith"


def test_a_pipeline_gives_types_and_confidences(folder):
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "GPE", "pattern": "Paris"}])
    found = inspect(folder / "weighted.spacy", model=nlp)
    types = {form.text: (form.label, form.confidence) for form in found.forms}
    assert types["Paris"] == ("GPE", 1.0)
    assert types["Bob Smith"] == ("PER", 1.0)
    assert types["Lima"] == ("", 0.0)


def test_the_type_of_a_form_is_that_of_most_of_its_typed_suspects(nlp):
    first, *_, last = make_weighted(nlp.vocab)
    (untyped,), (typed,) = find_suspects(first, 0, 0.5), find_suspects(last, 3, 0.5)
    last.ents = [Span(last, 1, 3, label="ORG")]
    (form,) = rank_forms([untyped, *add_types([typed], last)], {})
    assert (form.label, form.confidence) == ("ORG", 0.5)


def test_scores_that_a_component_leaves_are_the_confidence(nlp, folder):
    @spacy.Language.component("test_scored")
    def find_lima(doc):
        doc.ents = [Span(doc, t.i, t.i + 1, "LOC") for t in doc if t.text == "Lima"]
        doc.spans["found"] = list(doc.ents)
        doc.spans["found"].attrs["scores"] = [0.25] * len(doc.ents)
        return doc

    nlp.add_pipe("test_scored")
    forms = inspect(folder / "weighted.spacy", model=nlp).forms
    assert (forms[-1].label, forms[-1].confidence) == ("LOC", 0.25)


class Page(HTMLParser):
    """What a browser sees: scripts, tags in order, nothing from elsewhere."""

    def __init__(self, text):
        super().__init__()
        self.open, self.scripts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        assert not {"src", "href"} & {name for name, _ in attrs}
        if tag not in ("meta", "br", "input"):
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data


def test_page_holds_everything_and_lets_nothing_out(folder):
    srsly.write_jsonl(
        folder / "weighted.history.jsonl", [{**r, "objective": -9.0} for r in HISTORY]
    )
    found = inspect(folder / "weighted.spacy", gold=folder / "gold.spacy")
    text = found.to_html()
    assert EVIL not in text and "<!-- 😀" not in text
    assert "http" not in text and "url(" not in text
    page = Page(text)
    assert page.open == [] and len(page.scripts) == 2
    data = json.loads(page.scripts[0])
    assert [form for form, _ in data["forms"]] == [form.text for form in found.forms]
    doc, sent, start, end, *_ = data["forms"][1][1][0]
    assert data["docs"][doc][1][sent][0][start:end] == ["Monday ", f"{EVIL} "]
    assert [number for number, _ in data["docs"]] == [0, 1, 3]  # the rest has none
    for shown in ("11.5%", "42.3%", "38.5%", "recall at k", "objective", "missed"):
        assert shown in text
    assert "srcdoc=" in found._repr_html_() and EVIL not in found._repr_html_()


def test_weights_in_displacy(nlp):
    doc = make_weighted(nlp.vocab)[0]
    spans = weights_to_spans(doc)["ents"]
    shown = [(doc.text[s["start"] : s["end"]], s["label"]) for s in spans]
    assert shown == [
        ("Ada", "PER"),
        ("Bob", "w 0.0"),
        ("Smith", "w 0.2"),
        ("Bob Smith", "PER"),
    ]
    # The entry point makes displaCy know the colours.
    html = render_weights(doc, jupyter=False)
    assert weight_colors()["w 0.0"] in html and weight_colors()["w 0.2"] in html
