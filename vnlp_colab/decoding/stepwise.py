"""Stepwise decoding: full windows for every word, one run of the model a position, as the networks were trained."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from vnlp_colab.decoding.order import by_length, in_rows
from vnlp_colab.runtime import input_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    import onnxruntime

# What an input of a network holds: a column of the sentence, at the word itself, before it or after it; column -1 is
# the history of labels.
WindowInput = tuple[Literal["at", "before", "after"], int]


@dataclass(frozen=True)
class EncodedSentence:
    """A sentence as columns of ids, of shape (words, ...) each: pieces, or words and tags."""

    columns: tuple[np.ndarray, ...]

    def __len__(self) -> int:
        return len(self.columns[0])

    def __getitem__(self, part: slice) -> EncodedSentence:
        return EncodedSentence(tuple(column[part] for column in self.columns))


def stepwise_scores(
    session: onnxruntime.InferenceSession,
    sentences: Sequence[EncodedSentence],
    signature: Sequence[WindowInput],
    fields: Sequence[int],
    *,
    rows: int,
    threads: int = 1,
) -> list[np.ndarray]:
    """Return the class scores of each sentence, (words, classes).

    Parameters
    ----------
    session
        The full-window model.
    sentences
        The sentences; none is empty.
    signature
        What each input of the model holds, in their order.
    fields
        Sizes of the label fields (see `vnlp_colab.decoding.graphs.label_graph`); each gives one 1 to the history.
    rows
        The most sentences of one run.
    threads
        How many groups of sentences are run at a time.
    """
    names = input_names(session)
    # a context is (rows, window, ...)
    before = next(number for number, (side, _) in enumerate(signature) if side == "before")
    window = session.get_inputs()[before].shape[1]
    starts = np.concatenate([[0], np.cumsum(fields)])
    rows = min(rows, max(1, -(-len(sentences) // threads)))

    def decode(group: list[EncodedSentence]) -> list[np.ndarray]:
        """Decode sentences sorted by falling length together."""
        scores = [np.empty((len(sentence), starts[-1]), np.float32) for sentence in group]
        histories = [np.zeros_like(answer) for answer in scores]
        for position in range(len(group[0])):
            running = sum(len(sentence) > position for sentence in group)
            arrays = full_windows(group[:running], histories[:running], position, signature, window)
            (answers,) = session.run(None, dict(zip(names, arrays, strict=True)))
            for number, answer in enumerate(answers):
                scores[number][position] = answer
                for start, end in pairwise(starts):
                    histories[number][position, start + answer[start:end].argmax()] = 1
        return scores

    return by_length(sentences, in_rows(rows), decode, threads)


def full_windows(
    sentences: Sequence[EncodedSentence],
    histories: Sequence[np.ndarray],
    position: int,
    signature: Sequence[WindowInput],
    window: int,
) -> list[np.ndarray]:
    """Return the inputs of the words at `position`, padded as the network expects them: a row a sentence."""
    columns = [(*sentence.columns, history) for sentence, history in zip(sentences, histories, strict=True)]
    return [np.stack([_window(row[column], side, position, window) for row in columns]) for side, column in signature]


def _window(column: np.ndarray, side: str, position: int, window: int) -> np.ndarray:
    if side == "at":
        return np.atleast_1d(column[position])  # of a column of single ids one id
    made = np.zeros((window, *column.shape[1:]), column.dtype)
    if side == "before":
        near = column[max(0, position - window) : position]
        made[window - len(near) :] = near
    else:
        near = column[position + 1 : position + 1 + window]
        made[: len(near)] = near
    return made
