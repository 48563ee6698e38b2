import numpy
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from spacy_cbl.core.perceptron import AT_ONCE, RULES, AveragedPerceptron, sum_rows

from .plain_perceptron import PLAIN_RULES, PlainPerceptron

N_ROWS, N_DENSE, N_TAGS = 40, 3, 4


def make_tokens(n=60, n_features=5, seed=0):
    rng = numpy.random.default_rng(seed)
    rows = rng.integers(0, N_ROWS, (n, n_features)).astype("i")
    # Powers of two: their sums are exact in any order.
    dense = rng.choice([0.0, 0.25, 0.5, 1.0], (n, N_DENSE)).astype("f")
    gold = rng.integers(0, N_TAGS, n)
    weights = rng.choice([0.25, 0.5, 1.0, 2.0], n).astype("f")
    return rows, dense, gold, weights


def learn(perceptron, tokens, rule, size=7, rate=0.125, thickness=1.5, rounds=3):
    for _ in range(rounds):
        for start in range(0, len(tokens[0]), size):
            batch = [array[start : start + size] for array in tokens]
            perceptron.step(*batch, rule=rule, rate=rate, thickness=thickness)
    return perceptron


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("size", [1, 7])
def test_equals_a_plain_one_bit_by_bit(name, size):
    tokens = make_tokens()
    fast = learn(AveragedPerceptron(N_ROWS, N_DENSE, N_TAGS), tokens, RULES[name], size)
    slow = PlainPerceptron(N_ROWS, N_DENSE, N_TAGS)
    learn(slow, tokens, PLAIN_RULES[name], size)
    assert numpy.abs(fast.weights.table).max() > 1
    assert_array_equal(fast.weights.table, slow.table)
    assert_array_equal(fast.weights.dense, slow.dense)


@pytest.mark.parametrize("name", RULES)
def test_the_average_is_the_mean_of_all_iterates(name):
    tokens = make_tokens(seed=1)
    fast = learn(AveragedPerceptron(N_ROWS, N_DENSE, N_TAGS), tokens, RULES[name])
    slow = PlainPerceptron(N_ROWS, N_DENSE, N_TAGS)
    learn(slow, tokens, PLAIN_RULES[name])
    table, dense = slow.average()
    assert_allclose(fast.average().table, table, atol=1e-5)
    assert_allclose(fast.average().dense, dense, atol=1e-5)
    assert not numpy.allclose(fast.average().table, fast.weights.table, atol=1e-2)


@pytest.mark.parametrize("name", RULES)
def test_weight_two_is_a_token_seen_twice_in_a_row(name):
    rows, dense, gold, _ = make_tokens(n=12)
    once, twice = (AveragedPerceptron(N_ROWS, N_DENSE, N_TAGS) for _ in range(2))
    settings = {"rule": RULES[name], "rate": 0.125, "thickness": 1000.0}
    two, one = numpy.full(1, 2.0), numpy.ones(1)
    # With two tags a rival stays the rival, and this margin is always violated.
    gold = gold % 2
    once.weights.table[:, 2:] = twice.weights.table[:, 2:] = -(2.0**20)
    for i in range(len(gold)):
        token = (rows[i : i + 1], dense[i : i + 1], gold[i : i + 1])
        once.step(*token, two, **settings)
        twice.step(*token, one, **settings)
        twice.step(*token, one, **settings)
    assert_array_equal(once.weights.table[:, :2], twice.weights.table[:, :2])
    assert numpy.abs(once.weights.table[:, :2]).max() > 0


def test_nothing_moves_where_margins_are_kept():
    perceptron = AveragedPerceptron(N_ROWS, 0, 2)
    rows = numpy.array([[1], [2]], "i")
    dense, gold = numpy.zeros((2, 0), "f"), numpy.array([0, 1])
    perceptron.weights.table[1] = [3, -3]
    perceptron.weights.table[2] = [-3, 3]
    before = perceptron.weights.table.copy()
    for rule in RULES.values():
        perceptron.step(
            rows, dense, gold, numpy.ones(2), rule=rule, rate=1, thickness=2.5
        )
    assert_array_equal(perceptron.weights.table, before)


def test_row_zero_is_no_feature():
    perceptron = AveragedPerceptron(N_ROWS, 0, 2)
    rows = numpy.zeros((3, 2), "i")
    for rule in RULES.values():
        perceptron.step(
            rows,
            numpy.zeros((3, 0), "f"),
            numpy.array([0, 1, 1]),
            numpy.ones(3),
            rule=rule,
            rate=1,
            thickness=1,
        )
    assert not perceptron.weights.table.any()
    assert not perceptron.average().table.any()


@pytest.mark.parametrize("n", [0, 1, AT_ONCE, 2 * AT_ONCE + 3])
def test_rows_are_summed_for_any_number_of_tokens(n):
    rng = numpy.random.default_rng(0)
    table = rng.integers(-9, 9, (N_ROWS, N_TAGS)).astype("f")
    rows = rng.integers(0, N_ROWS, (n, 5)).astype("i")
    expected = numpy.array([table[row].sum(axis=0) for row in rows])
    assert_array_equal(sum_rows(table, rows), expected.reshape((n, N_TAGS)))
