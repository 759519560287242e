"""What TreeStackPoS and TreeStackDP share: words and morphological tags as vectors, windows, decoding."""
