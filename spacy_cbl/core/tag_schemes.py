"""Tag schemes of column files: recognise one, decode its tags to spans."""

from typing import Dict, Iterable, List, Optional, Sequence, Tuple

from .tags import OUTSIDE

MISSING_TAG = "-"  # spaCy's own mark for a token of which nothing is known
ALIASES: Dict[str, str] = {
    "iob1": "iob1",
    "iob2": "iob2",
    "bio": "iob2",
    "biluo": "biluo",
    "bilou": "biluo",
    "bioes": "biluo",
    "iobes": "biluo",
}
# The letters of BIOES, in BILUO's.
_LETTERS = {"B": "B", "I": "I", "L": "L", "E": "L", "U": "U", "S": "U"}
_CLOSING = frozenset("LU")

SpanT = Tuple[int, int, str]
ParsedT = Optional[Tuple[str, str]]


class TagError(ValueError):
    """A tag that the scheme does not allow where it stands.

    index (int): Its place in the sequence.
    reason (str): What is wrong with it.
    orphan (bool): Whether it is an I- that continues nothing.
    """

    def __init__(self, index: int, reason: str, orphan: bool = False) -> None:
        super().__init__(reason)
        self.index = index
        self.reason = reason
        self.orphan = orphan


class Parser:
    """Split tags into letter and label, each distinct tag once."""

    def __init__(self) -> None:
        self.known: Dict[str, ParsedT] = {OUTSIDE: None, MISSING_TAG: None}

    def parse(self, tag: str, index: int) -> ParsedT:
        """Split one tag.

        tag (str): "O", "-", or a letter, a hyphen and a label.
        index (int): Its place in the sequence, for the error.
        RETURNS (ParsedT): BILUO letter and label, None outside entities.
        """
        try:
            return self.known[tag]
        except KeyError:
            letter, hyphen, label = tag.partition("-")
            if letter not in _LETTERS or not label:
                raise TagError(index, f"'{tag}' is not a tag") from None
            self.known[tag] = (_LETTERS[letter], label)
            return self.known[tag]


def is_tag(text: str) -> bool:
    """Whether a text can be a tag of any of the schemes.

    text (str): The text.
    RETURNS (bool): True for "O", "-" and such as "B-PER".
    """
    if text == OUTSIDE or text == MISSING_TAG:
        return True
    letter, _, label = text.partition("-")
    return letter in _LETTERS and bool(label)


def recognise(sentences: Iterable[Sequence[str]]) -> Optional[str]:
    """Tell which scheme some tag sequences follow. IOB2 is said where IOB1 would read
    them the same.

    sentences (Iterable[Sequence[str]]): The tags of each sentence.
    RETURNS (Optional[str]): "iob1", "iob2", "biluo", or None where spans begin now
        with B-, now with I-, as no scheme has it.
    """
    parser = Parser()
    orphans = starts = False
    for tags in sentences:
        previous: ParsedT = None
        for i, tag in enumerate(tags):
            parsed = parser.parse(tag, i)
            if parsed is not None:
                letter, label = parsed
                if letter in _CLOSING:
                    return "biluo"
                same = previous is not None and previous[1] == label
                orphans = orphans or (letter == "I" and not same)
                starts = starts or (letter == "B" and not same)
            previous = parsed
    if orphans and starts:
        return None
    return "iob1" if orphans else "iob2"


def decode(
    tags: Sequence[str], scheme: str, parser: Optional[Parser] = None
) -> List[SpanT]:
    """The spans of one sentence. Raises a TagError for what the scheme forbids.

    tags (Sequence[str]): The tags.
    scheme (str): "iob1", "iob2" or "biluo".
    parser (Optional[Parser]): To share between sentences, for speed.
    RETURNS (List[SpanT]): Start, end (exclusive) and label of each span, in order.
    """
    parser = Parser() if parser is None else parser
    if scheme == "biluo":
        return _decode_biluo(tags, parser)
    return _decode_iob(tags, scheme == "iob2", parser)


def _decode_iob(tags: Sequence[str], strict: bool, parser: Parser) -> List[SpanT]:
    spans: List[SpanT] = []
    start, label = -1, ""
    for i, tag in enumerate(tags):
        parsed = parser.parse(tag, i)
        if parsed is None:
            if start >= 0:
                spans.append((start, i, label))
                start = -1
            continue
        letter, found = parsed
        if letter in _CLOSING:
            raise TagError(i, f"'{tag}' belongs to BILUO or BIOES")
        goes_on = start >= 0 and label == found and letter == "I"
        if goes_on:
            continue
        if strict and letter == "I":
            raise TagError(i, f"'{tag}' continues no entity", orphan=True)
        if start >= 0:
            spans.append((start, i, label))
        start, label = i, found
    if start >= 0:
        spans.append((start, len(tags), label))
    return spans


def _decode_biluo(tags: Sequence[str], parser: Parser) -> List[SpanT]:
    spans: List[SpanT] = []
    start, label = -1, ""
    for i, tag in enumerate(tags):
        parsed = parser.parse(tag, i)
        if parsed is None and start < 0:
            continue
        letter, found = parsed or ("O", "")
        inside = letter in "IL"
        if inside != (start >= 0) or (inside and found != label):
            raise TagError(i, _clash(tag, label if start >= 0 else ""))
        if letter == "B":
            start, label = i, found
        elif letter == "U":
            spans.append((i, i + 1, found))
        elif letter == "L":
            spans.append((start, i + 1, label))
            start = -1
    if start >= 0:
        raise TagError(len(tags) - 1, f"the sentence ends inside an entity '{label}'")
    return spans


def _clash(tag: str, label: str) -> str:
    if label:
        return f"'{tag}' stands inside an entity '{label}' that has not ended"
    return f"'{tag}' continues no entity"
