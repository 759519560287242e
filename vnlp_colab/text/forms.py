"""Between a token as it is written and as a model reads it: one shape going in, the circumflex back coming out."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from vnlp_colab.text.accents import remove_accent_marks
from vnlp_colab.text.case import lower_case, upper_case
from vnlp_colab.text.stops import APOSTROPHES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_APOSTROPHE = re.compile(rf"(?<=[\w.%₺$€£¥°])[{APOSTROPHES}](?=\w)|^[{APOSTROPHES}](?=\w)|^’$")
# Inside a word they only say where it may be broken or joined; in an emoji they are what holds it together.
_INVISIBLE = re.compile(r"(?<=\w)[\u00ad\u200c\u200d]++|(?<![\u00ad\u200c\u200d])[\u00ad\u200c\u200d]++(?=\w)")
# A lone surrogate is no character: no file format can hold it.
_SURROGATE = re.compile("[\ud800-\udfff]")
_CIRCUMFLEX = re.compile("[âêîôûÂÊÎÔÛ\u0302]")


def model_form(token: str) -> str:
    """Return a token as the models read it.

    Letters are composed (NFC) and lose their circumflex, apostrophes become ``'``, invisible characters inside a word
    go, and a lone surrogate becomes ``\ufffd``. The token itself stays what it is in the text.

    Examples
    --------
    >>> [model_form(token) for token in ("Kâğıthane’de", "par\u00adça", "10’uncu", "’")]
    ["Kağıthane'de", 'parça', "10'uncu", "'"]
    """
    if token.isascii() and "`" not in token:
        return token
    form = unicodedata.normalize("NFC", _SURROGATE.sub("\ufffd", token))
    plain = remove_accent_marks(form)
    if plain is not form:
        plain = unicodedata.normalize("NFC", plain)  # a letter may join with a mark that came after the circumflex
    return _APOSTROPHE.sub("'", _INVISIBLE.sub("", plain)) or form


def keep_circumflexes_in(lemmas: list[str], text: str, spans: Callable[[], Sequence[tuple[int, int]]]) -> list[str]:
    """Return the lemmas of a text's tokens with the circumflexes the text has; `spans` is asked only if it has any."""
    if text.isascii() or not _CIRCUMFLEX.search(text):
        return lemmas
    places = zip(lemmas, spans(), strict=True)
    return [keep_circumflexes(lemma, text[start:end]) for lemma, (start, end) in places]


def keep_circumflexes(lemma: str, token: str) -> str:
    """Return a lemma a model gave without circumflexes with those its token has, as far as the two agree.

    Examples
    --------
    >>> [keep_circumflexes(*pair) for pair in (("kar", "kârlar"), ("hala", "Hâlâ"), ("kağıt", "kâğıdı"))]
    ['kâr', 'hâlâ', 'kâğıt']
    """
    if not _CIRCUMFLEX.search(token):
        return lemma
    written = lower_case(unicodedata.normalize("NFC", token))
    plain = remove_accent_marks(written)
    letters = list(lemma)
    for at, (letter, read, marked) in enumerate(zip(lower_case(lemma), plain, written, strict=False)):
        if letter != read:
            break
        if read != marked and at < len(letters):
            letters[at] = upper_case(marked) if lemma[at].isupper() else marked
    return "".join(letters)
