"""Tokens and sentence ends of the hand-written sentences; a failure prints every text whose cut has changed."""

from __future__ import annotations

from written_sentences import read_written_texts

from vnlp_colab.text import SentenceSplitter
from vnlp_colab.text.tokens import tokenize

TEXTS = read_written_texts()


def _cut(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(tokenize(sentence)) for sentence in SentenceSplitter().split_sentences(text))


def _shown(sentences: tuple[tuple[str, ...], ...]) -> str:
    return " ¶ ".join(" | ".join(tokens) for tokens in sentences)


def test_there_are_five_hundred_of_many_kinds() -> None:
    assert len(TEXTS) >= 500
    assert len({text.kind for text in TEXTS}) >= 30
    assert len({text.text for text in TEXTS}) == len(TEXTS)


def test_tokens_and_sentence_ends_are_as_a_reader_expects() -> None:
    changed = [
        f"{text.kind}: {text.text!r}\n  expected {_shown(text.sentences)}\n  now      {_shown(_cut(text.text))}"
        for text in TEXTS
        if _cut(text.text) != text.sentences
    ]
    assert not changed, f"{len(changed)} of {len(TEXTS)} texts are cut in another way:\n" + "\n".join(changed)


def test_lemmas_and_entities_are_of_tokens_of_their_text() -> None:
    for text in TEXTS:
        tokens = [token for sentence in text.sentences for token in sentence]
        assert set(text.lemmas) <= set(tokens), text.text
        for name, label in text.entities:
            assert label in {"PER", "LOC", "ORG"}
            places = range(len(tokens) - len(name) + 1)
            assert any(tuple(tokens[at : at + len(name)]) == name for at in places), text.text
