"""Exact incremental decoding: every word encoded once, contexts made together, labels carried on from word to word.

The labels are those of the full-window graph. docs/performance-notes.md says why chains may share words and pad states
but not each other's states, and when a GPU is better off with full windows of word vectors.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from vnlp_colab.decoding.graphs import context_graph, label_graph, window_context_graph
from vnlp_colab.decoding.order import by_length
from vnlp_colab.decoding.plan import LABEL_STEPS, DecodingBatch, context_feed, label_feed, window_feed
from vnlp_colab.recurrent import unroll_feed
from vnlp_colab.runtime import (
    Device,
    SessionOptions,
    create_session,
    device_of,
    free_gpu_memory,
    gpu_number,
    output_names,
    resolve_device,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import onnxruntime

    from vnlp_colab.decoding.network import DecoderNetwork

# Tokens whose contexts are made in one run on the CPU: enough rows for full speed, and states that stay in the caches.
_CPU_TOKENS = 1024

# Tokens whose full windows are read in one run on a GPU, at most.
_WINDOW_TOKENS = 16384

# What decoding costs beside the steps of chains, in steps of one row: each token by itself (more where the right stack
# is deep), and each position of the longest sentence of a run. Fitted to runs of 16 to 64 sentences on the CPU.
_TOKEN_WORK = {False: 1, True: 7}
_POSITION_WORK = 40

# Tokens for each layer of a stack from which, on a GPU, chains' smaller work outweighs their many launches: measured
# between 8,700 and 35,000 with one layer, and at about 8,700 with two (docs/performance-vnlp.md).
_CHAINS_FROM = {1: 16384, 2: 8192}


class IncrementalDecoder:
    """Decodes batches of sentences given as word vectors and word numbers.

    Parameters
    ----------
    network
        The weights.
    fields
        Sizes of the label fields (see `vnlp_colab.decoding.graphs.label_graph`).
    device, options
        As for `vnlp_colab.runtime.create_session`.
    unrolled
        Whether the graphs' loops are written out; by default on a GPU alone.
    contexts
        ``"chains"`` makes contexts from the words there are, in a step for each; ``"windows"`` reads full windows, pads
        included, with whole-sequence operators. By default the CPU makes chains and a GPU whatever is faster for as
        many words as it is given.
    """

    def __init__(
        self,
        network: DecoderNetwork,
        fields: Sequence[int],
        device: Device = "auto",
        options: SessionOptions | None = None,
        *,
        unrolled: bool | None = None,
        contexts: Literal["chains", "windows"] | None = None,
    ) -> None:
        self._network = network
        self._fields = list(fields)
        self._options = options or SessionOptions()
        self._device: Device = device
        self._gpu = gpu_number(device)
        self._lock = threading.Lock()
        self._sessions: dict[tuple[str, int | None], onnxruntime.InferenceSession] = {}
        self._share = len(network.right) > 1
        self._plan(resolve_device(device), unrolled, contexts)
        if device_of(self._label_session(1)[0]) != self.device:  # the CUDA provider did not load
            self._device, self._gpu = "cpu", 0
            self._sessions.clear()
            self._plan("cpu", unrolled, contexts)
        # What is surely needed is made now, the rest when it is asked for.
        self._label_session(1)
        self._context_session(self._how or "windows")

    def _plan(
        self, device: Literal["cpu", "cuda"], unrolled: bool | None, contexts: Literal["chains", "windows"] | None
    ) -> None:
        """Settle the form of the graphs for a device."""
        self.device = device
        on_gpu = device == "cuda"
        self._unrolled = on_gpu if unrolled is None else unrolled
        self._chains_from = _CHAINS_FROM.get(len(self._network.right), 0)
        # None leaves the choice to the number of words
        self._how = contexts or (None if on_gpu and self._chains_from else "chains")
        # CPU: one thread a run and as many runs at a time as there are threads
        self._threads = self._options.thread_count if device == "cpu" else 1

    def _context_session(self, how: Literal["chains", "windows"]) -> onnxruntime.InferenceSession:
        return self._session(how, self._network.window if self._unrolled and how == "chains" else None)

    def _label_session(self, longest: int) -> tuple[onnxruntime.InferenceSession, int | None]:
        """Return the session that labels sentences of up to `longest` words, and how many steps it has written out.

        A step costs a GPU as much when no sentence is left as when there are hundreds, so there are graphs of several
        lengths. Sentences longer than the window are decoded in a loop.
        """
        window = self._network.window
        if longest > window:
            return self._session("sliding", None), None
        steps = next(size for size in (window // 4, window // 2, window) if size >= longest) if self._unrolled else None
        return self._session("labels", steps), steps

    def _session(self, name: str, steps: int | None) -> onnxruntime.InferenceSession:
        """Return the session of a graph with so many steps written out, made when it is first asked for."""
        with self._lock:
            if (name, steps) not in self._sessions:
                self._sessions[name, steps] = create_session(
                    self._graph(name, steps),
                    self._device,
                    self._options,
                    intra_op_threads=1 if self.device == "cpu" else None,
                    plan_memory=steps is None,
                )
            return self._sessions[name, steps]

    def _graph(self, name: str, steps: int | None) -> bytes:
        if name == "windows":
            return window_context_graph(self._network)
        if name == "chains":
            return context_graph(self._network, unrolled=steps is not None)
        return label_graph(self._network, self._fields, sliding=name == "sliding", steps=steps)

    @cached_property
    def tokens_at_once(self) -> int:
        """How many tokens' contexts are made in one run."""
        # the kept outputs of the first right layer, twice while they are stacked, and about 40 rows of other states
        return self._fitting(2 * self._network.window * self._share + 40, 131072)

    @cached_property
    def _window_tokens(self) -> int:
        """How many tokens' windows are read in one run: inputs and outputs of a layer, twice where it is turned."""
        return self._fitting(4 * self._network.window, _WINDOW_TOKENS)

    def _fitting(self, rows_a_token: int, most: int) -> int:
        """Return how many tokens, at so many rows of states each, fit a quarter of the GPU's free memory."""
        if self.device == "cpu":
            return _CPU_TOKENS
        bytes_a_token = 4 * self._network.right[0].units * rows_a_token
        return int(np.clip((free_gpu_memory(self._gpu) or 2 << 30) // 4 // bytes_a_token, 1024, most))

    def scores(self, vectors: np.ndarray, sentences: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Return the class scores of each sentence, (words, classes), in the order given.

        Parameters
        ----------
        vectors
            One row for each distinct word.
        sentences
            Row numbers of the words of each sentence; none is empty.
        """

        def decode(part: list[np.ndarray]) -> list[np.ndarray]:
            return self._decode(vectors, DecodingBatch.of(part))

        return by_length(sentences, self._shards, decode, self._threads)

    def _shards(self, lengths: list[int]) -> list[slice]:
        """Cut sentences, sorted by falling length, into enough runs, with equal work for every thread."""
        steps = np.array(lengths)
        tokens = int(steps.sum())
        pieces = max(-(-tokens // self.tokens_at_once), 1)
        if self.device == "cpu" and self._threads > 1 and len(lengths) > 1:
            # a whole number of runs a thread, but not runs of a handful of words
            pieces = min(-(-pieces // self._threads) * self._threads, max(tokens // 64, 1))
        each = steps * (np.minimum(steps, self._network.window) + _TOKEN_WORK[self._share])
        before = np.cumsum(each) - each
        own = before - _POSITION_WORK * steps
        bounds = [0]
        for left in range(pieces - 1, 0, -1):
            # the first place where this run has as much to do as each of those left, if they share the rest equally
            wanted = left * own[bounds[-1]] + each.sum()
            end = int(np.searchsorted(left * own + before, wanted))
            if end == len(lengths):
                break
            bounds.append(end)
        return [slice(start, end) for start, end in pairwise([*bounds, len(lengths)])]

    def _decode(self, vectors: np.ndarray, batch: DecodingBatch) -> list[np.ndarray]:
        distinct, numbers = np.unique(batch.words, return_inverse=True)
        known = self._known(vectors[distinct], replace(batch, words=numbers))
        window, longest = self._network.window, int(batch.lengths[0])
        session, steps = self._label_session(longest)
        feed = label_feed(batch, window, sliding=longest > window)
        binding = _bind(session, unroll_feed(feed, steps, LABEL_STEPS) if steps else feed)
        binding.bind_ortvalue_input("known", known)
        for name in output_names(session):
            binding.bind_output(name)
        session.run_with_iobinding(binding)
        first, others = binding.copy_outputs_to_cpu()
        if longest == 1:  # a loop without a trip: onnxruntime 1.26 and older give it no shape
            others = first[:0]
        elif steps is None:
            follows = batch.position > 0
            others = others[batch.position[follows] - 1, batch.sentence[follows]]
        scores = np.empty((len(batch), first.shape[1]), np.float32)
        scores[batch.token] = np.concatenate([first, others])
        return np.split(scores, batch.starts[1:])

    def _known(self, vectors: np.ndarray, batch: DecodingBatch) -> onnxruntime.OrtValue:
        """Return what the contexts say of each word, where the session that needs it next can read it."""
        import onnxruntime as ort

        width = self._network.dense[0].bias.shape[0]
        known = ort.OrtValue.ortvalue_from_shape_and_type([len(batch), width], np.float32, self.device, self._gpu)
        windows = self._how == "windows" or (self._how is None and len(batch) < self._chains_from)
        session = self._context_session("windows" if windows else "chains")
        whole = window_feed(batch, self._network.window) if windows else {}
        size = self._window_tokens if windows else 2 * self.tokens_at_once
        for start in range(0, len(batch), size):
            part = slice(start, min(start + size, len(batch)))
            feed = {**whole, "places": whole["places"][part]} if windows else self._chain_feed(batch, part)
            binding = _bind(session, {"vectors": vectors, **feed})
            # straight into its rows
            rows, address = part.stop - start, known.data_ptr() + 4 * width * start
            binding.bind_output("known", self.device, self._gpu, np.float32, [rows, width], address)
            session.run_with_iobinding(binding)
        return known

    def _chain_feed(self, batch: DecodingBatch, part: slice) -> dict[str, np.ndarray]:
        feed = context_feed(batch, part, self._network.window, share_suffixes=self._share)
        return unroll_feed(feed, self._network.window) if self._unrolled else feed


def _bind(session: onnxruntime.InferenceSession, feed: dict[str, np.ndarray]) -> onnxruntime.IOBinding:
    binding = session.io_binding()
    for name, array in feed.items():
        binding.bind_cpu_input(name, np.ascontiguousarray(array))
    return binding
