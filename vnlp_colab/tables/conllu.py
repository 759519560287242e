"""Rows of an analysed table as CoNLL-U text: a block a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vnlp_colab.batches.alignment import found_as_written
from vnlp_colab.batches.preparation import align_tokens, cell_text, spans_in_original, token_spans
from vnlp_colab.document.conllu import LAYERS, ConlluSentence
from vnlp_colab.text.quotes import correct_apostrophes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# Results that only help to write a block.
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
        The result columns there are: ``tokens``, and any of `LAYERS`, `HELPERS` and ``sentiment``, which is the row's:
        where a row holds several sentences, it is called ``row_sentiment``.
    own
        Other columns of the table; scalars are written as comments. ``document`` and ``s_no`` make ``newdoc`` lines.
    first_row
        How many rows of the table come before these.
    """
    documents = "document" in own and "s_no" in own
    comments = {name: values for name, values in own.items() if not (documents and name in ("document", "s_no"))}
    layers = [name for name in LAYERS if name in results]
    for row, tokens in enumerate(results["tokens"]):
        if not tokens:
            continue
        told = {name: values[row] for name, values in comments.items() if _is_told(values[row])}
        newdoc = str(own["document"][row]) if documents and own["s_no"][row] == 1 else None
        text = cell_text(texts[row])
        columns = {name: results[name][row] for name in layers}
        spans = _value(results, "offsets", row) or _spans(text, tokens, _value(results, "no_accents", row))
        ends = _value(results, "sentence_ends", row) or [len(tokens)]
        sentences = ConlluSentence.from_row(text, spans, columns, ends, tokens)
        sentiment = _value(results, "sentiment", row)
        if _is_told(sentiment):
            told["sentiment" if len(sentences) == 1 else "row_sentiment"] = sentiment
        for number, sentence in enumerate(sentences, 1):
            name = str(first_row + row + 1)
            sent_id = name if len(sentences) == 1 else f"{name}-{number}"
            yield sentence.to_conllu(sent_id, told, newdoc if number == 1 else None)


def _value(results: Mapping[str, Sequence[Any]], name: str, row: int) -> Any:
    return results[name][row] if name in results else None


def _spans(text: str, tokens: Sequence[str], cleaned: str | None) -> list[tuple[int, int]]:
    spans = found_as_written(text, tokens)
    if spans is not None:
        return spans
    if cleaned is not None:
        spans, read = token_spans(cleaned), correct_apostrophes(cleaned)
        if [read[start:end] for start, end in spans] == list(tokens):
            return spans_in_original(text, cleaned, spans)
    return align_tokens(text, tokens)  # the caller brought tokens of their own


def _is_told(value: Any) -> bool:
    return isinstance(value, str | int | float) and value == value
