"""Answers are kept for usual words, a bounded number of them, and never for very long ones."""

from __future__ import annotations

import pytest

from vnlp_colab.text.remembered import LONGEST, Remembered


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def size(asked: list[str]) -> Remembered[int]:
    def answer(word: str, more: int = 0) -> int:
        asked.append(word)
        return len(word) + more

    return Remembered(answer, 3)


def test_a_word_is_asked_about_once(size: Remembered[int], asked: list[str]) -> None:
    assert [size("ev"), size("ev"), *size.each(["ev", "köy"], [0, 1])] == [2, 2, 2, 4]
    assert asked == ["ev", "ev", "köy"]  # once with and once without another argument


def test_only_so_many_are_kept(size: Remembered[int]) -> None:
    size.each([f"kelime{number}" for number in range(10)])
    assert len(size) == 3
    size.forget()
    assert len(size) == 0


@pytest.mark.parametrize("letters", [LONGEST + 1, 100_000])
def test_long_words_are_answered_and_not_kept(size: Remembered[int], letters: int) -> None:
    assert size("u" * letters) == letters
    assert size.each(["ev", "u" * letters]) == [2, letters]
    assert len(size) == 1
