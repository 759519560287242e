"""What Prometheus is told at ``/metrics``; with several worker processes the figures of all of them."""

from __future__ import annotations

import os

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

CONTENT_TYPE = CONTENT_TYPE_LATEST
# The library's own variable: worker processes write their figures into files of this folder.
FOLDER_ENVIRONMENT = "PROMETHEUS_MULTIPROC_DIR"

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_TOKENS = (16, 64, 256, 1024, 2048, 4096, 8192, 16384)


class Metrics:
    """Counters of one server."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        self.requests = Counter("vnlp_colab_requests", "Answered requests.", ["path", "status"], registry=registry)
        self.seconds = Histogram(
            "vnlp_colab_request_seconds", "From request to answer.", ["path"], buckets=_SECONDS, registry=registry
        )
        self.texts = Counter("vnlp_colab_texts", "Analysed texts.", registry=registry)
        self.tokens = Counter("vnlp_colab_tokens", "Analysed tokens, as the limits count them.", registry=registry)
        self.batches = Histogram(
            "vnlp_colab_batch_tokens", "Tokens of a micro-batch.", buckets=_TOKENS, registry=registry
        )
        self.busy = Counter("vnlp_colab_batch_seconds", "Seconds spent on micro-batches.", registry=registry)
        self.queue = Gauge(
            "vnlp_colab_queue", "Requests that wait or run.", multiprocess_mode="livesum", registry=registry
        )
        self.ready = Gauge(
            "vnlp_colab_ready", "Processes with their models loaded.", multiprocess_mode="livesum", registry=registry
        )

    def batch_done(self, texts: int, tokens: int, seconds: float) -> None:
        """Count a finished micro-batch."""
        self.texts.inc(texts)
        self.tokens.inc(tokens)
        self.batches.observe(tokens)
        self.busy.inc(seconds)

    def page(self) -> bytes:
        """Return the figures as Prometheus reads them."""
        if not os.environ.get(FOLDER_ENVIRONMENT):
            return generate_latest(self._registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)
