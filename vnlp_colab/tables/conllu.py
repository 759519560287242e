"""Rows of an analysed table as CoNLL-U text: a block a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vnlp_colab.batches.preparation import cell_text, clean_sentence, spans_in_original, token_spans
from vnlp_colab.document.conllu import ConlluSentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# Results that stand in the table of a block, and those that only help to write it.
LAYERS = ("lemma", "morph", "pos", "feats", "ner", "dep")
HELPERS = ("no_accents", "tokens", "offsets", "sentence_ends")


def conllu_blocks(
    texts: Sequence[Any], results: Mapping[str, Sequence[Any]], own: Mapping[str, Sequence[Any]], first_row: int = 0
) -> Iterator[str]:
    """Yield the rows as CoNLL-U.

    ``sent_id`` is the row's number in the whole table, from 1 on; where a row holds several sentences, ``-1``, ``-2``
    ... follow. The format has no sentence without words, so a row without tokens has no block.

    Parameters
    ----------
    texts
        The text of each row.
    results
        The result columns there are: ``tokens``, and any of `LAYERS`, `HELPERS` and ``sentiment``.
    own
        Other columns of the table; scalars are written as comments. ``document`` and ``s_no`` make ``newdoc`` lines.
    first_row
        How many rows of the table come before these.
    """
    documents = "document" in own and "s_no" in own
    comments = {name: values for name, values in own.items() if not (documents and name in ("document", "s_no"))}
    if "sentiment" in results:
        comments["sentiment"] = results["sentiment"]
    layers = [name for name in LAYERS if name in results]
    for row, tokens in enumerate(results["tokens"]):
        if not tokens:
            continue
        told = {name: values[row] for name, values in comments.items() if _is_told(values[row])}
        newdoc = str(own["document"][row]) if documents and own["s_no"][row] == 1 else None
        text = cell_text(texts[row])
        columns = {name: results[name][row] for name in layers}
        spans = _spans(text, tokens, _value(results, "no_accents", row), _value(results, "offsets", row))
        ends = _value(results, "sentence_ends", row) or [len(tokens)]
        start = 0
        for number, end in enumerate(ends, 1):
            part = {name: _part(name, values, start, end) for name, values in columns.items()}
            if spans is None:  # the caller brought tokens of their own: written with spaces between them
                sentence = ConlluSentence(tokens[start:end], [True] * (end - start), part)
            else:
                sentence = _cut(text, spans, start, end, part)
            name = str(first_row + row + 1)
            yield sentence.to_conllu(name if len(ends) == 1 else f"{name}-{number}", told, newdoc)
            start, newdoc = end, None


def _value(results: Mapping[str, Sequence[Any]], name: str, row: int) -> Any:
    return results[name][row] if name in results else None


def _spans(
    text: str, tokens: Sequence[str], cleaned: str | None, offsets: Sequence[tuple[int, int]] | None
) -> Sequence[tuple[int, int]] | None:
    if offsets is not None and len(offsets) == len(tokens):
        return offsets
    cleaned = clean_sentence(text) if cleaned is None else cleaned
    spans = token_spans(cleaned)
    return spans_in_original(text, cleaned, spans) if len(spans) == len(tokens) else None


def _cut(
    text: str, spans: Sequence[tuple[int, int]], start: int, end: int, columns: Mapping[str, Sequence[Any]]
) -> ConlluSentence:
    """Return one sentence of a row; where another follows, the text of this one ends with its last token."""
    if start == 0 and end == len(spans):
        return ConlluSentence.from_spans(text, spans, columns)
    origin, stop = spans[start][0], spans[end - 1][1]
    moved = [(one - origin, other - origin) for one, other in spans[start:end]]
    return ConlluSentence.from_spans(text[origin:stop], moved, columns)


def _part(name: str, values: Sequence[Any], start: int, end: int) -> Sequence[Any]:
    """Return one sentence's share of a row's values; heads count from the sentence's own start."""
    part = values[start:end]
    if name != "dep" or not start:
        return part
    return [(head - start if head else 0, relation) for head, relation in part]


def _is_told(value: Any) -> bool:
    return isinstance(value, str | int | float) and value == value
