"""Parts of an unfinished result and the journal of those that are done, in a folder beside the output."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass
from typing import IO, TYPE_CHECKING, Any

from vnlp_colab.tables.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True)
class Part:
    """A finished part: its number, what is in it (``empty`` counts the rows without a token), how long it took."""

    number: int
    rows: int
    tokens: int
    empty: int
    size: int
    seconds: float


class Journal:
    """The folder ``OUTPUT.parts`` with one file a part and ``journal.jsonl``, one line a finished part.

    A part is written under a temporary name, flushed to disk and renamed, and only then entered in the journal; so
    whatever the moment of a crash, a part in the journal is whole.
    """

    def __init__(self, output: Path, identity: dict[str, Any]) -> None:
        self.folder = output.with_name(output.name + ".parts")
        self.parts: list[Part] = []
        self._identity = identity
        self._file = self.folder / "journal.jsonl"

    @property
    def unfinished(self) -> bool:
        """Whether an earlier run left parts behind."""
        return self._file.exists()

    def told(self, key: str) -> Any:
        """Return what the unfinished run says of itself under `key`, or ``None``."""
        lines = self._lines()
        return lines[0].get(key) if lines else None

    def start(self) -> None:
        """Begin anew; parts of an earlier run are removed."""
        self.discard()
        self.folder.mkdir(parents=True)
        self.parts = []
        self._append(self._identity)

    def resume(self) -> None:
        """Take over the finished parts of an earlier run of the same job; begin anew if there was none."""
        lines = self._lines()
        if not lines:
            self.start()
            return
        for key, value in self._identity.items():
            if lines[0].get(key) != value:
                raise TableError(
                    f"{self.folder}: the unfinished run is another job ({key}: {_short(lines[0].get(key))} then, "
                    f"{_short(value)} now); run without --resume to start again"
                )
        self.parts = []
        for line in lines[1:]:
            part = Part(**line)
            path = self.path(part.number)
            if part.number != len(self.parts) or not path.exists() or path.stat().st_size != part.size:
                break
            self.parts.append(part)
        # Rewrite it: the last line may be torn, and a line after a missing part must not count later.
        _write_atomically(self._file, lambda stream: stream.write(self._text().encode()))

    def write(self, rows: int, tokens: int, empty: int, seconds: float, write: Callable[[IO[bytes]], object]) -> None:
        """Write the next part and enter it in the journal."""
        number = len(self.parts)
        size = _write_atomically(self.path(number), write)
        part = Part(number, rows, tokens, empty, size, round(seconds, 3))
        self._append(asdict(part))
        self.parts.append(part)

    def path(self, number: int) -> Path:
        """Return where a part lies."""
        return self.folder / f"part-{number:06d}"

    def finish(self, output: Path, join: Callable[[list[Path], IO[bytes]], object]) -> None:
        """Join the parts into `output`, which appears whole or not at all, and remove them."""
        paths = [self.path(part.number) for part in self.parts]
        _write_atomically(output, lambda stream: join(paths, stream), self.folder)
        self.discard()

    def discard(self) -> None:
        """Remove the folder."""
        if self.folder.exists():
            shutil.rmtree(self.folder)

    def _lines(self) -> list[dict[str, Any]]:
        if not self._file.exists():
            return []
        lines = []
        for line in self._file.read_text(encoding="utf-8").splitlines():
            try:
                lines.append(json.loads(line))
            except ValueError:  # torn by the crash: what it told of is done again
                break
        return lines

    def _text(self) -> str:
        lines = [self._identity, *map(asdict, self.parts)]
        return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)

    def _append(self, line: dict[str, Any]) -> None:
        with self._file.open("a", encoding="utf-8") as handle:
            handle.write(json.dumps(line, ensure_ascii=False) + "\n")
            handle.flush()
            os.fsync(handle.fileno())


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def _write_atomically(path: Path, write: Callable[[IO[bytes]], object], folder: Path | None = None) -> int:
    temporary = (folder or path.parent) / f".{path.name}.{os.getpid()}.tmp"
    try:
        with temporary.open("wb") as stream:
            write(stream)
            stream.flush()
            os.fsync(stream.fileno())
        size = temporary.stat().st_size
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return size
