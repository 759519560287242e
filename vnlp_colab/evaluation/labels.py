"""Labels among the right answers that a model does not know: it cannot give them, and nobody would see."""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

logger = logging.getLogger(__name__)

# What the joint network, which has labels of several tasks, calls those of a task.
_VOCABULARIES = {"pos": "upos", "dep": "relations"}
_SHOWN = 10


def known_labels(annotator: object, task: str) -> frozenset[str]:
    """Return the labels that a model may give for ``"pos"`` or ``"dep"``; none if it does not say."""
    vocabulary = getattr(annotator, "vocabulary", None)
    return frozenset(getattr(annotator, "labels", ()) or getattr(vocabulary, _VOCABULARIES[task], ()))


def tell_unknown(model: str, known: Collection[str], wanted: Iterable[str]) -> None:
    """Warn of labels of words that are none of those a model knows, the most frequent first."""
    counts = Counter(wanted)
    unknown = [(label, count) for label, count in counts.most_common() if label not in known]
    if not known or not unknown:
        return
    shown = ", ".join(f"{label!r} ({count:,})" for label, count in unknown[:_SHOWN])
    more = f" and {len(unknown) - _SHOWN} more" if len(unknown) > _SHOWN else ""
    logger.warning(
        "%s does not know these labels, and words that should have one cannot get the right label: %s%s",
        *(model, shown, more),
    )
