"""The parts of a TreeStack network, read out of its ``.onnx`` file and laid out like an SPUContext network.

A TreeStack network is one with other word vectors: a row of the word list, the last state of a GRU over the word's
tags, and, for the parser, a vector of its PoS tag. So the chains of SPUContext decode it, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.errors import VNLPError
from vnlp_colab.recurrent import Chains, GRUWeights, pad_states, stack_from_onnx
from vnlp_colab.recurrent.graph import read_weights
from vnlp_colab.spucontext.network import Dense, Network
from vnlp_colab.treestack.words import TAGS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from vnlp_colab.runtime import Device, SessionOptions
    from vnlp_colab.treestack.windows import Sentence

WINDOW = 40


@dataclass(frozen=True)
class TreeStackNetwork:
    """Weights of a TreeStack network; ``decoder`` is all of it but the word vectors.

    The tagger reads words and the labels before in one stack. In ``decoder`` that one is the history, whose first
    ``vector_width`` inputs are the word, and the left stack is a stub of one unit that the output does not look at.
    """

    words: np.ndarray
    tags: np.ndarray
    pos: np.ndarray
    tag: list[GRUWeights]
    decoder: Network

    @property
    def vector_width(self) -> int:
        """The width of a word's vector."""
        return int(self.words.shape[1] + self.tag[-1].units + self.pos.shape[1])

    @classmethod
    def read(cls, path: Path) -> TreeStackNetwork:
        """Read the network of a model file."""
        arrays = read_weights(path)
        try:
            words, tags = arrays["words/embedding"], arrays["tags/embedding"]
            dense = [Dense(arrays[f"dense_{number}/kernel"], arrays[f"dense_{number}/bias"]) for number in range(3)]
        except KeyError as error:
            raise VNLPError(f"{path} is no TreeStack model of this version: it has no weight named {error}") from error
        pos = arrays.get("pos/embedding", np.zeros((1, 0), np.float32))
        stacks = {name: stack_from_onnx(arrays, name) for name in ("tag", "left", "arc_label", "right")}
        pad = np.concatenate([words[0], pad_states(stacks["tag"], tags[0], TAGS)[-1][-1], pos[0]])
        decoder = _parser(stacks, dense, pad) if stacks["arc_label"] else _tagger(stacks, dense, pad)
        return cls(words, tags, pos, stacks["tag"], decoder)


def _parser(stacks: dict[str, list[GRUWeights]], dense: list[Dense], pad: np.ndarray) -> Network:
    left, history, right = stacks["left"], stacks["arc_label"], stacks["right"]
    # The dense layer reads word, left, history, right; SPUContext's has the history last.
    widths = [len(pad), left[-1].units, history[-1].units, right[-1].units]
    word_rows, left_rows, history_rows, right_rows = np.split(dense[0].kernel, np.cumsum(widths)[:-1])
    kernel = np.concatenate([word_rows, left_rows, right_rows, history_rows])
    no_arc = np.zeros(len(history[0].kernel), np.float32)
    return _network(left, right, history, [Dense(kernel, dense[0].bias), *dense[1:]], pad, no_arc)


def _tagger(stacks: dict[str, list[GRUWeights]], dense: list[Dense], pad: np.ndarray) -> Network:
    history, right = stacks["left"], stacks["right"]
    stub = GRUWeights(*(np.zeros(shape, np.float32) for shape in ((len(pad), 3), (1, 3), (3,), (3,))))
    word_rows, history_rows, right_rows = np.split(dense[0].kernel, np.cumsum([len(pad), history[-1].units]))
    unread = np.zeros((1, dense[0].kernel.shape[1]), np.float32)
    kernel = np.concatenate([word_rows, unread, right_rows, history_rows])
    no_label = np.zeros(len(history[0].kernel) - len(pad), np.float32)
    no_word = np.concatenate([pad, no_label])
    return _network([stub], right, history, [Dense(kernel, dense[0].bias), *dense[1:]], pad, no_word)


def _network(
    left: list[GRUWeights],
    right: list[GRUWeights],
    history: list[GRUWeights],
    dense: list[Dense],
    pad: np.ndarray,
    history_pad: np.ndarray,
) -> Network:
    # Word vectors are made outside; of the word stack the decoder asks no more than how wide they are.
    none = np.zeros(0, np.float32)
    word = GRUWeights(none, np.zeros((len(pad), 0), np.float32), none, none)
    return Network(
        embedding=none,
        word=[word],
        left=left,
        right=right,
        history=history,
        dense=dense,
        activation="Sigmoid",
        window=WINDOW,
        pieces=0,
        word_pads=[],
        left_pads=pad_states(left, pad, WINDOW),
        right_pads=pad_states(right[:1], pad, WINDOW)[0],
        history_pads=pad_states(history, history_pad, WINDOW),
    )


class WordVectors:
    """Makes the vectors of words; each distinct row of tags goes through the tag encoder once a batch."""

    def __init__(self, network: TreeStackNetwork, device: Device, options: SessionOptions) -> None:
        self._network = network
        self._pads = pad_states(network.tag, network.tags[0], TAGS)
        self._chains = Chains(network.tag, network.tags, device=device, options=options)

    def lookup(self, sentences: Sequence[Sentence]) -> tuple[np.ndarray, list[np.ndarray]]:
        """Return the vectors of the distinct words of ``sentences``, and each sentence as rows of them."""
        keys = np.concatenate(
            [np.column_stack([sentence.words, sentence.tags, sentence.pos]) for sentence in sentences]
        )
        distinct, numbers = np.unique(keys, axis=0, return_inverse=True)
        words, tags, pos = distinct[:, 0], distinct[:, 1 : 1 + TAGS], distinct[:, 1 + TAGS]
        rows, which = np.unique(tags, axis=0, return_inverse=True)
        counts = TAGS - (rows != 0).argmax(axis=1)
        counts[~rows.any(axis=1)] = 0
        states = self._chains.run(rows, counts, initial=[table[TAGS - counts] for table in self._pads])
        network = self._network
        vectors = np.concatenate([network.words[words], states[which.reshape(-1)], network.pos[pos]], axis=1)
        ends = np.cumsum([len(sentence) for sentence in sentences])[:-1]
        return vectors, np.split(numbers.reshape(-1), ends)
