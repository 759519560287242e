"""Stepwise decoding: full windows for every word, one run of the model a position, as the network was trained."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.runtime import input_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    import onnxruntime

# Rows of one run: 81 words of 8 pieces each take 0.7 MB a row inside the word encoder.
_ROWS = 256


def stepwise_scores(
    session: onnxruntime.InferenceSession, sentences: Sequence[np.ndarray], fields: Sequence[int]
) -> list[np.ndarray]:
    """Return the class scores of each sentence, (words, classes).

    Parameters
    ----------
    session
        The full-window model: word, left context, right context, history.
    sentences
        Piece ids of each sentence, (words, pieces); none is empty.
    fields
        Sizes of the label fields (see `vnlp_colab.spucontext.decoder_graph.label_graph`).
    """
    names = input_names(session)
    window = session.get_inputs()[1].shape[1]
    classes = sum(fields)
    scores = [np.empty((len(sentence), classes), np.float32) for sentence in sentences]
    histories = [np.zeros((len(sentence), classes), np.float32) for sentence in sentences]
    order = sorted(range(len(sentences)), key=lambda number: -len(sentences[number]))
    for start in range(0, len(order), _ROWS):
        group = order[start : start + _ROWS]
        for position in range(len(sentences[group[0]])):
            group = [number for number in group if len(sentences[number]) > position]
            arrays = full_windows(
                [sentences[number] for number in group], [histories[number] for number in group], position, window
            )
            answers = session.run(None, dict(zip(names, arrays, strict=True)))[0]
            for number, answer in zip(group, answers, strict=True):
                scores[number][position] = answer
                first = 0
                for size in fields:
                    histories[number][position, first + int(answer[first : first + size].argmax())] = 1
                    first += size
    return scores


def full_windows(
    sentences: Sequence[np.ndarray], histories: Sequence[np.ndarray], position: int, window: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return word, left, right and history of the words at `position`, padded as the network expects them."""
    rows, pieces = len(sentences), sentences[0].shape[1]
    word = np.stack([sentence[position] for sentence in sentences]).astype(np.int32)
    left = np.zeros((rows, window, pieces), np.int32)
    right = np.zeros((rows, window, pieces), np.int32)
    history = np.zeros((rows, window, histories[0].shape[1]), np.float32)
    first = max(0, position - window)
    for row, (sentence, labels) in enumerate(zip(sentences, histories, strict=True)):
        after = sentence[position + 1 : position + 1 + window]
        right[row, : len(after)] = after
        if position:
            left[row, first - position :] = sentence[first:position]
            history[row, first - position :] = labels[first:position]
    return word, left, right, history
