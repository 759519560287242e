"""`TreeStackDP`: dependency trees from word vectors, morphology, PoS tags and the arcs before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from vnlp_colab.annotator.front import shared_instance
from vnlp_colab.annotator.inputs import check_sentences
from vnlp_colab.annotator.model import TokenParser
from vnlp_colab.runtime import device_of
from vnlp_colab.spucontext.incremental import IncrementalDecoder
from vnlp_colab.trees.arcs import parse_sentences
from vnlp_colab.treestack.model import Stemmer, TreeStackModel
from vnlp_colab.treestack.network import WINDOW, TreeStackNetwork, WordVectors
from vnlp_colab.treestack.pos import TreeStackPoS
from vnlp_colab.treestack.windows import Sentence, dp_windows, stepwise_scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vnlp_colab.annotator.answers import Parsed
    from vnlp_colab.annotator.model import Decoding
    from vnlp_colab.runtime import Device, SessionOptions

_FIELDS = (WINDOW + 1, 49)  # arcs to the root and to each word of the window, then relations


class PoSTaggerLike(Protocol):
    """What is asked of a PoS tagger."""

    def predict_batch(self, sentences: Iterable[Iterable[str]]) -> list[list[tuple[str, str]]]:
        """Return ``(token, tag)`` for each token of each sentence."""


class _Word(str):
    """A token that carries its ids, so that a sentence can be cut like any other."""

    word: int
    tags: np.ndarray
    pos: int


class TreeStackDP(TreeStackModel, TokenParser):
    """Heads and relations from word vectors, morphological and PoS tags, words around, and the arcs before.

    Upstream's model; `vnlp-colab convert TreeStackDP TreeStackPoS` makes its file and its tagger's.

    Parameters
    ----------
    evaluate
        Take the weights that have not seen the test data.
    device, options
        As for `vnlp_colab.runtime.create_session`.
    decoding
        ``"incremental"`` (fast) or ``"stepwise"`` (one run of the full model a position); the answers are the same.
    tree
        Return valid trees, as `vnlp_colab.dep.dep_colab.SPUContextDP` does; ``False`` returns the network's own heads.
    stemmer
        The morphological analyser; the process's `StemmerAnalyzer` by default.
    pos_tagger
        The PoS tagger; a `TreeStackPoS` with the same stemmer by default, as in training.
    """

    def __init__(
        self,
        *,
        evaluate: bool = False,
        device: Device = "auto",
        decoding: Decoding = "incremental",
        options: SessionOptions | None = None,
        tree: bool = True,
        stemmer: Stemmer | None = None,
        pos_tagger: PoSTaggerLike | None = None,
    ) -> None:
        super().__init__(
            "DP_TreeStack", evaluate=evaluate, device=device, decoding=decoding, options=options, stemmer=stemmer
        )
        self.tree = tree
        self._pos_ids = {label: number for number, label in enumerate(self._read_labels("pos"))}
        # The same one a `PoSTagger` of these settings has: the word vectors are not loaded twice.
        self.pos_tagger: PoSTaggerLike = pos_tagger or shared_instance(
            f"{TreeStackPoS.__module__}:{TreeStackPoS.__name__}",
            evaluate=evaluate,
            device=device,
            decoding=decoding,
            options=options,
            stemmer=stemmer,
        )
        if decoding == "incremental":
            network = TreeStackNetwork.read(self.files.path)
            self._vectors = WordVectors(network, device, self._options)
            self._decoder = IncrementalDecoder(network.decoder, _FIELDS, device, self._options)
            self.device = self._decoder.device
        else:
            self.device = device_of(self.inference_session)

    def parse_batch(self, sentences: Iterable[Iterable[str]], *, tree: bool | None = None) -> list[Parsed]:
        """Return the heads and relations of each sentence.

        Sentences of more than 40 tokens are parsed in segments and joined (`vnlp_colab.trees.segments`); their
        morphology and PoS tags are those of the whole sentence. `tree` overrides the constructor's.
        """
        checked = check_sentences(sentences)
        analysed = [self._words(*parts) for parts in zip(checked, *self._analyse(checked), strict=True)]
        tree = self.tree if tree is None else tree
        return parse_sentences(analysed, WINDOW, self.labels, self._scores, tree=tree)

    def _analyse(self, sentences: list[list[str]]) -> tuple[list[list[str]], list[list[str]]]:
        """Return the analyses and PoS tags of sentences."""
        analyses = self.stemmer.predict_batch(sentences)
        tagger = self.pos_tagger
        if isinstance(tagger, TreeStackPoS) and tagger.stemmer is self.stemmer:  # it would ask for the same once more
            return analyses, [answer.labels for answer in tagger.label_analysed(sentences, analyses)]
        return analyses, [[tag for _, tag in sentence] for sentence in tagger.predict_batch(sentences)]

    def _words(self, tokens: list[str], analyses: list[str], tags: list[str]) -> list[_Word]:
        word_ids, tag_ids = self._word_list.encode(tokens, analyses)
        words = []
        for row, (token, tag) in enumerate(zip(tokens, tags, strict=True)):
            word = _Word(token)
            word.word, word.tags, word.pos = int(word_ids[row]), tag_ids[row], self._pos_ids.get(tag, 0)
            words.append(word)
        return words

    def _scores(self, sentences: Sequence[Sequence[Any]]) -> list[np.ndarray]:
        if not sentences:
            return []
        encoded = [
            Sentence(
                np.array([word.word for word in words], np.int32),
                np.stack([word.tags for word in words]),
                np.array([word.pos for word in words], np.int32),
            )
            for words in sentences
        ]
        if self.decoding == "incremental":
            return self._decoder.scores(*self._vectors.lookup(encoded))
        return stepwise_scores(self.inference_session, encoded, _FIELDS, dp_windows, WINDOW)
