"""Named-entity recognition from partially annotated data, for spaCy."""

# Configs may name our registries as soon as any part of the package is loaded.
from . import registry as _registry

__all__ = ["_registry"]
