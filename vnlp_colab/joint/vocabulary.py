"""What the numbers the joint network gives stand for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vnlp_colab.joint.network import NetworkError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from vnlp_colab.joint.network import Activation

_LISTS = ("styles", "entity_styles", "upos", "relations", "entities", "sentiment")
KEYS = (*_LISTS, "feats", "lemma", "longest", "settings")  # what is read of what training wrote
ROOT = "root"


@dataclass(frozen=True)
class Vocabulary:
    """Labels of every head, in the order of its scores, and how the network is to be used.

    Attributes
    ----------
    styles, entity_styles
        Names of the treebanks and entity sets whose way can be asked for; the first is the generic one.
    scripts
        Edit scripts of lemmas (`vnlp_colab.joint.lemmas`).
    lemmas
        By part of speech the lemmas of the training sentences: of each one bit for every style that has it.
    pairs
        Of each style the numbers of part of speech and features that stand together in its training sentences.
    longest
        The words of the longest sentences it was trained on; longer ones are read in windows.
    activation
        The network's non-linearity.
    """

    styles: tuple[str, ...]
    entity_styles: tuple[str, ...]
    upos: tuple[str, ...]
    feats: tuple[str, ...]
    scripts: tuple[str, ...]
    relations: tuple[str, ...]
    entities: tuple[str, ...]
    sentiment: tuple[str, ...]
    lemmas: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    pairs: tuple[frozenset[tuple[int, int]], ...] = ()
    longest: int = 128
    activation: Activation = "relu"

    @classmethod
    def from_json(cls, content: Any) -> Vocabulary:
        """Read what training wrote beside the weights."""
        try:
            lists = {name: tuple(content[name]) for name in _LISTS}
            made = cls(
                **lists,
                feats=tuple(content["feats"]["labels"]),
                scripts=tuple(content["lemma"]["scripts"]),
                lemmas=_lemmas(content["lemma"].get("known", {})),
                pairs=_pairs(lists["styles"], lists["upos"], content["feats"].get("pairs", {})),
                longest=int(content["longest"]),
                activation=content["settings"]["act"],
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"no vocabularies of the joint network: {error!r}") from error
        if ROOT not in made.relations:
            raise NetworkError(f"the joint network's relations have no {ROOT!r}: {', '.join(made.relations)}")
        return made

    def check_style(self, style: str) -> int:
        """Return the number of a treebank's style, or say which there are."""
        return _number("style", style, self.styles)

    def check_entity_style(self, style: str) -> int:
        """Return the number of an entity set's style, or say which there are."""
        return _number("entity_style", style, self.entity_styles)

    def never(self) -> dict[str, list[int]]:
        """Return the numbers no answer may be: what stands for no label, and the root's relation, which trees give."""
        empty = ("", "?")
        found = {
            "upos": [at for at, name in enumerate(self.upos) if name in empty],
            "feats": [at for at, name in enumerate(self.feats) if name in empty],
            "lemma": [at for at, name in enumerate(self.scripts) if name in empty],
            "rel": [at for at, name in enumerate(self.relations) if name in (*empty, ROOT)],
        }
        return {head: numbers for head, numbers in found.items() if numbers}

    def style_bits(self, style: int) -> int:
        """Return the bits of `lemmas` that speak for a style; for the generic one any does."""
        return 1 << style if style else -1


def _lemmas(content: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, int]]:
    """Return the bits of each lemma by part of speech, from lists of lemmas with the same bits."""
    return {
        tag: {lemma: int(bits) for bits, joined in found.items() for lemma in joined.split("\n")}
        for tag, found in content.items()
    }


def _pairs(
    styles: Sequence[str], upos: Sequence[str], content: Mapping[str, Mapping[str, Iterable[int]]]
) -> tuple[frozenset[tuple[int, int]], ...]:
    """Return the pairs of each style from features by name of style and part of speech; the generic one has all."""
    if not content:
        return ()
    own = [{(upos.index(tag), at) for tag, found in content.get(style, {}).items() for at in found} for style in styles]
    own[0] = set().union(*own)
    return tuple(map(frozenset, own))


def _number(what: str, name: str, known: tuple[str, ...]) -> int:
    if name not in known:
        raise ValueError(f"{what} must be one of {', '.join(known)}, not {name!r}")
    return known.index(name)
