import numpy
import pytest
import spacy
from numpy.testing import assert_allclose, assert_array_equal
from spacy.lookups import Lookups
from spacy.ml.models.tok2vec import MultiHashEmbed
from spacy.tokens import Doc
from spacy.util import fix_random_seed
from spacy.vectors import Vectors
from thinc.api import Model, set_dropout_rate
from thinc.types import Ragged

from spacy_cbl.data.clusters import (
    CLUSTER_TABLE,
    load_clusters,
    path_prefixes,
    read_clusters,
)
from spacy_cbl.models.bilstm import build_bilstm_encoder_v1, sequence_dropout
from spacy_cbl.models.char_cnn import build_char_cnn_embed_v1
from spacy_cbl.models.feature_embed import build_feature_embed_v1
from spacy_cbl.models.marginal_crf import build_marginal_crf_v1, set_tags
from spacy_cbl.models.sentences import build_sentence_tok2vec_v1

from .check_gradients import check_gradients, random_loss

WORDS = [["Ada", "met", "Bob"], ["It", "rained"], ["Hi"]]


@pytest.fixture
def docs():
    fix_random_seed(0)
    vocab = spacy.blank("en").vocab
    return [Doc(vocab, words=words) for words in WORDS]


def add_vectors(vocab, words):
    data = numpy.arange(1, 1 + 2 * len(words), dtype="f").reshape((-1, 2)) / 10
    keys = [vocab.strings.add(word) for word in words]
    vocab.vectors = Vectors(strings=vocab.strings, data=data, keys=keys)


def char_cnn(**settings):
    defaults = {
        "word_width": 3,
        "word_rows": 7,
        "char_width": 2,
        "char_rows": 40,
        "char_filters": 3,
        "char_window": 1,
        "include_static_vectors": False,
        "trainable_vectors": False,
    }
    return build_char_cnn_embed_v1(**{**defaults, **settings})


def features(**settings):
    defaults = {
        "width": 2,
        "attrs": [],
        "rows": [],
        "include_static_vectors": False,
        "cluster_prefixes": [],
        "cluster_rows": 10,
    }
    return build_feature_embed_v1(**{**defaults, **settings})


def make_arrays(lengths, width=3):
    rng = numpy.random.default_rng(0)
    return [rng.normal(size=(n, width)).astype("f") for n in lengths]


def assert_batched_equals_alone(model, items, atol=1e-6):
    for together, item in zip(model.predict(items), items):
        assert_allclose(together, model.predict([item])[0], atol=atol)


@pytest.mark.parametrize("depth", [1, 2])
def test_bilstm_encoder_gradients(depth):
    fix_random_seed(0)
    X = make_arrays([3, 1, 2])
    model = build_bilstm_encoder_v1(4, depth, False)
    model.initialize(X=X)
    check_gradients(model, X, random_loss(model.predict(X)))
    assert_batched_equals_alone(model, X)


def test_bilstm_encoder_passes_the_gradient_to_its_input():
    fix_random_seed(0)
    X = make_arrays([3, 2])
    model = build_bilstm_encoder_v1(4, 2, False)
    model.initialize(X=X)
    loss = random_loss(model.predict(X))
    Y, backprop = model.begin_update(X)
    dX = backprop(loss(Y)[1])
    for x, dx in zip(X, dX):
        for i in numpy.ndindex(x.shape):
            kept = x[i]
            x[i] = kept + 3e-3
            above = loss(model.predict(X))[0]
            x[i] = kept - 3e-3
            below = loss(model.predict(X))[0]
            x[i] = kept
            assert_allclose(dx[i], (above - below) / 6e-3, atol=2e-4)


def test_bilstm_encoder_takes_batches_without_tokens():
    model = build_bilstm_encoder_v1(4, 2, False)
    model.initialize(X=make_arrays([2]))
    assert [len(y) for y in model.predict(make_arrays([0, 2, 0]))] == [0, 2, 0]
    assert [len(y) for y in model.predict(make_arrays([0]))] == [0]


def test_dropout_acts_on_activations_and_never_on_weights():
    fix_random_seed(0)
    X = make_arrays([3])
    model = build_bilstm_encoder_v1(6, 2, False)
    model.initialize(X=X)
    set_dropout_rate(model, 0.5)
    recurrent = [node for node in model.walk() if node.name == "bilstm"]
    assert len(recurrent) == 2
    assert all("dropout_rate" not in node.attrs for node in recurrent)
    weights = recurrent[0].get_param("Wh").copy()
    first, second = model.begin_update(X)[0], model.begin_update(X)[0]
    assert (first[0] != second[0]).any()
    assert_array_equal(recurrent[0].get_param("Wh"), weights)
    assert_array_equal(model.predict(X)[0], model.predict(X)[0])


def test_variational_dropout_shares_its_mask_within_a_sequence_only():
    fix_random_seed(0)
    model = sequence_dropout(0.5)
    X = Ragged(numpy.ones((6, 40), dtype="f"), numpy.array([4, 2], dtype="i"))
    Y, backprop = model.begin_update(X)
    assert (Y.data[:4] == Y.data[0]).all() and (Y.data[4:] == Y.data[4]).all()
    assert (Y.data[0] != Y.data[4]).any()
    assert_array_equal(backprop(X).data, Y.data)
    assert_array_equal(model.predict(X).data, X.data)


def test_char_cnn_gradients(docs):
    model = char_cnn()
    model.initialize(X=docs)
    assert model.predict(docs)[0].shape == (3, 6)
    # A step small enough not to move across the corners of ReLU and maximum
    check_gradients(model, docs, random_loss(model.predict(docs)), eps=1e-4, atol=3e-3)
    assert_batched_equals_alone(model, docs)


def test_char_cnn_tells_words_by_their_characters_and_case(docs):
    model = char_cnn(word_rows=1, char_filters=20)  # all share the word part
    model.initialize(X=docs)
    words = [Doc(docs[0].vocab, words=["ada", "Ada", "adb", "ada"])]
    chars = model.predict(words)[0][:, 3:]
    assert_array_equal(chars[0], chars[3])
    assert len(numpy.unique(chars, axis=0)) == 3


def test_char_cnn_takes_empty_documents(docs):
    model = char_cnn()
    model.initialize(X=docs)
    empty = Doc(docs[0].vocab)
    assert len(model.predict([empty])[0]) == 0
    assert [len(y) for y in model.predict([empty, *docs])] == [0, 3, 2, 1]


@pytest.mark.parametrize("trainable", [False, True])
def test_static_vectors_and_unknown_words(docs, trainable):
    add_vectors(docs[0].vocab, ["ada", "bob"])
    model = char_cnn(include_static_vectors=True, trainable_vectors=trainable)
    model.initialize(X=docs)
    words = model.predict(docs)[0][:, :2]
    assert_allclose(words[0], [0.1, 0.2])  # found by its lower-case form
    assert_allclose(words[2], [0.3, 0.4])
    assert bool(words[1].any()) is not trainable  # a correction starts at zero
    Y, backprop = model.begin_update(docs[:1])
    dY = numpy.zeros_like(Y[0])
    dY[0] = 1.0  # 'Ada' has a vector
    backprop([dY])
    gradients = {name: g for (_, name), (_, g) in model.get_gradients().items()}
    (table,) = [n for n in model.walk() if n.name == "hashembed"]
    moved = table.has_grad("E") and bool(table.get_grad("E").any())
    assert moved is trainable and gradients


def test_feature_embed_gradients(docs):
    model = features(attrs=["SHAPE", "SUFFIX"], rows=[5, 5])
    model.initialize(X=docs)
    check_gradients(model, docs, random_loss(model.predict(docs)), eps=1e-3, atol=2e-2)


def test_feature_embed_can_be_denied_word_identity(docs):
    model = features(attrs=["SHAPE"], rows=[50], width=8)
    model.initialize(X=docs)
    words = [Doc(docs[0].vocab, words=["Paris", "Tokyo", "paris"])]
    Y = model.predict(words)[0]
    assert_array_equal(Y[0], Y[1])
    assert (Y[0] != Y[2]).any()


def test_feature_embed_uses_static_vectors(docs):
    add_vectors(docs[0].vocab, ["ada", "bob"])
    model = features(include_static_vectors=True, width=8)
    model.initialize(X=docs)
    Y = model.predict(docs)[0]
    assert (Y[0] != Y[2]).any()


@pytest.mark.parametrize("build", [features, char_cnn])
def test_static_vectors_that_are_not_there_are_an_error(build, docs):
    with pytest.raises(ValueError, match="C015.*paths.vectors"):
        build(include_static_vectors=True).initialize(X=docs)


def test_feature_embed_uses_prefixes_of_brown_clusters(docs):
    # Paths from the lowest bit on: Ada 0110, Bob 0111, met 1010
    clusters = {"Ada": 0b0110, "Bob": 0b1110, "met": 0b0101}
    docs[0].vocab.lookups = Lookups()
    docs[0].vocab.lookups.add_table(CLUSTER_TABLE, clusters)
    for prefix, alike in ((3, True), (4, False)):
        model = features(cluster_prefixes=[prefix], width=8)
        model.initialize(X=docs)
        Y = model.predict(docs)[0]
        assert bool((Y[0] == Y[2]).all()) is alike
        assert (Y[0] != Y[1]).any()


def test_prefixes_tell_zeros_from_no_cluster():
    columns = path_prefixes(numpy.array([0, 0b100, 0b1000]), [2, 3])
    assert columns[0].tolist() == [0, 0]
    assert (columns[1] > 0).all()
    assert columns[1, 0] == columns[2, 0] and columns[1, 1] != columns[2, 1]


def test_clusters_from_a_file(docs, tmp_path):
    path = tmp_path / "clusters.tsv"
    path.write_text("00\tAda\t10\n00\tBob\t3\n1011\tmet\t7\n")
    table = read_clusters(str(path)).get_table(CLUSTER_TABLE)
    assert table["Ada"] == table["Bob"] == 0b100
    columns = path_prefixes(numpy.array([table["met"]]), [2, 4])
    assert columns.tolist() == [[0b101, 0b11101]]


@pytest.mark.parametrize("line", ["Ada\t00\t3", "00 Ada 3", "\tAda\t3"])
def test_a_malformed_cluster_file_names_its_line(tmp_path, line):
    path = tmp_path / "clusters.tsv"
    path.write_text(f"00\tBob\t3\n{line}\n")
    with pytest.raises(ValueError, match="C013.*Line 2"):
        read_clusters(str(path))


def test_a_cluster_file_of_another_encoding_names_its_line(tmp_path):
    path = tmp_path / "clusters.tsv"
    path.write_bytes("00\tBob\t3\n01\tZoë\t1\n".encode("latin-1"))
    with pytest.raises(ValueError, match="C016.*Line 2"):
        read_clusters(str(path))


def test_a_folder_named_like_a_language_is_no_cluster_file(tmp_path, monkeypatch):
    (tmp_path / "en").mkdir()
    monkeypatch.chdir(tmp_path)
    found = []
    monkeypatch.setattr(
        "spacy_cbl.data.clusters.load_lookups", lambda *args: found.append(args)
    )
    load_clusters("en")
    assert found == [("en", [CLUSTER_TABLE])]


def test_clusters_without_a_table_are_refused(docs):
    docs[0].vocab.lookups = Lookups()
    with pytest.raises(ValueError, match="C010"):
        features(cluster_prefixes=[4]).initialize(X=docs)


def test_features_must_be_given_and_have_rows(docs):
    with pytest.raises(ValueError, match="C012"):
        features()
    with pytest.raises(ValueError, match="C011"):
        features(attrs=["SHAPE"], rows=[])


def small_tok2vec(builder, encode: Model):
    return builder(MultiHashEmbed(4, ["NORM"], [20], False), encode)


def test_sentences_are_encoded_alone(docs):
    model = small_tok2vec(
        build_sentence_tok2vec_v1, build_bilstm_encoder_v1(4, 1, False)
    )
    model.initialize(X=docs)
    starts = [True, False, False, True, False]
    words = [token.text for doc in docs[:2] for token in doc]
    joined = Doc(docs[0].vocab, words=words)
    whole = Doc(docs[0].vocab, words=words, sent_starts=starts)
    apart = model.predict([docs[0], docs[1]])
    assert_allclose(model.predict([whole])[0], numpy.concatenate(apart), atol=1e-6)
    assert abs(model.predict([joined])[0] - numpy.concatenate(apart)).max() > 1e-3


def test_gradient_through_sentences(docs):
    model = build_sentence_tok2vec_v1(char_cnn(), build_bilstm_encoder_v1(4, 1, False))
    words = [token.text for doc in docs for token in doc]
    starts = [True, False, False, True, False, True]
    whole = [Doc(docs[0].vocab, words=words, sent_starts=starts)]
    model.initialize(X=whole)
    loss = random_loss(model.predict(whole))
    check_gradients(model, whole, loss, eps=1e-4, atol=3e-3)


def test_marginal_crf_gives_scores_and_transitions(docs):
    tok2vec = small_tok2vec(
        build_sentence_tok2vec_v1, build_bilstm_encoder_v1(4, 1, False)
    )
    model = build_marginal_crf_v1(tok2vec)
    set_tags(model, 5)
    model.initialize(X=docs)
    scores, table = model.predict(docs)
    assert [s.shape for s in scores] == [(3, 5), (2, 5), (1, 5)]
    assert table.shape == (6, 6)
    (d_scores, dT) = [numpy.ones_like(s) for s in scores], numpy.ones((6, 6), "f")
    _, backprop = model.begin_update(docs)
    backprop((d_scores, dT))
    assert_array_equal(model.get_ref("transitions").get_grad("T"), 1.0)
    assert model.get_ref("output").get_grad("b").tolist() == [6.0] * 5


def test_the_check_notices_a_halved_gradient(docs):
    X = make_arrays([3])
    model = build_bilstm_encoder_v1(4, 1, False)
    model.initialize(X=X)
    honest = random_loss(model.predict(X))

    def halved(Ys):
        total, gradients = honest(Ys)
        return total, [g / 2 for g in gradients]

    with pytest.raises(AssertionError):
        check_gradients(model, X, halved)
