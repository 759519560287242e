"""Word accuracy on the held-out sentences, ours and, if asked for, upstream's."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from training.deasciifier.readings import FOLD
from vnlp_colab.text import TreebankWordTokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

STRIP = str.maketrans("çğıöşüÇĞİÖŞÜ", "cgiosuCGIOSU")


def reference(sentence: str) -> list[str]:
    """Return the words to be found again: the tokens that hold a letter, circumflexes left out."""
    tokens = TreebankWordTokenize(unicodedata.normalize("NFC", sentence).translate(FOLD))
    return [token for token in tokens if any(map(str.isalpha, token))]


def word_accuracy(
    deasciify: Callable[[list[str]], list[str]], sentences: Sequence[str], wrong: list[tuple[str, str]] | None = None
) -> float:
    """Return the share of words that come back from ASCII as they were; mistakes are added to `wrong`."""
    right = total = 0
    for sentence in sentences:
        tokens = TreebankWordTokenize(unicodedata.normalize("NFC", sentence).translate(FOLD))
        guesses = deasciify([token.translate(STRIP) for token in tokens])
        for token, guess in zip(tokens, guesses, strict=True):
            if any(map(str.isalpha, token)):
                total += 1
                right += token == guess
                if wrong is not None and token != guess:
                    wrong.append((token, guess))
    return right / total
