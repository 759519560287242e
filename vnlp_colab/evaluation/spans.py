"""Entities as spans, by the rules of seqeval (its default mode, that of the CoNLL-2003 script).

seqeval itself is no dependency: these few lines are all that is needed of it, and the tests hold them to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class EntitySpan(NamedTuple):
    """An entity: its type and its tokens, from `start` up to `end`, which is not part of it."""

    kind: str
    start: int
    end: int


def spans_of_bio(tags: Sequence[str]) -> list[EntitySpan]:
    """Return the entities of BIO tags.

    ``B-`` begins one, and so does an ``I-`` that has nothing of its type before it.

    Examples
    --------
    >>> spans_of_bio(["B-PER", "I-PER", "B-PER"])
    [EntitySpan(kind='PER', start=0, end=2), EntitySpan(kind='PER', start=2, end=3)]
    """
    return _spans((tag.startswith("B-"), tag[2:]) for tag in tags)


def _spans(places: Iterable[tuple[bool, str]]) -> list[EntitySpan]:
    spans: list[EntitySpan] = []
    start, running = 0, ""
    number = -1
    for number, (begins, kind) in enumerate(places):
        if kind != running or begins:
            if running:
                spans.append(EntitySpan(running, start, number))
            start, running = number, kind
    if running:
        spans.append(EntitySpan(running, start, number + 1))
    return spans
