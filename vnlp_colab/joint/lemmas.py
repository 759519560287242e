"""Lemmas as edit scripts: what a word's ending is changed to, so that unseen words get one, too.

A script is one of

``l2|``, ``C0|``, ``U1|k``, ``k0|``
    cut so many letters off the end of the word in lower case, add what stands behind the bar, and write the result in
    lower case (``l``), with a capital (``C``), in capitals (``U``), or with the letters of the word itself (``k``);
``l'``, ``C'``, ``U'``, ``k'``
    what stands before the last apostrophe (*Ankara'dan*: *Ankara*), however long the suffixes are;
``=ben``
    this lemma, for words that share no first letter with it (*o* for *şu*, *i* for *ydi*).
"""

from __future__ import annotations

from vnlp_colab.text.case import capitalize, lower_case, upper_case

UNKNOWN = "?"
_APOSTROPHES = "'\u2019"
# the first that gives the lemma: what depends least on how the word happens to be written comes first
_WRITINGS = {
    "l": lambda _, text: text,
    "C": lambda _, text: capitalize(text),
    "U": lambda _, text: upper_case(text),
    "k": lambda form, text: form[: len(text)],
}


def lemma_script(form: str, lemma: str) -> str:
    """Return the script that makes `lemma` of `form`.

    Examples
    --------
    >>> lemma_script("kitabı", "kitap"), lemma_script("Ankara'dan", "Ankara"), lemma_script("ydi", "i")
    ('l2|p', "C'", '=i')
    """
    lower, target = lower_case(form), lower_case(lemma)
    for writing in _WRITINGS:
        script = f"{writing}'"
        if _before_apostrophe(lower) and apply_script(script, form) == lemma:
            return script
    kept = _common_letters(lower, target)
    if kept or not lower:
        for writing in _WRITINGS:
            script = f"{writing}{len(lower) - kept}|{target[kept:]}"
            if apply_script(script, form) == lemma:
                return script
    return f"={lemma}"


def apply_script(script: str, form: str) -> str:
    """Return the lemma that `script` makes of `form`; the word itself where the script does not fit.

    Examples
    --------
    >>> apply_script("l2|p", "Kitabı"), apply_script("C'", "ankara'ya"), apply_script("l9|", "ev")
    ('kitap', 'Ankara', 'ev')
    """
    if script.startswith("="):
        return script[1:] or form
    writing, rule = script[:1], script[1:]
    write = _WRITINGS.get(writing)
    if write is None:
        return form
    lower = lower_case(form)
    if rule == "'":
        stem = _before_apostrophe(lower)
        return write(form, stem) if stem else form
    cut, _, ending = rule.partition("|")
    kept = len(lower) - int(cut)
    if kept < 0 or not kept + len(ending):
        return form
    if writing == "k":
        return form[:kept] + ending
    return write(form, lower[:kept] + ending)


def _common_letters(one: str, other: str) -> int:
    count = 0
    while count < min(len(one), len(other)) and one[count] == other[count]:
        count += 1
    return count


def _before_apostrophe(text: str) -> str:
    return text[: max(map(text.rfind, _APOSTROPHES), default=0)] if any(a in text for a in _APOSTROPHES) else ""
