"""Words as SentencePiece ids."""
