"""Documents to plain values and back: what JSON holds, checked when it is read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from vnlp_colab.batches.preparation import replace_surrogates
from vnlp_colab.columns import COLUMNS, NO_NUMBER
from vnlp_colab.document.errors import DocumentDataError

# Columns that are made of others.
_DERIVED = ("tokens", "offsets")


def plain(value: Any) -> Any:
    """Return a value as JSON has it: NumPy's numbers as Python's, what is no number as ``None``."""
    item = getattr(value, "item", None)
    if item is not None:
        value = item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def without_surrogates(value: Any) -> Any:
    """Return plain values with lone surrogates replaced in all their texts."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, Mapping):
        return {key: without_surrogates(item) for key, item in value.items()}
    return [without_surrogates(item) for item in value] if isinstance(value, list | tuple) else value


def from_plain(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a document, and for its sentences theirs; `DocumentDataError` if that cannot be."""
    try:
        text, columns = data["text"], tuple(data["columns"])
        unknown = [name for name in columns if name not in COLUMNS]
        if unknown:
            raise DocumentDataError(f"no document: unknown column {unknown[0]!r}; choose from {', '.join(COLUMNS)}")
        if not isinstance(text, str):
            raise DocumentDataError(f"no document: 'text' is a string, not {type(text).__name__}")
        sentences = [_sentence(text, columns, sentence) for sentence in data["sentences"]]
        return {"text": text, "sentences": sentences, "columns": columns, **_sentiment(data)}
    except KeyError as error:
        raise DocumentDataError(f"no document: {error.args[0]!r} is missing; Document.to_dict() gives all") from error
    except (TypeError, AttributeError, ValueError, IndexError) as error:
        raise DocumentDataError(f"no document: {error}") from error


def _sentence(text: str, columns: tuple[str, ...], data: Mapping[str, Any]) -> dict[str, Any]:
    tokens = data["tokens"]
    start, end = data["start"], data["end"]
    spans = [(token["start"], token["end"]) for token in tokens]
    _check_spans(text, start, end, list(dict.fromkeys(spans)))
    values: dict[str, list[Any]] = {}
    if tokens:
        for name in columns:
            if name == "dep":
                values["dep"] = [(token["head"], token["relation"]) for token in tokens]
            elif COLUMNS[name].per == "token" and name not in _DERIVED:
                values[name] = [token[name] for token in tokens]
    heads = [head for head, _ in values.get("dep", ())]
    if not all(isinstance(head, int) and 0 <= head <= len(tokens) for head in heads):
        raise DocumentDataError(f"no document: a head of {text[start:end]!r:.60} is none of its {len(tokens)} tokens")
    begins = {entity["start"] for entity in data["entities"]} if "entities" in data else None
    return {
        "text": text[start:end],
        "start": start,
        "no_accents": data["no_accents"],
        "spans": spans,
        "norms": [token["norm"] for token in tokens],
        "layers": values,
        "columns": columns,
        **_sentiment(data),
        "entity_starts": None if begins is None else _starts(begins, spans),
        "words": _sentence(text, columns, {**data, "tokens": data["words"], "words": None})
        if data.get("words")
        else None,
    }


def _starts(begins: set[Any], spans: Sequence[tuple[Any, Any]]) -> list[bool]:
    """Return whether an entity begins at each place; of several words of one token at the first."""
    return [span[0] in begins and span != before for before, span in zip([None, *spans], spans, strict=False)]


def _check_spans(text: str, start: Any, end: Any, spans: Sequence[tuple[Any, Any]]) -> None:
    """Refuse places outside of the text: every other method trusts them."""
    places = [start, *(place for span in spans for place in span), end]
    whole = all(isinstance(place, int) and not isinstance(place, bool) for place in places)
    if not whole or places != sorted(places) or start < 0 or end > len(text):
        raise DocumentDataError(f"no document: the places {places[:6]} do not follow each other in {text!r:.60}")


def _sentiment(data: Mapping[str, Any]) -> dict[str, Any]:
    label = data.get("sentiment_label")  # what was written before labels were kept has none
    if not (label is None or isinstance(label, str)):
        raise DocumentDataError(f"no document: 'sentiment_label' is a string or null, not {type(label).__name__}")
    return {"score": _number(data.get("sentiment")), "label": label}


def _number(value: Any) -> float:
    return NO_NUMBER if value is None else float(value)
