"""What a reader is told, and what it has to tell."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Dict, Literal, Optional, Tuple, get_args
from typing import Counter as CounterT

from ...errors import Errors

Unlabelled = Literal["outside", "missing"]
Align = Literal["expand", "contract"]
_CHOICES: Dict[str, Tuple[str, ...]] = {
    "unlabelled": get_args(Unlabelled),
    "align": get_args(Align),
}


@dataclass
class Options:
    """How to read a file. Each format uses those that concern it.

    encoding (str): Of the text.
    lang (str): Language whose tokenizer splits running text.
    token_column (int): Column of the token, from 0; negative counts from the end.
    tag_column (int): Column of the tag.
    scheme (Optional[str]): Tag scheme; recognised where None.
    unlabelled (Optional[Unlabelled]): What a token without entity is; the format's own
        meaning where None.
    n_sents (Optional[int]): Sentences per document where the file marks no documents;
        0 for all, 10 where None.
    split_sents (bool): Make each sentence a document.
    align (Align): What to do with spans that end inside a token.
    drop (Tuple[str, ...]): Types of entities to leave out: their tokens are outside.
    """

    encoding: str = "utf-8"
    lang: str = "xx"
    token_column: int = 0
    tag_column: int = -1
    scheme: Optional[str] = None
    unlabelled: Optional[Unlabelled] = None
    n_sents: Optional[int] = None
    split_sents: bool = False
    align: Align = "expand"
    drop: Tuple[str, ...] = ()


@dataclass
class Notes:
    """What a reader or a writer found out on the way.

    scheme (Optional[str]): The tag scheme it recognised or was given.
    counts (CounterT[str]): How often each thing happened that the user should know of.
    """

    scheme: Optional[str] = None
    counts: CounterT[str] = field(default_factory=Counter)


def make_options(
    *, unlabelled: Optional[str] = None, align: str = "expand", **settings: Any
) -> Options:
    """Options from what a user typed.

    unlabelled (Optional[str]): "outside" or "missing".
    align (str): "expand" or "contract".
    **settings (Any): The others, as they are.
    RETURNS (Options): The options.
    """
    if (settings.get("n_sents") or 0) < 0:
        raise ValueError(Errors.C125.format(n_sents=settings["n_sents"]))
    return Options(
        unlabelled=None if unlabelled is None else _check("unlabelled", unlabelled),
        align=_check("align", align),
        **settings,
    )


def _check(name: str, value: str) -> Any:
    names = _CHOICES[name]
    if value not in names:
        raise ValueError(
            Errors.C124.format(name=f"--{name}", value=value, names=", ".join(names))
        )
    return value
