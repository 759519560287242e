"""Many clients at once, by the load of benchmarks/serve.py."""

from __future__ import annotations

import asyncio
import sys

import pytest

from benchmarks.serve import load, request_of, resident

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


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_memory_does_not_grow_with_the_requests(start_server):
    forgetful = start_server(environment={"FAKE_FORGETS": "1"})
    asyncio.run(load(forgetful.port, TEXTS, clients=32, seconds=5))
    before = resident(forgetful.process.pid)
    found = asyncio.run(load(forgetful.port, TEXTS, clients=32, seconds=15))
    grown = resident(forgetful.process.pid) - before
    # what one request left behind, even a kilobyte, would show after thousands; a new arena of the allocator is 1 MiB
    assert grown < 2 << 20, f"{grown:,} bytes after {len(found.waits):,} requests"
