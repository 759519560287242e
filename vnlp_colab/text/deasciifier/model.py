"""The deasciifier: its three models over one text, the words it has judged, and its file."""

from __future__ import annotations

import json
import lzma
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.errors import VNLPError
from vnlp_colab.text.case import lower_case, upper_case
from vnlp_colab.text.deasciifier.context import BOUNDARY, ContextModel, context_features
from vnlp_colab.text.deasciifier.letters import TO_ASCII, LetterModel
from vnlp_colab.text.deasciifier.suffixes import SuffixModel

if TYPE_CHECKING:
    from collections.abc import Sequence

MODEL_FILE = "deasciifier.xz"
MODEL_FORMAT = 1
LOWER, CAPITAL, ALL_CAPITALS = 0, 1, 2
APOSTROPHES = frozenset("'’‘`´ʼ")

_TOKENS = re.compile(r"([^\W\d_]+|\d+|[^\w\s])")
# Addresses and mentions are names of things: they keep their letters.
_TOKENS_AND_ADDRESSES = re.compile(
    r"((?:[A-Za-z]{2,10}://|www\.)\S+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+|@\w+|[^\W\d_]+|\d+|[^\w\s])"
)
_HAS_ADDRESS = re.compile(r"://|www\.|@")
_CACHE_SIZE = 200_000


def case_class(word: str) -> int:
    """Return how a word is written: lower case, with a capital first, or all in capitals."""
    if not word[:1].isupper():
        return LOWER
    return ALL_CAPITALS if len(word) > 1 and word.isupper() else CAPITAL


class Deasciifier:
    """The three models and a bounded cache of the words they have judged."""

    def __init__(
        self,
        letters: LetterModel,
        exceptions: Sequence[dict[str, str]],
        context: ContextModel,
        suffixes: SuffixModel,
    ) -> None:
        self._letters = letters
        self._exceptions = exceptions
        self._context = context
        self._suffixes = suffixes
        self._known: dict[str, str | None] = {}  # None: the neighbours decide

    def deasciify(self, text: str) -> str:
        """Return `text` with its Turkish letters; any string is taken, and the length never changes."""
        pattern = _TOKENS_AND_ADDRESSES if _HAS_ADDRESS.search(text) else _TOKENS
        parts = pattern.split(text)  # gap, token, gap, token, ..., gap
        tokens = parts[1::2]
        self._learn(tokens)
        known = self._known
        answers = tokens.copy()
        for i, token in enumerate(tokens):
            if token.isascii() and token.isalpha():
                if (
                    i > 1
                    and tokens[i - 1] in APOSTROPHES
                    and token.islower()
                    and not (parts[2 * i] or parts[2 * i - 2])
                ):
                    answers[i] = self._suffixes.reading(answers[i - 2], token)
                else:
                    answer = known[token]
                    answers[i] = self._in_context(tokens, i) if answer is None else answer
        parts[1::2] = answers
        return "".join(parts)

    def is_ambiguous(self, word: str) -> bool:
        """Tell whether an ASCII word has several Turkish readings between which its neighbours decide."""
        return word.lower() in self._context

    def _learn(self, tokens: Sequence[str]) -> None:
        """Judge the words not seen before, all together."""
        known = self._known
        new = [token for token in set(tokens).difference(known) if token.isascii() and token.isalpha()]
        if not new:
            return
        if len(known) + len(new) > _CACHE_SIZE:
            known = self._known = {token: known[token] for token in tokens if token in known}
        unjudged, plain_forms = [], []
        for token in new:
            plain = token.lower()  # ASCII letters alone, so no Turkish case rule is at stake
            case = case_class(token)
            exception = self._exceptions[case].get(plain)
            if plain in self._context:
                known[token] = None
            elif exception is not None:
                known[token] = _with_case(token, exception)
            else:
                unjudged.append(token)
                plain_forms.append(plain)
        capital = [case_class(token) == CAPITAL for token in unjudged]
        for token, reading in zip(unjudged, self._letters.readings(plain_forms, capital), strict=True):
            known[token] = _with_case(token, reading)

    def _in_context(self, tokens: Sequence[str], i: int) -> str:
        last = len(tokens) - 1
        neighbours = (
            _plain(tokens[i - 2]) if i > 1 else BOUNDARY,
            _plain(tokens[i - 1]) if i > 0 else BOUNDARY,
            _plain(tokens[i + 1]) if i < last else BOUNDARY,
            _plain(tokens[i + 2]) if i < last - 1 else BOUNDARY,
        )
        token = tokens[i]
        features = context_features(neighbours, case_class(token))
        return _with_case(token, self._context.reading(token.lower(), features))


def _plain(token: str) -> str:
    return token.lower() if token.isascii() else lower_case(token).translate(TO_ASCII)


def _with_case(word: str, reading: str) -> str:
    if word.islower():
        return reading
    if len(word) > 1 and word[1:].islower():
        return upper_case(reading[0]) + reading[1:]
    return "".join([upper_case(new) if old.isupper() else new for old, new in zip(word, reading, strict=True)])


def unpack(data: bytes) -> Deasciifier:
    """Build a deasciifier from the bytes of a model file."""
    try:
        content = lzma.decompress(data)
        line, _, body = content.partition(b"\n")
        header = json.loads(line)
        if header["format"] != MODEL_FORMAT:
            raise VNLPError(f"deasciifier file of format {header['format']}, this version reads {MODEL_FORMAT}")
        sections, start = {}, 0
        for name, length in header["sections"].items():
            sections[name] = body[start : start + length]
            start += length
        lists = {name: section.decode().split("\n") for name, section in sections.items() if name.startswith("list_")}
        exceptions = [
            {reading.translate(TO_ASCII): reading for reading in lists[f"list_exceptions_{case}"]} for case in range(3)
        ]
        forms = {line.split(" ")[0].translate(TO_ASCII): line.split(" ") for line in lists["list_forms"]}
        return Deasciifier(
            LetterModel(np.frombuffer(sections["letters"], np.int8)),
            exceptions,
            ContextModel(forms, np.frombuffer(sections["context"], np.int8)),
            SuffixModel(lists["list_back_suffixes"], lists["list_front_suffixes"], frozenset(lists["list_odd_stems"])),
        )
    except (lzma.LZMAError, ValueError, KeyError) as error:
        raise VNLPError(f"damaged deasciifier file: {error}; reinstall the package") from error


@cache
def default_deasciifier() -> Deasciifier:
    """Return the deasciifier of the package, loaded once."""
    return unpack(files("vnlp_colab.text.deasciifier").joinpath(MODEL_FILE).read_bytes())
