"""The fenced blocks of a Markdown page, with what stands beside them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its content, and the text block right below it, if any: what it prints."""

    language: str
    content: str
    output: str | None


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = list(_FENCE.finditer(text))
    made = []
    for match, following in zip(found, [*found[1:], None], strict=False):
        below = following is not None and following[1] == "text" and not text[match.end() : following.start()].strip()
        made.append(Block(match[1], match[2], following[2] if below and following is not None else None))
    return made
