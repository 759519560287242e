"""From a cell of a table to the tokens every model reads: white space cleaned, accent marks removed, cut as UD does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from vnlp_colab.batches.alignment import Span, align_tokens, remove_accents, replace_surrogates, spans_in_original
from vnlp_colab.text import SentenceSplitter
from vnlp_colab.text import tokens as text_tokens
from vnlp_colab.text.informal import mend_tokens
from vnlp_colab.text.multiword import words_of
from vnlp_colab.text.quotes import correct_apostrophes

if TYPE_CHECKING:
    from collections.abc import Sequence

BLOCK = 40  # the window of the context models, and so the size of the blocks of `tokens_40`

__all__ = [
    "BLOCK",
    "Span",
    "align_tokens",
    "clean_sentence",
    "in_blocks",
    "remove_accents",
    "replace_surrogates",
    "spans_in_original",
    "token_spans",
    "tokenize",
]


def cell_text(value: Any) -> str:
    """Return a cell as text: strings as they are, numbers, dates and other scalars as written; ``""`` for no value.

    Examples
    --------
    >>> cell_text(2024), cell_text(None), cell_text(float("nan")), cell_text(["a", "list"])
    ('2024', '', '', '')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bytes) or value is None or not _is_scalar(value):
        return ""
    return str(value)


def holds_no_text(value: Any) -> bool:
    """Tell whether a cell holds something that is no text and not missing either: a list, an object, bytes.

    Examples
    --------
    >>> [holds_no_text(value) for value in (["Ali"], b"Ali", "Ali", 3, None, float("nan"))]
    [True, True, False, False, False, False]
    """
    return not isinstance(value, str) and isinstance(value, Iterable)


def _is_scalar(value: Any) -> bool:
    """Whether a value is one thing with a text of its own, and not a missing one (NaN, NaT, NA)."""
    if isinstance(value, Iterable):
        return False
    try:
        return bool(value == value)
    except TypeError:  # pandas.NA compares to NA, which is neither true nor false
        return False


def clean_sentence(value: Any) -> str:
    r"""Return a cell's text as the models read it; a missing value or a list is no sentence and gives ``""``.

    Examples
    --------
    >>> clean_sentence("  Kâğıt\t bitti. ")
    'Kağıt bitti.'
    >>> clean_sentence(None)
    ''
    """
    return remove_accents(" ".join(cell_text(value).split()))


def tokenize(text: str) -> list[str]:
    """Return the tokens of a cleaned sentence; apostrophes inside words have the one shape the models know."""
    return text_tokens.tokenize(correct_apostrophes(text))


def token_spans(text: str) -> list[Span]:
    """Return ``(start, end)`` of each token in a cleaned sentence."""
    return [(start, end) for _, start, end in text_tokens.tokenize(correct_apostrophes(text), offsets=True)]


def in_blocks(tokens: Sequence[str], size: int = BLOCK) -> list[list[str]]:
    """Cut a token list into blocks of `size`.

    Examples
    --------
    >>> in_blocks(["a", "b", "c"], size=2)
    [['a', 'b'], ['c']]
    """
    return [list(tokens[start : start + size]) for start in range(0, len(tokens), size)]


Split = Literal["none", "sentences"]


def check_split(split: str) -> Split:
    """Return how cells are split, or say which ways there are."""
    if split not in get_args(Split):
        raise ValueError(f"unknown split {split!r}; choose from {', '.join(get_args(Split))}")
    return cast("Split", split)


@dataclass(frozen=True)
class Unit:
    """What goes through the models as one: a sentence of a row, or the whole row.

    ``tokens`` are the user's; ``read`` is what the models read, other than these only where a text is normalized.
    """

    row: int
    start: int
    text: str
    tokens: list[str]
    read: list[str]


@dataclass(frozen=True)
class PreparedSentence:
    """A stretch of a cell that becomes a unit: ``original`` begins at `start` of the cell, ``cleaned`` is read."""

    start: int
    original: str
    cleaned: str
    tokens: list[str]
    read: list[str]
    given: bool = False
    owners: list[int] | None = None  # where tokens were split into words, the place of each word's token

    def spans(self) -> list[Span]:
        """Return where each token stands in the cell."""
        if self.given:
            found = align_tokens(self.original, self.tokens)
        else:
            found = spans_in_original(self.original, self.cleaned, token_spans(self.cleaned))
        if self.owners is not None:
            found = [found[owner] for owner in self.owners]
        return [(self.start + start, self.start + end) for start, end in found]


@dataclass(frozen=True)
class PreparedRow:
    """A cell, cleaned, cut and tokenised."""

    text: str
    no_accents: str
    parts: list[PreparedSentence] = field(default_factory=list)

    @property
    def tokens(self) -> list[str]:
        """All tokens of the row."""
        return self.parts[0].tokens if len(self.parts) == 1 else [word for part in self.parts for word in part.tokens]

    @property
    def ends(self) -> list[int]:
        """How many tokens of the row there are up to the end of each sentence."""
        counts = [len(part.tokens) for part in self.parts]
        return [sum(counts[: at + 1]) for at in range(len(counts))]

    def spans(self) -> list[Span]:
        """Where each token stands in the text as given."""
        return [span for part in self.parts for span in part.spans()]

    def units(self, row: int) -> list[Unit]:
        """Return what goes through the models."""
        return [Unit(row, part.start, part.cleaned, part.tokens, part.read) for part in self.parts if part.tokens]


@dataclass(frozen=True)
class Preparation:
    """How cells become sentences and tokens.

    Attributes
    ----------
    split
        ``"none"`` reads a cell as one sentence, ``"sentences"`` finds the sentences in it.
    normalize
        Steps that mend informal spelling before the models read it.
    multiword
        Take the syntactic words of tokens that hold several for the tokens, each with its token's span; for CoNLL-U.
        Tokens that the caller brings stay as they are.
    """

    split: Split = "none"
    normalize: tuple[str, ...] = ()
    multiword: bool = False

    def row(self, cell: Any, tokens: Sequence[str] | None = None) -> PreparedRow:
        """Return a cell prepared; `tokens` are those the caller brings."""
        text = cell_text(cell)
        cleaned = clean_sentence(text)
        if tokens is not None:
            own = list(tokens)
            return PreparedRow(text, cleaned, [PreparedSentence(0, text, cleaned, own, self.read(own), given=True)])
        if self.split == "none":
            return PreparedRow(text, cleaned, [self._part(0, text, cleaned)])
        found = splitter().split_sentences(text, offsets=True)
        return PreparedRow(
            text, cleaned, [self._part(start, sentence, clean_sentence(sentence)) for sentence, start, _ in found]
        )

    def read(self, tokens: list[str]) -> list[str]:
        """Return the tokens as the models read them."""
        return mend_tokens(tokens, self.normalize) if self.normalize else tokens

    def _part(self, start: int, original: str, cleaned: str) -> PreparedSentence:
        tokens = tokenize(cleaned)
        read = self.read(tokens)
        words = words_of(read) if self.multiword else None
        if words is None:
            return PreparedSentence(start, original, cleaned, tokens, read)
        return PreparedSentence(start, original, cleaned, words.words, words.words, owners=words.owners)


@lru_cache(maxsize=1)
def splitter() -> SentenceSplitter:
    """Return the process's sentence splitter."""
    return SentenceSplitter()
