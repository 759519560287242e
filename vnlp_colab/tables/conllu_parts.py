"""A chunk of an analysed table as CoNLL-U text: a row is a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vnlp_colab.batches.preparation import spans_in_original, token_spans
from vnlp_colab.document.conllu import ConlluSentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

_LAYERS = ("lemma", "morph", "pos", "ner", "dep")


def conllu_text(frame: pd.DataFrame, text_column: str, extra: Sequence[str], first_row: int) -> str:
    """Return the rows as CoNLL-U; ``sent_id`` is the row's number in the whole table, from 1 on.

    The format has no sentence without words, so a row without tokens has no block; its number is left out.
    """
    layers = [name for name in _LAYERS if name in frame.columns]
    documents = "document" in extra and "s_no" in extra
    comments = [name for name in extra if not (documents and name in ("document", "s_no"))]
    if "sentiment" in frame.columns:
        comments.append("sentiment")
    names = [text_column, "no_accents", "tokens", *layers, *comments, *(("document", "s_no") if documents else ())]
    blocks = []
    for number, row in enumerate(zip(*(frame[name].tolist() for name in names), strict=True), first_row + 1):
        values = dict(zip(names, row, strict=True))
        if not values["tokens"]:
            continue
        sentence = _sentence(
            values[text_column], values["no_accents"], values["tokens"], {name: values[name] for name in layers}
        )
        newdoc = str(values["document"]) if documents and values["s_no"] == 1 else None
        told = {name: values[name] for name in comments if _is_scalar(values[name])}
        blocks.append(sentence.to_conllu(str(number), told, newdoc))
    return "".join(blocks)


def _sentence(text: str, cleaned: str, tokens: Sequence[str], columns: dict[str, Sequence[Any]]) -> ConlluSentence:
    spans = token_spans(cleaned)
    if len(spans) != len(tokens):  # the caller brought tokens of their own: written with spaces between them
        return ConlluSentence(tokens, [True] * len(tokens), columns)
    return ConlluSentence.from_spans(text, spans_in_original(text, cleaned, spans), columns)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float | bool) and value == value
