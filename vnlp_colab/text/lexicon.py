"""The compiled Turkish lexicon: stems, suffixes and whole words with their readings, in one packed file.

``training/lexicon.py`` writes the file from upstream's tables; this module reads it. It is a zlib stream of a JSON
header line and the sections the header lists; reading it is a few splits and a `dict` each, so it takes tens of
milliseconds.
"""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from vnlp_colab.errors import VNLPError

if TYPE_CHECKING:
    from collections.abc import Mapping

LEXICON_FILE = Path(__file__).with_name("lexicon.bin")
LEXICON_FORMAT = 1

# What a stem may be. The first thirteen are the bits of the stem list's own flags, in its order.
STEM_KINDS = (
    *("Adj", "Adverb", "Conj", "Det", "Dup", "Interj", "Noun", "Postp", "Pron", "Ques", "Verb", "Num", "Noun+Prop"),
    *("Punc", "Noun+Time"),
)
KIND_BIT = {kind: 1 << position for position, kind in enumerate(STEM_KINDS)}
PROPER = KIND_BIT["Noun+Prop"]
PUNCTUATION = KIND_BIT["Punc"]
NUMBER = KIND_BIT["Num"] | KIND_BIT["Noun+Time"]


class LexiconError(VNLPError):
    """The lexicon file cannot be read."""


@dataclass(frozen=True)
class Lexicon:
    """Everything the candidate generator looks up.

    Attributes
    ----------
    stems
        Stem to the bits of `STEM_KINDS` it may be; proper nouns are capitalised.
    suffixes
        Suffix to the number of its paradigm; ``""`` is the bare stem.
    paradigms
        For each paradigm the numbers of the tag sequences its suffixes may have, in the order of upstream's table.
    tags
        Every tag sequence once, such as ``"Noun+A3sg+Pnon+Nom"``.
    kinds
        The stem kind (one bit) each tag sequence begins with.
    words
        Lower-case words whose readings are listed whole, as (root, tag sequence) pairs.
    """

    stems: Mapping[str, int]
    suffixes: Mapping[str, int]
    paradigms: tuple[array[int], ...]
    tags: tuple[str, ...]
    kinds: array[int]
    words: Mapping[str, tuple[tuple[str, str], ...]]


def _read_numbers(section: memoryview) -> array[int]:
    numbers = array("H")
    numbers.frombytes(section)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def unpack(packed: bytes) -> Lexicon:
    """Return the lexicon in the bytes of a lexicon file."""
    try:
        unpacked = zlib.decompress(packed)
        start = unpacked.find(b"\n") + 1
        header = json.loads(unpacked[:start])
    except (zlib.error, ValueError) as error:
        raise LexiconError(f"this is not a lexicon file ({error})") from error
    if header.get("format") != LEXICON_FORMAT:
        raise LexiconError(
            f"lexicon format {header.get('format')!r} is not the one this version reads ({LEXICON_FORMAT})"
        )
    sections = {}
    whole = memoryview(unpacked)  # parts of it are no copies
    for name, size in header["sections"].items():
        sections[name] = whole[start : start + size]
        start += size

    def text(name: str) -> list[str]:
        return str(sections[name], "utf-8").split("\n")

    flat = _read_numbers(sections["paradigms"])
    paradigms = []
    start = 0
    for size in _read_numbers(sections["paradigm_sizes"]):
        paradigms.append(flat[start : start + size])
        start += size
    words = {}
    for line in text("words"):
        word, *fields = line.split("\t")
        words[word] = tuple(zip(fields[::2], fields[1::2], strict=True))
    return Lexicon(
        stems=dict(zip(text("stems"), _read_numbers(sections["stem_kinds"]), strict=True)),
        suffixes=dict(zip(text("suffixes"), _read_numbers(sections["suffix_paradigms"]), strict=True)),
        paradigms=tuple(paradigms),
        tags=tuple(text("tags")),
        kinds=_read_numbers(sections["tag_kinds"]),
        words=words,
    )


def load_lexicon(path: Path = LEXICON_FILE) -> Lexicon:
    """Return the lexicon in the file at `path`, by default the one inside the package."""
    try:
        packed = path.read_bytes()
    except OSError as error:
        raise LexiconError(
            f"cannot read the lexicon {path} ({error.strerror}); reinstall vnlp-colab, or build the file with "
            "'python -m training.lexicon' in a source tree"
        ) from error
    return unpack(packed)


@cache
def default_lexicon() -> Lexicon:
    """Return the lexicon inside the package, read once per process."""
    return load_lexicon()
