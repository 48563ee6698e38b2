"""Grids of experiments: corpora x methods x models x seeds, each cell a JSON file."""
