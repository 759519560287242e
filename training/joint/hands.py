"""Whose hand a treebank sentence is in: files are the work of several annotators, one after the other.

In Kenet, Penn and Tourism what a relation is called changes from one stretch of a file to the next while the sentences
stay alike: 3 to 5 % of Kenet's words are `compound` in most stretches, 14 % in one. So a teacher learns
a vector for every stretch, beside the treebank's, and labels raw sentences in the hand a treebank's style follows.
"""

from __future__ import annotations

STRETCH = 400  # sentences
NONE = 0  # no hand in particular


def stretches(sentences: int) -> list[int]:
    """Return the stretch of each sentence of a train file, counted from its end: the last one is whole."""
    return [(sentences - 1 - i) // STRETCH for i in range(sentences)]


def name_of(style: str, stretch: int | None) -> str:
    """Return the name of a hand: of a stretch of a train file, or of a dev file."""
    return f"{style} dev" if stretch is None else f"{style} {stretch}"


def followed(styles: list[str], hands: list[str]) -> list[int]:
    """Return the number of the hand each style follows: its dev file's; generic follows none."""
    number = {name: i for i, name in enumerate(hands, 1)}
    return [number.get(name_of(style, None), NONE) for style in styles]
