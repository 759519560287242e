"""Stepwise decoding: full windows for every word, one run of the model a position, as the networks were trained."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.runtime import input_names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import onnxruntime

# Rows of one run: 81 words of 15 tags each take about 1 MB a row inside the tag encoder.
_ROWS = 128


@dataclass(frozen=True)
class Sentence:
    """The words of a sentence as ids: (words,), (words, 15) and, for the parser alone, (words,)."""

    words: np.ndarray
    tags: np.ndarray
    pos: np.ndarray

    def __len__(self) -> int:
        return len(self.words)


Windows = list[np.ndarray]


def before(rows: np.ndarray, position: int, window: int) -> np.ndarray:
    """Return the up to ``window`` rows before ``position``, zeros before them."""
    made = np.zeros((window, *rows.shape[1:]), rows.dtype)
    near = rows[max(0, position - window) : position]
    made[window - len(near) :] = near
    return made


def after(rows: np.ndarray, position: int, window: int) -> np.ndarray:
    """Return the up to ``window`` rows after ``position``, zeros after them."""
    made = np.zeros((window, *rows.shape[1:]), rows.dtype)
    near = rows[position + 1 : position + 1 + window]
    made[: len(near)] = near
    return made


def pos_windows(sentence: Sentence, history: np.ndarray, position: int, window: int) -> Windows:
    """Return the tagger's inputs, in the order of its signature."""
    words, tags = sentence.words, sentence.tags
    return [
        words[position : position + 1],
        tags[position],
        before(words, position, window),
        before(tags, position, window),
        before(history, position, window),
        after(words, position, window),
        after(tags, position, window),
    ]


def dp_windows(sentence: Sentence, history: np.ndarray, position: int, window: int) -> Windows:
    """Return the parser's inputs, in the order of its signature."""
    words, tags, pos = sentence.words, sentence.tags, sentence.pos
    return [
        words[position : position + 1],
        tags[position],
        pos[position : position + 1],
        before(words, position, window),
        before(tags, position, window),
        before(pos, position, window),
        before(history, position, window),
        after(words, position, window),
        after(tags, position, window),
        after(pos, position, window),
    ]


def stepwise_scores(
    session: onnxruntime.InferenceSession,
    sentences: Sequence[Sentence],
    fields: Sequence[int],
    make_windows: Callable[[Sentence, np.ndarray, int, int], Windows],
    window: int,
) -> list[np.ndarray]:
    """Return the class scores of each sentence, (words, classes); each of ``fields`` gives one 1 to the history."""
    names = input_names(session)
    starts = np.concatenate([[0], np.cumsum(fields)])
    scores = [np.empty((len(sentence), starts[-1]), np.float32) for sentence in sentences]
    histories = [np.zeros((len(sentence), starts[-1]), np.float32) for sentence in sentences]
    order = sorted(range(len(sentences)), key=lambda number: -len(sentences[number]))
    for first in range(0, len(order), _ROWS):
        group = order[first : first + _ROWS]
        for position in range(len(sentences[group[0]])):
            group = [number for number in group if len(sentences[number]) > position]
            rows = [make_windows(sentences[number], histories[number], position, window) for number in group]
            arrays = [np.stack(column) for column in zip(*rows, strict=True)]
            (answers,) = session.run(None, dict(zip(names, arrays, strict=True)))
            for number, answer in zip(group, answers, strict=True):
                scores[number][position] = answer
                for start, end in pairwise(starts):
                    histories[number][position, start + answer[start:end].argmax()] = 1
    return scores
