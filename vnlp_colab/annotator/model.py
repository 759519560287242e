"""What the model classes have in common: files, the session of the converted network, and the shape of answers."""

from __future__ import annotations

import hashlib
import json
import threading
from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from vnlp_colab.annotator.answers import Labelled
from vnlp_colab.annotator.inputs import check_sentences, check_tokens
from vnlp_colab.registry import MODELS
from vnlp_colab.resources import find_model
from vnlp_colab.runtime import Device, SessionOptions, check_device, create_session, input_names, output_names
from vnlp_colab.text.symbols import is_symbol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import onnxruntime

    from vnlp_colab.annotator.answers import Parsed
    from vnlp_colab.annotator.protocol import Batch, Columns

Decoding = Literal["incremental", "stepwise"]
# Digits that mean something: float32 probabilities of two runs agree to about seven, and people read two.
CONFIDENCE_DIGITS = 4


def check_decoding(decoding: str) -> Decoding:
    """Return `decoding` if it is a known way, else raise `ValueError` with the known ones."""
    for known in get_args(Decoding):
        if decoding == known:
            return known  # type: ignore[no-any-return]
    raise ValueError(f"decoding must be one of {', '.join(get_args(Decoding))}, not {decoding!r}")


class ConvertedModel:
    """A converted network: its files, and a session that is made when first used.

    The registry says which files are those of a class (`vnlp_colab.registry`).

    Parameters
    ----------
    evaluate
        Take the weights that have not seen the test data.
    device, options
        As for `vnlp_colab.runtime.create_session`.
    intra_op_threads
        Threads of one run of the session, where several runs go side by side; by default all of ``options``.
    """

    # The columns of other annotators it reads.
    needs: tuple[str, ...] = ()
    # Where it really runs; set by the classes, which may run other sessions than that of the full network.
    device: Literal["cpu", "cuda"]

    def __init__(
        self, *, evaluate: bool, device: Device, options: SessionOptions | None, intra_op_threads: int | None = 1
    ) -> None:
        self._asked = check_device(device)
        self._options = options or SessionOptions()
        self._intra_op_threads = intra_op_threads
        self._lock = threading.Lock()
        self._session: onnxruntime.InferenceSession | None = None
        # by the first of its classes that is registered: a subclass of a model has that model's files
        row = next(MODELS[each.__name__] for each in type(self).__mro__ if each.__name__ in MODELS)
        self.files = find_model(row.stem, evaluate=evaluate)

    @property
    def inference_session(self) -> onnxruntime.InferenceSession:
        """The session of the full network, made when first used."""
        with self._lock:
            if self._session is None:
                with self.files.loading():
                    self._session = create_session(
                        self.files.read(), self._asked, self._options, intra_op_threads=self._intra_op_threads
                    )
            return self._session

    @property
    def input_names(self) -> list[str]:
        """The network's inputs, in the order of its signature."""
        return input_names(self.inference_session)

    @property
    def output_names(self) -> list[str]:
        """The network's outputs."""
        return output_names(self.inference_session)

    @cached_property
    def fingerprint(self) -> str:
        """The class and what the manifest says its files hold, so that other weights have another one.

        Examples
        --------
        >>> from vnlp_colab import SPUContextPoS
        >>> SPUContextPoS(device="cpu").fingerprint  # doctest: +ELLIPSIS
        'SPUContextPoS:...'
        """
        content = "".join(record.sha256 for record in self.files.manifest.files_of(self.files.key))
        options = json.dumps(self.files.entry.get("options", {}), sort_keys=True)
        digest = hashlib.sha256((content + options).encode()).hexdigest()[:16]
        # a parser's trees and its network's own heads are different answers
        return f"{type(self).__name__}:{digest}" + ("" if getattr(self, "tree", True) else ":raw")

    @property
    def _threads(self) -> int:
        """How many runs go side by side: one thread each on the CPU (`runtime.create_shared_session`), else one."""
        return self._options.thread_count if self.device == "cpu" else 1

    def _read_json(self, role: str) -> Any:
        """Return labels (a list of texts) or a vocabulary (a table of texts and their numbers)."""
        with self.files.loading(role):
            table = json.loads(self.files.read(role))
            if isinstance(table, list) and all(isinstance(label, str) for label in table):
                return table
            if isinstance(table, dict) and all(type(number) is int for number in table.values()):
                return table
            raise ValueError("it holds neither a list of texts nor a table of texts and numbers")


class TokenTagger(ABC):
    """The answers of a model that gives each token one label: of the column that has the name of its `task`."""

    task: ClassVar[str]

    @abstractmethod
    def label_batch(self, sentences: Iterable[Iterable[str]]) -> list[Labelled]:
        """Return labels and confidences of each sentence."""

    def label_annotated(self, batch: Batch) -> list[Labelled]:
        """Return the same for a batch, whose columns may have what `label_batch` has to make for itself."""
        return self.label_batch(batch.tokens)

    @property
    def provides(self) -> tuple[str, ...]:
        """The columns it can fill: labels, and how sure it is of each."""
        return self.task, f"{self.task}_confidence"

    def annotate(self, batch: Batch, wanted: Collection[str]) -> Columns:
        """Return the `wanted` columns of a batch; of PoS tags those of symbols are right whatever the network says."""
        labelled = self.label_annotated(batch)
        if self.task == "pos":
            labelled = [symbols_tagged(*pair) for pair in zip(batch.tokens, labelled, strict=True)]
        columns: Columns = {
            self.task: [list(row.labels) for row in labelled],
            f"{self.task}_confidence": [rounded(row.confidence, CONFIDENCE_DIGITS) for row in labelled],
        }
        return {name: columns[name] for name in wanted}

    def predict(self, tokens: Iterable[str]) -> list[tuple[str, str]]:
        """Return ``(token, label)`` for each token of a sentence; an empty sentence gives ``[]``."""
        return self.predict_batch([check_tokens(tokens)])[0]

    def predict_batch(self, sentences: Iterable[Iterable[str]]) -> list[list[tuple[str, str]]]:
        """Return ``(token, label)`` for each token of each sentence, sentences in the order given."""
        checked = check_sentences(sentences)
        labelled = self.label_batch(checked)
        return [list(zip(tokens, answer.labels, strict=True)) for tokens, answer in zip(checked, labelled, strict=True)]


def symbols_tagged(tokens: Iterable[str], answer: Labelled) -> Labelled:
    """Return PoS tags with ``SYM`` at every emoji and other symbol (`is_symbol`), of which that is sure."""
    symbols = [is_symbol(token) for token in tokens]
    if not any(symbols):
        return answer
    changed = [symbol and label != "SYM" for symbol, label in zip(symbols, answer.labels, strict=True)]
    labels = ["SYM" if change else label for change, label in zip(changed, answer.labels, strict=True)]
    return Labelled(labels, np.where(changed, np.float32(1), answer.confidence))


def rounded(values: Any, digits: int) -> list[float]:
    """Return numbers with so many digits after the point."""
    return [round(value, digits) for value in np.asarray(values, np.float64).tolist()]


class TokenParser(ABC):
    """The answers of a model that gives each sentence a tree; ``tree=False`` gives the network's own heads."""

    task: ClassVar[str] = "dep"
    provides: ClassVar[tuple[str, ...]] = ("dep",)
    tree: bool

    @abstractmethod
    def parse_batch(self, sentences: Iterable[Iterable[str]], *, tree: bool | None = None) -> list[Parsed]:
        """Return the heads and relations of each sentence; `tree` overrides the constructor's."""

    def parse_annotated(self, batch: Batch) -> list[Parsed]:
        """Return the same for a batch, whose columns may have what `parse_batch` has to make for itself."""
        return self.parse_batch(batch.tokens)

    def annotate(self, batch: Batch, wanted: Collection[str]) -> Columns:
        """Return the column ``dep`` of a batch: ``(head, relation)`` of each token."""
        trees = [list(zip(row.heads, row.relations, strict=True)) for row in self.parse_annotated(batch)]
        return {"dep": trees} if "dep" in wanted else {}

    def predict(self, tokens: Iterable[str], *, tree: bool | None = None) -> list[tuple[int, str, int, str]]:
        """Return ``(index, token, head, relation)`` for each token; indices count from 1, head 0 is the root."""
        return self.predict_batch([check_tokens(tokens)], tree=tree)[0]

    def predict_batch(
        self, sentences: Iterable[Iterable[str]], *, tree: bool | None = None
    ) -> list[list[tuple[int, str, int, str]]]:
        """Return ``(index, token, head, relation)`` for each token of each sentence, in the order given."""
        checked = check_sentences(sentences)
        parsed = self.parse_batch(checked, tree=tree)
        return [
            list(zip(range(1, len(tokens) + 1), tokens, answer.heads, answer.relations, strict=True))
            for tokens, answer in zip(checked, parsed, strict=True)
        ]
