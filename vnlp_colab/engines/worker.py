"""What a worker of an engine (Ray, Spark) does: load a pipeline once, analyse Arrow tables, outlive single bad rows."""

from __future__ import annotations

import json
import logging
import uuid
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from vnlp_colab import registry
from vnlp_colab.batches.frames import renamed, text_place
from vnlp_colab.batches.preparation import check_split
from vnlp_colab.errors import VNLPError
from vnlp_colab.pipeline_colab import VNLPipeline
from vnlp_colab.text.informal import check_steps

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

logger = logging.getLogger(__name__)

# The column that says why a row has no analysis; null in all others.
ERROR_COLUMN = "analysis_error"
_LOADED: dict[str, VNLPipeline] = {}
# A plan may have two analyses in a row; more than that would only fill a worker's memory.
_KEPT = 2


class EngineError(VNLPError):
    """An engine that is missing or cannot do what was asked for; the message says what to do."""


def settings_key(settings: Mapping[str, Any]) -> str:
    """Return what tells settings apart in every worker; objects that are not plain data count as different ones.

    Examples
    --------
    >>> settings_key({"threads": 1, "device": "cpu"}) == settings_key({"device": "cpu", "threads": 1})
    True
    """
    return json.dumps(settings, sort_keys=True, default=lambda _: uuid.uuid4().hex)


def load_once(key: str, settings: Mapping[str, Any]) -> VNLPipeline:
    """Return the pipeline of these settings, loaded at the first call in this process."""
    if key not in _LOADED:
        while len(_LOADED) >= _KEPT:
            _LOADED.pop(next(iter(_LOADED)))
        _LOADED[key] = VNLPipeline(**settings)
    return _LOADED[key]


def result_schema(settings: Mapping[str, Any]) -> pa.Schema:
    """Return the Arrow schema of the columns an analysis adds, without loading a model.

    Wrong settings are told here, where nothing is started and nothing is written yet.
    """
    import pyarrow as pa

    from vnlp_colab.columns import arrow_schema
    from vnlp_colab.pipeline_colab import chosen_columns

    asked = settings.get("models_to_load", registry.DEFAULT_TASKS)
    models = registry.select_models(asked, **registry.styles_in(settings))
    columns = chosen_columns(settings.get("columns", ()), models)
    check_split(settings.get("split", "none"))
    check_steps(settings.get("normalize", ()))
    about = {"about": "why this row has no analysis; null in all others"}
    return pa.schema([*arrow_schema(columns), pa.field(ERROR_COLUMN, pa.string(), metadata=about)])


def analyze_table(pipeline: VNLPipeline, table: pa.Table, text_column: str | int | None = None) -> pa.Table:
    """Return `table` with the result columns and `ERROR_COLUMN`; own columns of such a name become ``input_NAME``.

    A row that no model gets through has the empty values of a row without a sentence and the reason in
    `ERROR_COLUMN`. If every row of a table of several fails, it is not the rows: the error is raised.
    """
    import pyarrow as pa

    place = text_place(table.column_names, text_column)
    table = table.rename_columns(own_names(tuple(table.column_names), (*pipeline.columns, ERROR_COLUMN)))
    results = _halved(pipeline, table, table.column_names[place])
    failed = sum(result.num_rows for result, reason in results if reason is not None)
    if failed == table.num_rows > 1:
        raise EngineError(f"no row of a batch of {failed:,} could be analysed; the first one: {results[0][1]}")
    whole = pa.concat_tables([result for result, _ in results])
    reasons = [reason for result, reason in results for _ in range(result.num_rows)]
    return whole.append_column(ERROR_COLUMN, pa.array(reasons, pa.string()))


@lru_cache(maxsize=16)  # once for all batches of a job, so that a new name is told once
def own_names(names: tuple[str, ...], results: tuple[str, ...]) -> list[str]:
    """Return the names of a table's own columns beside these results: one that is called like them is renamed."""
    new = renamed(names, results)
    return [new.get(name, name) for name in names]


def _halved(pipeline: VNLPipeline, table: pa.Table, text_column: str) -> list[tuple[pa.Table, str | None]]:
    """Analyse a table; where that fails, its halves, down to the single rows that fail."""
    try:
        return [(pipeline.process_arrow(table, text_column=text_column), None)]
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
    if table.num_rows > 1:
        half = table.num_rows // 2
        first = _halved(pipeline, table.slice(0, half), text_column)
        return first + _halved(pipeline, table.slice(half), text_column)
    logger.warning("a row was left without analysis: %s", reason)
    return [(_without_analysis(pipeline, table, text_column), reason)]


def _without_analysis(pipeline: VNLPipeline, row: pa.Table, text_column: str) -> pa.Table:
    import pyarrow as pa

    place = row.schema.get_field_index(text_column)
    missing = row.set_column(place, row.schema.field(place), pa.nulls(row.num_rows, row.schema.field(place).type))
    result = pipeline.process_arrow(missing, text_column=text_column)
    return result.set_column(place, result.schema.field(place), row.column(place))
