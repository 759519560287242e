"""A TreeStack network, read out of its ``.onnx`` file: word vectors, and the decoder that follows them.

A word's vector is a row of the word list, the last state of a GRU over the word's tags, and, for the parser, a vector
of its PoS tag.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.decoding.network import DecoderNetwork, Dense, dense_from_onnx
from vnlp_colab.errors import VNLPError
from vnlp_colab.recurrent import Chains, GRUWeights, pad_states, read_weights, stack_from_onnx
from vnlp_colab.treestack.words import TAGS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from vnlp_colab.decoding.stepwise import EncodedSentence
    from vnlp_colab.runtime import Device, SessionOptions

WINDOW = 40


@dataclass(frozen=True)
class TreeStackNetwork:
    """Weights of a TreeStack network; ``decoder`` is all of it but the word vectors.

    The tagger reads words and the labels before in one stack. In ``decoder`` that one is the history, whose first
    inputs are the word's vector, and there is no left stack.
    """

    words: np.ndarray
    tags: np.ndarray
    pos: np.ndarray
    tag: list[GRUWeights]
    decoder: DecoderNetwork

    @classmethod
    def read(cls, model: Path | bytes, name: str = "") -> TreeStackNetwork:
        """Read the network of a model file, or of its content; an error says `name`."""
        arrays = read_weights(model)
        try:
            words, tags, dense = arrays["words/embedding"], arrays["tags/embedding"], dense_from_onnx(arrays)
        except KeyError as error:
            name = name or ("this content" if isinstance(model, bytes) else str(model))
            raise VNLPError(f"{name} is no TreeStack model of this version: it has no weight named {error}") from error
        pos = arrays.get("pos/embedding", np.zeros((1, 0), np.float32))
        tag, left, arcs, right = (stack_from_onnx(arrays, block) for block in ("tag", "left", "arc_label", "right"))
        pad = np.concatenate([words[0], pad_states(tag, tags[0], TAGS)[-1][-1], pos[0]])
        # The dense layer reads word, left, (arcs,) right; a decoder's has the history last.
        stacks = (left, right, arcs) if arcs else ([], right, left)
        widths = [stack[-1].units for stack in (left, arcs) if stack]
        word_rows, *before, right_rows = np.split(dense[0].kernel, np.cumsum([len(pad), *widths]))
        kernel = np.concatenate([word_rows, *before[:-1], right_rows, before[-1]])
        # no label is a row of zeros; the tagger's history has a pad word beside it
        history_pad = np.zeros(len(stacks[2][0].kernel), np.float32)
        if not arcs:
            history_pad[: len(pad)] = pad
        head = [Dense(kernel, dense[0].bias), *dense[1:]]
        decoder = DecoderNetwork.of(stacks, head, "Sigmoid", WINDOW, pad=pad, history_pad=history_pad)
        return cls(words, tags, pos, tag, decoder)


class TaggedWordVectors:
    """Makes the vectors of words; each distinct row of tags goes through the tag encoder once a batch."""

    def __init__(self, network: TreeStackNetwork, device: Device, options: SessionOptions) -> None:
        self._network = network
        self._pads = pad_states(network.tag, network.tags[0], TAGS)
        self._chains = Chains(network.tag, network.tags, device=device, options=options)

    def lookup(self, sentences: Sequence[EncodedSentence]) -> tuple[np.ndarray, list[np.ndarray]]:
        """Return the vectors of the distinct words of ``sentences``, and each sentence as rows of them.

        A sentence has the columns words, tags and, for the parser, PoS tags.
        """
        keys = np.concatenate([np.column_stack(sentence.columns) for sentence in sentences])
        distinct, numbers = np.unique(keys, axis=0, return_inverse=True)
        words, tags, pos = distinct[:, 0], distinct[:, 1 : 1 + TAGS], distinct[:, 1 + TAGS :]
        rows, which = np.unique(tags, axis=0, return_inverse=True)
        counts = TAGS - (rows != 0).argmax(axis=1)
        counts[~rows.any(axis=1)] = 0
        states = self._chains.run(rows, counts, initial=[table[TAGS - counts] for table in self._pads])
        parts = [self._network.words[words], states[which.reshape(-1)]]
        if pos.shape[1]:
            parts.append(self._network.pos[pos[:, 0]])
        ends = np.cumsum([len(sentence) for sentence in sentences])[:-1]
        return np.concatenate(parts, axis=1), np.split(numbers.reshape(-1), ends)
