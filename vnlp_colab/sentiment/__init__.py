"""Sentiment of texts."""
