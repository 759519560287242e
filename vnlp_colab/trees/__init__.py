"""Dependency trees from scores: spanning trees, long sentences in segments."""
