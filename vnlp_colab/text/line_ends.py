"""Line ends that only fold a paragraph: text wrapped at a fixed width, as in mails and plain-text files."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

_NARROWEST = 40  # characters; shorter lines are verses, lists and headings
_FINAL = ".!?…:;"


def soft_line_ends(text: str) -> frozenset[int]:
    r"""Return the places of line ends inside wrapped paragraphs; and of the white space before them.

    A block of three lines or more is wrapped if no line had room for the first word of the next one. In shorter
    blocks a line end is soft where a long line without a final mark goes on with a small letter.
    """
    if "\n" not in text and "\r" not in text:
        return frozenset()
    soft: set[int] = set()
    block: list[_Line] = []
    start = 0
    for written in text.splitlines(keepends=True):
        content = written.rstrip()
        if content:
            block.append(_Line(content, start + len(content), start + len(written)))
        elif block:
            _add_soft(soft, block)
            block = []
        start += len(written)
    _add_soft(soft, block)
    return frozenset(soft)


class _Line(NamedTuple):
    """A line without the white space behind it, where that begins and where the next line does."""

    content: str
    end: int
    next_start: int


def _add_soft(soft: set[int], block: list[_Line]) -> None:
    wrapped = len(block) > 2 and _is_wrapped(block)
    for line, following in pairwise(block):
        goes_on = len(line.content) >= _NARROWEST and line.content[-1] not in _FINAL
        if wrapped or (goes_on and following.content.lstrip()[0].islower()):
            soft.update(range(line.end, line.next_start))


def _is_wrapped(block: list[_Line]) -> bool:
    """Tell whether some width explains every line: each is within it, and each with the next word is beyond it."""
    width = max(len(line.content) for line in block)
    return width >= _NARROWEST and all(
        len(line.content) + 1 + len(following.content.split(maxsplit=1)[0]) > width
        for line, following in pairwise(block)
    )
