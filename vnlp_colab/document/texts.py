"""Free texts to documents: sentences found, tokens placed in the text, models asked for many sentences at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from vnlp_colab.batches.preparation import Span, clean_sentence, spans_in_original, token_spans, tokenize
from vnlp_colab.document.document import Document, Sentence, Token
from vnlp_colab.text import SentenceSplitter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from vnlp_colab.batches.analysis import Analyzer

_TOKEN_COLUMNS = ("morph", "lemma", "pos", "ner", "pos_confidence", "ner_confidence")


@dataclass(frozen=True)
class _Draft:
    """A sentence before the models have seen it."""

    text: str
    start: int
    no_accents: str
    tokens: list[str]
    spans: list[Span]


@lru_cache(maxsize=1)
def _splitter() -> SentenceSplitter:
    return SentenceSplitter()


def documents(
    analyzer: Analyzer, columns: Sequence[str], texts: Iterable[Any], batch_size: int, as_tuples: bool
) -> Iterator[Any]:
    """Yield the document of each text, in order."""
    waiting: list[tuple[str, list[_Draft], Any]] = []
    count = 0
    for item in texts:
        text, context = item if as_tuples else (item, None)
        if not isinstance(text, str):
            raise TypeError(f"a text is a string, not {type(text).__name__} ({text!r:.60})")
        drafts = _drafts(text)
        waiting.append((text, drafts, context))
        count += len(drafts)
        if count >= batch_size:
            yield from _finished(analyzer, columns, waiting, batch_size, as_tuples)
            waiting, count = [], 0
    yield from _finished(analyzer, columns, waiting, batch_size, as_tuples)


def _drafts(text: str) -> list[_Draft]:
    drafts = []
    for sentence, start, _ in _splitter().split_sentences(text, offsets=True):
        cleaned = clean_sentence(sentence)
        spans = spans_in_original(sentence, cleaned, token_spans(cleaned))
        drafts.append(_Draft(sentence, start, cleaned, tokenize(cleaned), spans))
    return drafts


def _finished(
    analyzer: Analyzer,
    columns: Sequence[str],
    waiting: list[tuple[str, list[_Draft], Any]],
    batch_size: int,
    as_tuples: bool,
) -> Iterator[Any]:
    drafts = [draft for _, some, _ in waiting for draft in some if draft.tokens]
    found = analyzer.analyze_many(
        [draft.tokens for draft in drafts], [draft.no_accents for draft in drafts], batch_size
    )
    scores = iter(_whole_text_scores(analyzer, waiting))
    at = 0
    for text, some, context in waiting:
        sentences = []
        for draft in some:
            row = {name: values[at] for name, values in found.items()} if draft.tokens else {}
            at += bool(draft.tokens)
            sentences.append(_sentence(draft, row, tuple(columns)))
        if len(some) == 1:
            score = sentences[0].sentiment
        else:
            score = next(scores) if _has_tokens(some) and "sentiment" in analyzer.models else float("nan")
        document = Document(text, sentences, score, tuple(columns))
        yield (document, context) if as_tuples else document


def _has_tokens(drafts: list[_Draft]) -> bool:
    return any(draft.tokens for draft in drafts)


def _whole_text_scores(analyzer: Analyzer, waiting: list[tuple[str, list[_Draft], Any]]) -> list[float]:
    """Return the sentiment of each text of several sentences, read as one; that of a single sentence is known."""
    texts = [clean_sentence(text) for text, some, _ in waiting if len(some) > 1 and _has_tokens(some)]
    return analyzer.sentiment(texts) if texts and "sentiment" in analyzer.models else []


def _sentence(draft: _Draft, row: dict[str, Any], columns: tuple[str, ...]) -> Sentence:
    tokens = []
    names = [name for name in _TOKEN_COLUMNS if name in row]
    arcs = row.get("dep")
    for at, (word, (start, end)) in enumerate(zip(draft.tokens, draft.spans, strict=True)):
        head, relation = arcs[at] if arcs is not None else (None, None)
        values = {name: row[name][at] for name in names}
        tokens.append(
            Token(at + 1, word, draft.start + start, draft.start + end, head=head, relation=relation, **values)
        )
    end = draft.start + len(draft.text)
    score = row.get("sentiment", float("nan"))
    return Sentence(draft.text, draft.start, end, draft.no_accents, tokens, score, columns)
