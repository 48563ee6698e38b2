"""`spacy cbl brown`"""

from pathlib import Path

from spacy.cli._util import Arg, Opt
from wasabi import msg

from ._app import command


@command("brown")
def brown_cli(
    input_path: Path = Arg(
        ...,
        help="Corpus (.spacy), or text with a sentence per line and white space between words (.txt)",
        exists=True,
        dir_okay=False,
    ),
    output_path: Path = Arg(
        ..., help="Where to write lines of path, word and count", dir_okay=False
    ),
    n_clusters: int = Opt(
        ..., "--clusters", "-n", help="Number of clusters; 100 to 1000 are usual"
    ),
    min_count: int = Opt(
        3, "--min-count", "-m", help="Leave out words that occur less often than this"
    ),
    lower: bool = Opt(False, "--lower", help="Put words into lower case"),
) -> None:
    """Train Brown clusters: groups of words that stand beside the same groups of words.
    No labels are needed. The output is for `spacy cbl weigh --clusters` and for
    --paths.clusters of the configs.
    """
    from ..data.brown import train_clusters

    report = train_clusters(
        input_path, output_path, n_clusters, min_count=min_count, lower=lower
    )
    msg.good(
        f"Wrote {report['words']} words in {report['clusters']} clusters", output_path
    )
    msg.table(
        [
            ("Tokens", str(report["tokens"])),
            ("Mutual information", f"{report['information']:.4f} bits"),
            ("Longest path", f"{report['longest_path']} bits"),
        ]
    )
