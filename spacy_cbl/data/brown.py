"""Train Brown clusters on the words of a corpus."""

from pathlib import Path
from typing import Any, Dict, List

import numpy
from tqdm import tqdm

from ..core.brown import BrownClusters, count_bigrams
from ..errors import Errors
from .files import check_output, write_text
from .words import Words, keep_frequent, read_words


def train_clusters(
    input_path: Path,
    output_path: Path,
    n_clusters: int,
    min_count: int = 3,
    lower: bool = False,
) -> Dict[str, Any]:
    """Train Brown clusters and write a line `path<TAB>word<TAB>count` per word.

    input_path (Path): A corpus (.spacy), or plain text (.txt) with a sentence per line
        and white space between words.
    output_path (Path): The file to write.
    n_clusters (int): The number of clusters.
    min_count (int): How often a word must occur. Rarer ones have no cluster, and
        bigrams with them are not counted.
    lower (bool): Whether to put words into lower case.
    RETURNS (Dict[str, Any]): Figures: tokens, words, clusters, the mutual information
        of neighbouring clusters in bits, the length of the longest path.
    """
    if n_clusters < 2:
        raise ValueError(Errors.C271.format(n_clusters=n_clusters))
    if min_count < 1:
        raise ValueError(Errors.C272.format(min_count=min_count))
    check_output(output_path, input_path)
    words = read_words(input_path, lower)
    if not len(words.tokens):
        raise ValueError(Errors.C273.format(path=input_path))
    words = keep_frequent(words, min_count)
    if len(words.forms) < n_clusters:
        raise ValueError(
            Errors.C274.format(
                n_words=len(words.forms), min_count=min_count, n_clusters=n_clusters
            )
        )
    clusters = _cluster(words, n_clusters, input_path)
    information = clusters.losses.get_information()
    paths = clusters.build_tree()
    word_paths = [paths[cluster] for cluster in clusters.cluster_of.tolist()]
    write_text(output_path, _format_lines(words, word_paths))
    return {
        "tokens": len(words.tokens),
        "words": len(words.forms),
        "clusters": len(paths),
        "information": information,
        "longest_path": max(map(len, word_paths)),
    }


def _cluster(words: Words, n_clusters: int, path: Path) -> BrownClusters:
    bigrams = count_bigrams(words.tokens, words.sentences)
    if not len(bigrams.counts):
        raise ValueError(Errors.C275.format(path=path))
    n_words = len(words.forms)
    clusters = BrownClusters(bigrams, n_words, n_clusters)
    for word in tqdm(range(n_words), desc="Clustering", unit="word", disable=None):
        clusters.add_word(word)
    return clusters


def _format_lines(words: Words, paths: List[str]) -> str:
    """The lines by path, then by count; forms are in order of their counts already."""
    counts = numpy.bincount(words.tokens[words.tokens >= 0]).tolist()
    rows = sorted(zip(paths, counts, words.forms), key=lambda row: row[0])
    return "".join(f"{path}\t{form}\t{count}\n" for path, count, form in rows)
