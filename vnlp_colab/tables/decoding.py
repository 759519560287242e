"""Bytes to numbered lines of text."""

from __future__ import annotations

import codecs
import io
from typing import TYPE_CHECKING, BinaryIO

from vnlp_colab.tables.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vnlp_colab.tables.files import InputFile

Line = tuple[int, str]

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NO_FILE_ENCODING = frozenset({"undefined", "punycode", "idna", "unicode_escape", "raw_unicode_escape", "mbcs", "oem"})


def find_encoding(file: InputFile, start: bytes, asked: str | None) -> str:
    """Return the encoding to read with: the one asked for, else what the byte order mark says, else UTF-8."""
    encoding = _checked(file, asked or "utf-8")
    for mark, marked in _BOMS:
        if start.startswith(mark):
            if asked is None or encoding == "utf-8":
                return marked
            if not encoding.startswith("utf"):
                family = marked.removesuffix("-sig").upper()
                said = f"it begins with the mark of {family} and is not {asked}; leave --encoding out"
                raise TableError(f"{file.path}: {said}")
    return encoding


def _checked(file: InputFile, asked: str) -> str:
    known = "utf-8, utf-16, cp1254 and iso-8859-9 are common"
    try:
        info = codecs.lookup(asked)
    except (LookupError, ValueError, TypeError):
        raise TableError(f"{file.path}: unknown encoding {asked!r}; {known}") from None
    if not getattr(info, "_is_text_encoding", True) or info.name.replace("-", "_") in _NO_FILE_ENCODING:
        raise TableError(f"{file.path}: {asked!r} is no encoding of files; {known}")
    return info.name


def line_end(start: bytes, encoding: str) -> str:
    r"""Return what ends the lines of a file that begins so: ``"\r"`` if it has no line feed, else ``"\n"``."""
    text = codecs.getincrementaldecoder(encoding)("replace").decode(start)
    return "\r" if "\r" in text.rstrip("\r") and "\n" not in text else "\n"


def lines(file: InputFile, encoding: str, end: str = "\n", *, hashed: bool = False) -> Iterator[Line]:
    """Yield ``(number, line)``, each line with its end.

    Lines end at a line feed and nowhere else (in old files at a carriage return and nowhere else), so a stray form
    feed or U+2028 in a sentence never makes two rows.
    """
    with file.read(hashed=hashed) as stream:
        whole = end == "\n" and "\n".encode(encoding)[-1:] == b"\n" and not encoding.startswith(("utf-16", "utf-32"))
        yield from (_byte_lines if whole else _text_lines)(file, stream, encoding, end)


def text_of(file: InputFile, stream: BinaryIO, encoding: str) -> Iterator[str]:
    """Yield the text in blocks."""
    reader = io.TextIOWrapper(stream, encoding, newline="")
    try:
        while block := reader.read(1 << 20):
            yield block
    except UnicodeError as error:
        raise TableError(not_decodable(file, None, error)) from None
    finally:
        reader.detach()


def _byte_lines(file: InputFile, stream: BinaryIO, encoding: str, _end: str) -> Iterator[Line]:
    codec = "utf-8" if encoding == "utf-8-sig" else encoding
    for number, raw in enumerate(stream, 1):
        try:
            yield number, raw.decode(encoding if number == 1 else codec)
        except UnicodeError as error:
            raise TableError(not_decodable(file, number, error)) from None


def _text_lines(file: InputFile, stream: BinaryIO, encoding: str, end: str) -> Iterator[Line]:
    reader = io.TextIOWrapper(stream, encoding, newline=end)
    number = 0
    try:
        for number, line in enumerate(reader, 1):
            yield number, line.removeprefix("\ufeff") if number == 1 else line
    except UnicodeError as error:
        raise TableError(not_decodable(file, number + 1, error)) from None
    finally:
        reader.detach()


def not_decodable(file: InputFile, number: int | None, error: UnicodeError) -> str:
    """Return what to say about bytes that are not of the encoding."""
    with file.read() as stream:
        start = stream.read(4096)
    if start.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        return f"{file.path}: an Excel file or an archive, not a text table; save the table as CSV (UTF-8) or .xlsx"
    if b"\0" in start and not start.startswith(tuple(mark for mark, _ in _BOMS)) and _utf8(error):
        return f"{file.path}: a binary file, not a text table (CSV, TSV, JSON lines, plain text, parquet, .xlsx)"
    place = f"{file.path}" if number is None else f"{file.path}, line {number}"
    if not isinstance(error, UnicodeDecodeError):
        return f"{place}: {error}"
    message = f"{place}: byte {error.start + 1} (0x{error.object[error.start]:02x}) is not {error.encoding}"
    if number is None:
        message = f"{place}: not {error.encoding} ({error.reason})"
    if _utf8(error):
        message += "; if the file comes from an older Windows program, add --encoding cp1254 (encoding=)"
    return message


def _utf8(error: UnicodeError) -> bool:
    return isinstance(error, UnicodeDecodeError) and error.encoding == "utf-8"
