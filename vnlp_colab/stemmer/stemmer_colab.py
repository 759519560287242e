"""`StemmerAnalyzer`: the root and the morphological tags of every word, chosen by the sentence it stands in.

The candidate generator (`vnlp_colab.text.morphology`) lists what a word can be; the network of Shen et al. (2016)
chooses. A word with one candidate needs no network.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from vnlp_colab.annotator.front import shared_model
from vnlp_colab.annotator.inputs import check_sentences, check_tokens
from vnlp_colab.annotator.model import ConvertedModel, Decoding, check_decoding
from vnlp_colab.runtime import Device, SessionOptions, device_of, in_threads
from vnlp_colab.stemmer.incremental import IncrementalScorer
from vnlp_colab.stemmer.inputs import CANDIDATES, AmbiguousWord, VocabularyEncoder, layout_of, windows
from vnlp_colab.stemmer.ud_features import ud_features
from vnlp_colab.text.derivation import derived_lemma
from vnlp_colab.text.morphology import default_generator

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from vnlp_colab.annotator.protocol import Batch, Columns

_STEPWISE_ROWS = 64
# Words taken from a batch at a time, which bounds the memory of a call; the GPU likes more of them at once.
_CHUNK_WORDS = {"cpu": 4096, "cuda": 32768}
_TAGS = re.compile(r"\+(?=[A-Z])")  # roots are in lower case, so the first capital after a plus begins the tags


@lru_cache(maxsize=65_536)  # a text uses the same analyses over and over
def lemma_of(analysis: str) -> str:
    """Return the root of an analysis.

    Examples
    --------
    >>> lemma_of("sınav+Noun+A3pl+P3sg+Dat")
    'sınav'
    >>> lemma_of("++Punc")
    '+'
    """
    return _TAGS.split(analysis, maxsplit=1)[0]


class StemmerAnalyzer(ConvertedModel):
    """Morphological disambiguator: one analysis for each word of a sentence.

    Parameters
    ----------
    evaluate
        Take the weights that never saw the test data.
    device
        ``"auto"``, ``"cpu"``, ``"cuda"`` or ``"cuda:1"``.
    decoding
        ``"incremental"`` encodes each distinct word, stem and tag sequence once; ``"stepwise"`` runs the full network
        on every word's window. Both give the same analyses.
    options
        Threads, memory and logging of the sessions.

    Attributes
    ----------
    device
        Where it really runs.
    files
        The model's files.
    encoder, layout
        Its vocabularies, and where the padding of its inputs stands.

    Examples
    --------
    >>> stemmer = StemmerAnalyzer(device="cpu")
    >>> stemmer.predict(["Şimdi", "baştan", "başla", "."])
    ['şimdi+Adverb', 'baş+Noun+A3sg+Pnon+Abl', 'başla+Verb+Pos+Imp+A2sg', '.+Punc']
    """

    task: ClassVar[str] = "stemmer"
    provides: ClassVar[tuple[str, ...]] = ("morph", "lemma", "feats", "derived_lemma")
    sentences_at_once: ClassVar[int] = 512

    def __init__(
        self,
        *,
        evaluate: bool = False,
        device: Device = "auto",
        decoding: Decoding = "incremental",
        options: SessionOptions | None = None,
    ) -> None:
        super().__init__(evaluate=evaluate, device=device, options=options)
        self.decoding = check_decoding(decoding)
        self._generator = default_generator()
        with self.files.loading():
            self.layout = layout_of(self.files.entry.get("options", {}).get("layout"))
            self.encoder = VocabularyEncoder(self._read_json("chars"), self._read_json("tags"))
            self._scorer = (
                IncrementalScorer(self.files.read(), self.encoder, self.layout, device=device, options=self._options)
                if decoding == "incremental"
                else None
            )
        self.device = self._scorer.device if self._scorer else device_of(self.inference_session)

    def predict(self, tokens: Iterable[str]) -> list[str]:
        """Return the analysis of each token of a sentence, ``["root+Tag+Tag^DB+Tag", ...]``."""
        return self.predict_batch([check_tokens(tokens)])[0]

    def predict_batch(self, sentences: Iterable[Iterable[str]]) -> list[list[str]]:
        """Return the analyses of each sentence of a list of token lists."""
        analyses: list[list[str]] = []
        for chunk in _chunks(check_sentences(sentences), _CHUNK_WORDS[self.device]):
            analyses.extend(self._analyze(chunk))
        return analyses

    def annotate(self, batch: Batch, wanted: Collection[str]) -> Columns:
        """Return the `wanted` columns of a batch: analyses, and the lemmas and UD features that are in them."""
        morph = self.predict_batch(batch.tokens)
        readings: dict[str, Callable[[str], str]] = {"morph": str, "lemma": lemma_of, "feats": ud_features}
        columns = {
            name: [[read(analysis) for analysis in row] for row in morph]
            for name, read in readings.items()
            if name in wanted
        }
        if "derived_lemma" in wanted:
            pairs = zip(batch.tokens, morph, strict=True)
            columns["derived_lemma"] = [list(map(derived_lemma, tokens, row)) for tokens, row in pairs]
        return columns

    def _analyze(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        candidates = [[self._generator.candidates(token) for token in tokens] for tokens in sentences]
        places = [
            AmbiguousWord(tokens, position, choices)
            for tokens, readings in zip(sentences, candidates, strict=True)
            for position, choices in enumerate(readings)
            if len(choices) > 1
        ]
        chosen = iter(self._choose(places))
        return [
            [str(choices[next(chosen) if len(choices) > 1 else 0]) for choices in readings] for readings in candidates
        ]

    def _choose(self, places: list[AmbiguousWord]) -> list[int]:
        """Return which of its candidates each place takes."""
        counts = np.array([len(place.candidates) for place in places])
        # The softmax has ten outcomes whatever the number of candidates: those that there are not do not count.
        allowed = np.arange(CANDIDATES) < counts.reshape(-1, 1)
        choice: list[int] = np.argmax(self.probabilities(places) * allowed, axis=1).tolist()
        return choice

    def probabilities(self, places: Sequence[AmbiguousWord]) -> np.ndarray:
        """Return the network's output for words of sentences, (places, 10): how likely each candidate is.

        AmbiguousWords of one sentence stand together. Outcomes beyond a place's candidates mean nothing.
        """
        if not places:
            return np.empty((0, CANDIDATES), np.float32)
        if self._scorer is not None:
            return self._scorer.probabilities(places)
        rows = -(-min(_STEPWISE_ROWS, len(places)) // self._threads)
        parts = [places[start : start + rows] for start in range(0, len(places), rows)]
        return np.concatenate(in_threads(self._full_network, parts, self._threads))

    def _full_network(self, places: Sequence[AmbiguousWord]) -> np.ndarray:
        arrays = windows(places, self.encoder, self.layout)
        input_feed = dict(zip(self.input_names, arrays, strict=True))
        probabilities: np.ndarray = self.inference_session.run(self.output_names, input_feed)[0]
        return probabilities


def _chunks(sentences: Sequence[Sequence[str]], words: int) -> Iterator[list[Sequence[str]]]:
    """Cut a batch where it has enough words for one pass."""
    chunk: list[Sequence[str]] = []
    count = 0
    for tokens in sentences:
        chunk.append(tokens)
        count += len(tokens)
        if count >= words:
            yield chunk
            chunk, count = [], 0
    if chunk:
        yield chunk


def get_stemmer_analyzer(
    *,
    evaluate: bool = False,
    device: Device = "auto",
    decoding: Decoding = "incremental",
    options: SessionOptions | None = None,
) -> StemmerAnalyzer:
    """Return the process's `StemmerAnalyzer` of these settings, loaded at the first call."""
    instance: StemmerAnalyzer = shared_model(
        "StemmerAnalyzer", evaluate=evaluate, device=device, decoding=decoding, options=options
    )
    return instance
