"""The registries of this package, which configs reach as `@cbl_weighting` and so on."""

import catalogue
from spacy.util import registry

# Open to other packages through the entry point group `spacy_cbl_weighting`.
cbl_weighting = catalogue.create("spacy", "cbl_weighting", entry_points=True)
# Open to other packages through the entry point group `spacy_cbl_constraints`.
cbl_constraints = catalogue.create("spacy", "cbl_constraints", entry_points=True)
# Open to other packages through the entry point group `spacy_cbl_features`.
cbl_features = catalogue.create("spacy", "cbl_features", entry_points=True)

setattr(registry, "cbl_weighting", cbl_weighting)
setattr(registry, "cbl_constraints", cbl_constraints)
setattr(registry, "cbl_features", cbl_features)
