"""The stream of batches: chunks are prepared ahead, through tf.data where TensorFlow is there, one by one elsewhere."""

from __future__ import annotations

import logging
import sys
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from vnlp_colab.start_up import quiet_tensorflow, without_keras

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from vnlp_colab.batches.preparation import Unit

logger = logging.getLogger(__name__)

# A batch of N sentences holds 64 N tokens at most, so that a few very long sentences are no special case.
_TOKENS_A_SENTENCE = 64
# Batches made ahead: a chunk of them, so that the next chunk is ready when this one ends.
_AHEAD = 16
# A chunk's number, and the numbers of its sentences that go through the models together.
Numbers = tuple[int, list[int]]


def cut(units: Sequence[Unit], batch_size: int) -> Iterator[list[int]]:
    """Yield the numbers of sentences that make a batch: at most `batch_size`, and at most 64 tokens each on average.

    Sentences come in order of length, so that cutting them buckets them; a longer one than the whole budget is a
    batch of its own.
    """
    budget = _TOKENS_A_SENTENCE * batch_size
    batch: list[int] = []
    tokens = 0
    for number, unit in enumerate(units):
        length = len(unit.read)
        if batch and (len(batch) == batch_size or tokens + length > budget):
            yield batch
            batch, tokens = [], 0
        batch.append(number)
        tokens += length
    if batch:
        yield batch


@cache
def has_tensorflow() -> bool:
    """Whether TensorFlow is installed; it has no wheels for some Pythons and machines."""
    return "tensorflow" in sys.modules or find_spec("tensorflow") is not None


def ahead(batches: Callable[[], Iterator[Numbers]]) -> Iterator[Numbers]:
    """Yield what `batches` yields, made ahead in tf.data's thread while the caller works (onnxruntime holds no lock).

    Nothing here is left to tf.data to tune, and its tuner sleeps twice as long each time, up to a minute: at the end
    the iterator would wait for it to wake. So tuning is off.
    """
    if not has_tensorflow():
        yield from batches()
        return
    tf = load_tensorflow()
    signature = (tf.TensorSpec((), tf.int64), tf.TensorSpec((None,), tf.int64))
    options = tf.data.Options()
    options.autotune.enabled = False
    with tf.device("/CPU:0"):
        dataset = tf.data.Dataset.from_generator(batches, output_signature=signature)
        for chunk, numbers in dataset.prefetch(_AHEAD).with_options(options).as_numpy_iterator():
            yield int(chunk), numbers.tolist()


def load_tensorflow() -> Any:
    """Import TensorFlow for its tf.data alone: on the CPU, so that it does not claim the GPU's memory."""
    fresh = "tensorflow" not in sys.modules
    with quiet_tensorflow(), without_keras():
        import tensorflow as tf

        if fresh:  # a caller who uses TensorFlow keeps their devices
            try:
                tf.config.set_visible_devices([], "GPU")
            except RuntimeError:
                logger.info("TensorFlow was set up before; its devices stay as they are")
    return tf
