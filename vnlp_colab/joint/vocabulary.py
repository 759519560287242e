"""What the numbers the joint network gives stand for."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from vnlp_colab.joint.lemmas import apply_script
from vnlp_colab.joint.network import NetworkError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from vnlp_colab.joint.network import Activation

_LISTS = ("styles", "entity_styles", "upos", "relations", "entities", "sentiment")
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
    exceptions
        Lemmas by ``form<tab>UPOS``, where the form's script is too rare to be among the scripts.
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
    exceptions: Mapping[str, str] = field(default_factory=dict)
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
                exceptions=dict(content["lemma"].get("exceptions", {})),
                longest=int(content["longest"]),
                activation=content["settings"]["act"],
            )
        except (KeyError, TypeError, ValueError) as error:
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


class Lemmatizer:
    """Lemmas of words from the numbers of their scripts; frequent words are remembered."""

    def __init__(self, vocabulary: Vocabulary, *, capacity: int = 65_536) -> None:
        self._scripts = vocabulary.scripts
        self._exceptions = vocabulary.exceptions
        self._remembered = lru_cache(maxsize=capacity)(self._lemma)

    def lemma(self, form: str, script: int, upos: str) -> str:
        """Return the lemma of a word."""
        return self._remembered(form, script, upos)

    def lemmas(self, forms: Iterable[str], scripts: Iterable[int], upos: Iterable[str]) -> list[str]:
        """Return the lemmas of words."""
        return list(map(self._remembered, forms, scripts, upos))

    def _lemma(self, form: str, script: int, upos: str) -> str:
        found = self._exceptions.get(f"{form}\t{upos}")
        return (apply_script(self._scripts[script], form) or form) if found is None else found


def _number(what: str, name: str, known: tuple[str, ...]) -> int:
    if name not in known:
        raise ValueError(f"{what} must be one of {', '.join(known)}, not {name!r}")
    return known.index(name)
