"""What every request passes: the bearer token, a line in the log without a word of the user's, metrics, faults."""

from __future__ import annotations

import hmac
import json
import logging
import time
from typing import TYPE_CHECKING

from vnlp_colab.serve.batcher import log_failure

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from vnlp_colab.serve.metrics import Metrics
    from vnlp_colab.serve.settings import ServeSettings

logger = logging.getLogger("vnlp_colab.serve.access")

_KNOWN = frozenset({"/", "/v1/analyze", "/v1/conllu", "/v1/models", "/healthz", "/readyz", "/metrics", "/openapi.json"})
_ASKED_AGAIN_AND_AGAIN = frozenset({"/healthz", "/readyz", "/metrics"})
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)


class Gate:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, settings: ServeSettings, metrics: Metrics) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics
        self._expected = None if settings.token is None else settings.token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 0

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                names = {name for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *(pair for pair in _HEADERS if pair[0] not in names)]
            await send(message)

        try:
            if self._may_pass(scope):
                await self._app(scope, receive, noted)
            else:
                told = "This server wants a bearer token: Authorization: Bearer TOKEN."
                await _answer(noted, 401, "unauthorized", told, (b"www-authenticate", b"Bearer"))
        except Exception as error:  # nothing of it may reach the client or, with a text in it, the log
            log_failure(error, self._settings.log_texts)
            if status == 0:
                await _answer(noted, 500, "failed", "The server failed at this request; its log has more.")
        self._note(scope, status, time.perf_counter() - started)

    def _may_pass(self, scope: Scope) -> bool:
        path: str = scope["path"]
        if self._expected is None or not (path.startswith("/v1/") or path == "/metrics"):
            return True
        given: bytes = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        scheme, _, token = given.partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(token, self._expected)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        # A path nobody knows, and every query, may hold anything, a text among others.
        path: str = scope["path"] if scope["path"] in _KNOWN else "other"
        self._metrics.requests.labels(path, str(status)).inc()
        self._metrics.seconds.labels(path).observe(seconds)
        level = logging.DEBUG if path in _ASKED_AGAIN_AND_AGAIN else logging.INFO
        logger.log(level, "%s %s %d %.0f ms", scope["method"], path, status, 1000 * seconds)


async def _answer(send: Send, status: int, code: str, message: str, *headers: tuple[bytes, bytes]) -> None:
    body = json.dumps({"error": code, "message": message}).encode()
    length = (b"content-length", str(len(body)).encode())
    kind = (b"content-type", b"application/json")
    await send({"type": "http.response.start", "status": status, "headers": [kind, length, *headers]})
    await send({"type": "http.response.body", "body": body})
