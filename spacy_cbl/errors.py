"""Every error this package raises: what was found, what was expected, what to do."""

from spacy.errors import ErrorsWithCodes


class Errors(metaclass=ErrorsWithCodes):
    # Weights and label distributions on the Doc
    C001 = (
        "Got {n_weights} weights for {n_tokens} tokens in doc '{text}'. There must be "
        "one weight per token: weigh the corpus after its last tokenization step."
    )
    C002 = (
        "Got weight {value} for token {i} ('{token}') in doc '{text}'. Weights must be "
        "finite and not negative: correct this one and save the corpus again."
    )
    C003 = (
        "Got label probabilities of shape {shape} with {n_tags} tag names for "
        "{n_tokens} tokens in doc '{text}'. Expected one row per token and one column "
        "per tag name."
    )
    C004 = (
        "Got label probability {value} for token {i} ('{token}') in doc '{text}'. "
        "Expected values from 0 to 1 with at least one above 0 in each row."
    )

    # Files that must hold the same tokens; perturbation; weighting
    C150 = (
        "The {shorter} file ends after {n_docs} documents, the other one goes on. Both "
        "must hold the same documents in the same order: make them from one source."
    )
    C151 = (
        "The files do not align: in document {doc}, token {i} is '{expected}' in the "
        "reference file and '{found}' in the other one (both counted from 0). Make both "
        "from one source with the same tokenization."
    )
    C152 = (
        "The files do not align: document {doc} (counted from 0) has {n_expected} "
        "tokens in the reference file and {n_found} in the other one. Make both from "
        "one source with the same tokenization."
    )
