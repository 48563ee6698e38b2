"""Noise adaptation (Hedderich and Klakow, 2018): a token classifier whose training
labels passed a noisy channel. Label 0 is O, label k the k-th entity type: there are no
boundaries (IO). MISSING marks a token without a label.
"""

from typing import Tuple

import numpy

from ..types import BoolArray, FloatArray, IntArray
from .soft_labels import MISSING

# Keeps the logarithm of what the sample has never seen finite, as in the paper.
UNSEEN = 1e-8


def log_softmax(scores: FloatArray) -> FloatArray:
    """The logarithm of the softmax of each row.

    scores (FloatArray): Any scores (rows x labels).
    RETURNS (FloatArray): Log-probabilities, float64.
    """
    shifted = scores - scores.max(axis=1, keepdims=True).astype(numpy.float64)
    return shifted - numpy.log(numpy.exp(shifted).sum(axis=1, keepdims=True))


def count_confusions(clean: IntArray, noisy: IntArray, n_labels: int) -> IntArray:
    """Count how tokens of each true label were labelled.

    clean (IntArray): The true label of each token.
    noisy (IntArray): The label in the noisy data. Tokens with one MISSING are left out.
    n_labels (int): The number of labels.
    RETURNS (IntArray): Counts (true label x noisy label).
    """
    known = (clean != MISSING) & (noisy != MISSING)
    cells = clean[known] * n_labels + noisy[known]
    counts = numpy.bincount(cells, minlength=n_labels * n_labels)
    return counts.reshape((n_labels, n_labels))


def kernel_of(counts: FloatArray) -> FloatArray:
    """The kernel whose row softmax is the noise matrix of some counts. A label that was
    never counted is taken to be free of noise.

    counts (FloatArray): Counts (true label x noisy label).
    RETURNS (FloatArray): The logarithm of each row's shares.
    """
    totals = counts.sum(axis=1, keepdims=True)
    shares = numpy.where(
        totals > 0, counts / numpy.maximum(totals, 1), numpy.eye(len(counts))
    )
    return numpy.log(shares + UNSEEN)


def clean_loss(
    logits: FloatArray, labels: IntArray, weights: FloatArray
) -> Tuple[float, FloatArray]:
    """Weighted cross-entropy of true labels.

    logits (FloatArray): Scores of the classifier (tokens x labels).
    labels (IntArray): The true label of each token; MISSING ones do not count.
    weights (FloatArray): What the loss of each token is multiplied by.
    RETURNS (Tuple[float, FloatArray]): The loss, and the gradient of the logits.
    """
    tokens, v, log_p = _select(logits, labels, weights)
    observed = numpy.eye(logits.shape[1])[labels[tokens]]
    loss = -(v * (observed * log_p).sum(axis=1)).sum()
    d_logits = numpy.zeros(logits.shape)
    d_logits[tokens] = v[:, None] * (numpy.exp(log_p) - observed)
    return float(loss), d_logits


def noisy_loss(
    logits: FloatArray, kernel: FloatArray, labels: IntArray, weights: FloatArray
) -> Tuple[float, FloatArray, FloatArray]:
    """Weighted cross-entropy of noisy labels: p_noisy = p_clean · rowsoftmax(kernel).

    logits (FloatArray): Scores of the classifier (tokens x labels).
    kernel (FloatArray): The noise matrix before its row softmax.
    labels (IntArray): The noisy label of each token; MISSING ones do not count.
    weights (FloatArray): What the loss of each token is multiplied by.
    RETURNS (Tuple[float, FloatArray, FloatArray]): The loss, and the gradients of the
        logits and of the kernel.
    """
    tokens, v, log_p = _select(logits, labels, weights)
    log_noise = log_softmax(kernel)
    # The probability of each true label together with the label that was seen
    joint = log_p + log_noise[:, labels[tokens]].T
    best = joint.max(axis=1, keepdims=True)
    log_seen = best + numpy.log(numpy.exp(joint - best).sum(axis=1, keepdims=True))
    # How likely each true label is, given the noisy one
    true = v[:, None] * numpy.exp(joint - log_seen)
    d_logits = numpy.zeros(logits.shape)
    d_logits[tokens] = v[:, None] * numpy.exp(log_p) - true
    observed = numpy.eye(len(kernel))[labels[tokens]]
    d_kernel = true.sum(axis=0)[:, None] * numpy.exp(log_noise) - true.T @ observed
    return float(-(v * log_seen[:, 0]).sum()), d_logits, d_kernel


def decode_io(
    labels: IntArray, starts: BoolArray
) -> Tuple[IntArray, IntArray, IntArray]:
    """Join neighbours of one label to entities.

    labels (IntArray): One label per token.
    starts (BoolArray): Where sequences start: no entity crosses that.
    RETURNS (Tuple[IntArray, IntArray, IntArray]): Start, end (exclusive) and type
        (label - 1) of each entity, in order.
    """
    changes = starts.copy()
    changes[:1] = True
    changes[1:] |= labels[1:] != labels[:-1]
    firsts = numpy.flatnonzero(changes)
    ends = numpy.append(firsts[1:], len(labels))
    runs = labels[firsts]
    inside = runs > 0
    return firsts[inside], ends[inside], runs[inside] - 1


def _select(
    logits: FloatArray, labels: IntArray, weights: FloatArray
) -> Tuple[IntArray, FloatArray, FloatArray]:
    """The tokens that count, their weights and log-probabilities."""
    tokens = numpy.flatnonzero((labels != MISSING) & (weights > 0))
    v = weights[tokens].astype(numpy.float64)
    return tokens, v, log_softmax(logits[tokens])
