"""The pipeline behind the server: models loaded once, a light pipeline for each kind of wish."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Protocol

from vnlp_colab.columns import COLUMNS
from vnlp_colab.registry import known_styles
from vnlp_colab.serve.requests import Offer, Wish

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vnlp_colab.serve.settings import ServeSettings

_KEPT = 32  # pipelines for different wishes; they share the models, so one is only a plan of what to run
_LONGEST_DRAWN = 300  # tokens: what is wider than that nobody can take in


class Engine(Protocol):
    """What the server needs of a pipeline; tests bring a small one of their own."""

    @property
    def offer(self) -> Offer:
        """What requests may wish for."""

    @property
    def models(self) -> list[dict[str, Any]]:
        """The loaded models, for ``GET /v1/models``."""

    def documents(self, wish: Wish, texts: Sequence[str]) -> Iterable[Any]:
        """Analyse texts; called from one thread at a time."""

    def trees(self, document: Any) -> list[str]:
        """Return a picture (SVG) of each sentence's tree."""


class PipelineEngine:
    """`VNLPipeline` as the server uses it."""

    def __init__(self, settings: ServeSettings) -> None:
        from vnlp_colab.pipeline_colab import VNLPipeline

        self._options: dict[str, Any] = {
            "models_to_load": list(settings.models),
            "device": settings.device,
            "threads": settings.threads,
        }
        self._pipeline = VNLPipeline(**self._options)
        self._kept: OrderedDict[Wish, VNLPipeline] = OrderedDict()
        self.offer = Offer(
            self._columns(optional=False),
            self._columns(optional=True),
            known_styles("style", self._pipeline.selection),
            known_styles("entity_style", self._pipeline.selection),
        )

    @property
    def models(self) -> list[dict[str, Any]]:
        """Task, name, device and fingerprint of each model."""
        fingerprints = self._pipeline.model_keys
        return [
            {"task": task, "model": name, "device": self._pipeline.models[task].device, "weights": fingerprints[task]}
            for task, name in self._pipeline.selection.items()
        ]

    def documents(self, wish: Wish, texts: Sequence[str]) -> Iterable[Any]:
        """Analyse texts; called from one thread at a time."""
        return list(self._for(wish).pipe(texts, split=wish.split))

    def trees(self, document: Any) -> list[str]:
        """Return a picture (SVG) of each sentence's tree, none of one that nobody could take in."""
        from vnlp_colab.document.drawing import draw_tree

        return ["" if len(sentence) > _LONGEST_DRAWN else draw_tree(sentence) for sentence in document.sentences]

    def _for(self, wish: Wish) -> Any:
        """Return a pipeline that runs no more than the wish needs; models of the same style are loaded once."""
        from vnlp_colab.pipeline_colab import VNLPipeline

        if wish not in self._kept:
            columns = ("tokens", *wish.columns)
            self._kept[wish] = VNLPipeline(
                **self._options, columns=columns, style=wish.style, entity_style=wish.entity_style
            )
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(wish)
        return self._kept[wish]

    def _columns(self, *, optional: bool) -> tuple[str, ...]:
        """Return the columns the models fill; of those that must be asked for the ones documents have a place for."""
        models = self._pipeline.models
        filled = {name for model in models.values() for name in model.provides}
        return tuple(
            column.name
            for column in COLUMNS.values()
            if column.optional == optional
            and column.name in filled
            and set(column.tasks) & models.keys()
            and (column.per == "token" or not optional)
        )
