"""The UD treebanks as raw text with its surface tokens, for measures of tokens and sentences."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

UD_FOLDER = Path(__file__).parents[2] / "shared" / "data" / "ud"
PARTS = ("train", "dev", "test")


@dataclass(frozen=True)
class TreebankSentence:
    """A sentence: its raw text, the places of its surface tokens in it, and the words of each token."""

    text: str
    spans: list[tuple[int, int]]
    words: list[list[str]]


def treebank_files(folder: Path | None, part: str) -> dict[str, Path]:
    """Return the files of one part by the treebanks' names."""
    found = sorted((folder or UD_FOLDER).glob(f"**/*-ud-{part}.conllu"))
    if not found:
        raise SystemExit(f"{folder or UD_FOLDER}: no *-ud-{part}.conllu in it")
    return {path.parent.name.rpartition("-")[2]: path for path in found}


def read_treebank(path: Path) -> list[TreebankSentence]:
    """Return the sentences of a CoNLL-U file; a range line is one token, its lines are the words."""
    blocks = path.read_text(encoding="utf-8").strip().split("\n\n")
    return [_sentence(block.split("\n")) for block in blocks]


def _sentence(lines: list[str]) -> TreebankSentence:
    text = next(line.removeprefix("# text = ") for line in lines if line.startswith("# text = "))
    tokens: list[tuple[str, list[str]]] = []
    last = 0
    for number, form in _rows(lines):
        if "-" in number:
            tokens.append((form, []))
            last = int(number.partition("-")[2])
        elif int(number) <= last:
            tokens[-1][1].append(form)
        else:
            tokens.append((form, [form]))
    spans, end = [], 0
    for form, _ in tokens:
        start = text.index(form, end)
        end = start + len(form)
        spans.append((start, end))
    return TreebankSentence(text, spans, [words for _, words in tokens])


def _rows(lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        if line and not line.startswith("#"):
            number, form, *_ = line.split("\t")
            if "." not in number:
                yield number, form
