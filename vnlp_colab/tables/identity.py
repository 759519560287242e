"""What tells a job from another one, and how a difference is told to who wants to go on with it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

# How the parts of an identity are called where people read them; the others are called as they are written.
_NAMES = {
    "batch_size": "--batch-size",
    "bom": "--bom",
    "columns": "columns",
    "escape_formulas": "--escape-formulas",
    "format": "output format",
    "journal": "kind of journal",
    "models": "model of",
    "models_to_load": "models",
    "multiword": "--multiword",
    "normalize": "--normalize",
    "preparation": "",
    "reading": "how the input is read",
    "settings": "",
    "split": "--split",
    "text_column": "text column",
    "version": "version of vnlp-colab",
}
_READ = ("reading", "text_column")  # the digest of an input is of these, too
# What a model's files hold, and what an object that a user gave it says; style and options come after the former.
_DIGEST = re.compile(r":(?:[0-9a-f]{16}|[0-9a-f]{8})(?=[:+]|$)")
# Characters of a value that are shown; longer ones are cut.
_SHOWN = 57


def difference(then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return in words what differs between the identities of two jobs; nothing if it is the same job.

    Examples
    --------
    >>> difference({"batch_size": 4, "bom": False}, {"batch_size": 8, "bom": False})
    '--batch-size: 4 then, 8 now'
    >>> then, now = ({name: f"JointAnalyzer:{0:016}:{style}" for name in ("pos", "dep")} for style in ("boun", "penn"))
    >>> difference({"models": then}, {"models": now})
    'model of pos, dep: "JointAnalyzer:boun" then, "JointAnalyzer:penn" now'
    """
    kind = "journal"  # another one tells other things: there is nothing to compare
    if then.get(kind) != now.get(kind):
        then, now = ({kind: each.get(kind)} for each in (then, now))
    return "; ".join(_told(then, now))


def _told(then: Mapping[str, Any], now: Mapping[str, Any], group: str = "") -> list[str]:
    """Return what is to be said of each part that differs; parts that differ in the same way are told once."""
    found: list[str] = []
    alike: dict[str, list[str]] = {}
    for key in dict.fromkeys([*now, *then]):
        one, other, name = then.get(key), now.get(key), _NAMES.get(key, key)
        if one == other:
            continue
        if key == "input":  # of a digest there is nothing to show
            if all(then.get(how) == now.get(how) for how in _READ):
                found.append("the input has changed since")
        elif isinstance(one, Mapping) and isinstance(other, Mapping):
            found += _told(one, other, name)
        else:
            alike.setdefault(_pair(one, other), []).append(name)
    return found + [f"{group} {', '.join(names)}: {pair}".strip() for pair, names in alike.items()]


def _pair(then: Any, now: Any) -> str:
    """Return two values; a model of which only the weights are others is not written out twice."""
    then, now = (_DIGEST.sub("", value) if isinstance(value, str) else value for value in (then, now))
    if then == now:
        return f"{then} with other weights"
    one, other = _apart(_written(then), _written(now))
    return f"{one} then, {other} now"


def _written(value: Any) -> str:
    return "none" if value is None or value == [] else json.dumps(value, ensure_ascii=False)


def _apart(*texts: str) -> list[str]:
    """Return two texts as they are shown, long ones from shortly before the place where they differ."""
    same = next((i for i, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), min(map(len, texts)))
    begin = max(0, same - 20) if max(map(len, texts)) > _SHOWN else 0
    ends = [text[begin:] for text in texts]
    return [("..." if begin else "") + (t if len(t) <= _SHOWN else t[:_SHOWN] + "...") for t in ends]
