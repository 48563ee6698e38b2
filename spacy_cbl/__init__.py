"""Named-entity recognition from partially annotated data, for spaCy."""
