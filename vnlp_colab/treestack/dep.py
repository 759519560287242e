"""`TreeStackDP`: dependency trees from word vectors, morphology, PoS tags and the arcs before."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from vnlp_colab.annotator.front import shared_model
from vnlp_colab.annotator.inputs import check_sentences
from vnlp_colab.annotator.model import TokenParser
from vnlp_colab.decoding.incremental import IncrementalDecoder
from vnlp_colab.decoding.stepwise import EncodedSentence
from vnlp_colab.trees.arcs import parse_sentences
from vnlp_colab.treestack.model import Stemmer, TreeStackModel
from vnlp_colab.treestack.network import WINDOW
from vnlp_colab.treestack.pos import TreeStackPoS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vnlp_colab.annotator.answers import Parsed
    from vnlp_colab.annotator.model import Decoding
    from vnlp_colab.annotator.protocol import Batch
    from vnlp_colab.runtime import Device, SessionOptions
    from vnlp_colab.treestack.network import TreeStackNetwork


class PoSTaggerLike(Protocol):
    """What is asked of a PoS tagger."""

    def predict_batch(self, sentences: Iterable[Iterable[str]]) -> list[list[tuple[str, str]]]:
        """Return ``(token, tag)`` for each token of each sentence."""


class TreeStackDP(TreeStackModel, TokenParser):
    """Heads and relations from word vectors, morphological and PoS tags, words around, and the arcs before.

    Upstream's model; `vnlp-colab convert TreeStackDP TreeStackPoS` makes its file and its tagger's.

    Parameters
    ----------
    evaluate, device, decoding, options, stemmer
        As for `vnlp_colab.treestack.model.TreeStackModel`.
    tree
        Return valid trees with ``root`` at their root alone; ``False`` returns the network's own heads and relations.
    pos_tagger
        The PoS tagger; a `TreeStackPoS` with the same stemmer by default, as in training.
    """

    signature = (
        *(("at", 0), ("at", 1), ("at", 2)),
        *(("before", 0), ("before", 1), ("before", 2), ("before", -1)),
        *(("after", 0), ("after", 1), ("after", 2)),
    )
    _fields = (WINDOW + 1, 49)  # arcs to the root and to each word of the window, then relations

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
        super().__init__(evaluate=evaluate, device=device, decoding=decoding, options=options, stemmer=stemmer)
        self.tree = tree
        self._pos_ids = {label: number for number, label in enumerate(self._read_json("pos"))}
        # The same one a `PoSTagger` of these settings has: the word vectors are not loaded twice.
        self.pos_tagger: PoSTaggerLike = pos_tagger or shared_model(
            "TreeStackPoS", evaluate=evaluate, device=device, decoding=decoding, options=options, stemmer=stemmer
        )

    def _make_decoder(self, network: TreeStackNetwork) -> IncrementalDecoder:
        # when windows would be faster on a GPU was not measured for this network
        return IncrementalDecoder(network.decoder, self._fields, self._asked, self._options, contexts="chains")

    @cached_property
    def fingerprint(self) -> str:
        """That of its own files and of its tagger."""
        tagger: Any = self.pos_tagger
        return f"{super().fingerprint}+{getattr(tagger, 'fingerprint', type(tagger).__name__)}"

    def parse_batch(self, sentences: Iterable[Iterable[str]], *, tree: bool | None = None) -> list[Parsed]:
        """Return the heads and relations of each sentence.

        Sentences of more than 40 tokens are parsed in segments and joined (`vnlp_colab.trees.segments`); their
        morphology and PoS tags are those of the complete sentence. `tree` overrides the constructor's.
        """
        checked = check_sentences(sentences)
        return self.parse_analysed(checked, self.stemmer.predict_batch(checked), tree=tree)

    def parse_annotated(self, batch: Batch) -> list[Parsed]:
        """Return the same for a batch that may have its analyses already."""
        return self.parse_analysed(batch.tokens, self._morph(batch))

    def parse_analysed(
        self, sentences: Sequence[Sequence[str]], analyses: Sequence[Sequence[str]], *, tree: bool | None = None
    ) -> list[Parsed]:
        """Return the heads and relations of sentences whose morphological analyses are known."""
        rows = zip(sentences, analyses, self._tags(sentences, analyses), strict=True)
        encoded = [self._encode(*row) for row in rows]
        tree = self.tree if tree is None else tree
        return parse_sentences(sentences, WINDOW, self.labels, self._scores, tree=tree, inputs=encoded)

    def _tags(self, sentences: Sequence[Sequence[str]], analyses: Sequence[Sequence[str]]) -> list[list[str]]:
        """Return the PoS tags; a tagger of the same family takes the analyses that are there."""
        tagger = self.pos_tagger
        if isinstance(tagger, TreeStackPoS) and tagger._stemmer is self._stemmer:
            return [answer.labels for answer in tagger.label_analysed(sentences, analyses)]
        return [[tag for _, tag in sentence] for sentence in tagger.predict_batch(sentences)]

    def _encode(self, tokens: Sequence[str], analyses: Sequence[str], tags: Sequence[str]) -> EncodedSentence:
        pos = np.array([self._pos_ids.get(tag, 0) for tag in tags], np.int32)
        return EncodedSentence((*self._word_list.encode(tokens, analyses), pos))
