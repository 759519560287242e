"""Which chain reads what, for a batch of sentences: the row numbers the decoding graphs work with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vnlp_colab.recurrent import chain_feed

# Inputs of the label graph with one number a step, from the first word on (see `recurrent.unroll_feed`).
LABEL_STEPS = frozenset({"history_ends", "token_offsets"})


@dataclass(frozen=True)
class DecodingBatch:
    """Sentences as word numbers, longest first, with their tokens in the order in which they are labelled.

    That order is by position and then by sentence: all first words, all second words, and so on. As sentences fall in
    length, those that reach a position are always the first ones.

    Attributes
    ----------
    words
        Word numbers of all sentences, one sentence after the other.
    lengths, starts
        Of each sentence: how many words, and where in `words`.
    counts
        Of each position: how many sentences reach it.
    position, sentence, token
        Of each token in labelling order: where it is in its sentence, in which sentence, and in `words`.
    """

    words: np.ndarray
    lengths: np.ndarray
    starts: np.ndarray
    counts: np.ndarray
    position: np.ndarray
    sentence: np.ndarray
    token: np.ndarray

    @classmethod
    def of(cls, sentences: list[np.ndarray]) -> DecodingBatch:
        """Make the batch of `sentences`, which must be sorted by falling length and not be empty."""
        lengths = np.array([len(sentence) for sentence in sentences])
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        counts = np.searchsorted(-lengths, -np.arange(lengths[0]), side="left")
        position = np.repeat(np.arange(lengths[0]), counts)
        sentence = np.arange(len(position)) - np.repeat(np.cumsum(counts) - counts, counts)
        return cls(np.concatenate(sentences), lengths, starts, counts, position, sentence, starts[sentence] + position)

    def __len__(self) -> int:
        return len(self.token)


def context_feed(
    batch: DecodingBatch, part: slice, window: int, *, share_suffixes: bool, with_left: bool = True
) -> dict[str, np.ndarray]:
    """Return the inputs of the context graph for a part of the tokens (in labelling order).

    `share_suffixes` lets tokens with the same words after them share one right chain: worth its search where the right
    stack is deep, as its second layer reads all of the window however few words there are (the last word before the
    full stop is in every sentence).
    """
    token = batch.token[part]
    right = np.minimum(batch.lengths[batch.sentence[part]] - 1 - batch.position[part], window)
    chains, chain_of = _right_chains(batch, window, token) if share_suffixes else (token, np.arange(len(token)))
    firsts = np.empty(len(chains), np.int64)
    firsts[chain_of] = right  # tokens that share a chain have equally many words after them
    feed = {
        "word_order": batch.words[token],
        **_chain_feed(batch, "right", chains, firsts, window, chain_of, 1),
    }
    if with_left:
        left = np.minimum(batch.position[part], window)
        feed |= _chain_feed(batch, "left", token, left, window, np.arange(len(token)), -1)
    return feed


def window_feed(batch: DecodingBatch, window: int) -> dict[str, np.ndarray]:
    """Return the inputs of the window context graph for all tokens; of a part of them, take that part of ``places``.

    ``padded`` has all sentences with `window` pads around each, as row numbers with the pad in row 0; ``places`` says
    where in it each token is (in labelling order). The windows are cut out of it in the graph.
    """
    padded = np.zeros(len(batch.words) + window * (len(batch.lengths) + 1), np.int64)
    pads_before = window * np.arange(1, len(batch.lengths) + 1)
    padded[np.arange(len(batch.words)) + np.repeat(pads_before, batch.lengths)] = batch.words + 1
    return {"padded": padded, "places": batch.token + pads_before[batch.sentence]}


def _chain_feed(
    batch: DecodingBatch,
    name: str,
    tokens: np.ndarray,
    lengths: np.ndarray,
    window: int,
    chain_of: np.ndarray,
    direction: int,
) -> dict[str, np.ndarray]:
    """Return the inputs of one side's chains: the word read at a distance is that many tokens to the side."""
    order = np.argsort(-lengths, kind="stable")
    tokens = tokens[order]
    row_of = np.empty(len(order), np.int64)
    row_of[order] = np.arange(len(order))
    return {
        **chain_feed(name, lengths[order], lambda row, distance: batch.words[tokens[row] + direction * distance]),
        f"{name}_pads": (window - lengths[order]).astype(np.int64),
        f"{name}_order": row_of[chain_of],
    }


def _right_chains(batch: DecodingBatch, window: int, token: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return one token for each distinct right context, and for each of `token` which of these stands for it.

    Contexts of equal length are compared by their next word and by what stands for the rest; once a length has no two
    alike, no greater one has.
    """
    stands_for = np.arange(len(batch.words))
    last = batch.starts + batch.lengths - 1
    stands_for[last] = last[0]
    size = len(batch.words)
    for after in range(1, min(int(batch.lengths[0]), window + 1)):
        tokens = last[: np.searchsorted(-batch.lengths, -after, side="left")] - after
        keys = batch.words[tokens + 1] * size + stands_for[tokens + 1]
        distinct, firsts, inverse = np.unique(keys, return_index=True, return_inverse=True)
        if len(distinct) == len(tokens):
            break
        stands_for[tokens] = tokens[firsts][inverse]
    chains, chain_of = np.unique(stands_for[token], return_inverse=True)
    return chains, chain_of


def label_feed(batch: DecodingBatch, window: int, *, sliding: bool) -> dict[str, np.ndarray]:
    """Return the inputs of the label graph, but for ``known``."""
    follows = batch.position > 0  # first words have no history
    position = batch.position[follows]
    order = np.argsort(-position, kind="stable")
    falling = position[order]
    positions = np.arange(len(batch.counts) + 1)
    feed = {
        "history_pads": (window - np.minimum(falling, window)).astype(np.int64),
        "history_sentence": batch.sentence[follows][order],
        "history_ends": np.searchsorted(-falling, -np.maximum(positions, 1), side="right")[:, None],
        "token_offsets": np.concatenate([[0], np.cumsum(batch.counts)])[:, None],
    }
    if sliding:  # a chain joins when its window's first label is read
        feed["history_begins"] = np.searchsorted(-falling, -(positions + window - 1), side="left")[:, None]
    return feed
