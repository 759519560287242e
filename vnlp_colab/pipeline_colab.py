"""``VNLPipeline``: a table of Turkish sentences in, the same rows with their analysis out.

The only module that uses tf.data; TensorFlow is imported when a table is processed, and never for single texts.
"""

from __future__ import annotations

import hashlib
import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from vnlp_colab.batches.analysis import Analyzer
from vnlp_colab.batches.chunk import PreparedChunk, Rows, prepare, with_blocks
from vnlp_colab.batches.frames import rows_of, with_columns
from vnlp_colab.runtime import available_cores
from vnlp_colab.start_up import quiet_tensorflow
from vnlp_colab.tasks import (
    DEFAULT_TASKS,
    PREPARED_COLUMNS,
    check_optional_columns,
    choose_models,
    load_model,
    result_columns,
)

if TYPE_CHECKING:
    import pandas as pd

    from vnlp_colab.document.document import Document
    from vnlp_colab.tables.folder import Input
    from vnlp_colab.tables.job import RunSummary

logger = logging.getLogger(__name__)

# Sentences a batch where none is asked for (docs/performance.md): a GPU gains several times from many, a core little
# at usual lengths, but each wants its share of a batch.
_GPU_BATCH = 1024
_CORE_BATCH = 32
_CPU_BATCHES = (64, 512)
# Rows that are sorted by length and analysed together, at least: enough that a batch holds sentences of one length,
# few enough that a crash costs little and memory stays small.
_CHUNK_ROWS = 2048
_BATCHES_A_CHUNK = 16
OnBatch = Callable[[int, int], object]


class VNLPipeline:
    """Turkish text analysis over tables and texts.

    Parameters
    ----------
    models_to_load
        Tasks (``"pos"``, ``"ner"``, ``"dep"``, ``"stemmer"``, ``"sentiment"``), each with its default model or one
        picked by name (``"pos:TreeStackPoS"``). What a model needs is loaded with it. A mapping from task to a model
        object takes objects of your own.
    device
        ``"auto"``, ``"cpu"`` or ``"cuda"``.
    text_column
        The column of a data frame that holds the sentences.
    columns
        Optional columns to add: ``"pos_confidence"``, ``"ner_confidence"``, ``"sentiment_label"``, ``"offsets"``
        (start and end of each token in the sentence as given).
    evaluate
        Use the weights that were kept from the test data.

    Examples
    --------
    >>> nlp = VNLPipeline(models_to_load=["stemmer"])
    >>> nlp("Kediler uyudu.").lemma
    ['kedi', 'uyu', '.']
    """

    def __init__(
        self,
        models_to_load: Sequence[str] | Mapping[str, Any] = DEFAULT_TASKS,
        device: Literal["auto", "cpu", "cuda"] = "auto",
        *,
        text_column: str = "sentence",
        columns: Sequence[str] = (),
        evaluate: bool = False,
    ) -> None:
        if isinstance(models_to_load, Mapping):
            choose_models(list(models_to_load))
            self.selection = {task: type(model).__name__ for task, model in models_to_load.items()}
            models = dict(models_to_load)
        else:
            self.selection = choose_models(models_to_load)
            models = {}
        self.text_column = text_column
        self.optional_columns = check_optional_columns(columns, self.selection)
        self.columns = result_columns(self.selection, self.optional_columns)
        for task, name in self.selection.items():
            if task not in models:
                models[task] = load_model(task, name, device=device, evaluate=evaluate)
        self.models = models
        self.evaluate = evaluate
        self._analyzer = Analyzer(models, self.optional_columns, self.columns)

    @property
    def device(self) -> str:
        """Where the models run: ``cpu`` or ``cuda``; both where they differ."""
        return ", ".join(sorted({str(getattr(model, "device", "cpu")) for model in self.models.values()}))

    @property
    def model_keys(self) -> dict[str, str]:
        """Which model does each task, with the weights' fingerprint where the model knows it."""
        return {task: _model_key(self.selection[task], model) for task, model in self.models.items()}

    @property
    def model_seconds(self) -> dict[str, float]:
        """Seconds spent inside each task's model since the pipeline was made."""
        return dict(self._analyzer.seconds)

    def __call__(self, text: str) -> Document:
        """Analyse one text; sentences are found, tokens have their place in the text."""
        return next(self.pipe([text]))

    @overload
    def pipe(
        self, texts: Iterable[str], batch_size: int | None = ..., as_tuples: Literal[False] = ...
    ) -> Iterator[Document]: ...
    @overload
    def pipe(
        self, texts: Iterable[tuple[str, Any]], batch_size: int | None = ..., *, as_tuples: Literal[True]
    ) -> Iterator[tuple[Document, Any]]: ...
    def pipe(self, texts: Iterable[Any], batch_size: int | None = None, as_tuples: bool = False) -> Iterator[Any]:
        """Analyse many texts, `batch_size` sentences at a time (see `run`), and yield their documents in order.

        With ``as_tuples=True`` the texts come as ``(text, context)`` and the documents go out as
        ``(document, context)``.
        """
        from vnlp_colab.document.texts import documents

        return documents(self._analyzer, texts, self.batch_size_or_default(batch_size), as_tuples)

    def batch_size_or_default(self, asked: int | None = None) -> int:
        """Return `asked`, checked, or for ``None`` what suits the device.

        That is 1,024 on a GPU, and on the CPU 32 for every core: 64 at least, 512 at most.
        """
        if asked is not None:
            _check_batch_size(asked)
            return asked
        if "cuda" in self.device:
            return _GPU_BATCH
        least, most = _CPU_BATCHES
        return max(least, min(_CORE_BATCH * available_cores(), most))

    def load_from_csv(
        self,
        csv_path: str | Path,
        *,
        text_column: str | None = None,
        input_format: str = "auto",
        encoding: str | None = None,
    ) -> pd.DataFrame:
        """Read a table: tab-separated ``t_code, ch_no, p_no, s_no, sentence`` without a header, or any other input."""
        import pandas as pd

        from vnlp_colab.tables.folder import open_input

        table = open_input(csv_path, text_column=text_column, input_format=input_format, encoding=encoding)
        frames = list(table.chunks(1 << 16))
        if not frames:
            return pd.DataFrame(table.schema.empty_table().to_pandas())
        return pd.concat(frames) if len(frames) > 1 else frames[0]

    def run_preprocessing(self, df: pd.DataFrame) -> pd.DataFrame:
        """Return `df` with ``no_accents``, ``tokens`` and ``tokens_40``; `process_dataframe` then uses those."""
        chunk = prepare(rows_of(df, self.text_column), PREPARED_COLUMNS)
        at = 0
        for row, length in zip(chunk.order.tolist(), chunk.lengths.tolist(), strict=True):
            tokens = [chunk.words[word] for word in chunk.word_ids[at : at + length].tolist()]
            chunk.fill([row], with_blocks([tokens]))
            at += length
        return with_columns(df, {name: chunk.columns[name] for name in PREPARED_COLUMNS})

    def process_dataframe(
        self, df: pd.DataFrame, batch_size: int | None = None, *, on_batch: OnBatch | None = None
    ) -> pd.DataFrame:
        """Return `df` with the result columns added: the same rows, order, index and columns; `batch_size` as in `run`.

        A row whose sentence is empty, missing or no string gets empty lists and a sentiment of ``NaN``. Columns that
        `run_preprocessing` made are used as they are; result columns of an earlier run are replaced.
        """
        rows = rows_of(df, self.text_column)
        if not df.index.is_unique:
            twice = df.index[df.index.duplicated()]
            logger.warning("%d rows repeat an index label (first %r); rows are kept by place", len(twice), twice[0])
        batch_size = self.batch_size_or_default(batch_size)
        size = chunk_rows(batch_size)
        parts = (rows[start : start + size] for start in range(0, len(rows), size))
        columns: dict[str, list[Any]] = {name: [] for name in self.columns}
        for chunk in self.stream(parts, batch_size, on_batch):
            for name in self.columns:
                columns[name] += chunk.columns[name]
        return with_columns(df, columns)

    def run(
        self,
        csv_path: str | Path | Input,
        output_pickle_path: str | Path,
        batch_size: int | None = None,
        *,
        text_column: str | None = None,
        resume: bool = False,
        progress: bool | None = None,
        output_format: str | None = None,
    ) -> RunSummary:
        """Analyse a table on disk and write the result; the ending of the output picks its format.

        The input is read in chunks and the result written in parts, so memory stays bounded (a pickle is the one
        format that is whole in memory when it is written). After a crash ``resume=True`` goes on where it stopped.

        Parameters
        ----------
        csv_path
            A table (see `load_from_csv`) or a folder of tables.
        output_pickle_path
            ``.pkl``, ``.parquet``, ``.csv``, ``.jsonl`` or ``.conllu``; ``"-"`` is the standard output.
        batch_size
            Sentences that go through a model together; ``None`` takes 1,024 on a GPU and
            32 a core on the CPU (64 to 512).
        text_column
            The column with the sentences, for tables with a header.
        resume
            Go on with an unfinished run of the same job.
        progress
            Show a progress bar; ``None`` shows it on a terminal only.
        output_format
            The format, where the path does not tell it.
        """
        from vnlp_colab.tables.job import analyze_file

        return analyze_file(
            self,
            csv_path,
            output_pickle_path,
            batch_size=batch_size,
            text_column=text_column,
            resume=resume,
            progress=progress,
            output_format=output_format,
        )

    def stream(
        self, chunks: Iterable[Rows], batch_size: int | None = None, on_batch: OnBatch | None = None
    ) -> Iterator[PreparedChunk]:
        """Yield each chunk of rows with its columns filled, in order; `on_batch` hears of rows and tokens done.

        The next chunk is cleaned, tokenised and numbered in tf.data's thread while the models work on this one.
        """
        batch_size = self.batch_size_or_default(batch_size)
        waiting: dict[int, PreparedChunk] = {}
        failures: list[BaseException] = []

        def prepared() -> Iterator[tuple[Any, ...]]:
            try:
                for number, rows in enumerate(chunks):
                    chunk = waiting[number] = prepare(rows, self.columns)
                    yield number, chunk.order, chunk.lengths, chunk.word_ids
            except Exception as error:  # raised below, where the caller sees it as it was and not as TensorFlow's
                failures.append(error)

        current = 0
        for number, rows, lengths, word_ids in _batches(prepared, batch_size):
            chunk = waiting[int(number[0])]
            places = rows.tolist()
            tokens = chunk.tokens(word_ids, lengths)
            results = self._analyzer.analyze(tokens, [chunk.no_accents[place] for place in places])
            chunk.fill(places, results | with_blocks(tokens))
            if on_batch is not None:
                on_batch(len(places), int(lengths.sum()))
            while current in waiting and not waiting[current].remaining:
                yield waiting.pop(current)
                current += 1
        for left in sorted(waiting):  # chunks without a single token never come as a batch
            yield waiting.pop(left)
        if failures:
            raise failures[0]


def chunk_rows(batch_size: int) -> int:
    """Return how many rows are sorted and analysed together at this batch size."""
    _check_batch_size(batch_size)
    return max(_CHUNK_ROWS, _BATCHES_A_CHUNK * batch_size)


def _model_key(name: str, model: Any) -> str:
    path = getattr(getattr(model, "files", None), "path", None)
    return name if path is None else f"{name}:{hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]}"


def _check_batch_size(batch_size: int) -> None:
    if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
        raise ValueError(f"batch_size is a whole number from 1 on, not {batch_size!r}")


def _batches(prepared: Callable[[], Iterator[tuple[Any, ...]]], batch_size: int) -> Iterator[tuple[Any, ...]]:
    """Yield padded NumPy batches ``(chunk, rows, lengths, word_ids)`` of the chunks a generator prepares.

    One dataset serves the whole stream. Each chunk comes in order of length, so cutting it into batches buckets it by
    length with no half-filled bucket left over. `prefetch` before the cutting has the next chunk prepared, and after
    it the next batches padded, while onnxruntime is busy with the current one (it releases the interpreter lock).
    """
    tf = load_tensorflow()

    def cut(number: Any, rows: Any, lengths: Any, word_ids: Any) -> Any:
        ends = tf.cumsum(lengths)
        places = tf.data.Dataset.range(tf.size(rows, out_type=tf.int64))
        sentences = places.map(lambda at: (number, rows[at], lengths[at], word_ids[ends[at] - lengths[at] : ends[at]]))
        return sentences.padded_batch(batch_size)

    signature = (
        tf.TensorSpec((), tf.int64),
        tf.TensorSpec((None,), tf.int64),
        tf.TensorSpec((None,), tf.int64),
        tf.TensorSpec((None,), tf.int32),
    )
    # Nothing here is left to tf.data to tune, and its tuner sleeps twice as long each time, up to a minute: at the end
    # the iterator would wait for it to wake.
    options = tf.data.Options()
    options.autotune.enabled = False
    with tf.device("/CPU:0"):
        dataset = tf.data.Dataset.from_generator(prepared, output_signature=signature)
        dataset = dataset.prefetch(1).flat_map(cut).prefetch(4).with_options(options)
        yield from dataset.as_numpy_iterator()


def load_tensorflow() -> Any:
    """Import TensorFlow for its tf.data alone: on the CPU, so that it does not claim the GPU's memory."""
    fresh = "tensorflow" not in sys.modules
    with quiet_tensorflow():
        import tensorflow as tf

        if fresh:  # a caller who uses TensorFlow keeps their devices
            try:
                tf.config.set_visible_devices([], "GPU")
            except RuntimeError:
                logger.info("TensorFlow was set up before; its devices stay as they are")
    return tf
