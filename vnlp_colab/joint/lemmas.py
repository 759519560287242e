"""Lemmas as edit scripts: how a lemma is made of its form, in few enough ways to be classes of a network.

A script is ``case cut|rest``: take `cut` letters from the end of the form (``'``: everything from the apostrophe,
``=``: the whole form), add `rest`, and write the result in lower case (``l``), as the form has it (``k``), with a
capital (``C``), in capitals (``U``) or in lower case by English rules (``e``: *IBM* → *ibm*).
"""

from __future__ import annotations

from vnlp_colab.text.case import capitalize, lower_case, upper_case
from vnlp_colab.text.foreign import lower_word

_APOSTROPHES = ("'", "’")
_CASES = "lkCUe"


def _stem(form: str, cut: str) -> str | None:
    if cut == "=":
        return ""
    if cut == "'":
        places = [i for i in map(form.find, _APOSTROPHES) if i > 0]
        return form[: min(places)] if places else None
    number = int(cut)
    return form[: len(form) - number] if number < len(form) else None


def apply_script(script: str, form: str) -> str | None:
    """Return the lemma a script makes of a form; None if the form has too few letters for it.

    Examples
    --------
    >>> apply_script("l5|t", "Kitaplarda"), apply_script("k'|", "Ankara'nın")
    ('kitapt', 'Ankara')
    """
    change, _, rest = script.partition("|")
    if not change:
        return None
    stem = _stem(form, change[1:])
    if stem is None:
        return None
    match change[0]:
        case "l":
            # Foreign words keep their i: "INTERNET" is "internet".
            return (lower_word(form)[: len(stem)] if "I" in form else lower_case(stem)) + rest
        case "C":
            return capitalize(stem + rest)
        case "U":
            return upper_case(stem + rest)
        case "e":
            return (stem + rest).lower()
    return stem + rest


def is_replacement(script: str) -> bool:
    """Tell whether a script puts another word in the place of the form.

    Examples
    --------
    >>> is_replacement("l=|ben"), is_replacement("l1|")
    (True, False)
    """
    return script[1:2] == "="


def _common(first: str, second: str) -> int:
    length = 0
    while length < min(len(first), len(second)) and first[length] == second[length]:
        length += 1
    return length


def lemma_script(form: str, lemma: str) -> str:
    """Return the script that makes the lemma of the form: the first case that gives it back exactly.

    Examples
    --------
    >>> lemma_script("Kitabını", "kitap"), lemma_script("Ankara'nın", "Ankara")
    ('l4|p', "k'|")
    """
    low, wanted = lower_case(form), lower_case(lemma)
    common = _common(low, wanted)
    apostrophe = min((i for i in map(low.find, _APOSTROPHES) if i > 0), default=-1)
    cut = "=" if not common else "'" if common == apostrophe else str(len(form) - common)
    for case in _CASES:
        script = f"{case}{cut}|{wanted[common:]}"
        if apply_script(script, form) == lemma:
            return script
    common = _common(form, lemma)
    return f"k{len(form) - common if common else '='}|{lemma[common:]}"
