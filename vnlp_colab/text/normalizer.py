"""`Normalizer`: the ways to bring Turkish text into one shape, under the names VNLP's users know."""

from __future__ import annotations

import re
import unicodedata
from typing import overload

from vnlp_colab.text import accents, case, quotes
from vnlp_colab.text.inputs import check_text, check_tokens

# All that is neither letter, digit nor white space; combining marks are part of their letter. VNLP also drops tabs and
# line ends, which glues words together.
_PUNCTUATION = re.compile(r"[^\w\s\u0300-\u036f]+|_+")


class Normalizer:
    """Stateless: every method may be called on the class or on an instance.

    Methods that take a token list also take a string, and then give a string.
    """

    @staticmethod
    def lower_case(text: str) -> str:
        """Return `text` in Turkish lower case.

        Examples
        --------
        >>> Normalizer.lower_case("Test karakterleri: İIĞÜÖŞÇ")
        'test karakterleri: iığüöşç'
        """
        check_text(text, "lower_case")
        return case.lower_case(text)

    @staticmethod
    def upper_case(text: str) -> str:
        """Return `text` in Turkish upper case."""
        check_text(text, "upper_case")
        return case.upper_case(text)

    @staticmethod
    def capitalize(text: str) -> str:
        """Return `text` with a capital first letter and lower case after it, both Turkish."""
        check_text(text, "capitalize")
        return case.capitalize(text)

    @staticmethod
    def remove_punctuations(text: str) -> str:
        """Return `text` without marks and symbols; letters, digits and white space stay.

        Examples
        --------
        >>> Normalizer.remove_punctuations("merhaba,.!")
        'merhaba'
        """
        check_text(text, "remove_punctuations")
        return _PUNCTUATION.sub("", text)

    @staticmethod
    def remove_accent_marks(text: str) -> str:
        """Return `text` without circumflexes.

        Examples
        --------
        >>> Normalizer.remove_accent_marks("merhâbâ gûzel yîlkî atî")
        'merhaba guzel yılkı atı'
        """
        check_text(text, "remove_accent_marks")
        return accents.remove_accent_marks(text)

    @staticmethod
    def correct_apostrophes(text: str) -> str:
        """Return `text` with ``'`` for every mark that stands for an apostrophe inside a word.

        Examples
        --------
        >>> Normalizer.correct_apostrophes("Ankara`da")
        "Ankara'da"
        """
        check_text(text, "correct_apostrophes")
        return quotes.correct_apostrophes(text)

    @staticmethod
    def ascii_quotes(text: str) -> str:
        """Return `text` with ``"`` and ``'`` for all typographic quotation marks."""
        check_text(text, "ascii_quotes")
        return quotes.ascii_quotes(text)

    @staticmethod
    def typographic_quotes(text: str) -> str:
        """Return `text` with ``“ ”`` and ``‘ ’`` for ``"`` and ``'``."""
        check_text(text, "typographic_quotes")
        return quotes.typographic_quotes(text)

    @staticmethod
    def normalize_unicode(text: str) -> str:
        """Return `text` in Unicode NFC: a letter and its combining mark become one character."""
        check_text(text, "normalize_unicode")
        return unicodedata.normalize("NFC", text)

    @overload
    @staticmethod
    def convert_numbers_to_words(
        tokens: str, num_dec_digits: int = 6, decimal_seperator: str = ",", times_and_dates: bool = False
    ) -> str: ...
    @overload
    @staticmethod
    def convert_numbers_to_words(
        tokens: list[str] | tuple[str, ...],
        num_dec_digits: int = 6,
        decimal_seperator: str = ",",
        times_and_dates: bool = False,
    ) -> list[str]: ...
    @staticmethod
    def convert_numbers_to_words(
        tokens: str | list[str] | tuple[str, ...],
        num_dec_digits: int = 6,
        decimal_seperator: str = ",",
        times_and_dates: bool = False,
    ) -> str | list[str]:
        """Return the tokens with numbers in words, one token a word.

        Decimals, thousands, signs, percentages, ordinals (``3.``) and suffixes (``1990'da``) are read, the suffix in
        harmony with the words (``3'da`` is ``üçte``). Times (``19:30``, ``14.30'da``, ``saat 14.30``) and dates stay
        unless asked for, and so does everything else.

        Parameters
        ----------
        tokens
            A token list or a string.
        num_dec_digits
            Digits kept after the decimal mark.
        decimal_seperator
            ``,`` or ``.`` (spelled as VNLP spells it).
        times_and_dates
            Read times and dates, too.

        Examples
        --------
        >>> Normalizer.convert_numbers_to_words("tartıldığımda 1,15 kilogram".split())
        ['tartıldığımda', 'bir', 'virgül', 'on', 'beş', 'kilogram']
        >>> Normalizer.convert_numbers_to_words("1.5.2020'de saat 14.30'da", times_and_dates=True)
        'bir mayıs iki bin yirmide saat on dört otuzda'
        """
        from vnlp_colab.text.numbers import list_to_words, text_to_words

        check_tokens(tokens, "convert_numbers_to_words")
        if decimal_seperator not in (",", "."):
            raise ValueError(f"decimal_seperator is ',' or '.', not {decimal_seperator!r}")
        if num_dec_digits < 0:
            raise ValueError(f"num_dec_digits is 0 or more, not {num_dec_digits}")
        if isinstance(tokens, str):
            return text_to_words(tokens, decimal_seperator, num_dec_digits, times_and_dates)
        return list_to_words(list(tokens), decimal_seperator, num_dec_digits, times_and_dates)

    @overload
    @staticmethod
    def deasciify(tokens: str) -> str: ...
    @overload
    @staticmethod
    def deasciify(tokens: list[str] | tuple[str, ...]) -> list[str]: ...
    @staticmethod
    def deasciify(tokens: str | list[str] | tuple[str, ...]) -> str | list[str]:
        """Return the tokens with the Turkish letters they were typed without; each keeps its length.

        The neighbours of a word help to read it, so give whole sentences.

        Examples
        --------
        >>> Normalizer.deasciify("dusunuyorum da boyle sey gormedim duymadim".split())
        ['düşünüyorum', 'da', 'böyle', 'şey', 'görmedim', 'duymadım']
        """
        from vnlp_colab.text.deasciifier import default_deasciifier

        check_tokens(tokens, "deasciify")
        deasciifier = default_deasciifier()
        if isinstance(tokens, str):
            return deasciifier.deasciify(tokens)
        text = deasciifier.deasciify(" ".join(tokens))
        read: list[str] = []
        start = 0
        for token in tokens:
            read.append(text[start : start + len(token)])
            start += len(token) + 1
        return read
