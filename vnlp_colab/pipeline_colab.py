"""``VNLPipeline``: a table of Turkish sentences in, the same rows with their analysis out.

TensorFlow (tf.data) is imported when a table is processed, and never for single texts, tokens or Arrow tables.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from vnlp_colab import registry
from vnlp_colab.annotator.inputs import check_sentences, check_texts
from vnlp_colab.annotator.loading import check_annotator, load_model
from vnlp_colab.batches.analyzer import Analyzer, check_batch_size
from vnlp_colab.batches.chunk import Rows, prepare
from vnlp_colab.batches.frames import rows_of, with_columns
from vnlp_colab.batches.preparation import Preparation, Split, check_split
from vnlp_colab.columns import OPTIONAL, PREPARED, arrow_schema, check_columns, result_columns
from vnlp_colab.runtime import SessionOptions
from vnlp_colab.text.informal import check_steps

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    import pyarrow as pa

    from vnlp_colab.annotator.protocol import Annotator
    from vnlp_colab.document.document import Document
    from vnlp_colab.tables.job import RunSummary
    from vnlp_colab.tables.source import InputTables

logger = logging.getLogger(__name__)


class VNLPipeline:
    """Turkish text analysis over tables and texts.

    Parameters
    ----------
    models_to_load
        Tasks (``"pos"``, ``"ner"``, ``"dep"``, ``"stemmer"``, ``"sentiment"``), each with its default model or one
        picked by name (``"pos:TreeStackPoS"``). What a model needs is loaded with it. A mapping from task to an
        annotator (`vnlp_colab.annotator.protocol`) takes objects of your own.
    device
        ``"auto"``, ``"cpu"``, ``"cuda"`` or one GPU of several, as in ``"cuda:1"``.
    text_column
        The column with the sentences, by name or by place: an integer counts from 0, a string such as ``"3"`` from 1,
        as the command does; ``None`` looks for ``sentence``, ``text``, ``cümle`` or ``metin``.
    columns
        Optional columns to add (``"pos_confidence"``, ``"entities"``, ``"offsets"`` ...). A list that names other
        columns too (``["tokens", "lemma", "entities"]``) is the whole list: only those are in the result.
    split
        ``"none"`` reads a cell as one sentence; ``"sentences"`` finds the sentences of a cell, each of which gets a
        tree of its own; the row's lists then cover all of them, heads counted in the row.
    normalize
        Steps that mend informal spelling before the models read it: ``"auto"`` (Turkish letters back where a sentence
        was typed without them), ``"deasciify"``, ``"chat"``, ``"repeats"``; texts, tokens and offsets stay the user's.
    style
        The treebank whose way of annotating is wanted, for the joint network: ``"generic"``, ``"boun"``, ``"kenet"``,
        ``"penn"``, ``"tourism"``, ``"framenet"`` or ``"atis"``. An object of your own has the one it was made with.
    entity_style
        The entity set whose way of annotating is wanted, for ``"ner"`` of the joint network: ``"generic"``,
        ``"wikiann_tr"``, ``"turkish_wiki_ner"``, ``"starlang_penn15_v2"`` or ``"nakbatr_aa"``.
    multiword
        Whether CoNLL-U, of documents and of tables, has the words of tokens that hold several (``yoktu`` as ``yok`` and
        ``tu``); ``None`` does what the style's treebank does: ``"boun"`` splits. Other results keep tokens.
    threads
        CPU threads the models may use; ``None`` takes the cores this process may run on.
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
        models_to_load: Sequence[str] | Mapping[str, Any] = registry.DEFAULT_TASKS,
        device: str = "auto",
        *,
        text_column: str | int | None = None,
        columns: Sequence[str] = (),
        split: Split = "none",
        normalize: str | Sequence[str] = (),
        style: str | None = None,
        entity_style: str | None = None,
        multiword: bool | None = None,
        threads: int | None = None,
        evaluate: bool = False,
    ) -> None:
        self._settings = {
            "models_to_load": models_to_load,
            "device": device,
            "text_column": text_column,
            "columns": columns,
            "split": split,
            "normalize": normalize,
            "style": style,
            "entity_style": entity_style,
            "multiword": multiword,
            "threads": threads,
            "evaluate": evaluate,
        }
        self.text_column = text_column
        self.multiword = multiword
        self.evaluate = evaluate
        preparation = Preparation(check_split(split), check_steps(normalize))
        styles = registry.styles_in(self._settings)

        def load(name: str) -> Annotator:
            settings: dict[str, Any] = {"device": device, "evaluate": evaluate}
            if threads is not None:
                settings["options"] = SessionOptions(threads=threads)
            takes = registry.MODELS[name].takes
            return load_model(name, **settings, **{key: value for key, value in styles.items() if key in takes})

        self.selection = registry.select_models(models_to_load, **styles)
        self.columns = chosen_columns(columns, self.selection)
        if isinstance(models_to_load, Mapping):
            self.models = {task: check_annotator(task, model) for task, model in models_to_load.items()}
        else:
            self.models = {task: load(name) for task, name in self.selection.items()}
        self._analyzer = Analyzer(
            self.models,
            self.columns,
            preparation,
            load=lambda task: load(registry.check_model(task)),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # It travels as its settings and loads its models where it arrives.
        return _from_settings, (self._settings,)

    @property
    def device(self) -> str:
        """Where the models run: ``cpu`` or ``cuda``; both where they differ."""
        return self._analyzer.device

    @property
    def model_keys(self) -> dict[str, str]:
        """Which model does each task, with the fingerprint of its weights."""
        return {task: annotator.fingerprint for task, annotator in self.models.items()}

    @property
    def model_seconds(self) -> dict[str, float]:
        """Seconds spent inside each task's model since the pipeline was made."""
        return dict(self._analyzer.seconds)

    @property
    def arrow_schema(self) -> pa.Schema:
        """The Arrow schema of the result columns: what `process_arrow` adds and what files hold."""
        return arrow_schema(self.columns)

    def __call__(self, text: str) -> Document:
        """Analyse one text; sentences are found, tokens have their place in the text."""
        return next(self.pipe([text]))

    @overload
    def pipe(
        self,
        texts: Iterable[str],
        batch_size: int | None = ...,
        as_tuples: Literal[False] = ...,
        *,
        n_process: int = ...,
        split: Split = ...,
    ) -> Iterator[Document]: ...
    @overload
    def pipe(
        self,
        texts: Iterable[tuple[str, Any]],
        batch_size: int | None = ...,
        *,
        as_tuples: Literal[True],
        n_process: int = ...,
        split: Split = ...,
    ) -> Iterator[tuple[Document, Any]]: ...
    def pipe(
        self,
        texts: Iterable[Any],
        batch_size: int | None = None,
        as_tuples: bool = False,
        *,
        n_process: int = 1,
        split: Split = "sentences",
    ) -> Iterator[Any]:
        """Analyse many texts, `batch_size` sentences at a time (see `run`), and yield their documents in order.

        With ``as_tuples=True`` the texts come as ``(text, context)`` and the documents go out as
        ``(document, context)``. `n_process` shares the texts among that many processes, each with its own copy of the
        models and its share of the threads; on Windows and macOS, and wherever processes are spawned, the calling
        script needs ``if __name__ == "__main__":``. ``split="none"`` takes each text as one sentence.
        """
        if isinstance(texts, str):
            raise TypeError("pipe takes many texts; nlp(text) analyses one")
        check_split(split)
        size = self.batch_size_or_default(batch_size)
        if n_process == 1:
            from vnlp_colab.document.texts import documents

            return documents(self._analyzer, texts, size, as_tuples, split, self.multiword)
        from vnlp_colab.document.processes import in_processes

        return in_processes(_from_settings, self._settings, texts, size, as_tuples, n_process, split)

    def annotate(self, tokens: Iterable[Iterable[str]], texts: Iterable[str] | None = None) -> dict[str, list[Any]]:
        """Analyse sentences that are already cut into tokens and return the columns the models fill.

        Parameters
        ----------
        tokens
            The tokens of each sentence; one without any gets empty values.
        texts
            The text of each sentence, for models that read it whole; by default its tokens with spaces between.

        Examples
        --------
        >>> VNLPipeline(["pos"]).annotate([["Ali", "eve", "gitti", "."], []])
        {'pos': [['PROPN', 'NOUN', 'VERB', 'PUNCT'], []]}
        """
        sentences = check_sentences(tokens)
        written = [" ".join(words) for words in sentences] if texts is None else check_texts(texts)
        return self._analyzer.annotate([self._analyzer.preparation.read(words) for words in sentences], written)

    def process_arrow(
        self, table: pa.Table, batch_size: int | None = None, *, text_column: str | int | None = None
    ) -> pa.Table:
        """Return an Arrow table with the result columns (`arrow_schema`) added; its own stay as they are.

        A column of its own that is called like a result column is kept as ``input_NAME``. TensorFlow is not loaded.
        """
        from vnlp_colab.tables.arrow import append_results, text_cells

        size = self.batch_size_or_default(batch_size)
        cells = text_cells(table, self.text_column if text_column is None else text_column)
        chunks = Rows(cells).pieces(self._analyzer.chunk_rows(size))
        return append_results(table, self._collected(chunks, size, prefetch=False))

    def batch_size_or_default(self, asked: int | None = None) -> int:
        """Return `asked`, checked, or for ``None`` what suits the device.

        That is 1,024 on a GPU. On the CPU it is 1,024 with the joint network, 512 with the stemmer, and with VNLP's
        other networks 32 for every core (64 at least, 512 at most): the least of those that are loaded.
        """
        return self._analyzer.default_batch_size() if asked is None else check_batch_size(asked)

    def load_from_csv(
        self, csv_path: str | Path, *, text_column: str | int | None = None, **reading: Any
    ) -> pd.DataFrame:
        """Read a table: tab-separated ``t_code, ch_no, p_no, s_no, sentence`` without a header, or any other input.

        `reading` takes ``input_format``, ``encoding`` and ``header`` as `vnlp_colab.tables.open_input` does.
        """
        from vnlp_colab.tables import read_frame

        return read_frame(csv_path, text_column=self.text_column if text_column is None else text_column, **reading)

    def run_preprocessing(self, df: pd.DataFrame, *, text_column: str | int | None = None) -> pd.DataFrame:
        """Return `df` with ``no_accents``, ``tokens`` and ``tokens_40``; `process_dataframe` then uses those."""
        rows = rows_of(df, self.text_column if text_column is None else text_column)
        chunk = prepare(rows, PREPARED, self._analyzer.preparation)
        return with_columns(df, {name: chunk.columns[name] for name in PREPARED})

    def process_dataframe(
        self,
        df: pd.DataFrame,
        batch_size: int | None = None,
        *,
        text_column: str | int | None = None,
        progress: bool | None = False,
        on_batch: Callable[[int, int], object] | None = None,
    ) -> pd.DataFrame:
        """Return `df` with the result columns added: the same rows, order, index and columns.

        A row without a sentence gets empty lists and a sentiment of ``NaN``; numbers and other scalars are read as
        their text. Tokens that `run_preprocessing` made are used where ``no_accents`` still is that of the sentence.
        Result columns of an earlier run are replaced; other columns of such a name are kept as ``input_NAME``.

        Parameters
        ----------
        df
            The table.
        batch_size
            As in `run`.
        text_column
            The column with the sentences, where it is not the pipeline's.
        progress
            Show a progress bar; ``None`` shows it on a terminal and in a notebook.
        on_batch
            Called with the rows and tokens of every finished batch.
        """
        rows = rows_of(df, self.text_column if text_column is None else text_column)
        if not df.index.is_unique:
            twice = df.index[df.index.duplicated()]
            logger.warning("%d rows repeat an index label (first %r); rows are kept by place", len(twice), twice[0])
        size = self.batch_size_or_default(batch_size)
        from vnlp_colab.batches.progress import Progress

        with Progress(len(rows), 0, progress) as bar:

            def told(count: int, tokens: int) -> None:
                bar.batch_done(count, tokens)
                if on_batch is not None:
                    on_batch(count, tokens)

            columns = self._collected(rows.pieces(self._analyzer.chunk_rows(size)), size, told)
        return with_columns(df, columns)

    def run(
        self,
        csv_path: str | Path | InputTables,
        output_pickle_path: str | Path,
        batch_size: int | None = None,
        *,
        text_column: str | int | None = None,
        resume: bool = False,
        restart: bool = False,
        progress: bool | None = None,
        output_format: str | None = None,
        **files: Any,
    ) -> RunSummary:
        """Analyse a table on disk and write the result; the ending of the output picks its format.

        The input is read in chunks and the result written in parts, so memory stays bounded (a pickle is the one
        format that is whole in memory when it is written). After a crash ``resume=True`` goes on where it stopped.

        Parameters
        ----------
        csv_path
            A table (see `load_from_csv`) or a folder of tables.
        output_pickle_path
            ``.pkl``, ``.parquet``, ``.csv``, ``.tsv``, ``.jsonl`` or ``.conllu``; ``"-"`` is the standard output.
        batch_size
            Sentences that go through a model together; ``None`` takes 1,024, on the CPU 512 with the
            stemmer and 32 a core (64 to 512) with VNLP's other networks.
        text_column
            The column with the sentences, where it is not the pipeline's.
        resume, restart
            Go on with an unfinished run of the same job, or throw its parts away; without either it is an error.
        progress
            Show a progress bar; ``None`` shows it on a terminal only.
        output_format
            The format, where the path does not tell it.
        files
            What else `vnlp_colab.tables.job.analyze_file` takes: ``header``, ``encoding``, ``bom`` ...
        """
        from vnlp_colab.tables.job import analyze_file

        return analyze_file(
            self._table_analyzer(str(output_pickle_path), output_format),
            csv_path,
            output_pickle_path,
            batch_size=batch_size,
            text_column=self.text_column if text_column is None else text_column,
            resume=resume,
            restart=restart,
            progress=progress,
            output_format=output_format,
            **files,
        )

    def _table_analyzer(self, output: str, output_format: str | None) -> Analyzer:
        """Return what analyses a table: for CoNLL-U the one of words, if they are wanted."""
        from vnlp_colab.document.words import splits_tokens
        from vnlp_colab.tables.formats import output_kind

        wanted = splits_tokens(self._analyzer) if self.multiword is None else self.multiword
        if not wanted or (output == "-" and output_format is None):
            return self._analyzer
        return self._analyzer.by_words() if output_kind(output, output_format).format == "conllu" else self._analyzer

    def _collected(
        self,
        chunks: Iterable[Rows],
        batch_size: int,
        on_batch: Callable[[int, int], object] | None = None,
        *,
        prefetch: bool = True,
    ) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {name: [] for name in self.columns}
        for chunk in self._analyzer.stream(chunks, batch_size, on_batch, prefetch=prefetch):
            for name in self.columns:
                columns[name] += chunk.columns[name]
        return columns


def chosen_columns(asked: Sequence[str], tasks: Mapping[str, str]) -> tuple[str, ...]:
    """Return the result columns: all of the tasks and the optional ones asked for, or just those that are named.

    A selection that names a column which would be there anyway (``["tokens", "pos"]``) is the whole list; one that
    names optional columns alone adds them.
    """
    names = check_columns(asked, tasks)
    if all(name in OPTIONAL for name in names):
        return result_columns(tasks, names)
    every = result_columns(tasks, names)
    return tuple(name for name in every if name in names)


def _from_settings(settings: dict[str, Any]) -> VNLPipeline:
    return VNLPipeline(**settings)
