"""Stems and morphological analyses."""
