"""A chunk of an analysed table as CoNLL-U text: a row is a sentence, or several where rows were split."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vnlp_colab.batches.preparation import align_tokens, spans_in_original, token_spans, tokenize
from vnlp_colab.document.conllu import LAYERS, ConlluSentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

_PLACES = ("offsets", "sentence_ends")


def conllu_text(
    frame: pd.DataFrame, text_column: str, extra: Sequence[str], first_row: int, results: Sequence[str]
) -> str:
    """Return the rows as CoNLL-U; ``sent_id`` is the row's number in the whole table, from 1 on.

    `results` names the columns of `frame` that are results; what the user's table has under the name of a result that
    was not asked for (their own ``ner``) is a comment at most. The format has no sentence without words, so a row
    without tokens has no block; its number is left out.
    """
    layers = [name for name in LAYERS if name in results]
    documents = "document" in extra and "s_no" in extra
    comments = [name for name in extra if not (documents and name in ("document", "s_no"))]
    if "sentiment" in results:
        comments.append("sentiment")
    places = [name for name in _PLACES if name in results]
    needed = [text_column, "no_accents", "tokens", *places, *layers, *comments]
    names = list(dict.fromkeys([*needed, *(("document", "s_no") if documents else ())]))
    blocks = []
    for number, row in enumerate(zip(*(frame[name].tolist() for name in names), strict=True), first_row + 1):
        values = dict(zip(names, row, strict=True))
        if not values["tokens"]:
            continue
        newdoc = str(values["document"]) if documents and values["s_no"] == 1 else None
        told = {name: values[name] for name in comments if _is_scalar(values[name])}
        sentences = _sentences(values, text_column, layers)
        for at, sentence in enumerate(sentences, 1):
            sent_id = str(number) if len(sentences) == 1 else f"{number}-{at}"
            blocks.append(sentence.to_conllu(sent_id, told, newdoc if at == 1 else None))
    return "".join(blocks)


def _sentences(values: dict[str, Any], text_column: str, layers: Sequence[str]) -> list[ConlluSentence]:
    text, tokens = str(values[text_column]), values["tokens"]
    spans = values.get("offsets")
    if spans is None:
        spans = _spans(text, values["no_accents"], tokens)
    columns = {name: values[name] for name in layers}
    return ConlluSentence.from_row(text, spans, columns, values.get("sentence_ends") or [len(tokens)], tokens)


def _spans(text: str, cleaned: str, tokens: Sequence[str]) -> list[tuple[int, int]]:
    if tokenize(cleaned) == list(tokens):
        return spans_in_original(text, cleaned, token_spans(cleaned))
    return align_tokens(text, tokens)  # the caller brought tokens of their own


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float | bool) and value == value
