"""CharNER: entities from characters alone, so that no word is unknown.

The network reads 256 characters and labels each; a token takes the label that most of its characters have.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from vnlp_colab.annotator.answers import Labelled
from vnlp_colab.annotator.inputs import check_sentences
from vnlp_colab.annotator.model import ConvertedModel, TokenTagger
from vnlp_colab.runtime import Device, SessionOptions, device_of, in_threads

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_UNKNOWN = 1
_OUTSIDE = "O"
# Rows of one run: 256 characters of five layers take about 2 MB a row. One thread of the CPU does as many a second with
# 16 as with more; a GPU takes the 256 steps of few rows hardly faster than those of many.
_ROWS = {"cpu": 16, "cuda": 512}


class _Run(NamedTuple):
    """A token, or part of one that is longer than the network reads: the token's number and the characters."""

    token: int
    text: str


class CharNER(ConvertedModel, TokenTagger):
    """Entity labels (O, PER, LOC, ORG) from characters.

    Parameters
    ----------
    evaluate
        Take the weights that have not seen the test data.
    device, options
        As for `vnlp_colab.runtime.create_session`.

    Examples
    --------
    >>> CharNER(device="cpu").predict(["Orhan", "Pamuk", "İstanbul'da", "doğdu", "."])
    [('Orhan', 'PER'), ('Pamuk', 'PER'), ("İstanbul'da", 'LOC'), ('doğdu', 'O'), ('.', 'O')]
    """

    task: ClassVar[str] = "ner"

    def __init__(
        self, *, evaluate: bool = False, device: Device = "auto", options: SessionOptions | None = None
    ) -> None:
        super().__init__(evaluate=evaluate, device=device, options=options)
        self.labels: list[str] = self._read_json("labels")
        self._ids: dict[str, int] = self._read_json("chars")
        self.device = device_of(self.inference_session)
        with self.files.loading():
            self._length = int(self.inference_session.get_inputs()[0].shape[1])

    def label_batch(self, sentences: Iterable[Iterable[str]]) -> list[Labelled]:
        """Return labels and confidences of each text; a text of more than 256 characters is read in parts."""
        checked = check_sentences(sentences)
        rows: list[tuple[int, list[_Run]]] = []
        for number, tokens in enumerate(checked):
            rows += [(number, row) for row in cut_text(tokens, self._length)]
        # Of each token and class: characters that chose it, and the sum of their scores.
        votes = [np.zeros((len(tokens), len(self.labels), 2)) for tokens in checked]
        for chunk, scores in self._score(rows):
            for (number, row), own in zip(chunk, scores, strict=True):
                _count_votes(votes[number], row, own)
        return [self._labelled(ballot) for ballot in votes]

    def _score(self, rows: list[tuple[int, list[_Run]]]) -> Iterator[tuple[list[tuple[int, list[_Run]]], np.ndarray]]:
        """Yield rows with their scores, as many at a time as all threads have in work, so that memory stays bounded."""
        size = min(_ROWS[self.device], max(1, -(-len(rows) // self._threads)))
        chunks = [rows[start : start + size] for start in range(0, len(rows), size)]
        for start in range(0, len(chunks), self._threads):
            group = chunks[start : start + self._threads]
            yield from zip(group, in_threads(self._scores, group, self._threads), strict=True)

    def _scores(self, rows: list[tuple[int, list[_Run]]]) -> np.ndarray:
        chars = np.zeros((len(rows), self._length), np.int32)
        for ids, (_, row) in zip(chars, rows, strict=True):
            text = " ".join(run.text for run in row)
            ids[: len(text)] = [self._ids.get(char, _UNKNOWN) for char in text]
        input_feed = dict(zip(self.input_names, [chars], strict=True))
        scores: np.ndarray = self.inference_session.run(self.output_names, input_feed)[0]
        return scores

    def _labelled(self, votes: np.ndarray) -> Labelled:
        """Choose the label with most votes, the one that comes first where two have as many."""
        counts, sums = votes[..., 0], votes[..., 1]
        best = counts.argmax(axis=1)
        won = counts[np.arange(len(best)), best]
        confidence = np.divide(sums[np.arange(len(best)), best], won, out=np.zeros(len(best)), where=won > 0)
        # A token without characters has no votes; it is no entity.
        labels = [self.labels[label] if count else _OUTSIDE for label, count in zip(best, won, strict=True)]
        return Labelled(labels, confidence.astype(np.float32))


def _count_votes(votes: np.ndarray, row: list[_Run], scores: np.ndarray) -> None:
    start = 0
    for run in row:
        own = scores[start : start + len(run.text)]
        start += len(run.text) + 1  # the space between runs
        chosen = own[:, 1:].argmax(axis=1) + 1  # class 0 is padding, which no character is
        np.add.at(votes[run.token, :, 0], chosen, 1)
        np.add.at(votes[run.token, :, 1], chosen, own[np.arange(len(own)), chosen])


def cut_text(tokens: Sequence[str], length: int) -> Iterator[list[_Run]]:
    """Cut a text into rows of at most ``length`` characters, runs joined by spaces, rows about equally long."""
    runs = list(_runs(tokens, length))
    total = sum(len(run.text) + 1 for run in runs)
    target = math.ceil(total / max(1, math.ceil(total / (length + 1))))
    row: list[_Run] = []
    used = 0
    for run in runs:
        if row and (used + len(run.text) > length or used >= target):
            yield row
            row, used = [], 0
        row.append(run)
        used += len(run.text) + 1
    if row:
        yield row


def _runs(tokens: Sequence[str], length: int) -> Iterator[_Run]:
    """Return the tokens as they are, the way the network's training text was; overlong ones in several runs."""
    for index, token in enumerate(tokens):
        for start in range(0, len(token), length):
            yield _Run(index, token[start : start + length])
