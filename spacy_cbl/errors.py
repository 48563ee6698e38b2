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
        "reference file and '{found}' in the other one (both counted from 0). Make "
        "both from one source with the same tokenization."
    )
    C152 = (
        "The files do not align: document {doc} (counted from 0) has {n_expected} "
        "tokens in the reference file and {n_found} in the other one. Make both from "
        "one source with the same tokenization."
    )
    C153 = (
        "Got {name} {value}. Expected a number above 0 and at most 1: the share of "
        "mentions to keep (recall), or of true ones among those kept (precision)."
    )
    C154 = (
        "Found {found} in the corpus. At least one labelled entity is needed: check "
        "that this is the file that holds the annotation."
    )
    C155 = (
        "None of the {n_mentions} entities is left after removing. Ask for a higher "
        "recall, or drop fewer labels."
    )
    C156 = (
        "Found room for {n_placed} of {n_spans} false entities: no free token is left. "
        "Ask for a higher precision, or start from a longer corpus."
    )
    C157 = (
        "Got label '{label}' to drop. The labels of the corpus are: {labels}. Choose "
        "from these."
    )
    C158 = (
        "Got {name} {value}. Expected at least 1: the number of entities to keep in a "
        "document (per-doc) or in all (total)."
    )
    C159 = (
        "Got {value} as the chance to overlook an entity. Expected at least 0 and less "
        "than 1."
    )
    C160 = (
        "Got entity ratio {ratio}. Expected a number between 0 and 1: the share of "
        "entity tokens, 0.05 to 0.2 in most corpora."
    )
    C161 = (
        "Got no weight on any unlabelled token, so that no scaling brings the entity "
        "ratio to {ratio}. Use a scheme that gives some of them a weight above 0, or "
        "leave out the ratio."
    )
    C162 = (
        "Got entity ratio {ratio}, but the {n_trusted} trusted negatives (weight 1) and "
        "{n_positive} entity tokens allow less than {highest:.4f}. Ask for a ratio "
        "below that."
    )
    C163 = (
        "The weighting scheme gave {found}. Expected one finite weight of 0 or more "
        "for each of the {n_tokens} tokens: correct the scheme."
    )
    C164 = (
        "Can't find weighting scheme '{name}'. Those at hand are: {names}. Choose one "
        "of these, or install the package that registers it under the entry point "
        "group 'spacy_cbl_weighting'."
    )
    C165 = (
        "Got setting '{setting}', which weighting scheme '{name}' does not have. Its "
        "settings are: {settings}."
    )
    C166 = (
        "The oracle scheme needs to know the truth. Give the completely annotated file "
        "as well: `--gold gold.spacy`."
    )
    C167 = (
        "Can't read line {line} of '{path}': expected a form and a count, separated by "
        "one tab, but found {found!r}."
    )
    C168 = (
        "None of the {n_forms} forms of the corpus has a frequency in {source}. Check "
        "that language and case are those of the corpus."
    )
    C169 = (
        "There are no word frequencies for language '{language}'. The languages of "
        "wordfreq are: {languages}. Leave the setting out to count in the corpus."
    )
    C170 = (
        "Word frequencies of a language need the package wordfreq. Install it: "
        "`pip install 'spacy-cbl[wordfreq]'`."
    )
    C171 = (
        "Got setting {found!r}. Expected a name and a value, such as `--set lower=true` "
        "(numbers, true, false and quoted strings are read as JSON)."
    )
    C172 = (
        "Got {name} {value} for a weighting scheme. Expected a finite number of 0 or "
        "more."
    )
    C173 = (
        "Got both a file of frequencies ('{path}') and the word frequencies of language "
        "'{language}'. Choose one of them."
    )
