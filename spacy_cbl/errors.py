"""Every error this package raises: what was found, what was expected, what to do."""

from typing import Any, Tuple

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
    C005 = (
        "Got weights of type {kind} in doc '{text}'. Expected one number per token: "
        "weigh the corpus again."
    )
    C006 = "Label '{label}' of '{name}' is not a name. Expected text of some length."
    C007 = (
        "Got other P(O) than {n_tokens} numbers from 0 to 1 in doc '{text}'. There "
        "must be one per token: weigh the corpus again."
    )
    C008 = (
        "Got label probabilities of type {kind} in doc '{text}'. Expected tag names "
        "and an array of numbers, a row per token and a column per tag name."
    )

    # Models
    C010 = (
        "The vocabulary has no table '{table}', but the model embeds Brown clusters. "
        "Give them by --paths.clusters: a file, or en, de or es with the package "
        "spacy-lookups-data (the extra `lookups`). Or load a table in "
        "[initialize.lookups]."
    )
    C011 = (
        "Got {n_attrs} attributes and {n_rows} numbers of rows for FeatureEmbed. "
        "Give one number of rows per attribute."
    )
    C012 = (
        "FeatureEmbed has no features. Give it attributes, static vectors or cluster "
        "prefixes, at least one of them."
    )
    C013 = (
        "Line {n} of '{path}' is '{line}', expected: bits, tab, word, tab, count, "
        "where bits are zeros and ones."
    )
    C014 = (
        "The model looks at kinds of words (WordKindEmbed), but no words were counted. "
        "Initialize it with the training corpus: a component by `nlp.initialize` or "
        "`spacy train`, any other model by "
        "`spacy_cbl.models.word_kind_embed.count_words`."
    )
    C015 = (
        "The model uses static vectors, but the vocabulary has none. Give a pipeline "
        "with vectors, such as `spacy train ... --paths.vectors FOLDER_OR_NAME`, or "
        "switch them off: `include_static_vectors = false`."
    )
    C016 = (
        "Line {n} of '{path}' is no UTF-8. Expected Brown clusters: bits, tab, word, "
        "tab, count. Save the file as UTF-8, or name another one."
    )

    # Components and readers
    C020 = (
        "'{name}' has no labels: none of the examples has an entity. Train on data "
        "with entities, or give a label file in [initialize.components.{name}.labels]."
    )
    C021 = (
        "Cannot add label '{label}' to '{name}': its model is initialized for the "
        "labels {labels}. Add labels before training, or train again with all of them."
    )
    C022 = (
        "Found an entity labelled '{label}' in doc '{text}', but '{name}' knows only "
        "{labels}. Initialize it from data (or a label file) with all the labels."
    )
    C023 = (
        "Token {i} ('{token}') of doc '{text}' is in an entity and in the span group "
        "'{group}' of trusted negatives. Remove it from one of them."
    )
    C024 = (
        "The labels of doc '{text}' allow no legal sequence of tags, so the loss is "
        "infinite. Check its label probabilities: each token must allow a tag that may "
        "follow a tag of the token before."
    )
    C025 = "Unknown tag scheme '{scheme}' for '{name}'. Use one of: {schemes}."
    C026 = (
        "No path of a corpus was given to '{name}'. Give it, for instance with "
        "--paths.train. A reader with the setting `required` can do without a path: "
        "`required = false`."
    )
    C027 = (
        "Doc {i} ('{text}') of '{path}' has no weights. Write them with `spacy cbl "
        "weigh`, keep user data when you save a DocBin (store_user_data=True), or set "
        "`require_weights = false`."
    )
    C028 = (
        "The tags of the label probabilities of doc '{text}' are {found}, but '{name}' "
        "has {expected}. Write them with the labels and the scheme of the component."
    )
    C029 = "'{path}' is not a .spacy file that can be read ({error})."
    C030 = (
        "Cannot read vectors of the package '{package}': {error}. Install it and "
        "pyarrow: python -m pip install 'spacy-cbl[glove]'."
    )
    C031 = (
        "The package '{package}' has {n_tables} tables of vectors (.npy) and "
        "{n_indices} indices of words (.parquet), expected one of each. Convert its "
        "vectors to text and use `spacy init vectors`."
    )
    C032 = (
        "Got temperature {value} for '{name}'. Expected a finite number above 0; 1 "
        "leaves the confidences as they are."
    )
    C033 = (
        "Got threshold {value} for '{name}'. Expected a number from 0 to 1; 0 keeps "
        "all entities."
    )
    C039 = (
        "Got '{path}' as the corpus of '{name}', but {found}. Expected {expected}. "
        "Check the path (for instance --paths.train), or make the corpus: `spacy cbl "
        "convert`."
    )
    C040 = (
        "Got `missing_below = {value}` for '{path}', of which no document has weights: "
        "no token would be missing. Weigh the corpus first: `spacy cbl weigh`."
    )

    # Conversion
    C100 = (
        "Can't read '{path}' as {encoding}: line {line} has bytes that do not belong "
        "to it. Save it as UTF-8, or name its encoding: `convert --encoding`."
    )
    C101 = (
        "Can't find encoding '{encoding}'. Expected a name that Python knows, such as "
        "utf-8, latin-1 or utf-16."
    )
    C102 = (
        "Got a JSON {found} in '{path}', record {line}. Expected objects, one per line "
        "or in one array."
    )
    C103 = (
        "Can't read '{path}' as JSON, line {line}: {reason}. Correct the line, or give "
        "the file's format if it is not JSON (`--format` of convert; the suffix of a "
        "file of answers)."
    )
    C104 = "Can't find tag scheme '{name}'. Those at hand are: {names}."
    C105 = (
        "The tags of '{path}' follow neither IOB1 nor IOB2: after O, some entities "
        "begin with B- and some with I-. Correct the file, or name the scheme "
        "`--scheme iob1`, which reads both as a beginning."
    )
    C106 = (
        "Got a wrong tag in '{path}', line {line}: {reason}. Expected O, '-' (missing) "
        "or a tag of the scheme {scheme}. Correct the line, or choose the right column "
        "(`--tag-column`) or scheme (`--scheme`)."
    )
    C107 = (
        "Got a wrong tag in '{path}', line {line}: {reason}. In IOB2 every entity "
        "begins with B-. If entities in this file begin with I-, name the scheme: "
        "`--scheme iob1`."
    )
    C108 = (
        "Got {found} columns in '{path}', line {line}. Expected {expected}, as the "
        "format or the first row has it. Correct the line."
    )
    C109 = (
        "Got no token in '{path}', line {line}: its cell is empty. Correct the line, "
        "or choose the right column: `--token-column`."
    )
    C110 = (
        "Got {name} column {column} for '{path}', but line {line} has {found} columns. "
        "Columns are counted from 0, or from -1 backwards."
    )
    C111 = (
        "Got the same column for token and tag in '{path}', line {line} ({found} "
        "columns). Choose two different ones: `--token-column`, `--tag-column`."
    )
    C112 = (
        "Got weight '{found}' in '{path}', line {line}. Expected a finite number of 0 "
        "or more, or 'x' for none."
    )
    C113 = (
        "Can't read record {line} of '{path}' as {format}: {reason}. Correct the "
        "record, or name the right format: `--format`."
    )
    C114 = (
        "Got span {span} in '{path}', record {line}. Expected a start before the end, "
        "and both within the text."
    )
    C115 = (
        "Can't load a tokenizer for language '{lang}': {reason}. Name a language of "
        "spaCy's (`--lang`); 'xx' serves for any."
    )
    C116 = (
        "Got {found} for '{name}' in '{path}', record {line}. Expected a {kind}. "
        "Correct the record, or name the right format: `--format`."
    )
    C117 = (
        "The span {start}-{end} in '{path}', record {line}, does not cover its own "
        "text '{covered}'. Export the data again."
    )
    C118 = (
        "Can't write token {token} of document {doc} as IOB2: {text!r}. Tokens with "
        "tabs or line ends, and the document mark itself, have no place in the format."
    )
    C119 = (
        "Can't tell the format of '{path}': its first records have no annotation. Name "
        "it: `--format`."
    )
    C120 = "Can't convert to '{name}'. Expected one of: {names}."
    C121 = "Can't find format '{name}'. Those at hand are: {names}."
    C122 = "Can't find '{path}', or it is a folder without files."
    C123 = "Got no token in '{path}'. Expected at least one: check format and columns."
    C124 = "Got {name} '{value}'. Expected one of: {names}."
    C125 = "Got {n_sents} sentences per document. Expected 0 (all in one) or more."
    C126 = (
        "Can't read '{path}': it is damaged or no .spacy file. Make it again: `spacy "
        "cbl convert`."
    )
    C127 = (
        "Got label {found} in '{path}', record {line}. Expected a name, not empty and "
        "not only space. Correct the record."
    )
    C128 = (
        "Got text that is no Unicode for '{name}' in '{path}', record {line}: {found} "
        "has half of a surrogate pair, as from an emoji cut in two. Correct the record."
    )
    C129 = (
        "Got {n_sents} sentences per document for '{path}'. The documents of a .spacy "
        "file are not regrouped: leave out `--n-sents`, or make each sentence a "
        "document with `--split-sents`."
    )

    # Statistics
    C130 = (
        "Got no entity in '{path}'. Expected at least one labelled token to estimate "
        "the entity ratio from."
    )
    C131 = (
        "Got {n_positive} entity tokens and {n_other} others in '{path}'. Expected at "
        "least {least} of each to estimate the entity ratio."
    )
    C132 = (
        "'{path}' does not align with the gold file: in document {doc}, token {i} is "
        "{found}, where gold document {gold_doc} has {expected} (counted from 0). Make "
        "both from one source with the same tokenization."
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
        "Got entity ratio {ratio}, but the {n_trusted} trusted negatives (weight 1) "
        "and {n_positive} entity tokens allow less than {highest:.4f}. Ask for a ratio "
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
        "Got setting {found!r}. Expected a name and a value, such as `--set "
        "lower=true` (numbers, true, false and quoted strings are read as JSON)."
    )
    C172 = (
        "Got {name} {value} for a weighting scheme. Expected a finite number of 0 or "
        "more."
    )
    C173 = (
        "Got both a file of frequencies ('{path}') and the word frequencies of "
        "language '{language}'. Choose one of them."
    )
    C174 = (
        "Got '{path}' to write the perturbed corpus to. Expected a name that ends in "
        ".spacy: the report goes beside it, under the same name with .json."
    )
    C178 = (
        "The report of perturbing goes to '{path}', where another file is. Name the "
        "output otherwise, or move that file away."
    )
    C179 = (
        "Word frequencies of '{language}' need the package {package} too, by which "
        "wordfreq cuts its text. Install it: `pip install 'wordfreq[cjk]'`."
    )
    C175 = (
        "Got the scheme 'config', but no config. Name the training config that has it "
        "with --config, or name another scheme."
    )
    C176 = (
        "Got {found!r} to override, but no config. Name the training config with "
        "--config; settings of a scheme are given with --set."
    )
    C177 = (
        "Got language '{lang}' and the config '{path}', which says the language. Leave "
        "out --lang, or replace that of the config: --override nlp.lang={lang}."
    )

    # Inference
    C200 = (
        "No labels keep all constraints. These clash: {clash}. Change at least one of "
        "them: {changes}."
    )
    C201 = (
        "Got {found} values in `{name}` for {n_tokens} tokens. Give one value per "
        "token."
    )
    C202 = (
        "Got scores {name} of shape {shape} for {n_tokens} tokens. Give one score per "
        "token."
    )
    C203 = (
        "Got score {name} = {value} for token {i}. Scores must be finite: add a small "
        "number to probabilities before taking logarithms, and check that the model "
        "has not diverged."
    )
    C204 = (
        "The constraint '{name}' gave {fault}. Expected parts of type Count, Agreement "
        "or Rows that fit the tokens: correct the constraint."
    )
    C207 = (
        "Got entity ratio {ratio} for EntityRatio. Expected a number above 0, 1 at "
        "most: the share of entity tokens, 0.05 to 0.2 in most corpora."
    )
    C208 = (
        "Got {setting} {value} for {constraint}. Expected a share: at least 0, at most "
        "1."
    )
    C209 = (
        "The prefixes and suffixes of Affix must be lists of strings that are not "
        "empty."
    )
    C210 = "Got min_count {value} for SurfaceConsistency. Expected at least 1."
    C211 = (
        "HiGHS stopped with status '{status}' on a problem of {n_columns} variables "
        "and {n_rows} rows. Scores of very different size may be the cause: check "
        "them, or leave out the constraints one by one to find the one at fault."
    )
    C212 = (
        "Found no labels that keep all constraints within {seconds} seconds. Raise the "
        "time limit, or leave out the constraints one by one to find the slow one."
    )

    # Constrained binary learning, and settings of schemes
    C240 = (
        "Got entity ratio {ratio}, but the share of labelled tokens is {labelled:.4f}. "
        "The ratio must be above that and below 1: it is that of all entities, "
        "labelled or not."
    )
    C241 = "Got '{selected}' for `selected`. Expected one of: {names}."
    C242 = (
        "The config '{path}' has no weighting scheme. Expected [corpora.train.scheme] "
        "with a reader 'spacy_cbl.CBLCorpus.v1'; or name a scheme with --scheme."
    )
    C243 = "The settings of the scheme '{name}' are not what it takes: {error}."
    C244 = "Cannot load {what} '{name}': {error}."
    C245 = (
        "Got '{found}' for the entity ratio. Expected a number, the share of tokens in "
        "entities, or one of: {names}."
    )
    C246 = (
        "The entity ratio is to be that of gold, but there is no gold corpus. Give one "
        "with --gold (or `gold` of the reader), or give a number or 'estimate'."
    )
    C247 = "The config has no '{name}'. Complete it: `spacy init fill-config`."
    C248 = "Got {value} for `{name}` of {owner}. Expected {expected}."
    C249 = (
        "Every token of the corpus is in an entity: none could have been missed. Check "
        "that this is the file that holds the annotation."
    )

    # The perceptron
    C250 = (
        "'{name}' learns by its own rule and has no loss to differentiate. Train it "
        "with `spacy train` or `nlp.update`."
    )
    C251 = "Unknown update rule '{rule}'. Expected one of: {rules}."
    C252 = (
        "The saved perceptron has a table of {found} rows, the config says {expected}. "
        "Load it with the config that it was trained with."
    )
    C253 = (
        "Found {pair} among the pairs of places of a feature. Expected two offsets "
        "from the token each, such as [-1, 0] for the word before and the word itself."
    )

    # Experiments
    C260 = "The grid of experiments '{path}' cannot be read: {error}."
    C261 = (
        "{n_failed} of {n_jobs} jobs failed, the first of them '{name}': {error}. Mend "
        "the cause and run the same command again: what is done is not done again."
    )
    C262 = (
        "No cell of '{path}' has a name that begins with '{only}'. Names are "
        "CORPUS-METHOD-MODEL-SEED, such as '{name}'; --only may have wildcards."
    )
    C265 = (
        "There is nothing to score in '{path}': it has no entity. Expected a dev and a "
        "test set with complete labels."
    )
    C263 = (
        "The config '{path}' has no setting {found}, which the grid gives it. Check "
        "the spelling; settings of a model or a method must be in its config."
    )
    C264 = (
        "'{path}' was not made here, and the corpus it belongs to has changed since: "
        "it may no longer fit. Make it anew from the present train.iob2, or move it "
        "away to have partial labels simulated."
    )

    # Brown clusters
    C270 = (
        "Got '{path}' to read words from. Expected a corpus (.spacy), or plain text "
        "(.txt) with a sentence per line and white space between words."
    )
    C271 = "Got {n_clusters} for the number of clusters. Expected at least 2."
    C272 = "Got min_count {min_count} for Brown clusters. Expected at least 1."
    C273 = "Found no words in '{path}'. Give a corpus that has some."
    C274 = (
        "Found {n_words} words that occur at least {min_count} times, too few for "
        "{n_clusters} clusters. Lower --clusters or --min-count, or give more text."
    )
    C275 = (
        "No two words of '{path}' that occur often enough are neighbours in a "
        "sentence, and clusters are made from neighbours. Check the boundaries of "
        "sentences: text has a sentence per line, not a word per line."
    )

    # Expected entity ratio, and marks for missing
    C280 = (
        "Got ratio {ratio} for ExpectedEntityRatio. Expected a number between 0 and 1: "
        "the share of tokens in entities, 0.05 to 0.2 in most corpora."
    )
    C281 = (
        "Got margin {margin} for ExpectedEntityRatio. Expected a number of 0 or more, "
        "below 1: how far the share of a batch may be off the ratio."
    )
    C282 = (
        "Got weight {weight} for ExpectedEntityRatio. Expected a finite number, 0 or "
        "more; 0 leaves the marginal likelihood alone."
    )
    C283 = (
        "Got {value} as the weight below which tokens are missing. Expected a number "
        "above 0, at most 1: entities weigh 1 and would be missing too."
    )

    # Self-training
    C285 = (
        "Got {folds} folds for {n_docs} documents. Expected at least 2 folds, and at "
        "least a document for each: set `folds`, or cut the corpus into documents."
    )
    C286 = "Got '{initial}' for `initial`. Expected one of: {names}."
    C287 = (
        "Got iterations {iterations} and tolerance {tolerance} for self-training. "
        "Expected at least 1 iteration, and a share from 0 to 1 as tolerance."
    )
    C288 = (
        "The scheme gives each token a distribution over labels, which a recognizer "
        "uses in the place of weights: balancing would have no effect. Leave out the "
        "entity ratio."
    )

    # Noise adaptation
    C290 = (
        "No example has a clean token, and '{name}' estimates the noise from tokens "
        "whose true label is known. Put some in doc.spans['{key}'], labelled with "
        "their entity type or O; or sample them from gold: `spacy cbl clean-sample`."
    )
    C291 = (
        "Found a span labelled '{label}' in doc.spans['{key}'] of doc '{text}', but "
        "'{name}' knows only O and {labels}. Correct the span, or initialize from data "
        "(or a label file) with all the labels."
    )
    C292 = (
        "Token {i} ('{token}') of doc '{text}' has two labels in doc.spans['{key}']: "
        "'{first}' and '{second}'. Remove one of the spans."
    )
    C293 = (
        "Got {n_tokens} tokens to sample. Expected at least 1 and at most {n_known}: "
        "so many have a gold label in '{path}'."
    )
    C294 = (
        "Got clean_weight {value} for '{name}'. Expected a finite number of 0 or more; "
        "1 makes the clean tokens count as much as all the others together."
    )

    # Comparison of results
    C295 = (
        "'{path}' holds no result. Expected JSON that `spacy cbl experiment` or "
        "`spacy evaluate` (with entities) wrote."
    )
    C296 = (
        "Found no result in {paths}. Expected JSON files that `spacy cbl experiment` "
        "or `spacy evaluate` wrote."
    )
    C297 = (
        "Found the result of '{name}' twice, in '{first}' and in '{second}'. Give "
        "results of different methods, corpora, models or seeds."
    )
    C298 = (
        "'{path}' has no weights. Expected a corpus that `spacy cbl weigh` wrote; its "
        "user data holds them."
    )
    C299 = (
        "'{path}' exists and has no place for tables. Add the two lines '{start}' and "
        "'{end}' where they belong, or name another file."
    )

    # Inspection and review
    C300 = (
        "Got {value} as the weight below which tokens are suspected. Expected a number "
        "above 0, at most 1; 0.5 is a good start."
    )
    C301 = (
        "{path}, line {line}: the answer has no '{name}'. Expected the one that "
        "`spacy cbl review export` gave it: import what the tool made of that file."
    )
    C302 = (
        "{path}, line {line}: {found} is no '{name}' of `spacy cbl review export`. "
        "Export the suspects again and answer those."
    )
    C303 = (
        "{path}, line {line}: the answer is about document {doc} of the corpus, tokens "
        "{start} to {end}, and '{corpus}' has other text there. Import answers into "
        "the corpus whose suspects were exported, or one with the same documents."
    )
    C304 = (
        "{path}, line {line}: the text of the answer is not the text that was "
        "exported. Leave texts as they are: its offsets would be wrong."
    )
    C305 = (
        "{path}, line {line}: found answer {found}. Expected one of {names}, or no "
        "answer."
    )
    C306 = (
        "{path}, line {line}: span {span} is not inside the text or covers no word. "
        "Correct the span or leave the answer out."
    )
    C307 = "Got {value} as the number of {what} to keep. Expected 1 or more."
    C308 = (
        "Found no suspect in '{path}': no unlabelled token weighs less than "
        "{threshold}. Raise --threshold, or weigh the corpus by a scheme that doubts "
        "some tokens, such as cbl."
    )
    C309 = (
        "Got {n_folds} folds that hide {hide} of the entities each. Expected 1 or more "
        "folds and a share above 0, so that folds times share is 1 at most: no entity "
        "is hidden twice."
    )
    C310 = (
        "Found {found}. Each of {n_folds} folds must hide {least} forms or more: the "
        "figures would be chance. Use fewer folds, hide a larger share, or label more."
    )
    C311 = (
        "Got label precision {value}. Expected a number above 0 and up to 1, the share "
        "of the labels that are right."
    )
    C312 = (
        "Got '{path}' to write to. Expected a folder (with a dot in its name: one that "
        "exists), or a file that ends in one of: {names}."
    )
    C314 = (
        "'{path}' is damaged: {error}. It is written by `spacy cbl weigh`: weigh the "
        "corpus again, or remove the file."
    )
    C315 = (
        "'{path}' is there already. Import into it, so that it keeps the answers it "
        "has, or name another output."
    )
    C316 = (
        "Got '{path}' to write to, which is read too: what it holds would be lost. "
        "Give the output another name."
    )
    C317 = (
        "Got '{path}' to write to, which is neither a file nor new. Expected the name "
        "of a file."
    )
    C318 = (
        "Can't read or write {path}: {reason}. Check the name, the rights, and whether "
        "the disk is full."
    )
    C319 = (
        "Got '{path}' to write to, in the folder that is read: the next time it would "
        "be read too. Write it to another folder."
    )
    C320 = (
        "The rounds behind the weights go to '{path}', where another file is. Name the "
        "output otherwise, or move that file away."
    )
    C313 = (
        "Got format '{format}' for the file '{path}'. Leave out --format, or give the "
        "file a name that ends in .{format}."
    )

    # Contextual vectors
    C330 = (
        "Contextual vectors need the packages torch and transformers. Install them: "
        "`pip install 'spacy-cbl[transformers]'`."
    )
    C331 = (
        "Cannot load the transformer '{name}': {error}. Expected a folder with "
        "config.json, a tokenizer and weights, or the name of a model of the hub "
        "(without a network: one that has been downloaded)."
    )
    C332 = (
        "Got layers {layers} for a transformer that has {n_layers}. Expected numbers "
        "from 0 (the embedding) to {n_layers}, or negative ones that count from the "
        "end."
    )
    C333 = "Got '{combine}' for `combine`. Expected one of: {names}."
    C334 = (
        "The transformer '{name}' in '{folder}' is not the one that the model was "
        "trained with: its files, or the chosen layers, are others. Give the right "
        "one, by its setting `model` in the config, or train anew."
    )
    C335 = (
        "No transformer was given for FrozenContext. Name one, such as `spacy train "
        "... --paths.transformer FOLDER_OR_NAME`."
    )
    C336 = "Got no embedding to join. Expected at least one under `parts`."

    # Other scripts, vectors
    C350 = (
        "Got '{path}' to write the romanized corpus to. Expected a name that ends in "
        ".spacy or .iob2."
    )
    C351 = (
        "Romanizing needs the package uroman. Install it: `pip install "
        "'spacy-cbl[romanize]'`."
    )
    C352 = (
        "Training vectors needs the package floret. Install it: `pip install "
        "'spacy-cbl[floret]'`."
    )
    C353 = (
        "Found no word in '{path}' that occurs at least {min_count} times. Give more "
        "text, or lower --min-count."
    )


class Warnings(metaclass=ErrorsWithCodes):
    # Settings of training
    C041 = (
        "Got --paths.{name} {path}, but no model looks at it: features.{name} is off. "
        "Turn it on (--features.{name}), or leave the path out."
    )
    C042 = (
        "This training has {n_steps} steps, and scores every {every}: 'model-best' "
        "would be the model before the first step. Score more often: "
        "--training.eval_frequency {fit}"
    )
    # Inference
    C230 = (
        "Inference stopped at its time limit of {seconds} seconds. Its labels keep all "
        "constraints, but others might be better: their objective is proven to lie at "
        "most {gap:.2e} (relative) higher. Raise the time limit to have the best."
    )


def check_settings(owner: str, *settings: Tuple[str, Any, bool, str]) -> None:
    """Raise an error for the first setting that is not what it should be.

    owner (str): Whose settings they are.
    settings (Tuple[str, Any, bool, str]): The name of each, its value, whether that is
        right, and what was expected.
    """
    for name, value, is_right, expected in settings:
        if not is_right:
            raise ValueError(
                Errors.C248.format(
                    owner=owner, name=name, value=value, expected=expected
                )
            )
