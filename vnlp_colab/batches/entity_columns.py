"""The columns ``ner`` and ``entities`` of many sentences, so that they say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vnlp_colab.batches.alignment import Span, align_tokens
from vnlp_colab.text.entities import OUTSIDE, find_entities, settled_labels

if TYPE_CHECKING:
    from collections.abc import Sequence


def settled_column(
    texts: Sequence[str],
    tokens: Sequence[Sequence[str]],
    labels: Sequence[Sequence[str]],
    starts: Sequence[Sequence[bool]] | None = None,
) -> list[list[str]]:
    """Return the ``ner`` column: the labels of a network, ``O`` where its tokens are no entity (`settled_labels`).

    Examples
    --------
    >>> settled_column(["Ali @ali"], [["Ali", "@ali"]], [["PER", "PER"]])
    [['PER', 'O']]
    """
    settled = []
    for at, (text, words, row) in enumerate(zip(texts, tokens, labels, strict=True)):
        if all(label == OUTSIDE for label in row):
            settled.append(list(row))
        else:
            begins = None if starts is None else starts[at]
            settled.append(settled_labels(text, align_tokens(text, words), row, begins))
    return settled


def entities_of_row(
    text: str, spans: Sequence[Span], labels: Sequence[str], starts: Sequence[bool] | None = None
) -> list[dict[str, Any]]:
    """Return a row of the ``entities`` column, with places in the text as given.

    Examples
    --------
    >>> entities_of_row("Türkiye'nin", [(0, 11)], ["LOC"])
    [{'text': "Türkiye'nin", 'name': 'Türkiye', 'type': 'LOC', 'start': 0, 'end': 11}]
    """
    return [entity.to_dict() for entity in find_entities(text, spans, labels, starts)]
