"""Which context chain reads what, for words of sentences: the row numbers the context graph works with."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vnlp_colab.recurrent import chain_feed
from vnlp_colab.stemmer.inputs import WINDOW
from vnlp_colab.stemmer.resting import LEAST_PADS, SETTLING

if TYPE_CHECKING:
    from collections.abc import Callable

    # rows and distances from the end of their chains, to the words there
    Reader = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Choices(NamedTuple):
    """Words to decide on, as columns.

    Attributes
    ----------
    sentence
        The row of `NumberedSentences` each word belongs to, rising.
    position
        Its place in the sentence.
    candidates
        (words, 10) rows of the table of analyses; 0 is no candidate.
    """

    sentence: np.ndarray
    position: np.ndarray
    candidates: np.ndarray

    def of_sentences(self, chosen: np.ndarray) -> np.ndarray:
        """Return the rows of the chosen sentences (a mask)."""
        return np.flatnonzero(chosen[self.sentence])


class NumberedSentences(NamedTuple):
    """All words of the sentences, one after another, as rows of the table of words; 0 is the pad word."""

    words: np.ndarray
    first: np.ndarray
    length: np.ndarray


def context_feed(
    sentences: NumberedSentences,
    rows: Choices,
    shares_beginnings: bool,
    *,
    unrolled: bool,
    resting: bool | None = None,
) -> dict[str, np.ndarray]:
    """Return the inputs of the context graph that say what its chains read and where they start.

    A side's starts are rows of its table of pad states; where sentences share their beginnings, the states after these
    follow in the left one. `resting` is None for a graph without `vnlp_colab.stemmer.resting`, else whether to use it.
    """
    position = rows.position
    place = sentences.first[rows.sentence] + position
    after = np.minimum(sentences.length[rows.sentence] - 1 - position, WINDOW)
    before = np.minimum(position, WINDOW)

    def right(row: np.ndarray, distance: np.ndarray) -> np.ndarray:
        return np.asarray(sentences.words[place[row] + distance])

    def left(row: np.ndarray, distance: np.ndarray) -> np.ndarray:
        return np.asarray(sentences.words[place[row] - distance])

    feed = _chains("right", after, WINDOW - after, right)
    if not shares_beginnings:
        return feed | _chains("left", before, WINDOW - before, left)

    beginning, states = _beginnings(sentences, rows, before, unrolled=unrolled)
    is_whole = before == WINDOW  # no pads: its own chain, of words alone
    # The first word has pads alone, all of which are in the table; the others read the pads that are left.
    lengths = np.where(is_whole, WINDOW, np.where(before == 0, 0, WINDOW - before))
    starts = np.where(is_whole, 0, np.where(before == 0, WINDOW, WINDOW + 1 + states))

    def left_or_pad(row: np.ndarray, distance: np.ndarray) -> np.ndarray:
        return np.where(is_whole[row], sentences.words[np.maximum(place[row] - distance, 0)], 0)

    if resting is None:
        return feed | beginning | _chains("left", lengths, starts, left_or_pad)
    rests = ~is_whole & (before > 0) & (lengths >= LEAST_PADS) & resting
    whole, at_rest = np.flatnonzero(~rests), np.flatnonzero(rests)
    left_feed = _chains("left", lengths[whole], starts[whole], lambda row, distance: left_or_pad(whole[row], distance))
    # the small GRU reads what the whole one leaves it: nothing but pads
    pads_feed = _chains("resting", lengths[at_rest] - SETTLING - 1, starts[at_rest], lambda row, _: np.zeros_like(row))
    place = np.empty(len(before), np.int64)
    place[whole] = left_feed.pop("left_place")
    place[at_rest] = len(whole) + pads_feed.pop("resting_place")
    return feed | beginning | left_feed | pads_feed | {"left_place": place}


def _beginnings(
    sentences: NumberedSentences, rows: Choices, before: np.ndarray, *, unrolled: bool
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Plan one chain a sentence, as far as its rows need it; return the feed and each row's output."""
    own, row_sentence = np.unique(rows.sentence, return_inverse=True)
    needed = np.zeros(len(own), np.int64)
    np.maximum.at(needed, row_sentence, np.where(before < WINDOW, before, 0))
    order = np.argsort(-needed, kind="stable")
    lengths, first = needed[order], sentences.first[own[order]]
    ends = first + lengths
    feed = chain_feed("beginning", lengths, lambda chain, distance: sentences.words[ends[chain] - distance])
    feed["beginning_start"] = np.zeros(len(own), np.int64)
    # Chains end together: the state after k of n words is made n - k steps before the last one.
    # (Rows of a whole window have a chain of their own; what is computed for them here is not used.)
    step = len(feed["beginning_counts"]) - 2 - np.maximum(needed[row_sentence] - before, 0)
    # A loop keeps a row a chain at every step, one that is written out only those at work.
    rows_before = feed["beginning_offsets"][step, 0] if unrolled else step * len(own)
    return feed, rows_before + np.argsort(order, kind="stable")[row_sentence]


def _chains(name: str, lengths: np.ndarray, starts: np.ndarray, read: Reader) -> dict[str, np.ndarray]:
    """Return the feed of chains that start at rows `starts`; `read` gives the word at a distance from the end."""
    order = np.argsort(-lengths, kind="stable")
    return {
        **chain_feed(name, lengths[order], lambda chain, distance: read(order[chain], distance)),
        f"{name}_start": starts[order],
        f"{name}_place": np.argsort(order, kind="stable"),
    }
