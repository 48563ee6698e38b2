"""Named-entity recognition from partially annotated data, for spaCy."""

# Configs may name our registries, and Docs have our attributes, as soon as any part of
# the package is loaded.
from . import registry as _registry
from .attrs import ensure_extensions

ensure_extensions()

__all__ = ["_registry"]
