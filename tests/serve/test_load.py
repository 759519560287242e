"""Many clients at once, by the load of benchmarks/serve.py."""

from __future__ import annotations

import asyncio

from benchmarks.serve import load, request_of

TEXTS = [(request_of(f"Metin {number} burada."), 4) for number in range(100)]


def test_64_clients_at_once_are_answered_without_an_error(server, metrics_of):
    before = metrics_of(server)
    found = asyncio.run(load(server.port, TEXTS, clients=64, seconds=1.5))
    after = metrics_of(server)
    assert found.errors == 0
    assert found.tokens == 4 * len(found.waits)
    assert after["vnlp_colab_texts_total"] - before["vnlp_colab_texts_total"] == len(found.waits)
    batches = after["vnlp_colab_batch_tokens_count"] - before["vnlp_colab_batch_tokens_count"]
    assert len(found.waits) / batches > 4  # they were run together
    assert 0 < found.wait(50) <= found.wait(99)


def test_refusals_are_counted_as_errors(server):
    found = asyncio.run(load(server.port, [(request_of("a " * 2000), 2000)], clients=2, seconds=0.2))
    assert found.errors == len(found.waits) > 0
    assert found.tokens == 0
