"""Free texts to documents: sentences found, tokens placed in the text, models asked for many sentences at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from vnlp_colab.batches.preparation import Span, clean_sentence, spans_in_original, token_spans, tokenize
from vnlp_colab.columns import COLUMNS, NO_NUMBER
from vnlp_colab.document.document import Document, Sentence
from vnlp_colab.text import SentenceSplitter
from vnlp_colab.text.entities import bio_labels, plain_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from vnlp_colab.batches.analysis import Analyzer


@dataclass(frozen=True)
class _Draft:
    """A sentence before the models have seen it."""

    text: str
    start: int
    no_accents: str
    norms: list[str]
    spans: list[Span]


@lru_cache(maxsize=1)
def _splitter() -> SentenceSplitter:
    return SentenceSplitter()


def documents(analyzer: Analyzer, texts: Iterable[Any], batch_size: int, as_tuples: bool) -> Iterator[Any]:
    """Yield the document of each text, in order; about `batch_size` sentences go to the models together."""
    waiting: list[tuple[str, list[_Draft], Any]] = []
    count = 0
    for item in texts:
        text, context = item if as_tuples else (item, None)
        if not isinstance(text, str):
            raise TypeError(f"a text is a string, not {type(text).__name__} ({text!r:.60})")
        drafts = _drafts(analyzer, text)
        waiting.append((text, drafts, context))
        count += len(drafts)
        if count >= batch_size:
            yield from _finished(analyzer, waiting, as_tuples)
            waiting, count = [], 0
    yield from _finished(analyzer, waiting, as_tuples)


def _drafts(analyzer: Analyzer, text: str) -> list[_Draft]:
    drafts = []
    for sentence, start, _ in _splitter().split_sentences(text, offsets=True):
        cleaned = clean_sentence(sentence)
        spans = spans_in_original(sentence, cleaned, token_spans(cleaned))
        norms = analyzer.preparation.read(tokenize(cleaned))
        drafts.append(_Draft(sentence, start, cleaned, norms, spans))
    return drafts


def _finished(analyzer: Analyzer, waiting: Sequence[tuple[str, list[_Draft], Any]], as_tuples: bool) -> Iterator[Any]:
    drafts = [draft for _, some, _ in waiting for draft in some if draft.norms]
    found = analyzer.annotate([draft.norms for draft in drafts], [draft.no_accents for draft in drafts])
    rows = ({name: values[at] for name, values in found.items()} for at in range(len(drafts)))
    scores = iter(_whole_text_scores(analyzer, waiting))
    for text, some, context in waiting:
        sentences = [_sentence(draft, next(rows) if draft.norms else {}, analyzer.columns) for draft in some]
        score = next(scores) if _is_of_several(some) else next((item.score for item in sentences), NO_NUMBER)
        document = Document(text, sentences, score, tuple(analyzer.columns))
        yield (document, context) if as_tuples else document


def _is_of_several(drafts: Sequence[_Draft]) -> bool:
    return len(drafts) > 1 and any(draft.norms for draft in drafts)


def _whole_text_scores(analyzer: Analyzer, waiting: Sequence[tuple[str, list[_Draft], Any]]) -> list[float]:
    """Return the sentiment of each text of several sentences, read as one; that of a single sentence is known."""
    several = [(text, some) for text, some, _ in waiting if _is_of_several(some)]
    tokens = [[norm for draft in some for norm in draft.norms] for _, some in several]
    found = analyzer.whole_texts(tokens, [clean_sentence(text) for text, _ in several]) if several else {}
    return list(found.get("sentiment", [NO_NUMBER] * len(several)))


def _sentence(draft: _Draft, row: Mapping[str, Any], columns: Sequence[str]) -> Sentence:
    values = {name: row[name] for name in columns if name in row and COLUMNS[name].per == "token"}
    starts = None
    if "ner" in values:
        bio = bio_labels(draft.text, draft.spans, values["ner"], row.get("entity_starts"))
        values["ner"], starts = [plain_label(label) for label in bio], [label.startswith("B-") for label in bio]
    spans = [(draft.start + start, draft.start + end) for start, end in draft.spans]
    score = row.get("sentiment", NO_NUMBER)
    return Sentence(
        draft.text, draft.start, draft.no_accents, spans, draft.norms, values, tuple(columns), score, starts
    )
