"""Where sentences end in text without stops: speech that was written down, messages, headlines in a row.

A linear model over the endings of a word and the words after it, learnt from the treebanks' sentences with their final
marks taken off (`training.unmarked`). Its weights are one table of bytes: a feature's checksum is its row. It is asked
only where a stretch of many words has no stop, so that ordinary text never meets it.
"""

from __future__ import annotations

import re
from array import array
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from vnlp_colab.text.case import lower_case

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WEIGHTS_FILE = Path(__file__).with_name("unmarked.bin")
ROWS = 1 << 16
SCALE = 16  # a weight of 1 is stored as this
# Words without a stop from which on a stretch is taken for several sentences: 78 of the treebanks' 66,287 sentences to
# learn from are as long.
FEWEST_WORDS = 40
_WORD = re.compile(r"\w+(?:['’]\w+)*")
_SPACE = re.compile(r"\s")
_NOTHING = ("", "", "")


def unmarked_ends(text: str) -> list[int]:
    """Return the places behind words of `text` where a sentence ends without a mark; none in a short text.

    Examples
    --------
    >>> unmarked_ends("geldim gördüm yendim")
    []
    """
    spans = [match.span() for match in _WORD.finditer(text)]
    if len(spans) < FEWEST_WORDS:
        return []
    weights = _weights()
    starts = [start for start, _ in spans[1:]] + [len(text)]
    words = [(text[start:end], text[end:after]) for (start, end), after in zip(spans, starts, strict=True)]
    found = []
    for (_, end), start, rows in zip(spans[:-1], starts, feature_rows(words), strict=False):
        if sum(weights[row] for row in rows) > 0:
            space = _SPACE.search(text, end, start)  # marks that stand at the word go with it
            if space:
                found.append(space.start())
    return found


def feature_rows(words: Sequence[tuple[str, str]]) -> Iterator[list[int]]:
    """Yield the rows of the table for each word; a word comes with what stands between it and the next."""
    shapes = [(lower_case(word), _case(word), between.strip()[:2]) for word, between in words]
    padded = [_NOTHING, *shapes, _NOTHING, _NOTHING]
    for before, here, after, last in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        word, case, mark = here
        following, next_case, _ = after
        features = (
            "bias",
            f"w{word}",
            f"2{word[-2:]}",
            f"3{word[-3:]}",
            f"4{word[-4:]}",
            f"5{word[-5:]}",
            f"n{following}",
            f"f{following[:4]}",
            f"e{following[-3:]}",
            f"l{last[0]}",
            f"b{before[0]}",
            f"p{before[0][-3:]}",
            f"x{word[-3:]}|{following}",
            f"y{word[-2:]}|{following[-3:]}",
            f"m{mark}",
            f"c{case}{next_case}",
            f"d{case}{next_case}{mark}",
            f"z{next_case}{word[-3:]}",
            f"s{next_case}{following}",
        )
        yield [crc32(feature.encode(errors="replace")) % ROWS for feature in features]


def _case(word: str) -> str:
    """Return how a word is written: small, with a capital, in capitals, or without letters."""
    if word.islower():
        return "s"
    if word.isupper() and len(word) > 1:
        return "C"
    return "c" if word[:1].isupper() else "-"


@cache
def _weights() -> array[int]:
    return array("b", WEIGHTS_FILE.read_bytes())
