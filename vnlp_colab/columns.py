"""The one table of columns: what the result of an analysis is made of. Frames, writers, documents and docs read it."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import pyarrow as pa

NO_NUMBER = float("nan")


@dataclass(frozen=True)
class Column:
    """One result column.

    Attributes
    ----------
    name
        What it is called in every table and file.
    tasks
        The tasks that fill it, the preferred one first; none for what preparation makes of every row.
    type
        Its Arrow type, as pyarrow prints it.
    per
        Whether a row has one value a ``"token"`` or one in all.
    empty
        The value of a row without a sentence.
    optional
        Only there when asked for.
    about
        One line for people.
    """

    name: str
    tasks: tuple[str, ...]
    type: str
    per: Literal["token", "row"]
    empty: Any
    about: str
    optional: bool = False


_WORDS = "list<string>"
_PAIR = "list<struct<start: int32, end: int32>>"
_ARC = "list<struct<head: int32, relation: string>>"
_ENTITY = "list<struct<text: string, name: string, type: string, start: int32, end: int32>>"

# In the order they stand in a result.
COLUMNS: dict[str, Column] = {
    column.name: column
    for column in (
        Column("no_accents", (), "string", "row", "", "the sentence with white space cleaned, circumflexes taken off"),
        Column("tokens", (), _WORDS, "token", [], "the tokens"),
        Column("tokens_40", (), f"list<{_WORDS}>", "row", [], "the tokens in blocks of 40"),
        Column("sentiment", ("sentiment",), "double", "row", NO_NUMBER, "how positive the sentence is, 0 to 1"),
        Column("morph", ("stemmer",), _WORDS, "token", [], "morphological analysis (`git+Verb+Pos+Prog1+A3sg`)"),
        Column("lemma", ("lemma", "stemmer"), _WORDS, "token", [], "lemma"),
        Column("pos", ("pos",), _WORDS, "token", [], "part of speech (UPOS)"),
        Column("feats", ("feats",), _WORDS, "token", [], "UD features (`Case=Loc|Number=Sing`), `_` for none"),
        Column("ner", ("ner",), _WORDS, "token", [], "`PER`, `LOC`, `ORG` or `O`"),
        Column("dep", ("dep",), _ARC, "token", [], "`(head, relation)`; heads count from 1, 0 is the root"),
        Column(
            "derived_lemma", ("stemmer",), _WORDS, "token", [], "lemma with its derivations (`tuzsuz`)", optional=True
        ),
        Column(
            "ner_bio", ("ner",), _WORDS, "token", [], "`B-PER`, `I-PER` ... where each entity begins", optional=True
        ),
        Column("entities", ("ner",), _ENTITY, "row", [], "entities: text, name, type, start, end", optional=True),
        Column("pos_confidence", ("pos",), "list<float>", "token", [], "how sure the tagger is, 0 to 1", optional=True),
        Column("ner_confidence", ("ner",), "list<float>", "token", [], "how sure of the entity label", optional=True),
        Column(
            "sentiment_label",
            ("sentiment",),
            "string",
            "row",
            None,
            "`positive`, `negative` or `neutral`",
            optional=True,
        ),
        Column("sentence_ends", (), "list<int32>", "row", [], "tokens up to the end of each sentence", optional=True),
        Column("offsets", (), _PAIR, "token", [], "start and end of each token in the text as given", optional=True),
    )
}
PREPARED = ("no_accents", "tokens", "tokens_40")
OPTIONAL = tuple(column.name for column in COLUMNS.values() if column.optional)


def columns_of(task: str) -> tuple[str, ...]:
    """Return the columns a task fills unasked.

    Examples
    --------
    >>> columns_of("stemmer")
    ('morph', 'lemma')
    """
    return tuple(column.name for column in COLUMNS.values() if task in column.tasks and not column.optional)


def result_columns(tasks: Collection[str], optional: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names of the result columns of some tasks, in the order they stand in the output."""
    wanted = {*PREPARED, *optional, *(name for task in tasks for name in columns_of(task))}
    return tuple(name for name in COLUMNS if name in wanted)


def check_columns(names: Sequence[str], tasks: Collection[str]) -> tuple[str, ...]:
    """Return `names` if each is a column that these tasks can fill; else raise ``ValueError``."""
    if isinstance(names, str):
        raise TypeError(f'columns takes a list such as ["offsets"], not the string {names!r}')
    for name in names:
        if name not in COLUMNS:
            raise ValueError(f"unknown column {name!r}; choose from {', '.join(COLUMNS)}")
        owners = COLUMNS[name].tasks
        if owners and not set(owners) & set(tasks):
            raise ValueError(f"column {name!r} needs the task {owners[0]!r}, which is not among the loaded models")
    return tuple(names)


def empty_value(name: str) -> Any:
    """Return what a row without a sentence has in a column; a list of its own each time."""
    return copy.copy(COLUMNS[name].empty)


@cache
def arrow_type(name: str) -> pa.DataType:
    """Return the Arrow type of a column.

    Examples
    --------
    >>> str(arrow_type("dep"))
    'list<item: struct<head: int32, relation: string>>'
    """
    return _arrow(COLUMNS[name].type)


def arrow_schema(names: Sequence[str]) -> pa.Schema:
    """Return the Arrow schema of result columns; each field's metadata says what it holds."""
    import pyarrow as pa

    return pa.schema([pa.field(name, arrow_type(name), metadata={"about": COLUMNS[name].about}) for name in names])


def _arrow(text: str) -> pa.DataType:
    import pyarrow as pa

    plain = {"string": pa.string(), "double": pa.float64(), "float": pa.float32(), "int32": pa.int32()}
    if text in plain:
        return plain[text]
    kind, _, inside = text.removesuffix(">").partition("<")
    if kind == "list":
        return pa.list_(_arrow(inside))
    fields = (field.split(": ") for field in inside.split(", "))
    return pa.struct([(name, _arrow(of)) for name, of in fields])
