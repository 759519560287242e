"""Requests that arrive together are run together; large ones do not keep small ones waiting."""

from __future__ import annotations

import asyncio
import time

import pytest
from serve_fakes import COLUMNS, FakeEngine

from vnlp_colab.serve.batcher import Batcher
from vnlp_colab.serve.metrics import Metrics
from vnlp_colab.serve.requests import Question, Refused, Wish, count_tokens
from vnlp_colab.serve.settings import ServeSettings

WISH = Wish(COLUMNS, None, "sentences")


def question(*texts, wish=WISH):
    return Question(list(texts), [count_tokens(text, 10**6) for text in texts], wish)


def run(scenario, **settings):
    """Run a scenario with a batcher over the fake engine; return the batches it made and what the scenario returned."""

    async def body():
        engine = FakeEngine()
        batcher = Batcher(engine.documents, ServeSettings(**settings), Metrics())
        running = asyncio.create_task(batcher.run())
        found = await asyncio.wait_for(scenario(batcher), 20)
        await batcher.close()
        await asyncio.wait_for(running, 5)
        assert len(engine.threads) <= 1
        return engine.batches, found

    return asyncio.run(body())


def text_of(document, number):
    return document.text.encode()


def test_requests_that_come_together_are_one_batch():
    async def scenario(batcher):
        jobs = [batcher.submit(question(f"Metin {number}."), text_of) for number in range(5)]
        return [(await job.done)[0].decode() for job in jobs]

    batches, answers = run(scenario, batch_wait=0.05)
    assert answers == [f"Metin {number}." for number in range(5)]
    assert batches == [answers]


def test_a_lone_request_waits_no_longer_than_told():
    async def scenario(batcher):
        started = time.monotonic()
        await batcher.submit(question("Ayşe"), text_of).done
        return time.monotonic() - started

    assert 0.2 <= run(scenario, batch_wait=0.2)[1] < 1


def test_a_full_batch_does_not_wait():
    async def scenario(batcher):
        await asyncio.gather(*(batcher.submit(question("bir iki üç"), text_of).done for _ in range(4)))

    started = time.monotonic()
    batches, _ = run(scenario, batch_wait=10, batch_tokens=6)
    assert time.monotonic() - started < 5
    assert [len(batch) for batch in batches] == [2, 2]


def test_a_text_larger_than_a_batch_goes_alone():
    async def scenario(batcher):
        long = batcher.submit(question("a " * 50), text_of)
        short = batcher.submit(question("b"), text_of)
        await asyncio.gather(long.done, short.done)

    batches, _ = run(scenario, batch_tokens=10, batch_wait=0)
    assert [len(batch[0].split()) for batch in batches] == [50, 1]


def test_a_large_request_lets_small_ones_in_between():
    finished = []

    async def scenario(batcher):
        large = batcher.submit(question(*["bir iki üç dört beş"] * 20), text_of)
        small = batcher.submit(question("Ayşe"), text_of)
        for name, job in (("large", large), ("small", small)):
            job.done.add_done_callback(lambda _, name=name: finished.append(name))
        return await asyncio.gather(large.done, small.done)

    _, (large, small) = run(scenario, batch_tokens=10)
    assert finished == ["small", "large"]
    assert len(large) == 20
    assert small == [b"Ay\xc5\x9fe"]


def test_different_wishes_are_different_batches():
    async def scenario(batcher):
        wishes = (WISH, Wish(("pos",), None, "sentences"), WISH)
        jobs = [batcher.submit(question(text, wish=wish), text_of) for text, wish in zip("abc", wishes, strict=True)]
        await asyncio.gather(*(job.done for job in jobs))

    assert run(scenario)[0] == [["a", "c"], ["b"]]


def test_what_nobody_waits_for_any_more_is_not_analysed():
    async def scenario(batcher):
        kept = batcher.submit(question("kalır"), text_of)
        dropped = batcher.submit(question("gider"), text_of)
        batcher.drop(dropped)
        await kept.done
        lone = batcher.submit(question("bu da gider"), text_of)
        batcher.drop(lone)
        await asyncio.sleep(0.1)

    assert run(scenario, batch_wait=0.05)[0] == [["kalır"]]


def test_a_closing_batcher_finishes_and_takes_no_more():
    async def scenario(batcher):
        job = batcher.submit(question("uyu 0.3"), text_of)
        closing = asyncio.create_task(batcher.close())
        await asyncio.sleep(0.05)
        with pytest.raises(Refused, match="shutting down") as told:
            batcher.submit(question("Ayşe"), text_of)
        assert told.value.status == 503
        await closing
        return job.done.result()

    assert run(scenario)[1] == [b"uyu 0.3"]
