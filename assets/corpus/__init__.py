"""The parts of the generator of the embedded corpora, and their word lists."""
