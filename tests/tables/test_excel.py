"""Excel workbooks: the first sheet as rows; what stands in it without a value is told."""

from __future__ import annotations

import io
import re
import sys
import zipfile

import pandas as pd
import pytest

from vnlp_colab.tables import TableError, formulas, open_input, read_frame


@pytest.fixture
def path(tmp_path):
    pytest.importorskip("openpyxl")
    return tmp_path / "a.xlsx"


def test_excel(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    rows = [["id", "text", "when", "odd"], [1, "Ali geldi.", pd.Timestamp("2024-05-01").to_pydatetime(), 5]]
    for row in [[], *rows, [2, None, None, "x"], [], [3, "=1+1", None, None], []]:
        book.active.append(row)
    book.create_sheet("öteki")
    book.save(tmp_path / "a.xlsx")
    for name in ("a.xlsx", "b"):
        if name == "b":
            (tmp_path / "b").write_bytes((tmp_path / "a.xlsx").read_bytes())
        df = read_frame(tmp_path / name)
        assert df["id"].fillna(0).tolist() == [1, 2, 0, 3], "an empty row between others is a row, as in the sheet"
        assert df["text"].isna().tolist() == [False, True, True, True]
        assert df["when"].tolist()[0] == pd.Timestamp("2024-05-01")
        assert df["odd"].tolist() == [5, "x", None, None]
    assert str(open_input(tmp_path / "a.xlsx")) == "excel with a header, text in 'text'"


def workbook(path, *rows):
    """Write a workbook as openpyxl does: formulas have no value until Excel computes them."""
    book = pytest.importorskip("openpyxl").Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)


def edited(path, *changes):
    """Change the XML of a workbook's sheet: each pattern once."""
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"].decode()
    for pattern, replacement in changes:
        sheet, count = re.subn(pattern, replacement, sheet)
        assert count == 1, pattern
    with zipfile.ZipFile(path, "w") as packed:
        for name, data in (parts | {"xl/worksheets/sheet1.xml": sheet.encode()}).items():
            packed.writestr(name, data)


def with_values(path, kind="str", **values):
    """Put into a workbook's formulas the values that a program would write: of cells by their names."""
    written = r'<c r="{}"><f>(.*?)</f><v ?(/>|></v>)</c>'
    stored = r'<c r="{}" t="{}"><f>\1</f><v>{}</v></c>'
    edited(path, *((written.format(cell), stored.format(cell, kind, value)) for cell, value in values.items()))


def warnings_of(path, caplog):
    caplog.clear()
    open_input(path)
    return [message.removeprefix(f"{path}: ") for message in caplog.messages]


EMPTY = "formulas that were never computed are read as empty"
SAVE = "open the file in Excel or LibreOffice and save it"
LOOK = "look at the column in Excel or LibreOffice and save the file there"


def test_formulas_that_were_never_computed_are_told(path, caplog):
    workbook(path, ["no", "text"], [1, "Ali geldi."], [2, '="Ve"&"li"'], [3, None], [4, '="a"&"b"'], [5, "Ayşe."])
    texts = read_frame(path)["text"]
    assert texts[texts.notna()].tolist() == ["Ali geldi.", "Ayşe."]
    assert caplog.messages == [f"{path}: {EMPTY} (B3, B5); {SAVE}"]


def test_formulas_of_every_column_are_told(path, caplog):
    workbook(path, ["no", "text"], *(["=1+1", "Ali geldi."] for _ in range(7)))
    assert warnings_of(path, caplog) == [f"{EMPTY} (A2, A3, A4, A5, A6 ... 7 in all); {SAVE}"]


def test_formulas_of_a_header_are_told(path, caplog):
    workbook(path, ["=A9", "text"], [1, "Ali geldi."])
    assert warnings_of(path, caplog) == [f"{EMPTY} (A1); {SAVE}"]


def test_formulas_after_the_last_row_with_a_value_are_told(path, caplog):
    workbook(path, ["text"], ["Ali geldi."], ['=A2&" b"'])
    assert read_frame(path)["text"].tolist() == ["Ali geldi."]
    assert warnings_of(path, caplog) == [f"{EMPTY} (A3); {SAVE}"]


def test_formulas_above_the_first_row_with_a_value_are_told(path, caplog):
    workbook(path, ['="no"', '="text"'], [1, "Ali geldi."], [2, "Veli gitti."])
    assert open_input(path, text_column="2").rows == 2
    assert caplog.messages == [f"{path}: {EMPTY} (A1, B1), and the table begins in row 2; {SAVE}"]


def test_formulas_are_told_where_they_leave_no_column_of_text(path, caplog):
    workbook(path, ["no", '="text"'], [1, "Ali geldi."])
    with pytest.raises(TableError, match="cannot tell which column holds the text"):
        open_input(path)
    assert caplog.messages == [f"{path}: {EMPTY} (B1); {SAVE}"]


def test_a_workbook_of_nothing_but_formulas_is_not_called_empty(path):
    workbook(path, ['="text"'], ['="Ali"'])
    told = f"{path}: nothing but formulas that were never computed (A1, A2); {SAVE}"
    with pytest.raises(TableError, match=re.escape(told)):
        open_input(path)
    workbook(path)
    with pytest.raises(TableError, match="empty, not even a header line"):
        open_input(path)


def test_a_text_column_of_formulas_that_were_never_computed_is_refused(path, caplog):
    told = f"no text in the column 'text', only formulas that were never computed (A2, A3); {LOOK}"
    for row in (['=A1&" b"', 1], ['=A1&" b"', None]):
        workbook(path, ["text", "no"], row, row)
        with pytest.raises(TableError, match=re.escape(told)):
            open_input(path)
        assert not caplog.messages, "one thing wrong is told once, with one remedy"


@pytest.mark.parametrize("value", ["", "<v/>", "<v></v>"])
def test_an_error_without_a_value_is_an_empty_cell(path, caplog, value):
    workbook(path, ["text", "no"], ["Ali geldi.", 1], ["#REF!", 2])
    edited(path, ('<c r="A3" t="e">.*?</c>', f'<c r="A3" t="e">{value}</c>'))
    assert read_frame(path)["text"].fillna("").tolist() == ["Ali geldi.", ""]
    assert caplog.messages == [f"{path}: {EMPTY} (A3); {SAVE}"]


def test_zeros_of_formulas_in_the_column_of_text_are_told(path, caplog):
    workbook(path, ["text", "no"], ["=B1", "=1-1"], ["=B2", "=1-1"], ["Ali geldi.", 0])
    with_values(path, "n", A2="0", A3="0.0", B2="0", B3="0")
    held = "formulas with the value 0, which may never have been computed (A2, A3)"
    assert warnings_of(path, caplog) == [
        f"in the column of text, 'text', are {held}; they are read as they are; {LOOK}"
    ]
    assert read_frame(path)["no"].tolist() == [0, 0, 0], "a number may be 0"


def test_errors_in_the_column_of_text_are_told(path, caplog):
    workbook(path, ["text", "no"], ["=X()", 1], ["#REF!", 2], ["Ali geldi.", 3])
    with_values(path, "e", A2="#NAME?")
    held = "errors (#NAME? in A2, #REF! in A3)"
    assert warnings_of(path, caplog) == [
        f"in the column of text, 'text', are {held}; they are read as they are; {LOOK}"
    ]


@pytest.mark.parametrize(("kind", "value", "what"), [("n", "0", "value 0"), ("e", "#NAME?", "errors")])
def test_a_text_column_of_zeros_or_errors_is_refused(path, kind, value, what):
    workbook(path, ["text", "no"], ["=B1", 1], ["=B2", 2])
    with_values(path, kind, A2=value)
    with pytest.raises(TableError, match=rf"no text in the column 'text', only formulas .*\(A3\).* and .*{what}"):
        open_input(path)


def test_computed_formulas_are_text_like_any_other(path, caplog):
    workbook(path, ["no", "text"], [1, '="Ve"&"li"'], [2, '=""'], [3, None])
    with_values(path, B2="Veli", B3="")
    texts = read_frame(path)["text"]
    assert texts[texts.notna()].tolist() == ["Veli"]
    assert not caplog.messages, "what was computed to nothing is nothing, as it is in Excel"


@pytest.mark.parametrize("wrong", ["A1", "A1:B2", "B2:C9"])
def test_a_wrong_size_of_the_sheet_loses_nothing(path, caplog, wrong):
    workbook(path, ["no", "text"], [1, "Ali geldi."], [2, None], [], [3, '="Ve"&"li"'], [4, "Ayşe."])
    edited(path, ('<dimension ref="[^"]*"', f'<dimension ref="{wrong}"'))
    assert read_frame(path)["text"].fillna("").tolist() == ["Ali geldi.", "", "", "", "Ayşe."]
    assert caplog.messages == [f"{path}: {EMPTY} (B5); {SAVE}"]


def test_cells_without_their_place_are_counted(path, caplog):
    workbook(path, ["no", "text"], [1, "Ali geldi."], [2, '="Ve"&"li"'])
    edited(path, ('<row r="3">', "<row>"), ('<c r="A3"', "<c"), ('<c r="B3"', "<c"))
    assert warnings_of(path, caplog) == [f"{EMPTY} (B3); {SAVE}"]


def test_a_sheet_without_formulas_is_parsed_once(path, monkeypatch):
    workbook(path, ["no", "text"], [1, "Ali geldi."], [2, None])
    parsed = []
    monkeypatch.setattr(formulas.expat, "ParserCreate", lambda: parsed.append(1))
    assert open_input(path).rows == 2
    assert not parsed


@pytest.mark.parametrize("block", [1, 2, 7, 1000])
@pytest.mark.parametrize(
    ("sheet", "troubles"),
    [
        (b'<x:row r="2"><x:c r="C2"><x:f>1+1</x:f></x:c></x:row>', ["C2"]),
        (b'<row r="2"><c r="C2"><f t="shared" si="0"/><v/></c></row>', ["C2"]),
        (b'<row r="2"><c r="C2" t="b"><f>TRUE()</f><v>0</v></c></row>', []),
        (b'<row r="2"><c r="C2"><v>0</v></c></row><cf><formula>A1</formula></cf>', []),
    ],
)
def test_formulas_are_found_however_the_sheet_is_written_and_cut(monkeypatch, block, sheet, troubles):
    monkeypatch.setattr(formulas, "_BLOCK", block)
    whole = b'<s xmlns:x="x">' + sheet + b"</s>"
    assert [trouble.cell for trouble in formulas.find_troubles(lambda: io.BytesIO(whole))] == troubles


def test_a_workbook_of_a_header_alone_has_no_row(tmp_path, caplog):
    workbook(tmp_path / "a.xlsx", ["no", "text"])
    assert open_input(tmp_path / "a.xlsx").rows == 0
    assert not caplog.messages


@pytest.mark.parametrize("content", [b"PK\x03\x04 broken", b"\xd0\xcf\x11\xe0 old", b"text\na\n", b""])
def test_what_is_called_excel_and_is_not(tmp_path, content):
    pytest.importorskip("openpyxl")
    (tmp_path / "a.xlsx").write_bytes(content)
    with pytest.raises(TableError, match=r"a\.xlsx: not an (\.xlsx|Excel) workbook"):
        open_input(tmp_path / "a.xlsx")


def test_excel_without_its_library(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04 xl/")
    with pytest.raises(TableError, match=r"a\.xlsx: reading Excel files needs openpyxl .*vnlp-colab\[excel\]"):
        open_input(tmp_path / "a.xlsx")
