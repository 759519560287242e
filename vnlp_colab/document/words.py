"""The syntactic words of a sentence where a surface token holds several, as one treebank's style has them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from vnlp_colab.batches.chunk import LEMMA_COLUMNS
from vnlp_colab.columns import COLUMNS
from vnlp_colab.text.forms import keep_circumflexes_in
from vnlp_colab.text.multiword import words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vnlp_colab.batches.analyzer import Analyzer
    from vnlp_colab.document.sentence import Sentence
    from vnlp_colab.text.multiword import Words

# The treebank styles that split surface tokens.
SPLITTING_STYLES = ("boun",)


def splits_tokens(analyzer: Analyzer) -> bool:
    """Whether a loaded model annotates in the style of a treebank that splits surface tokens."""
    return any(getattr(model, "style", None) in SPLITTING_STYLES for model in analyzer.annotators.values())


def with_words(analyzer: Analyzer, sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences, those with a token of several words with these words and what the models say of them.

    Entities are those of the tokens.
    """
    found = [words_of(sentence.norms) for sentence in sentences]
    split = [(sentence, words) for sentence, words in zip(sentences, found, strict=True) if words is not None]
    columns = analyzer.annotate([words.words for _, words in split], [sentence.no_accents for sentence, _ in split])
    made = iter(
        _words_sentence(sentence, words, {name: values[at] for name, values in columns.items()})
        for at, (sentence, words) in enumerate(split)
    )
    return [
        sentence if words is None else replace(sentence, words=next(made))
        for sentence, words in zip(sentences, found, strict=True)
    ]


def _words_sentence(sentence: Sentence, words: Words, said: Mapping[str, Any]) -> Sentence:
    spans = [sentence.spans[owner] for owner in words.owners]
    layers = {name: values for name, values in said.items() if COLUMNS[name].per == "token"}
    places = partial(_moved, spans, sentence.start)
    for name in LEMMA_COLUMNS:
        if name in layers:
            layers[name] = keep_circumflexes_in(layers[name], sentence.text, places)
    for name in ("ner", "ner_bio", "ner_confidence"):
        if name in sentence.layers:
            layers[name] = [sentence.layers[name][owner] for owner in words.owners]
    starts = sentence.entity_starts
    if starts is not None:
        firsts = [at == 0 or words.owners[at - 1] != owner for at, owner in enumerate(words.owners)]
        starts = [starts[owner] and first for owner, first in zip(words.owners, firsts, strict=True)]
    return replace(sentence, spans=spans, norms=words.words, layers=layers, entity_starts=starts, words=None)


def _moved(spans: Sequence[tuple[int, int]], start: int) -> list[tuple[int, int]]:
    return [(one - start, other - start) for one, other in spans]
