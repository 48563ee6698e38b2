import numpy
import pytest
import spacy
from numpy.testing import assert_allclose
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_cbl.core.crf import marginal_loss
from spacy_cbl.core.soft_labels import soft_labels
from spacy_cbl.core.tags import TagSet
from spacy_cbl.pipeline.losses import create_expected_entity_ratio
from spacy_cbl.pipeline.targets import get_targets

from ..training.toy import LABELLED, NAMES, make_docs

TAGS = TagSet(["A"])
LENGTHS = numpy.array([3, 0, 1, 4])
EER = "spacy_cbl.ExpectedEntityRatio.v1"


def make_batch(seed=0):
    rng = numpy.random.default_rng(seed)
    E = rng.normal(size=(LENGTHS.sum(), len(TAGS)))
    T = rng.normal(size=(len(TAGS) + 1, len(TAGS) + 1))
    gold = TAGS.encode(LENGTHS.sum(), [(0, 2, "A")])
    return E, T, soft_labels(gold, len(TAGS), rng.random(len(gold)))


def test_gradient_of_the_whole_loss_equals_central_differences():
    E, T, G = make_batch()
    loss = create_expected_entity_ratio(ratio=0.1, margin=0.02, weight=3.0)
    _, dE, dT = loss(E, T, TAGS.legal, LENGTHS, G)
    eps = 1e-5
    for array, gradient in ((E, dE), (T, dT)):
        for i in numpy.ndindex(array.shape):
            kept = array[i]
            array[i] = kept + eps
            above = loss(E, T, TAGS.legal, LENGTHS, G)[0].sum()
            array[i] = kept - eps
            below = loss(E, T, TAGS.legal, LENGTHS, G)[0].sum()
            array[i] = kept
            assert_allclose(gradient[i], (above - below) / (2 * eps), atol=1e-6)


def test_each_sequence_bears_an_equal_part_of_the_penalty():
    E, T, G = make_batch()
    likelihood = marginal_loss(E, T, TAGS.legal, LENGTHS, G)[0]
    loss = create_expected_entity_ratio(weight=2.0)(E, T, TAGS.legal, LENGTHS, G)[0]
    part = (loss - likelihood)[LENGTHS > 0]
    assert part[0] > 0.1
    assert_allclose(part, part[0])
    assert loss[1] == 0.0  # no token, no loss


def test_the_balance_does_not_depend_on_the_size_of_the_batch():
    """Twice the batch is twice the loss and for each token the same gradient."""
    E, T, G = make_batch()
    loss = create_expected_entity_ratio()
    once = loss(E, T, TAGS.legal, LENGTHS, G)
    E2, G2 = numpy.concatenate([E, E]), numpy.concatenate([G, G])
    twice = loss(E2, T, TAGS.legal, numpy.concatenate([LENGTHS, LENGTHS]), G2)
    assert_allclose(twice[0].sum(), 2 * once[0].sum())
    assert_allclose(twice[1][: len(E)], once[1])
    assert_allclose(twice[2], 2 * once[2], atol=1e-12)


def test_without_weight_it_is_the_marginal_likelihood():
    E, T, G = make_batch()
    loss = create_expected_entity_ratio(weight=0.0)
    for found, expected in zip(
        loss(E, T, TAGS.legal, LENGTHS, G), marginal_loss(E, T, TAGS.legal, LENGTHS, G)
    ):
        assert_allclose(found, expected)


@pytest.mark.parametrize(
    "settings,code",
    [
        ({"ratio": 0.0}, "C280"),
        ({"ratio": 1.0}, "C280"),
        ({"margin": -0.1}, "C281"),
        ({"margin": 1.0}, "C281"),
        ({"weight": -1.0}, "C282"),
        ({"weight": float("inf")}, "C282"),
        ({"weight": float("nan")}, "C282"),
    ],
)
def test_settings_out_of_range_are_refused(settings, code):
    with pytest.raises(ValueError, match=code):
        create_expected_entity_ratio(**settings)


def test_a_config_with_settings_out_of_range_is_refused(nlp):
    with pytest.raises(ValueError, match="C280"):
        nlp.add_pipe("cbl_ner", config={"loss": {"@losses": EER, "ratio": 15}})


def make_reference(nlp):
    doc = Doc(
        nlp.vocab,
        words=["Ada", "met", "Bob", "in", "Paris", "today"],
        spaces=[True] * 5 + [False],
        ents=["B-PER", "O", "O", "O", "O", "O"],
    )
    doc.set_ents(list(doc.ents), blocked=[doc[3:4]], default="unmodified")
    doc.spans["cbl_outside"] = [doc[1:2]]
    doc._.cbl_weights = [1, 1, 0.5, 1, 1, 1]
    return doc


@pytest.mark.parametrize("last", [["today"], ["to", "day"]])
def test_latent_tokens_are_all_but_entities_and_certain_negatives(nlp, last):
    reference = make_reference(nlp)
    words = ["Ada", "met", "Bob", "in", "Paris", *last]
    spaces = [True] * 5 + [False] * len(last)
    example = Example(Doc(nlp.vocab, words=words, spaces=spaces), reference)
    tags = TagSet(["PER"])
    G = get_targets([example], tags, "cbl_ner", latent=True).soft_labels
    one_hot = numpy.eye(len(tags))
    assert_allclose(G[0], one_hot[tags.names.index("U-PER")])
    assert_allclose(G[1], one_hot[0])  # trusted
    assert_allclose(G[3], one_hot[0])  # blocked
    for i in [2, *range(4, len(words))]:
        assert_allclose(G[i], 1 / len(tags))
    G = get_targets([example], tags, "cbl_ner").soft_labels
    assert G[2, 0] == 0.5 and G[4, 0] == 1.0


def bare(nlp, doc):
    starts = [token.is_sent_start for token in doc]
    return Doc(nlp.vocab, words=[t.text for t in doc], sent_starts=starts)


def train_toy(loss, n_steps=30):
    """Train where half of the names are never labelled; return the shares of other
    texts' tokens found: names never labelled, and words that are no names.
    """
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("cbl_ner", config={"loss": loss})
    docs = make_docs(nlp.vocab, LABELLED)
    examples = [Example(bare(nlp, doc), doc) for doc in docs]
    optimizer = nlp.initialize(lambda: examples)
    for step in range(n_steps):
        nlp.update(examples[step % 3 :: 3], sgd=optimizer)
    unseen = [bare(nlp, doc) for doc in make_docs(nlp.vocab, [], n_docs=10, seed=1)]
    tokens = [token for doc in nlp.pipe(unseen) for token in doc]
    hidden = [bool(t.ent_type) for t in tokens if t.text in set(NAMES) - set(LABELLED)]
    others = [bool(t.ent_type) for t in tokens if t.text not in NAMES]
    return nlp, numpy.mean(hidden), numpy.mean(others)


def test_finds_names_that_were_never_labelled(tmp_path):
    _, raw, _ = train_toy({"@losses": "spacy_cbl.MarginalLikelihood.v1"})
    nlp, hidden, others = train_toy({"@losses": EER, "ratio": 0.4})
    assert raw < 0.2 and hidden > 0.7 and others < 0.1
    # The saved pipeline has the loss with its settings, to be trained on.
    nlp.to_disk(tmp_path)
    loss = spacy.load(tmp_path).get_pipe("cbl_ner").loss
    assert (loss.ratio, loss.margin, loss.weight, loss.latent) == (0.4, 0.05, 10, True)
