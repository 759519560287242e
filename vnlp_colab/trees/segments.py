"""Sentences longer than the parser's window: cut into segments, parsed one by one, joined into one tree.

The network's arcs are positions in a sentence of at most 40 words; a longer one has no arc to point beyond. It is cut
after a comma, semicolon, colon, dash or clause end where there is one in the second half of the window, else into parts
of equal length. Turkish is head-final: the clause that closes the sentence carries it. So the root of the last segment
that is more than punctuation becomes the root of the whole, and the other segments' roots depend on it, as
``parataxis`` where they were ``root``, else with the relation the network gave them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vnlp_colab.annotator.answers import Parsed

if TYPE_CHECKING:
    from collections.abc import Sequence

_CLAUSE_ENDS = frozenset({",", ";", ":", "-", "–", "—", ".", "!", "?", "…", "..."})
ROOT = "root"
JOINED = "parataxis"


def cut_sentence(tokens: Sequence[str], window: int) -> list[slice]:
    """Return the segments of a sentence, each of at most `window` tokens.

    Examples
    --------
    >>> cut_sentence(["a", "b", ",", "c", "d"], 4)
    [slice(0, 3, None), slice(3, 5, None)]
    """
    if not tokens:
        return []
    segments = []
    start = 0
    while len(tokens) - start > window:
        marks = (end for end in range(start + window, start + window // 2, -1) if tokens[end - 1] in _CLAUSE_ENDS)
        left = len(tokens) - start
        end = next(marks, start + -(-left // -(-left // window)))
        segments.append(slice(start, end))
        start = end
    return [*segments, slice(start, len(tokens))]


def join_segments(tokens: Sequence[str], segments: Sequence[slice], parts: Sequence[Parsed]) -> Parsed:
    """Join the trees of the segments of one sentence into one tree; heads then count from the sentence's start."""
    if len(parts) < 2:
        return parts[0] if parts else Parsed([], [])
    main = max(
        (number for number, segment in enumerate(segments) if any(map(_is_word, tokens[segment]))),
        default=len(segments) - 1,
    )
    main_root = segments[main].start + parts[main].heads.index(0) + 1
    heads: list[int] = []
    relations: list[str] = []
    for number, (segment, part) in enumerate(zip(segments, parts, strict=True)):
        for head, relation in zip(part.heads, part.relations, strict=True):
            outer = head == 0 and number != main
            heads.append(segment.start + head if head else main_root if outer else 0)
            relations.append(JOINED if outer and relation == ROOT else relation)
    return Parsed(heads, relations)


def shift_segments(segments: Sequence[slice], parts: Sequence[Parsed]) -> Parsed:
    """Put raw heads one after the other, counted from the sentence's start, each segment keeping its roots."""
    heads = [
        segment.start + head if head else 0
        for segment, part in zip(segments, parts, strict=True)
        for head in part.heads
    ]
    return Parsed(heads, [relation for part in parts for relation in part.relations])


def _is_word(token: str) -> bool:
    return any(character.isalnum() for character in token)
