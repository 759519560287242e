"""Rows to batches to columns: preparation, the stream of batches, the analyser that runs annotators."""
