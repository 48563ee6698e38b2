"""Convert annotated files to `.spacy` and back."""

from .corpus import Report, convert, read_corpus
from .formats import FORMATS
from .options import Notes, Options

__all__ = ["FORMATS", "Notes", "Options", "Report", "convert", "read_corpus"]
