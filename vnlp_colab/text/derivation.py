"""The derived lemma: a word without its inflection but with the suffixes that made it another word.

The root of an analysis can say the opposite of the word: that of ``tuzsuz`` is ``tuz``, that of ``ilgisizdi`` is
``ilgi``. `derived_lemma` keeps what comes up to the last derivation: ``tuzsuz``, ``ilgisiz``.
"""

from __future__ import annotations

import re

from vnlp_colab.text.foreign import lower_word

_ANALYSIS = re.compile(r"(.+?)\+([A-Z].*)", re.DOTALL)
# The derivations that make a new word, and how they are spelt. Participles, verbal nouns, converbs, voice and "-ki" are
# inflection here, as they are in Universal Dependencies: the lemma of "gelen", "gelmek" and "evdeki" is "gel" and "ev".
_SPELLINGS = {
    "With": "l[ıiuü]",
    "Without": "s[ıiuü]z",
    "Ness": "l?[ıiuü][kğ]",
    "FitFor": "l?[ıiuü][kğ]",
    "Agt": "[cç][ıiuü]",
    "Dim": "[cç][ıiuüae](?:[kğ]|(?=[mnz]))",
    "Ly": "[cç][ae](?:s[ıi]na|s[ıi]ne)?",
    "AsIf": "[cç][ae](?:s[ıi]na|s[ıi]ne)?",
    "JustLike": "(?:[ıiuü]?ms[ıiuü]|s[ıiuü])",
    "Related": "(?:s[ae]l|k)",
    "InBetween": "l[ae]rarası",
    "NotState": "m[ae]zl[ıi][kğ]",
    "NotAbleState": "[ae]m[ae]zl[ıi][kğ]",
    "ActOf": "m[ae]c[ae]",
    "Become": "l[ae]ş",
    "Acquire": "l[ae]n",
}
_APOSTROPHE = re.compile("['’]")
_LONGEST = 64


def derived_lemma(word: str, analysis: str) -> str:
    """Return the lemma of a word with its derivations, from the analysis `StemmerAnalyzer` gives it.

    Parameters
    ----------
    word
        The token.
    analysis
        Root and tags, such as ``tuz+Noun+A3sg+Pnon+Nom^DB+Adj+Without``.

    Examples
    --------
    >>> derived_lemma("Tuzsuz", "tuz+Noun+A3sg+Pnon+Nom^DB+Adj+Without")
    'tuzsuz'
    >>> derived_lemma("ilgisizdi", "ilgi+Noun+A3sg+Pnon+Nom^DB+Adj+Without^DB+Verb+Zero+Past+A3sg")
    'ilgisiz'
    >>> derived_lemma("başarısızlığından", "başarı+Noun+A3sg+Pnon+Nom^DB+Adj+Without^DB+Noun+Ness+A3sg+P2sg+Abl")
    'başarısızlık'
    >>> derived_lemma("evdeki", "ev+Noun+A3sg+Pnon+Loc^DB+Adj+Rel")
    'ev'
    """
    parts = _ANALYSIS.fullmatch(analysis)
    if parts is None:
        return analysis
    root, tags = parts.groups()
    names = [step.split("+")[2] for step in tags.split("^DB")[1:] if step.count("+") > 1]
    spellings = [_SPELLINGS[name] for name in names if name in _SPELLINGS]
    if not spellings or len(word) > _LONGEST:
        return root
    written = _APOSTROPHE.sub("", lower_word(word))
    # The root's last letter may have changed, and inflection may stand between two derivations.
    found = re.match(f".{{{max(1, len(root) - 1)}}}" + "".join(f".*?{spelling}" for spelling in spellings), written)
    if found is None:
        return root
    lemma = found.group()
    return lemma[:-1] + "k" if lemma[-1] == "ğ" else lemma
