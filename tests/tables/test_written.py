"""Columns that Arrow turns into text: the same text as Python's own encoder, value by value."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest
from random_tables import TYPES, text

from vnlp_colab.columns import COLUMNS, arrow_type
from vnlp_colab.tables.values import dumps, python_values
from vnlp_colab.tables.written import as_bytes, cell_text, delimited_text, json_lines_text, json_text

ESCAPED = ["", '"', "\\", "\x00", "\x1f", "\x7f", "a\nb", "\b\f\r\t", "\u2028", "🙂", "İ\u0307", "/", "null", " "]
NESTED = {
    pa.list_(pa.list_(pa.string())): [[["a", None], [], None], [], None, [['"']]],
    pa.list_(pa.struct([("head", pa.int32()), ("relation", pa.string())])): [
        [{"head": 0, "relation": "root"}, None, {"head": None, "relation": 'a"b'}],
        [],
        None,
    ],
    pa.struct([("a b", pa.struct([("ç", pa.float32())]))]): [{"a b": {"ç": 0.1}}, {"a b": None}, None],
    pa.struct([]): [{}, None],
    pa.list_(pa.bool_()): [[True, False, None]],
    pa.dictionary(pa.int8(), pa.string()): ["x", None, "x"],
}


def columns():
    rng = random.Random(1)
    for kind, make in TYPES.items():
        yield pa.array([None if rng.random() < 0.2 else make(rng) for _ in range(40)], kind)
    for kind, values in NESTED.items():
        yield pa.array(values, kind)
    yield pa.array([*ESCAPED, None, *(text(rng) for _ in range(50))], pa.string())


def as_cell(value):
    if value is None:
        return ""
    return value if isinstance(value, str) else dumps(value) if isinstance(value, list | dict) else str(value)


COLUMNS_OF_EVERY_TYPE = list(columns())


@pytest.mark.parametrize("column", COLUMNS_OF_EVERY_TYPE, ids=lambda column: str(column.type))
def test_text_is_that_of_pythons_encoder(column):
    parts = [column.slice(0, 2), column.slice(2, 1), column.slice(3), column.slice(0, 0)]
    for some in (*parts, column, pa.chunked_array(parts, column.type), pa.chunked_array([], column.type)):
        values = python_values(some)
        assert json_text(some).to_pylist() == list(map(dumps, values))
        assert cell_text(some).to_pylist() == list(map(as_cell, values))
        assert json_text(some, tuples=True).to_pylist() == list(map(dumps, python_values(some, tuples=True)))


@pytest.mark.parametrize("name", COLUMNS)
def test_result_columns_without_rows_or_with_empty_ones(name):
    for values in ([], [None], [[]] if str(arrow_type(name)).startswith("list") else []):
        column = pa.array(values, arrow_type(name))
        assert json_text(column).to_pylist() == list(map(dumps, python_values(column)))


def test_objects_of_rows_are_those_of_pythons_encoder():
    names = ['a "name"', "çok"]
    values = [[1, None], ["x\n", "y"]]
    lines = json_lines_text(names, [json_text(pa.array(column)) for column in values])
    expected = [dumps(dict(zip(names, row, strict=True))) + "\n" for row in zip(*values, strict=True)]
    assert lines.to_pylist() == expected
    assert bytes(as_bytes(lines)) == "".join(expected).encode()
    assert bytes(as_bytes(lines.slice(1, 1))) == expected[1].encode()
    assert bytes(as_bytes(lines.slice(1, 0))) == b""


def test_cells_that_need_quotes_have_them():
    cells = pa.array(["a", "a,b", 'a"b', "a\rb", "a\nb", "a\tb", ""], pa.large_string())
    assert delimited_text([cells, cells], ",").to_pylist() == [
        "a,a\n",
        '"a,b","a,b"\n',
        '"a""b","a""b"\n',
        '"a\rb","a\rb"\n',
        '"a\nb","a\nb"\n',
        "a\tb,a\tb\n",
        ",\n",
    ]
    assert delimited_text([cells.slice(5)], "\t").to_pylist() == ['"a\tb"\n', '""\n']


def test_text_that_looks_like_a_formula_is_escaped_and_numbers_are_not():
    def escaped(column, **options):
        return cell_text(column, escape_formulas=True, **options).to_pylist()

    assert escaped(pa.array(["=1", "+1", "-1", "@a", "\ta", "\ra", "a=", "\n=", None])) == [
        "'=1",
        "'+1",
        "'-1",
        "'@a",
        "'\ta",
        "'\ra",
        "a=",
        "\n=",
        "",
    ]
    assert escaped(pa.array([-1, None])) == ["-1", ""]
    assert escaped(pa.array([-1.5])) == ["-1.5"]
    assert escaped(pa.array([-1, -1]).dictionary_encode()) == ["-1", "-1"]
    assert escaped(pa.array(["-1", '"-1"', "null", "[-1]"]), as_json=True) == ["-1", "'-1", "", "[-1]"]
