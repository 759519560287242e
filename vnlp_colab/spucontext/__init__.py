"""What the SPUContext networks for PoS, entities and dependencies share: words, windows and decoding."""
