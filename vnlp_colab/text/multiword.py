"""Surface tokens that hold two syntactic words: the copula written to its predicate, ``güzeldi`` as ``güzel`` + ``di``.

One of the six treebanks (BOUN) splits such tokens, about one in a hundred, and not always; the others never do. The
package keeps surface tokens; `split_copula` is for writers of CoNLL-U who want the range lines. It reads the candidates
of the word alone: a predicate with a copula and no reading as a verb or as a plain noun.
"""

from __future__ import annotations

import re

from vnlp_colab.text.case import lower_case
from vnlp_colab.text.morphology import default_generator

# Present "-dır", past "-(y)dı", "-(y)ken"; the other endings are split too seldom to guess.
_COPULA = re.compile(
    r"(?P<present>['’]?(?:l[ae]r)?[dt][ıiuü]r(?:l[ae]r)?)$"
    r"|(?P<past>['’]?y?[dt][ıiuü](?:m|n|k|l[ae]r|n[ıiuü]z)?)$"
    r"|(?P<while>['’]?y?ken)$",
    re.IGNORECASE,
)
_SPAN_OF_TIME = re.compile("(?:yıl|gün|ay|hafta|saat|dakika|asır|zaman)(?:lar|ler)?[dt][ıiuü]r$", re.IGNORECASE)
_ALWAYS = {"vardır": 3, "yoktur": 3, "yoktu": 3, "nedir": 2}
_LONGEST = 40


def split_copula(token: str) -> tuple[str, str] | None:
    """Return predicate and copula of a surface token, or None if it is one word.

    Examples
    --------
    >>> split_copula("güzeldir"), split_copula("farkındaydık"), split_copula("üzereyken")
    (('güzel', 'dir'), ('farkında', 'ydık'), ('üzere', 'yken'))
    >>> split_copula("geldi"), split_copula("müdür"), split_copula("yıllardır")
    (None, None, None)
    """
    if len(token) > _LONGEST:
        return None
    lowered = lower_case(token)
    if lowered in _ALWAYS:
        cut = _ALWAYS[lowered]
        return token[:cut], token[cut:]
    found = _COPULA.search(token)
    if found is None or found.start() < 2 or _SPAN_OF_TIME.search(lowered) or not _is_predicate(token, found):
        return None
    return token[: found.start()], found.group()


def _is_predicate(token: str, found: re.Match[str]) -> bool:
    others = []
    has_copula = False
    for analysis in default_generator().candidates(token):
        if "Verb+Zero" in analysis.tags:
            has_copula = True
        elif "Adverb+Since" not in analysis.tags:
            others.append(analysis)
    if not has_copula or others:
        return False
    # "-(y)ken" and "-(y)dı" behind a vowel show their buffer letter; "-dır" and "-dı" need none.
    return found.lastgroup != "while" or "y" in found.group() or token[found.start() - 1] not in "rz"
