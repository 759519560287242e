"""Surface tokens that hold two syntactic words: ``kolaydı`` as ``kolay`` + ``dı``, ``bağdaki`` as ``bağda`` + ``ki``.

One of the six treebanks (BOUN) splits such tokens, about one in a hundred, and not always; the others never do. The
package keeps surface tokens in its columns, and CoNLL-U can have the words (`vnlp_colab.document.words`).

Whether a token is split is learnt from BOUN's training and development files (`training.multiword`): a linear model
over the ending, the letters before it, and what the lexicon says of the token and of its first part. Its weights are
in ``multiword.tsv``. It sees the token alone; its neighbours do not help (measured).
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from vnlp_colab.text.case import lower_case
from vnlp_colab.text.morphology import default_generator

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WEIGHTS_FILE = Path(__file__).with_name("multiword.tsv")
# Letters that vowel harmony and assimilation make of one.
_ARCHETYPES = str.maketrans("aeıiuütdkğ", "AAIIIIDDKK")
_APOSTROPHES = "'’"
_LONGEST_WORD = 40  # longer ones are no Turkish words, and would take any amount of memory as keys
_UNKNOWN = {"Unknown"}

Feature = tuple[str, str, str]


def syntactic_words(token: str) -> tuple[str, ...]:
    """Return the words of a surface token as the BOUN treebank would have them: one, or two that spell the token.

    Examples
    --------
    >>> syntactic_words("kolaydır"), syntactic_words("yoktu"), syntactic_words("İstanbul'daydık")
    (('kolay', 'dır'), ('yok', 'tu'), ("İstanbul'da", 'ydık'))
    >>> syntactic_words("geldi"), syntactic_words("müdür")
    (('geldi',), ('müdür',))
    """
    if len(token) > _LONGEST_WORD:
        return (token,)
    cut = _best_cut(token)
    return (token[:cut], token[cut:]) if cut else (token,)


class Words(NamedTuple):
    """The words of some tokens, and of each the place of its token."""

    words: list[str]
    owners: list[int]


def words_of(tokens: Sequence[str]) -> Words | None:
    """Return the syntactic words of the tokens of a sentence, or None if each is one.

    Examples
    --------
    >>> words_of(["Sorun", "yoktu", "."])
    Words(words=['Sorun', 'yok', 'tu', '.'], owners=[0, 1, 1, 2])
    >>> words_of(["Geldi", "."])
    """
    parts = [syntactic_words(token) for token in tokens]
    if all(len(words) == 1 for words in parts):
        return None
    return Words([word for words in parts for word in words], [at for at, words in enumerate(parts) for _ in words])


def archetype(letters: str) -> str:
    """Return letters with those alike that suffixes change for harmony: ``dır`` and ``tür`` are both ``DIr``.

    Examples
    --------
    >>> archetype("dır"), archetype("tür")
    ('DIr', 'DIr')
    """
    return lower_case(letters).translate(_ARCHETYPES)


def features(token: str, ending: int) -> Iterator[Feature]:
    """Yield what the model knows of a cut before the last `ending` letters: the ending, a kind and a value each."""
    stem = token[:-ending]
    suffix, letters = archetype(token[-ending:]), archetype(stem)
    yield suffix, "ending", ""
    yield suffix, "letter", lower_case(stem)[-1:]
    yield suffix, "letters", letters[-2:]
    yield suffix, "letters", letters[-3:]
    yield suffix, "apostrophe", str(stem[-1:] in _APOSTROPHES)
    whole, first = _readings(token), _readings(stem.rstrip(_APOSTROPHES))
    copulas = ["Verb+Zero" in tags for tags in whole]
    yield suffix, "copula", "all" if all(copulas) else "some" if any(copulas) else "none"
    yield suffix, "known", f"{whole != _UNKNOWN} {first != _UNKNOWN}"
    yield from ((suffix, "token", tags) for tags in sorted({tags.rpartition("^DB+")[2] for tags in whole}))
    yield from ((suffix, "first", tags) for tags in sorted({tags.rpartition("^DB+")[2] for tags in first}))


def _readings(word: str) -> set[str]:
    return {analysis.tags for analysis in default_generator().candidates(word)}


@cache
def _weights() -> tuple[dict[Feature, float], tuple[int, ...], float]:
    """Return the weights, the lengths of the endings, and the bias."""
    weights: dict[Feature, float] = {}
    for line in WEIGHTS_FILE.read_text(encoding="utf-8").splitlines():
        suffix, kind, value, weight = line.split("\t")
        weights[suffix, kind, value] = float(weight)
    bias = weights.pop(("", "bias", ""))
    return weights, tuple(sorted({len(suffix) for suffix, _, _ in weights})), bias


@lru_cache(20_000)
def _best_cut(token: str) -> int | None:
    """Return where the second word begins, or None if there is no second."""
    weights, lengths, bias = _weights()
    pattern = archetype(token)
    if len(pattern) != len(token):
        return None
    best, cut = 0.0, None
    for ending in lengths:
        if len(token) < ending + 2:
            break
        if (pattern[-ending:], "ending", "") not in weights:
            continue
        score = bias + sum(weights.get(feature, 0.0) for feature in features(token, ending))
        if score > best:
            best, cut = score, len(token) - ending
    if cut is not None and token[cut - 1] in _APOSTROPHES:
        cut -= 1
    return cut or None
