"""The analyser: sentences through the loaded annotators, in the order their needs give, batch by batch."""

from __future__ import annotations

import time
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from vnlp_colab.annotator.protocol import Annotator, Batch
from vnlp_colab.batches.alignment import Span, align_tokens
from vnlp_colab.batches.chunk import ENTITY_COLUMNS, PreparedChunk, Rows, prepare, settle_entities, told_labels
from vnlp_colab.batches.plan import make_plan
from vnlp_colab.batches.preparation import Preparation, Unit
from vnlp_colab.batches.stream import Numbers, ahead, cut, has_tensorflow, load_tensorflow
from vnlp_colab.columns import COLUMNS, empty_value
from vnlp_colab.runtime import available_cores
from vnlp_colab.text.entities import OUTSIDE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

# Sentences a batch where none is asked for (docs/performance-vnlp.md): a GPU gains several times from many, a core
# little at usual lengths, but each wants its share of a batch. Annotators that gain from more say so.
_GPU_BATCH = 1024
_CORE_BATCH = 32
_CPU_BATCHES = (64, 512)
# Rows that are sorted by length and analysed together, at least: enough that a batch holds sentences of one length,
# few enough that a crash costs little and memory stays small.
_CHUNK_ROWS = 2048
_BATCHES_A_CHUNK = 4
_GPU_BATCHES_A_CHUNK = 16


class Analyzer:
    """The annotators of a pipeline and the columns they fill.

    Parameters
    ----------
    annotators
        The annotator of each task; one object may stand for several.
    columns
        The result columns, in the order they stand in the output.
    preparation
        How cells become sentences and tokens.
    load
        Returns the default annotator of a task, for what an annotator needs and nobody was chosen for.
    """

    def __init__(
        self,
        annotators: Mapping[str, Annotator],
        columns: Sequence[str],
        preparation: Preparation | None = None,
        *,
        load: Callable[[str], Annotator],
    ) -> None:
        self.annotators = dict(annotators)
        self.columns = tuple(columns)
        self.preparation = preparation or Preparation()
        self.steps = make_plan(self.annotators, self.columns, load)
        self.seconds: dict[str, float] = {step.name: 0.0 for step in self.steps}

    def by_words(self) -> Analyzer:
        """Return the same analyser for the syntactic words of tokens that hold several."""
        other = copy(self)
        other.preparation = replace(self.preparation, multiword=True)
        return other

    @property
    def device(self) -> str:
        """Where the annotators run: ``cpu`` or ``cuda``; both where they differ."""
        return ", ".join(sorted({step.annotator.device for step in self.steps}))

    @property
    def fingerprints(self) -> dict[str, str]:
        """What tells the annotator of each task from one of other weights."""
        return {step.name: step.annotator.fingerprint for step in self.steps}

    def fills(self, name: str) -> bool:
        """Whether an annotator is asked for this column, be it among the result columns or not."""
        return any(name in step.columns for step in self.steps)

    def get_ready(self) -> None:
        """Load what the stream needs."""
        if has_tensorflow():
            load_tensorflow()

    def default_batch_size(self) -> int:
        """Return what suits the device: 1,024 sentences on a GPU, on the CPU 32 for every core, 64 to 512.

        On the CPU annotators may like to have more (`sentences_at_once`); what the least demanding one likes counts.
        """
        if "cuda" in self.device:
            return _GPU_BATCH
        least, most = _CPU_BATCHES
        usual = max(least, min(_CORE_BATCH * available_cores(), most))
        return min((getattr(step.annotator, "sentences_at_once", usual) for step in self.steps), default=usual)

    def annotate(
        self, tokens: Sequence[Sequence[str]], texts: Sequence[str], *, also: Sequence[str] = ()
    ) -> dict[str, list[Any]]:
        """Return each column that annotators fill, for any sentences; those without a token get the empty values.

        `also` names columns to return that are not among the result columns: those of entities, or that are filled.
        """
        pairs = enumerate(_pairs(tokens, texts))
        units = [Unit(row, 0, text, list(words), list(words)) for row, (words, text) in pairs if words]
        units.sort(key=lambda unit: len(unit.read))
        names = [name for name in (*self.columns, *also) if COLUMNS[name].tasks and name != "entities"]
        columns = {name: [empty_value(name) for _ in tokens] for name in names}
        labels = [name for name in names if name in ENTITY_COLUMNS]
        for numbers in cut(units, self.default_batch_size()):
            batch = [units[number] for number in numbers]
            found = self._annotate(batch)
            for at, unit in enumerate(batch):
                result = {name: values[at] for name, values in found.items()}
                if labels:
                    said = told_labels(result)
                    text, spans = _placed(unit) if any(label != OUTSIDE for label in said) else ("", [])
                    result |= settle_entities(text, spans.copy, said, labels)
                for name in names:
                    columns[name][unit.row] = result[name]
        return columns

    def whole_texts(self, tokens: Sequence[Sequence[str]], texts: Sequence[str]) -> dict[str, list[Any]]:
        """Return the columns that speak of a text as a whole (sentiment), for texts of several sentences."""
        batch = Batch(tokens, texts)
        found: dict[str, list[Any]] = {}
        for step in self.steps:
            wanted = [name for name in step.columns if _of_the_whole(name)]
            if wanted and len(batch):
                found |= self._timed(step.name, step.annotator, batch, wanted)
        return found

    def chunk_rows(self, batch_size: int) -> int:
        """Return how many rows are sorted and analysed together at this batch size."""
        batches = _GPU_BATCHES_A_CHUNK if "cuda" in self.device else _BATCHES_A_CHUNK
        return max(_CHUNK_ROWS, batches * batch_size)

    def stream(
        self,
        chunks: Iterable[Rows],
        batch_size: int | None = None,
        on_batch: Callable[[int, int], object] | None = None,
        *,
        prefetch: bool = True,
    ) -> Iterator[PreparedChunk]:
        """Yield each chunk of rows with its columns filled, in order; `on_batch` hears of rows and tokens done.

        With `prefetch` the next chunk is cleaned and tokenised in tf.data's thread while the models work on this one;
        the batches, and so the results, are the same without.
        """
        size = check_batch_size(batch_size) if batch_size is not None else self.default_batch_size()
        chunks_made: dict[int, PreparedChunk] = {}
        failures: list[BaseException] = []

        def batches() -> Iterator[Numbers]:
            try:
                for number, rows in enumerate(chunks):
                    chunk = chunks_made[number] = prepare(rows, self.columns, self.preparation)
                    # A chunk without a token has one empty batch, so that it comes in its turn.
                    yield from ((number, batch) for batch in cut(chunk.units, size)) if chunk.units else [(number, [])]
            except Exception as error:  # raised below, where the caller sees it as it was and not as TensorFlow's
                failures.append(error)

        for number, batch in ahead(batches) if prefetch else batches():
            chunk = chunks_made[number]
            units = [chunk.units[at] for at in batch]
            if units:
                chunk.fill(batch, self._annotate(units))
            if on_batch is not None and units:
                on_batch(len(units), sum(len(unit.read) for unit in units))
            if not chunk.waiting:
                self._finish(chunk)
                yield chunks_made.pop(number)
        if failures:
            raise failures[0]

    def _finish(self, chunk: PreparedChunk) -> None:
        """Fill what belongs to whole rows that were cut into several sentences."""
        several = chunk.texts_of_several() if self.preparation.split == "sentences" else []
        found = self.whole_texts([tokens for _, _, tokens in several], [text for _, text, _ in several])
        for name in found.keys() & chunk.columns.keys():
            for (row, _, _), value in zip(several, found[name], strict=True):
                chunk.columns[name][row] = value

    def _annotate(self, units: Sequence[Unit]) -> dict[str, list[Any]]:
        tokens, texts = [unit.read for unit in units], [unit.text for unit in units]
        columns: dict[str, list[Any]] = {}
        for step in self.steps:
            columns |= self._timed(step.name, step.annotator, Batch(tokens, texts, columns), step.columns)
        return columns

    def _timed(self, name: str, annotator: Annotator, batch: Batch, wanted: Collection[str]) -> dict[str, list[Any]]:
        started = time.perf_counter()
        found = annotator.annotate(batch, wanted)
        self.seconds[name] += time.perf_counter() - started
        return found


def check_batch_size(batch_size: int) -> int:
    """Return `batch_size` if it is a count, else raise ``ValueError``."""
    if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
        raise ValueError(f"batch_size is a whole number from 1 on, not {batch_size!r}")
    return batch_size


def _placed(unit: Unit) -> tuple[str, list[Span]]:
    """Return the text of a sentence and the places of its tokens; tokens that are not in the text make their own."""
    spans = align_tokens(unit.text, unit.read)
    if all(start < end for start, end in spans):
        return unit.text, spans
    text = " ".join(unit.read)
    return text, align_tokens(text, unit.read)


def _of_the_whole(name: str) -> bool:
    return COLUMNS[name].per == "row" and name != "entities"


def _pairs(tokens: Sequence[Sequence[str]], texts: Sequence[str]) -> list[tuple[Sequence[str], str]]:
    if len(tokens) != len(texts):
        raise ValueError(f"{len(tokens)} sentences of tokens and {len(texts)} texts: give one text a sentence")
    return list(zip(tokens, texts, strict=True))
