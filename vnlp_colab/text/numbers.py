"""Numbers written in digits, read out in Turkish words, with the suffix that fits the words.

Words stand apart (``on beş``), as Turkish spelling asks. A number too long to have a name is read digit by digit.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

from vnlp_colab.text.case import lower_case
from vnlp_colab.text.harmony import attach_suffix

if TYPE_CHECKING:
    from collections.abc import Sequence

_UNITS = ("sıfır", "bir", "iki", "üç", "dört", "beş", "altı", "yedi", "sekiz", "dokuz")
_TENS = ("", "on", "yirmi", "otuz", "kırk", "elli", "altmış", "yetmiş", "seksen", "doksan")
_SCALES = ("", "bin", "milyon", "milyar", "trilyon", "katrilyon")
_MONTHS = (
    *("ocak", "şubat", "mart", "nisan", "mayıs", "haziran", "temmuz", "ağustos"),
    *("eylül", "ekim", "kasım", "aralık"),
)
_LONGEST = 3 * len(_SCALES)  # digits
_LONGEST_TOKEN = 64  # characters; more digits than that are no number anybody reads out

_SUFFIX = r"(?P<suffix>(?:['’][^\W\d_]+)?)"
# sign or percent, digits with marks, percent, ordinal stop, suffix
_TOKEN = re.compile(rf"(?P<before>[-−+%]?)(?P<digits>[0-9](?:[0-9.,]*[0-9])?)(?P<after>%?)(?P<stop>\.?){_SUFFIX}")
_CLOCK = re.compile(rf"(?P<hour>[01]?[0-9]|2[0-3])(?P<mark>[.:])(?P<minute>[0-5][0-9]){_SUFFIX}")
_DATE = re.compile(
    r"(?:(?P<day>[0-3]?[0-9])(?P<mark>[./-])(?P<month>[01]?[0-9])(?P=mark)(?P<year>[0-9]{4}|[0-9]{2})"
    rf"|(?P<iso_year>[0-9]{{4}})-(?P<iso_month>[01][0-9])-(?P<iso_day>[0-3][0-9])){_SUFFIX}"
)
# "14.30'da" is a time and "14.30'a" may be one: at half past two one is, from it one comes.
_AT_OR_FROM = re.compile(r"['’][dt][ae]n?(?:ki\w*)?")
_AROUND = re.compile(r"([(\[{\"'“‘«]*)(.*?)([)\]}\"'”’»,;:!?…]*)", re.DOTALL)
_ORDINAL_SUFFIX = re.compile(r"['’](?:[iıuü]?n)c[iıuü]")
_HOUR_WORDS = frozenset(("saat", "saati", "saatler", "saatleri", "saatin"))


def token_to_words(
    token: str, decimal_mark: str = ",", decimals: int = 6, times_and_dates: bool = False, before: str = ""
) -> list[str] | None:
    """Return the words of a number token, or None if `token` is no number or stays as it is.

    Parameters
    ----------
    token
        One token.
    decimal_mark
        ``,`` or ``.``.
    decimals
        Digits kept after the mark.
    times_and_dates
        Read times and dates, too.
    before
        The token before it: behind ``saat``, ``14.30`` is a time.

    Examples
    --------
    >>> token_to_words("1.234,5")
    ['bin', 'iki', 'yüz', 'otuz', 'dört', 'virgül', 'beş']
    >>> token_to_words("3'de")
    ['üçte']
    >>> token_to_words("14.30'da"), token_to_words("14.30'da", times_and_dates=True)
    (None, ['on', 'dört', 'otuzda'])
    """
    if len(token) > _LONGEST_TOKEN:
        return None
    clock = _CLOCK.fullmatch(token)
    if clock and _is_time(clock, before):
        return _time_words(clock) if times_and_dates else None
    date = _DATE.fullmatch(token)
    if date and (words := _date_words(date)):
        return words if times_and_dates else None
    match = _TOKEN.fullmatch(token)
    return _number_words(match, decimal_mark, decimals) if match else None


def _number_words(match: re.Match[str], decimal_mark: str, decimals: int) -> list[str] | None:
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
    return [*sign, *_with_suffix(words, suffix)]


def list_to_words(
    tokens: Sequence[str], decimal_mark: str = ",", decimals: int = 6, times_and_dates: bool = False
) -> list[str]:
    """Return `tokens` with every number as its words, one token a word."""
    converted: list[str] = []
    before = ""
    for token in tokens:
        words = token_to_words(token, decimal_mark, decimals, times_and_dates, before)
        if words is None:
            converted.append(token)
        else:
            converted += words
        before = token
    return converted


def text_to_words(text: str, decimal_mark: str = ",", decimals: int = 6, times_and_dates: bool = False) -> str:
    """Return `text` with its numbers as words and everything else, white space included, as it was."""
    if not re.search("[0-9]", text):
        return text
    last = len(text.rstrip())
    before = ""

    def replace(match: re.Match[str]) -> str:
        nonlocal before
        chunk, word_before = match.group(), before
        before = chunk if len(chunk) <= _LONGEST_TOKEN else ""
        if len(chunk) > _LONGEST_TOKEN or not re.search("[0-9]", chunk):
            return chunk
        opening, core, closing = _AROUND.fullmatch(chunk).groups()  # type: ignore[union-attr]
        if core.endswith(".") and (closing or match.end() == last):  # the stop of the sentence, not of an ordinal
            core, closing = core[:-1], "." + closing
        words = token_to_words(core, decimal_mark, decimals, times_and_dates, word_before)
        return chunk if words is None else opening + " ".join(words) + closing

    return re.sub(r"\S+", replace, text)


def _with_suffix(words: list[str], suffix: str) -> list[str]:
    """Put the suffix behind the last word, without its apostrophe and in harmony: 1990'da, bin dokuz yüz doksanda."""
    ending = lower_case(suffix.lstrip("'’"))
    return [*words[:-1], attach_suffix(words[-1], ending)] if ending else words


def _is_time(clock: re.Match[str], before: str) -> bool:
    if clock["mark"] == ":" or lower_case(before) in _HOUR_WORDS:
        return True
    return _AT_OR_FROM.fullmatch(clock["suffix"]) is not None


def _time_words(clock: re.Match[str]) -> list[str]:
    hour, minute = str(int(clock["hour"])), clock["minute"]
    words = _cardinal(hour)
    if minute != "00":
        words = [*words, *(["sıfır"] if minute[0] == "0" else []), *_cardinal(str(int(minute)))]
    return _with_suffix(words, clock["suffix"])


def _date_words(date: re.Match[str]) -> list[str]:
    """Return the words of a date; none if no calendar has it."""
    day, month, year = (int(date[name] or date[f"iso_{name}"]) for name in ("day", "month", "year"))
    if not (1 <= day <= 31 and 1 <= month <= len(_MONTHS)):
        return []
    return _with_suffix([*_cardinal(str(day)), _MONTHS[month - 1], *_cardinal(str(year))], date["suffix"])


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
        return [_UNITS[int(digit)] for digit in digits]
    words: list[str] = []
    for place in range((len(digits) - 1) // 3, -1, -1):
        group = int(digits[-3 * place - 3 : len(digits) - 3 * place])
        if group and not (group == 1 and place == 1):  # 1000 is "bin", not "bir bin"
            words += _group(group)
        if group and place:
            words.append(_SCALES[place])
    return words


def _group(number: int) -> list[str]:
    """Return the words of a number below a thousand."""
    hundreds, tens, units = number // 100, number // 10 % 10, number % 10
    words = [_UNITS[hundreds]] if hundreds > 1 else []
    words += ["yüz"] if hundreds else []
    words += [_TENS[tens]] if tens else []
    return words + ([_UNITS[units]] if units else [])


def _ordinal(digits: str) -> list[str]:
    digits = digits.lstrip("0") or "0"
    words = _cardinal(digits)
    return words if len(digits) > _LONGEST else [*words[:-1], attach_suffix(words[-1], "ıncı")]
