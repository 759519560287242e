"""SPUContext and TreeStackDP once more, in plain float64 NumPy, written from the description and not from the code."""

from __future__ import annotations

import numpy as np


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def gru(inputs: np.ndarray, weights: list[np.ndarray]) -> np.ndarray:
    """All states of a GRU with reset_after over (rows, steps, width)."""
    kernel, recurrent, bias = (np.asarray(array, np.float64) for array in weights)
    units = len(recurrent)
    state = np.zeros((len(inputs), units))
    states = []
    for step in range(inputs.shape[1]):
        x = inputs[:, step] @ kernel + bias[0]
        h = state @ recurrent + bias[1]
        z = _sigmoid(x[:, :units] + h[:, :units])
        r = _sigmoid(x[:, units : 2 * units] + h[:, units : 2 * units])
        candidate = np.tanh(x[:, 2 * units :] + r * h[:, 2 * units :])
        state = z * state + (1 - z) * candidate
        states.append(state)
    return np.stack(states, axis=1)


def stack(inputs: np.ndarray, weights: list[np.ndarray], *, backwards: bool = False) -> np.ndarray:
    """The last state of a stack; going backwards, every layer reverses what it is given."""
    for start in range(0, len(weights), 3):
        inputs = gru(inputs[:, ::-1] if backwards else inputs, weights[start : start + 3])
    return inputs[:, -1]


def head(x: np.ndarray, weights: list[np.ndarray]) -> np.ndarray:
    """Dense layers with relu between them; the last one's values before its activation."""
    for start in range(0, len(weights), 2):
        x = (np.maximum(x, 0) if start else x) @ weights[start] + weights[start + 1]
    return x


def spucontext_output(weights, layers, word, left, right, history) -> np.ndarray:
    embedding, *rest = weights
    size = 3 * layers
    word_w, left_w, right_w, history_w = (rest[start : start + size] for start in range(0, 4 * size, size))

    def encode(pieces: np.ndarray) -> np.ndarray:
        flat = stack(embedding[pieces.reshape(-1, pieces.shape[-1])], word_w)
        return flat.reshape(*pieces.shape[:-1], -1)

    joined = np.concatenate(
        [
            encode(word),
            stack(encode(left), left_w),
            stack(encode(right), right_w, backwards=True),
            stack(history, history_w),
        ],
        axis=-1,
    )
    logits = head(joined, rest[4 * size :])
    exponents = np.exp(logits - logits.max(-1, keepdims=True))
    return exponents / exponents.sum(-1, keepdims=True)


def treestack_dp_output(weights, inputs) -> np.ndarray:
    tag_embedding, words, pos_embedding, *rest = weights
    tag_w, left_w, arc_w, right_w, dense_w = rest[:6], rest[6:12], rest[12:18], rest[18:24], rest[24:]
    word, tags, pos, left_words, left_tags, left_pos, left_arcs, right_words, right_tags, right_pos = inputs

    def vectors(word_ids: np.ndarray, tag_ids: np.ndarray, pos_ids: np.ndarray) -> np.ndarray:
        rows, count = word_ids.shape
        encoded = stack(tag_embedding[tag_ids.reshape(rows * count, -1)], tag_w).reshape(rows, count, -1)
        return np.concatenate([words[word_ids], encoded, pos_embedding[pos_ids]], axis=-1)

    joined = np.concatenate(
        [
            vectors(word, tags[:, None], pos)[:, 0],
            stack(vectors(left_words, left_tags, left_pos), left_w),
            stack(left_arcs, arc_w),
            stack(vectors(right_words, right_tags, right_pos), right_w, backwards=True),
        ],
        axis=-1,
    )
    return _sigmoid(head(joined, dense_w))
