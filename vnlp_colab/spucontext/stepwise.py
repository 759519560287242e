"""Stepwise decoding: full windows for every word, one run of the model a position, as the network was trained."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.runtime import device_of, in_threads, input_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    import onnxruntime

# Rows of one run: the word encoder takes up to 2 MB a row, 81 words of 8 pieces at a time.
_ROWS = {"cpu": 256, "cuda": 1024}


def stepwise_scores(
    session: onnxruntime.InferenceSession, sentences: Sequence[np.ndarray], fields: Sequence[int], threads: int = 1
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
    threads
        How many groups of sentences are run at a time.
    """
    order = sorted(range(len(sentences)), key=lambda number: -len(sentences[number]))
    rows = min(_ROWS[device_of(session)], -(-len(order) // threads))
    groups = [order[start : start + rows] for start in range(0, len(order), rows)]

    def work(group: list[int]) -> list[np.ndarray]:
        return _group_scores(session, [sentences[number] for number in group], fields)

    scores: list[np.ndarray] = [np.empty(0)] * len(sentences)
    for group, answers in zip(groups, in_threads(work, groups, threads), strict=True):
        for number, answer in zip(group, answers, strict=True):
            scores[number] = answer
    return scores


def _group_scores(
    session: onnxruntime.InferenceSession, sentences: list[np.ndarray], fields: Sequence[int]
) -> list[np.ndarray]:
    """Decode sentences sorted by falling length together."""
    names = input_names(session)
    window = session.get_inputs()[1].shape[1]
    scores = [np.empty((len(sentence), sum(fields)), np.float32) for sentence in sentences]
    histories = [np.zeros_like(answer) for answer in scores]
    for position in range(len(sentences[0])):
        running = sum(len(sentence) > position for sentence in sentences)
        arrays = full_windows(sentences[:running], histories[:running], position, window)
        answers = session.run(None, dict(zip(names, arrays, strict=True)))[0]
        for number, answer in enumerate(answers):
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
