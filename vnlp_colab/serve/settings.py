"""What a server is told at its start: models, micro-batches, limits, and who may ask."""

from __future__ import annotations

import json
import math
import os
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from vnlp_colab.errors import VNLPError
from vnlp_colab.registry import DEFAULT_TASKS, check_styles, choose_models

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

ENVIRONMENT = "VNLP_COLAB_SERVE"
TOKEN_ENVIRONMENT = "VNLP_COLAB_SERVE_TOKEN"  # noqa: S105 - the name of a variable, not a secret


class ServeError(VNLPError):
    """The server cannot start as it was told to."""


@dataclass(frozen=True)
class ServeSettings:
    """Settings of a server; every one is an option of ``vnlp-colab serve``.

    Attributes
    ----------
    models, device, threads, style, entity_style
        What the pipeline loads and where it runs, as `VNLPipeline` takes it; the styles are those of requests without.
    batch_tokens
        Texts that wait are analysed together up to this many tokens.
    batch_wait
        Seconds an idle server waits for more requests to come before it analyses the first.
    max_body
        Bytes of a request's body.
    max_texts, max_tokens
        Texts and tokens of a request, the latter as `vnlp_colab.serve.requests.count_tokens` counts them.
    max_word
        Characters without a white space between them.
    max_queue
        Requests that may wait or run at once.
    time_limit
        Seconds from a request's first byte to its answer.
    token
        The bearer token requests must carry; ``None`` asks for none.
    cors
        Origins whose pages may ask from a browser; ``"*"`` is any.
    log_texts
        Whether what failed is logged with its message and traceback, which may quote the text.
    """

    models: tuple[str, ...] = DEFAULT_TASKS
    device: str = "auto"
    threads: int | None = None
    style: str | None = None
    entity_style: str | None = None
    batch_tokens: int = 4096
    batch_wait: float = 0.003
    max_body: int = 1 << 20
    max_texts: int = 1000
    max_tokens: int = 20_000
    max_word: int = 1000
    max_queue: int = 256
    time_limit: float = 30.0
    token: str | None = field(default=None, repr=False)
    cors: tuple[str, ...] = ()
    log_texts: bool = False

    def __post_init__(self) -> None:
        try:
            check_styles(choose_models(self.models), style=self.style, entity_style=self.entity_style)
        except (TypeError, ValueError) as error:
            raise ServeError(str(error)) from None
        for name in ("batch_tokens", "max_body", "max_texts", "max_tokens", "max_word", "max_queue", "time_limit"):
            if not 0 < getattr(self, name) < math.inf:
                raise ServeError(f"{name} is a number above 0, not {getattr(self, name)!r}")
        if not 0 <= self.batch_wait < math.inf:
            raise ServeError(f"batch_wait is 0 or more seconds, not {self.batch_wait!r}")
        if self.token is not None and not (self.token.isascii() and self.token.isprintable() and self.token.strip()):
            raise ServeError("the bearer token must be printable ASCII and not empty, since it travels in a header")

    def write(self, environment: MutableMapping[str, str] = os.environ) -> None:
        """Put the settings where `from_environment` finds them in worker processes."""
        kept = asdict(self)
        token = kept.pop("token")
        environment[ENVIRONMENT] = json.dumps(kept)
        if token is not None:
            environment[TOKEN_ENVIRONMENT] = token

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> ServeSettings:
        """Return the settings a parent process has written, or the defaults with the token of the environment."""
        try:
            told: Any = json.loads(environment.get(ENVIRONMENT, "{}"))
            known = {each.name for each in fields(cls)}
            if not isinstance(told, dict) or set(told) - known:
                raise ValueError(f"it holds more than {', '.join(sorted(known))}")
            lists = {name: tuple(told[name]) for name in ("models", "cors") if name in told}
            return cls(**{**told, **lists, "token": environment.get(TOKEN_ENVIRONMENT) or None})
        except (TypeError, ValueError) as error:
            raise ServeError(f"${ENVIRONMENT} does not hold settings as JSON: {error}") from None
