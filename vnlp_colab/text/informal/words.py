"""What the steps share: whether the lexicon knows a word, and the writer's capitals on a mended one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vnlp_colab.text.case import lower_case, upper_case
from vnlp_colab.text.morphology import default_generator

if TYPE_CHECKING:
    from collections.abc import Callable

_LONGEST = 40  # letters; nothing longer is a word somebody typed in haste


def is_known(lowered: str, tag: str = "") -> bool:
    """Tell whether the lexicon has a reading of a word in lower case, one with `tag` in it if that is given."""
    analyses = default_generator().candidates(lowered)
    return analyses[0].tags != "Unknown" and (not tag or any(tag in analysis.tags for analysis in analyses))


def is_inflected(lowered: str) -> bool:
    """Tell whether the lexicon has a reading of a word with a suffix, or as an adjective."""
    return any(
        analysis.tags != "Unknown" and (analysis.root != lowered or analysis.tags.startswith("Adj"))
        for analysis in default_generator().candidates(lowered)
    )


def mended_like(word: str, mend: Callable[[str], str | None]) -> str:
    """Return what `mend` makes of a word in lower case, written in small and capital letters like `word`."""
    if not word.isalpha() or len(word) > _LONGEST:
        return word
    lowered = lower_case(word)  # not by the rules for foreign words: what is mended is Turkish
    mended = mend(lowered)
    if mended is None or mended == lowered:
        return word
    if word.islower():
        return mended
    if word.isupper() and len(word) > 1:
        return upper_case(mended)
    return upper_case(mended[0]) + mended[1:] if word[0].isupper() else mended
