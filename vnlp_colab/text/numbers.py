"""Numbers written in digits, read out in Turkish words.

num2words gives the words of the groups of three digits, and ordinals. Ours departs from it in four places: it writes
words apart (``on beş``), as Turkish spelling asks, where the library joins them; it puts the groups together itself,
since the library loses digits from 10^15 on; it reads decimals off the digits, since the library goes through a binary
fraction and reads 1.15 as ``bir virgül on dört``; and a number too long is read digit by digit instead of raising.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, Decimal
from functools import lru_cache

from num2words import num2words

_SCALES = ("", "bin", "milyon", "milyar", "trilyon", "katrilyon")
_NUMBER_WORD = re.compile(
    "yüz|yirmi|otuz|kırk|elli|altmış|yetmiş|seksen|doksan|sıfır|bir|iki|üç|dört|beş|altı|yedi|sekiz|dokuz|on"
)
_LONGEST = 3 * len(_SCALES)  # digits
_LONGEST_TOKEN = 64  # characters; more digits than that are no number anybody reads out

# sign or percent, digits with marks, percent, ordinal stop, suffix
_TOKEN = re.compile(
    r"(?P<before>[-−+%]?)(?P<digits>[0-9](?:[0-9.,]*[0-9])?)(?P<after>%?)(?P<stop>\.?)(?P<suffix>(?:['’][^\W\d_]+)?)"
)
_AROUND = re.compile(r"([(\[{\"'“‘«]*)(.*?)([)\]}\"'”’»,;:!?…]*)", re.DOTALL)
_ORDINAL_SUFFIX = re.compile(r"['’](?:[iıuü]?n)c[iıuü]")


def token_to_words(token: str, decimal_mark: str = ",", decimals: int = 6) -> list[str] | None:
    """Return the words of a number token, or None if `token` is no number.

    Examples
    --------
    >>> token_to_words("1.234,5")
    ['bin', 'iki', 'yüz', 'otuz', 'dört', 'virgül', 'beş']
    >>> token_to_words("3.")
    ['üçüncü']
    """
    match = _TOKEN.fullmatch(token) if len(token) <= _LONGEST_TOKEN else None
    if match is None:
        return None
    before, digits, after, stop, suffix = match.groups()
    whole, fraction = _parts(digits, decimal_mark)
    if not whole or (stop and (fraction or suffix or after)):
        return None
    fraction = _rounded(fraction, decimals) if fraction else fraction
    if len(fraction) > decimals:  # rounding up carried into the whole part
        whole, fraction = str(int(whole) + 1), ""
    ordinal = _ORDINAL_SUFFIX.match(suffix)
    words = _ordinal(whole) if stop or ordinal else _cardinal(whole)
    if ordinal:
        suffix = suffix[ordinal.end() :]
    if fraction:
        zeros = len(fraction) - len(fraction.lstrip("0"))
        words = [*words, "virgül", *["sıfır"] * zeros, *_cardinal(fraction.lstrip("0"))]
    sign = {"-": ["eksi"], "−": ["eksi"], "%": ["yüzde"]}.get(before, [])
    if after:
        sign = [*sign, "yüzde"]
    # In words the suffix follows without an apostrophe: 1990'da, bin dokuz yüz doksanda.
    return [*sign, *words[:-1], words[-1] + suffix.lstrip("'’")]


def text_to_words(text: str, decimal_mark: str = ",", decimals: int = 6) -> str:
    """Return `text` with its numbers as words and everything else, white space included, as it was."""
    if not re.search("[0-9]", text):
        return text
    last = len(text.rstrip())

    def replace(match: re.Match[str]) -> str:
        chunk = match.group()
        if len(chunk) > _LONGEST_TOKEN or not re.search("[0-9]", chunk):
            return chunk
        opening, core, closing = _AROUND.fullmatch(chunk).groups()  # type: ignore[union-attr]
        if core.endswith(".") and (closing or match.end() == last):  # the stop of the sentence, not of an ordinal
            core, closing = core[:-1], "." + closing
        words = token_to_words(core, decimal_mark, decimals)
        return chunk if words is None else opening + " ".join(words) + closing

    return re.sub(r"\S+", replace, text)


def _parts(digits: str, decimal_mark: str) -> tuple[str, str]:
    """Split ``1.234,56`` into its whole and fractional digits; ("", "") if the marks make no number of it."""
    thousands = "." if decimal_mark == "," else ","
    whole, _, fraction = digits.partition(decimal_mark)
    if decimal_mark in fraction or thousands in fraction:
        return "", ""
    head, *groups = whole.split(thousands)
    if all(len(group) == 3 for group in groups) and (not groups or 1 <= len(head) <= 3):
        return head + "".join(groups), fraction
    # "3.5" has no thousands in it: people mean the decimal mark of the other convention.
    return (head, groups[0]) if len(groups) == 1 and not fraction and head and groups[0] else ("", "")


def _rounded(fraction: str, decimals: int) -> str:
    """Round the digits after the mark; one digit more than `decimals` means a carry."""
    if len(fraction) <= decimals:
        return fraction.rstrip("0")
    kept = Decimal(f"{fraction[:decimals]}.{fraction[decimals:]}" if decimals else f"0.{fraction}")
    whole = str(int(kept.to_integral_value(ROUND_HALF_EVEN)))
    if len(whole) > decimals or (decimals == 0 and whole == "1"):
        return "0" * (decimals + 1)
    return whole.zfill(decimals).rstrip("0") if decimals else ""


@lru_cache(maxsize=4096)
def _cardinal(digits: str) -> list[str]:
    if digits == "0":
        return ["sıfır"]
    if len(digits) > _LONGEST or digits[0] == "0":  # 007, a telephone number
        return [_group(int(digit))[0] for digit in digits]
    words: list[str] = []
    for place in range((len(digits) - 1) // 3, -1, -1):
        group = int(digits[-3 * place - 3 : len(digits) - 3 * place])
        if group and not (group == 1 and place == 1):  # 1000 is "bin", not "bir bin"
            words += _group(group)
        if group and place:
            words.append(_SCALES[place])
    return words


def _group(number: int) -> list[str]:
    return _NUMBER_WORD.findall(num2words(number, lang="tr"))


def _ordinal(digits: str) -> list[str]:
    digits = digits.lstrip("0") or "0"
    words = _cardinal(digits)
    if len(digits) > _LONGEST:
        return words
    # The library's ordinal of the last word alone: of a scale ("birmilyonuncu", less "bir"), or of the last group.
    if words[-1] in _SCALES:
        joined = num2words(1000 ** _SCALES.index(words[-1]), lang="tr", to="ordinal").removeprefix("bir")
        return [*words[:-1], joined]
    group = int(digits[-3:])
    joined = num2words(group, lang="tr", to="ordinal")
    return [*words[:-1], joined[len("".join(_group(group)[:-1])) :]]
