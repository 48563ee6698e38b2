"""From tagged sentences to documents: what all column formats share."""

from pathlib import Path
from typing import (
    Callable,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ...attrs import set_weights
from ...core.tag_schemes import (
    ALIASES,
    MISSING_TAG,
    Parser,
    SpanT,
    TagError,
    decode,
    recognise,
)
from ...errors import Errors
from .options import Notes, Options, Unlabelled
from .text import read_lines

DOC_MARK = "-DOCSTART-"
N_SENTS = 10  # per document, unless the user says otherwise


class Sentence(NamedTuple):
    """The rows between two blank lines.

    path (Path): The file.
    lines (List[int]): The line number of each row.
    words (List[str]): The tokens.
    tags (List[str]): Their tags.
    weights (Optional[List[float]]): Their weights, where the format has them.
    starts_doc (bool): Whether a document mark stands before it.
    """

    path: Path
    lines: List[int]
    words: List[str]
    tags: List[str]
    weights: Optional[List[float]]
    starts_doc: bool


def read_files(
    vocab: Vocab,
    paths: Sequence[Path],
    options: Options,
    notes: Notes,
    read_sentences: Callable[[Path, List[str]], Iterator[Sentence]],
) -> Iterator[Doc]:
    """Read the sentences of all files, then make documents of them.

    vocab (Vocab): The vocabulary to use.
    paths (Sequence[Path]): The files.
    options (Options): How to read.
    notes (Notes): Takes the scheme.
    read_sentences (Callable[[Path, List[str]], Iterator[Sentence]]): Reads the lines of
        a file.
    YIELDS (Doc): The documents.
    """
    sentences: List[Sentence] = []
    for path in paths:
        sentences.extend(read_sentences(path, read_lines(path, options.encoding)))
    yield from make_docs(vocab, sentences, options, notes)


def make_docs(
    vocab: Vocab, sentences: Sequence[Sentence], options: Options, notes: Notes
) -> Iterator[Doc]:
    """Decode the tags and join the sentences to documents.

    vocab (Vocab): The vocabulary to use.
    sentences (Sequence[Sentence]): All sentences of the input.
    options (Options): How to read.
    notes (Notes): Takes the scheme.
    YIELDS (Doc): The documents.
    """
    notes.scheme = scheme = _choose_scheme(sentences, options.scheme)
    parser = Parser()
    for group in _group(sentences, options):
        spans = [_decode(sentence, scheme, parser) for sentence in group]
        yield _make_doc(vocab, group, spans, options.unlabelled or "outside")


def set_entities(
    doc: Doc,
    spans: Iterable[SpanT],
    unlabelled: Unlabelled,
    missing: Iterable[Tuple[int, int]] = (),
) -> None:
    """Set the entities of a Doc, and what its other tokens are.

    doc (Doc): The document to modify.
    spans (Iterable[SpanT]): Start token, end token and label; no two may overlap.
    unlabelled (Unlabelled): What the tokens outside them are.
    missing (Iterable[Tuple[int, int]]): Start and end of those of which the input says
        that nothing is known.
    """
    doc.set_ents(
        [Span(doc, start, end, label) for start, end, label in spans],
        missing=[doc[start:end] for start, end in missing],
        default=unlabelled,
    )


def scheme_name(name: str) -> str:
    """The scheme that a name stands for.

    name (str): Such as "BIO" or "iob2".
    RETURNS (str): "iob1", "iob2" or "biluo".
    """
    if name.lower() not in ALIASES:
        raise ValueError(Errors.C104.format(name=name, names=", ".join(ALIASES)))
    return ALIASES[name.lower()]


def _choose_scheme(sentences: Sequence[Sentence], named: Optional[str]) -> str:
    if named is not None:
        return scheme_name(named)
    try:
        scheme = recognise(sentence.tags for sentence in sentences)
    except TagError:
        return "iob1"  # decoding meets the same tag, and knows its line
    if scheme is None:
        raise ValueError(Errors.C105.format(path=sentences[0].path))
    return scheme


def _decode(sentence: Sentence, scheme: str, parser: Parser) -> List[SpanT]:
    try:
        return decode(sentence.tags, scheme, parser)
    except TagError as error:
        template = Errors.C107 if error.orphan else Errors.C106
        line = sentence.lines[error.index]
        raise ValueError(
            template.format(
                path=sentence.path, line=line, reason=error.reason, scheme=scheme
            )
        ) from None


def _group(sentences: Sequence[Sentence], options: Options) -> Iterator[List[Sentence]]:
    """Split at document marks. Without any, files are documents where there are several
    (as TALEN writes them); a single file is cut into groups.
    """
    marked = any(sentence.starts_doc for sentence in sentences)
    one_file = not sentences or sentences[0].path == sentences[-1].path
    n_sents = N_SENTS if options.n_sents is None else options.n_sents
    size = n_sents if one_file and not marked else 0
    group: List[Sentence] = []
    for sentence in sentences:
        if group and (
            options.split_sents
            or sentence.starts_doc
            or sentence.path != group[-1].path
            or len(group) == size
        ):
            yield group
            group = []
        group.append(sentence)
    if group:
        yield group


def _make_doc(
    vocab: Vocab,
    group: Sequence[Sentence],
    spans: Sequence[List[SpanT]],
    unlabelled: Unlabelled,
) -> Doc:
    words: List[str] = []
    sent_starts: List[Union[bool, int, None]] = []
    entities: List[SpanT] = []
    missing: List[Tuple[int, int]] = []
    for sentence, found in zip(group, spans):
        offset = len(words)
        words.extend(sentence.words)
        sent_starts.append(True)
        sent_starts.extend([False] * (len(sentence.words) - 1))
        entities.extend((s + offset, e + offset, label) for s, e, label in found)
        if MISSING_TAG in sentence.tags:
            missing.extend(
                (i, i + 1)
                for i, tag in enumerate(sentence.tags, offset)
                if tag == MISSING_TAG
            )
    # Without spaces given, the Doc says that they are unknown, and spaCy's readers
    # keep its tokens instead of splitting its text anew.
    doc = Doc(vocab, words=words, sent_starts=sent_starts)
    set_entities(doc, entities, unlabelled, missing)
    if any(sentence.weights is not None for sentence in group):
        set_weights(doc, [w for s in group for w in s.weights or [1.0] * len(s.words)])
    return doc
