"""The tools that turn one string into another."""

from __future__ import annotations

from vnlp_colab import Normalizer

STRING_METHODS = [
    Normalizer.lower_case,
    Normalizer.upper_case,
    Normalizer.capitalize,
    Normalizer.remove_punctuations,
    Normalizer.remove_accent_marks,
    Normalizer.correct_apostrophes,
    Normalizer.ascii_quotes,
    Normalizer.typographic_quotes,
    Normalizer.normalize_unicode,
]
