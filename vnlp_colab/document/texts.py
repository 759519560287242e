"""Free texts to documents: sentences found, tokens placed in the text, models asked for many sentences at once."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from vnlp_colab.batches.chunk import LEMMA_COLUMNS
from vnlp_colab.columns import COLUMNS, NO_NUMBER
from vnlp_colab.document.document import Document, Sentence
from vnlp_colab.document.words import splits_tokens, with_words
from vnlp_colab.text.forms import keep_circumflexes_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from vnlp_colab.batches.analyzer import Analyzer
    from vnlp_colab.batches.preparation import PreparedRow, PreparedSentence, Split


def documents(
    analyzer: Analyzer,
    texts: Iterable[Any],
    batch_size: int,
    as_tuples: bool,
    split: Split = "sentences",
    multiword: bool | None = None,
) -> Iterator[Any]:
    """Yield the document of each text, in order; about `batch_size` sentences go to the models together.

    With `multiword` the words of tokens that hold several are found and analysed too; ``None`` does so where the style
    of a loaded model is that of a treebank that splits tokens.
    """
    by_words = splits_tokens(analyzer) if multiword is None else multiword
    preparation = replace(analyzer.preparation, split=split)
    waiting: list[tuple[PreparedRow, Any]] = []
    count = 0
    for item in texts:
        if as_tuples and not (isinstance(item, tuple | list) and len(item) == 2):
            raise TypeError(f"with as_tuples=True every item is (text, context), not {item!r:.60}")
        text, context = item if as_tuples else (item, None)
        if not isinstance(text, str):
            raise TypeError(f"a text is a string, not {type(text).__name__} ({text!r:.60})")
        waiting.append((preparation.row(text), context))
        count += len(waiting[-1][0].parts)
        if count >= batch_size:
            yield from _finished(analyzer, waiting, as_tuples, by_words)
            waiting, count = [], 0
    yield from _finished(analyzer, waiting, as_tuples, by_words)


def _finished(
    analyzer: Analyzer, waiting: Sequence[tuple[PreparedRow, Any]], as_tuples: bool, by_words: bool
) -> Iterator[Any]:
    every = [part for row, _ in waiting for part in row.parts]
    parts = [part for part in every if part.tokens]
    also = ["ner_bio"] if "ner" in analyzer.columns else []
    also += ["sentiment_label"] if analyzer.fills("sentiment_label") else []
    found = analyzer.annotate([part.read for part in parts], [part.cleaned for part in parts], also=also)
    results = ({name: values[at] for name, values in found.items()} for at in range(len(parts)))
    made = iter([_sentence(part, next(results) if part.tokens else {}, analyzer.columns) for part in every])
    if by_words:
        made = iter(with_words(analyzer, list(made)))
    sentiments = iter(_whole_text_sentiments(analyzer, waiting))
    for row, context in waiting:
        sentences = list(islice(made, len(row.parts)))
        own = next(((item.score, item.label) for item in sentences), (NO_NUMBER, None))
        score, label = next(sentiments) if _is_of_several(row) else own
        document = Document(row.text, sentences, score, tuple(analyzer.columns), label)
        yield (document, context) if as_tuples else document


def _is_of_several(row: PreparedRow) -> bool:
    return len(row.parts) > 1 and bool(row.tokens)


def _whole_text_sentiments(
    analyzer: Analyzer, waiting: Sequence[tuple[PreparedRow, Any]]
) -> list[tuple[float, str | None]]:
    """Return score and label of each text of several sentences, read as one; those of a single sentence are known."""
    several = [row for row, _ in waiting if _is_of_several(row)]
    tokens = [[word for part in row.parts for word in part.read] for row in several]
    found = analyzer.whole_texts(tokens, [row.no_accents for row in several]) if several else {}
    scores = found.get("sentiment", [NO_NUMBER] * len(several))
    return list(zip(scores, found.get("sentiment_label", [None] * len(several)), strict=True))


def _moved(spans: Sequence[tuple[int, int]], start: int) -> list[tuple[int, int]]:
    return [(one - start, other - start) for one, other in spans]


def _sentence(part: PreparedSentence, result: Mapping[str, Any], columns: Sequence[str]) -> Sentence:
    values = {name: result[name] for name in columns if name in result and COLUMNS[name].per == "token"}
    starts = [label.startswith("B-") for label in result["ner_bio"]] if "ner_bio" in result else None
    score, label = result.get("sentiment", NO_NUMBER), result.get("sentiment_label")
    spans = part.spans()
    for name in LEMMA_COLUMNS:
        if name in values:
            values[name] = keep_circumflexes_in(values[name], part.original, partial(_moved, spans, part.start))
    said = values, tuple(columns), score, starts
    return Sentence(part.original, part.start, part.cleaned, spans, part.read, *said, label=label)
