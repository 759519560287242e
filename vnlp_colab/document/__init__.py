"""What comes of a text: documents, CoNLL-U, pictures."""
