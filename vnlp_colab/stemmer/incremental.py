"""The stemmer's network with every vector made once: words, stems and tag sequences are kept from call to call."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from vnlp_colab.recurrent import GRUWeights, RowCache, read_weights
from vnlp_colab.runtime import resolve_device
from vnlp_colab.stemmer.bidirectional import BidirectionalEncoder
from vnlp_colab.stemmer.contexts import ContextReader
from vnlp_colab.stemmer.inputs import CANDIDATES, STEM_LENGTH, TAG_LENGTH, WORD_LENGTH
from vnlp_colab.stemmer.plan import Choices, NumberedSentences
from vnlp_colab.stemmer.resting import Resting
from vnlp_colab.text.lexicon import default_lexicon

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from vnlp_colab.runtime import Device, SessionOptions
    from vnlp_colab.stemmer.inputs import AmbiguousWord, Padding, PaddingLayout, VocabularyEncoder
    from vnlp_colab.text.morphology import Analysis

# A word takes 6 kB, a stem or a tag sequence 1 kB: together at most 150 MB, when all three are full. Encoding a word
# takes as long as choosing among the analyses of three to four; of 50,000 tokens one in three is a new word.
_CACHED_WORDS = 20_000
_CACHED_STEMS = 15_000
_CACHED_TAGS = 15_000
# What it is found out on which units rest: so many beginnings of so many words, drawn from three times these words.
_SAMPLE_ROWS = 24
_SAMPLE_STEPS = 12
_SAMPLE_WORDS = 30


class IncrementalScorer:
    """The probabilities the full network gives, without computing anything twice.

    Parameters
    ----------
    model
        The full network's file, or its content; every weight is read from it.
    encoder, layout
        Vocabularies and padding of these weights.
    unrolled
        Whether the graphs' loops are written out; by default on a GPU alone.
    """

    def __init__(
        self,
        model: Path | bytes,
        encoder: VocabularyEncoder,
        layout: PaddingLayout,
        *,
        device: Device = "auto",
        options: SessionOptions | None = None,
        unrolled: bool | None = None,
    ) -> None:
        weights = read_weights(model)
        characters, tags = weights["chars/embedding"], weights["tags/embedding"]
        left, right = (GRUWeights.from_onnx(weights, f"{side}/gru_0") for side in ("left", "right"))
        self._encoder = encoder
        self.device = resolve_device(device)

        def encode(
            block: str, embedding: np.ndarray, length: int, padding: Padding = "pre", reader: GRUWeights | None = None
        ) -> BidirectionalEncoder:
            return BidirectionalEncoder(
                weights,
                block,
                embedding,
                length=length,
                padding=padding,
                reader=reader,
                device=device,
                options=options,
                unrolled=unrolled,
            )

        self._stem = encode("stem", characters, STEM_LENGTH)
        self._tag = encode("tag", tags, TAG_LENGTH)
        self._left = encode("surface_left", characters, WORD_LENGTH, reader=left)
        self._right = encode("surface_right", characters, WORD_LENGTH, layout.right_characters, right)
        self._words = RowCache(self._left.width + self._right.width, _CACHED_WORDS)
        self._stems = RowCache(self._stem.width, _CACHED_STEMS)
        self._tags = RowCache(self._tag.width, _CACHED_TAGS)
        self._pad_word = self._encode_words([""])
        self._no_candidate = np.tanh(self._stem.encode([[]]) + self._tag.encode([[]]))
        loops = self.device == "cpu" if unrolled is None else not unrolled
        self._contexts = ContextReader(
            weights,
            layout,
            left,
            right,
            self._pad_word[0],
            resting=self._resting(left) if loops and layout.left_rows == "post" else None,
            device=device,
            options=options,
            unrolled=unrolled,
        )

    def probabilities(self, places: Sequence[AmbiguousWord]) -> np.ndarray:
        """Return the softmax over the ten candidates of each place; places of a sentence stand together."""
        sentences, sentence, names = _number_words(places)
        words = np.concatenate([self._pad_word, self._words.rows(names, self._encode_words)])
        analyses, candidates = self._analyses(places)
        position = np.fromiter((place.position for place in places), np.int64, len(places))
        return self._contexts.probabilities(words, analyses, sentences, Choices(sentence, position, candidates))

    def _resting(self, left: GRUWeights) -> Resting | None:
        """Return what of the left context rests on pads, found on the states a few hundred words leave behind."""
        words = self._left.encode([self._encoder.characters(word, WORD_LENGTH) for word in _sample_words()])
        order = np.random.default_rng(0).integers(len(words), size=(_SAMPLE_STEPS, _SAMPLE_ROWS))
        states = [np.zeros((_SAMPLE_ROWS, left.units), np.float32)]
        for numbers in order:
            states.append(left.step(states[-1], words[numbers]))
        return Resting.found(left, self._pad_word[0, : 3 * left.units], np.concatenate(states[1:]))

    def _analyses(self, places: Sequence[AmbiguousWord]) -> tuple[np.ndarray, np.ndarray]:
        """Return the table of analyses, no candidate first, and the rows of each place's candidates."""
        numbers: dict[Analysis, int] = {}
        candidates = np.zeros((len(places), CANDIDATES), np.int64)
        for row, place in enumerate(places):
            read = place.candidates[:CANDIDATES]
            candidates[row, : len(read)] = [numbers.setdefault(analysis, len(numbers) + 1) for analysis in read]
        roots, stems = _numbered([analysis.root[-STEM_LENGTH:] for analysis in numbers])
        sequences, tags = _numbered([analysis.tags for analysis in numbers])
        vectors = self._stems.rows(roots, self._encode_stems)[stems]
        vectors += self._tags.rows(sequences, self._encode_tags)[tags]
        return np.concatenate([self._no_candidate, np.tanh(vectors)]), candidates

    def _encode_words(self, words: list[str]) -> np.ndarray:
        ids = [self._encoder.characters(word, WORD_LENGTH) for word in words]
        return np.concatenate([self._left.encode(ids), self._right.encode(ids)], axis=1)

    def _encode_stems(self, stems: list[str]) -> np.ndarray:
        return self._stem.encode([self._encoder.characters(stem, STEM_LENGTH) for stem in stems])

    def _encode_tags(self, tags: list[str]) -> np.ndarray:
        return self._tag.encode([self._encoder.tags(names) for names in tags])


def _sample_words() -> list[str]:
    """Return words of all kinds, always the same."""
    lexicon = default_lexicon()
    stems = list(islice(lexicon.stems, 0, None, len(lexicon.stems) // _SAMPLE_WORDS))
    suffixes = list(islice(lexicon.suffixes, 0, None, len(lexicon.suffixes) // len(stems)))
    inflected = [stem + suffix for stem, suffix in zip(stems, suffixes, strict=False)]
    return [*stems, *inflected, *islice(lexicon.words, _SAMPLE_WORDS), *".,;:!?-\"'", *map(str, range(0, 2100, 70))]


def _numbered(names: list[str]) -> tuple[list[str], list[int]]:
    """Return the distinct names, and the number of each name among them."""
    distinct: dict[str, int] = {}
    numbers = [distinct.setdefault(name, len(distinct)) for name in names]
    return list(distinct), numbers


def _number_words(places: Sequence[AmbiguousWord]) -> tuple[NumberedSentences, np.ndarray, list[str]]:
    """Return the sentences of `places` as rows of a table of words, each place's sentence, and the table's words.

    Row 0 of the table is the pad word, which has no name. A word is known by the characters the network reads of it, so
    that the names kept are short, however long the words.
    """
    numbers: dict[str, int] = {}
    flat: list[int] = []
    first: list[int] = []
    sentence: list[int] = []
    words: Sequence[str] | None = None
    for place in places:
        if place.words is not words:
            words = place.words
            first.append(len(flat))
            flat.extend([numbers.setdefault(word[-WORD_LENGTH:], len(numbers) + 1) for word in words])
        sentence.append(len(first) - 1)
    firsts = np.array(first, np.int64)
    lengths = np.diff(np.append(firsts, len(flat)))
    return NumberedSentences(np.array(flat, np.int64), firsts, lengths), np.array(sentence, np.int64), list(numbers)
