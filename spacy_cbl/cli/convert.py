"""`spacy cbl convert`."""

from pathlib import Path
from typing import List, Optional

from spacy.cli._util import Arg, Opt
from wasabi import msg

from ._app import command


@command("convert")
def convert_cli(
    input_path: Path = Arg(..., help="File or folder to convert", exists=True),
    output_path: Path = Arg(..., help="File to write", dir_okay=False),
    to: Optional[str] = Opt(
        None,
        "--to",
        "-t",
        help="What to write: spacy or iob2; what the output's name says if not given",
    ),
    format: Optional[str] = Opt(
        None,
        "--format",
        "-f",
        help="columns, talen-column, talen-iob2, tajson, prodigy, doccano, labelstudio "
        "or spacy; found out if not given",
    ),
    scheme: Optional[str] = Opt(
        None,
        "--scheme",
        "-s",
        help="iob1, iob2 (bio) or biluo (bioes); recognised if not given",
    ),
    token_column: int = Opt(
        0,
        "--token-column",
        help="Column of the token, from 0; negative counts from the end",
    ),
    tag_column: int = Opt(-1, "--tag-column", help="Column of the tag"),
    unlabelled: Optional[str] = Opt(
        None,
        "--unlabelled",
        "-u",
        help="What tokens without entity are: outside or missing; the format's own "
        "meaning if not given",
    ),
    n_sents: Optional[int] = Opt(
        None,
        "--n-sents",
        "-n",
        help="Sentences per document where columns mark no documents (0 for all; 10 if "
        "not given)",
    ),
    split_sents: bool = Opt(
        False, "--split-sents", help="Make each sentence a document"
    ),
    lang: str = Opt(
        "xx",
        "--lang",
        "-l",
        help="Language whose tokenizer splits the text of JSON formats",
    ),
    align: str = Opt(
        "expand", "--align", help="Spans that end inside a token: expand or contract"
    ),
    drop: Optional[List[str]] = Opt(
        None,
        "--drop",
        "-d",
        help="Type of entities to leave out; their tokens are outside (may be repeated)",
    ),
    encoding: str = Opt("utf-8", "--encoding", "-e", help="Encoding of the input"),
) -> None:
    """Convert columns, TALEN files and JSON exports to .spacy, or anything to IOB2."""
    from ..data.convert import convert
    from ..data.convert.options import make_options

    options = make_options(
        encoding=encoding,
        lang=lang,
        token_column=token_column,
        tag_column=tag_column,
        scheme=scheme,
        unlabelled=unlabelled,
        n_sents=n_sents,
        split_sents=split_sents,
        align=align,
        drop=tuple(drop or ()),
    )
    report = convert(input_path, output_path, to=to, format=format, options=options)
    scheme = report.notes.scheme
    msg.info(f"Format: {report.format}" + (f", tag scheme: {scheme}" if scheme else ""))
    msg.info(f"Tokens without entity: {report.unlabelled}")
    for note, count in report.notes.counts.items():
        if count:
            msg.warn(f"{count} {note}")
    msg.good(
        f"{report.docs} documents, {report.sents} sentences, {report.tokens} tokens, "
        f"{report.spans} entities",
        str(output_path),
    )
