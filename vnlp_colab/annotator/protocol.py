"""Annotators: whatever fills columns for a batch of sentences. All models are, and so may be objects of users."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

Columns = dict[str, list[Any]]


@dataclass(frozen=True)
class Batch:
    """Sentences that all have at least one token.

    Attributes
    ----------
    tokens
        The tokens of each sentence, as the models read them.
    texts
        The cleaned text of each sentence.
    columns
        What annotators before this one have filled: at least what it `needs`.
    """

    tokens: Sequence[Sequence[str]]
    texts: Sequence[str]
    columns: Mapping[str, list[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.tokens)


@runtime_checkable
class Annotator(Protocol):
    """What fills columns.

    It may also have ``sentences_at_once``: how many it likes to have at a time on the CPU, where nobody asks for a
    batch size; without it, it gets 32 for every core.

    Attributes
    ----------
    provides
        The columns it can fill, by their names in `vnlp_colab.columns`.
    needs
        The columns it reads that another annotator fills, such as ``("morph",)``; tokens and texts are always there.
    device
        Where it really runs: ``"cpu"`` or ``"cuda"``.
    fingerprint
        What tells its answers from those of other weights or settings; an unfinished run goes on only with the same.
    """

    @property
    def provides(self) -> tuple[str, ...]:
        """The columns it can fill."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns it reads."""

    @property
    def device(self) -> str:
        """Where it runs."""

    @property
    def fingerprint(self) -> str:
        """What tells it from others."""

    def annotate(self, batch: Batch, wanted: Collection[str]) -> Columns:
        """Return the `wanted` columns, all among `provides`: of each a value a sentence, in the order of the batch.

        One object may fill columns of several tasks; it is then asked once a batch for all of them.
        """
        ...
