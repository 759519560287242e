"""The hand-written sentences of ``tests/data/sentences_as_written.txt``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).parent / "data" / "sentences_as_written.txt"


@dataclass(frozen=True)
class WrittenText:
    """A text with what is expected of it: tokens by sentence, lemmas by token, entities as (tokens, type)."""

    kind: str
    text: str
    sentences: tuple[tuple[str, ...], ...]
    lemmas: dict[str, str]
    entities: tuple[tuple[tuple[str, ...], str], ...]


def read_written_texts() -> list[WrittenText]:
    texts = []
    kind = ""
    for line in FILE.read_text("utf-8").splitlines():
        if line.startswith("% ") and "|" not in line and "==>" not in line:
            kind = line[2:]
        elif line and not (line.startswith("# ") and not texts):
            texts.append(_parsed(kind, line))
    return texts


def _parsed(kind: str, line: str) -> WrittenText:
    marked, _, wanted = line.partition(" ==> ")
    marked = marked.replace("\\n", "\n")
    parts = [tuple(part.replace("|", " ").split()) for part in marked.split("¶")]
    text = marked.replace(" ¶ ", " ").replace("¶", "").replace("|", "")
    items = wanted.split()
    lemmas = dict(item.split("=") for item in items if "=" in item)
    entities = [item.rpartition("@") for item in items if "=" not in item]
    return WrittenText(
        kind,
        text,
        tuple(filter(None, parts)),
        lemmas,
        tuple((tuple(name.split("_")), type_) for name, _, type_ in entities),
    )
