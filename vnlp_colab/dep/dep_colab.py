"""Dependency trees: `DependencyParser` and its models.

Examples
--------
>>> DependencyParser(device="cpu").predict(["Ali", "eve", "gitti", "."])
[(1, 'Ali', 3, 'nsubj'), (2, 'eve', 3, 'obl'), (3, 'gitti', 0, 'root'), (4, '.', 3, 'punct')]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vnlp_colab.annotator.front import TokenFront
from vnlp_colab.annotator.inputs import check_sentences
from vnlp_colab.annotator.model import TokenParser
from vnlp_colab.spucontext.model import SPUContextModel
from vnlp_colab.trees.arcs import parse_sentences
from vnlp_colab.treestack.dep import TreeStackDP

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vnlp_colab.annotator.answers import Parsed
    from vnlp_colab.annotator.model import Decoding
    from vnlp_colab.runtime import Device, SessionOptions

__all__ = ["DependencyParser", "SPUContextDP", "TreeStackDP"]

_WINDOW = 40


class SPUContextDP(SPUContextModel, TokenParser):
    """Heads and relations from pieces, words around, and the arcs before.

    Parameters
    ----------
    evaluate
        Take the weights that have not seen the test data.
    device, options
        As for `vnlp_colab.runtime.create_session`.
    decoding
        ``"incremental"`` (fast) or ``"stepwise"`` (one run of the full model a position); the answers are the same.
    tree
        Return valid trees: heads that form none are replaced by those of the maximum spanning arborescence over the
        arc scores, and the root alone is ``root``. ``False`` returns the network's own heads and relations, whatever
        they are.
    """

    fields = (_WINDOW + 1, 49)  # arcs to the root and to each word of the window, then relations

    def __init__(
        self,
        *,
        evaluate: bool = False,
        device: Device = "auto",
        decoding: Decoding = "incremental",
        options: SessionOptions | None = None,
        tree: bool = True,
    ) -> None:
        super().__init__(evaluate=evaluate, device=device, decoding=decoding, options=options)
        self.tree = tree

    def parse_batch(self, sentences: Iterable[Iterable[str]], *, tree: bool | None = None) -> list[Parsed]:
        """Return the heads and relations of each sentence.

        Sentences of more than 40 tokens are parsed in segments and joined (`vnlp_colab.trees.segments`). `tree`
        overrides the constructor's.
        """
        checked = check_sentences(sentences)
        tree = self.tree if tree is None else tree
        return parse_sentences(checked, _WINDOW, self.labels, self.scores, tree=tree)


class DependencyParser(TokenFront):
    """Parses tokens into a dependency tree; ``model`` is ``"SPUContextDP"`` (default) or ``"TreeStackDP"``."""

    task = "dep"
