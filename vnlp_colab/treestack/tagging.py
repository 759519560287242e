"""Incremental decoding of the tagger, whose left stack reads each word together with the label it got.

As in `vnlp_colab.decoding.incremental`, every word waiting for its label has a chain that starts at a pad state, and
once a word is labelled all chains that have it in their window advance by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.decoding.graphs import context_graph
from vnlp_colab.decoding.order import by_length
from vnlp_colab.decoding.plan import DecodingBatch, context_feed
from vnlp_colab.runtime import Device, SessionOptions, create_session, device_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vnlp_colab.decoding.network import DecoderNetwork

# Tokens whose chains are kept at a time: two layers of 256 units are 2 KB each, so that all stay in the caches.
_TOKENS = 2048


class TagDecoder:
    """Scores of sentences given as word vectors and word numbers."""

    def __init__(self, network: DecoderNetwork, device: Device, options: SessionOptions) -> None:
        self._network = network
        self._contexts = create_session(context_graph(network), device, options)
        self.device = device_of(self._contexts)
        self._word_kernel, self._label_kernel = np.split(network.history[0].kernel, [network.width])
        self._history_kernel = network.dense[0].kernel[network.history_row :]

    def scores(self, vectors: np.ndarray, sentences: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Return the class scores of each sentence, (words, classes), in the order given; none may be empty."""
        return by_length(sentences, _parts, lambda part: self._decode(vectors, DecodingBatch.of(part)))

    def _decode(self, vectors: np.ndarray, batch: DecodingBatch) -> list[np.ndarray]:
        network = self._network
        window = network.window
        feed = context_feed(batch, slice(0, len(batch)), window, share_suffixes=True, with_left=False)
        (known,) = self._contexts.run(["known"], {"vectors": vectors, **feed})
        # Rows of `known` and of the chains: all first words, all second words, ...
        offsets = np.concatenate([[0], np.cumsum(batch.counts)])
        pads = np.maximum(window - batch.position, 0)
        states = [table[pads] for table in network.history_pads]
        projected = vectors @ self._word_kernel + network.history[0].bias
        made = np.empty((len(batch), network.classes), np.float32)
        for position in range(len(batch.counts)):
            now = slice(offsets[position], offsets[position + 1])
            made[now] = self._scores(states[-1][now], known[now])
            waiting = slice(offsets[position + 1], offsets[min(position + window + 1, len(batch.counts))])
            if waiting.start < waiting.stop:
                labels = made[now].argmax(axis=1)
                inputs = projected[batch.words[batch.token[now]]] + self._label_kernel[labels]
                self._advance(states, waiting, inputs[batch.sentence[waiting]])
        scores = np.empty_like(made)
        scores[batch.token] = made
        return np.split(scores, batch.starts[1:])

    def _advance(self, states: list[np.ndarray], rows: slice, projected: np.ndarray) -> None:
        for number, layer in enumerate(self._network.history):
            if number:
                projected = layer.project(states[number - 1][rows])
            states[number][rows] = layer.step(states[number][rows], projected)

    def _scores(self, history: np.ndarray, known: np.ndarray) -> np.ndarray:
        _, second, third = self._network.dense
        hidden = np.maximum(known + history @ self._history_kernel, 0)
        hidden = np.maximum(hidden @ second.kernel + second.bias, 0)
        return np.asarray(0.5 * np.tanh(0.5 * (hidden @ third.kernel + third.bias)) + 0.5)


def _parts(lengths: list[int]) -> list[slice]:
    """Cut sentences, sorted by falling length, into parts of few enough tokens."""
    parts, start = [], 0
    while start < len(lengths):
        parts.append(slice(start, start + max(1, _TOKENS // lengths[start])))
        start = parts[-1].stop
    return parts
