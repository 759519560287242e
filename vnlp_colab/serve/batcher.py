"""Micro-batches: requests that wait are analysed together, up to a budget of tokens, in one thread."""

from __future__ import annotations

import asyncio
import logging
import math
import time
import traceback
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from vnlp_colab.serve.requests import Question, Refused, Wish

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from vnlp_colab.serve.metrics import Metrics
    from vnlp_colab.serve.settings import ServeSettings

logger = logging.getLogger(__name__)

_LONGEST_RETRY = 60
_FORGET = 0.8  # how much of the old pace stays when a batch is finished


class Job:
    """A question that waits for its answers: of each text what `write` makes of its document and number."""

    def __init__(self, question: Question, write: Callable[[Any, int], bytes]) -> None:
        self.question = question
        self.write = write
        self.arrived = time.monotonic()
        self.answers: list[bytes] = []
        self.taken = 0
        self.done: asyncio.Future[list[bytes]] = asyncio.get_running_loop().create_future()

    @property
    def waiting(self) -> int:
        """Texts that no batch has taken yet."""
        return len(self.question.texts) - self.taken

    def take(self, room: int, at_least_one: bool) -> int:
        """Take texts up to `room` tokens and return how many; one that is larger than a whole batch goes alone."""
        count = 0
        for size in self.question.sizes[self.taken :]:
            cost = max(size, 1)
            if cost > room and not (at_least_one and count == 0):
                break
            room -= cost
            count += 1
        self.taken += count
        return count


class Batcher:
    """Runs jobs in batches.

    Parameters
    ----------
    analyze
        Returns the documents of texts that all want the same; runs in the batcher's one thread.
    settings
        Budget, wait and longest queue.
    metrics
        Hears of every batch.

    Notes
    -----
    A request of many texts may be spread over several batches. After each it goes to the end of the queue, so that a
    large request does not keep small ones waiting.
    """

    def __init__(
        self, analyze: Callable[[Wish, Sequence[str]], Iterable[Any]], settings: ServeSettings, metrics: Metrics
    ) -> None:
        self._analyze = analyze
        self._settings = settings
        self._metrics = metrics
        self._jobs: deque[Job] = deque()  # those with texts that no batch has taken
        self._unfinished: set[Job] = set()
        self._coming = 0  # requests whose bodies are being read
        self._changed = asyncio.Event()
        self._closing = False
        self._pace = 0.0  # tokens a second of the last batches
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="vnlp-colab-models")

    def check_room(self) -> None:
        """Raise `Refused` with 503 where a new request would have to wait too long."""
        if self._closing:
            raise Refused(503, "closing", "The server is shutting down.", retry_after=5)
        waiting = len(self._unfinished) + self._coming
        if waiting >= self._settings.max_queue:
            raise Refused(
                503,
                "queue_full",
                f"{waiting:,} requests are waiting already; try again in {self.retry_after()} s.",
                retry_after=self.retry_after(),
            )

    @contextmanager
    def coming(self) -> Iterator[None]:
        """Keep a place while a request's body is read, or raise as `check_room` does."""
        self.check_room()
        self._coming += 1
        try:
            yield
        finally:
            self._coming -= 1

    def retry_after(self) -> int:
        """Return in how many seconds the queue will be shorter, guessed from the pace of the last batches."""
        tokens = sum(sum(job.question.sizes[job.taken :]) for job in self._jobs)
        return min(max(1, math.ceil(tokens / self._pace)), _LONGEST_RETRY) if self._pace else 1

    def submit(self, question: Question, write: Callable[[Any, int], bytes]) -> Job:
        """Queue a question; its job's ``done`` gets the answers, or an exception."""
        self.check_room()
        job = Job(question, write)
        if not question.texts:
            job.done.set_result([])
            return job
        self._jobs.append(job)
        self._unfinished.add(job)
        self._metrics.queue.set(len(self._unfinished))
        self._changed.set()
        return job

    def drop(self, job: Job) -> None:
        """Give up a job: its place is free at once, and texts that no batch has taken are never analysed."""
        self._unfinished.discard(job)
        self._metrics.queue.set(len(self._unfinished))
        if job in self._jobs:
            self._jobs.remove(job)
        job.done.cancel()

    async def run(self) -> None:
        """Analyse batch after batch until `close`."""
        while not (self._closing and not self._jobs):
            if not self._jobs:
                self._changed.clear()
                await self._changed.wait()
                continue
            await self._company()
            if self._jobs:  # the only client may have gone away in the meantime
                await self._run_batch(*self._take())

    async def close(self) -> None:
        """Take no more, finish what there is, end the thread."""
        self._closing = True
        self._changed.set()
        while self._unfinished:
            await asyncio.wait([job.done for job in self._unfinished])
        await asyncio.to_thread(self._thread.shutdown)

    async def _company(self) -> None:
        """Wait until a batch is full or the first request has waited long enough."""
        while self._jobs and not self._closing and self._waiting_tokens() < self._settings.batch_tokens:
            left = self._jobs[0].arrived + self._settings.batch_wait - time.monotonic()
            if left <= 0:
                return
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), left)
            except TimeoutError:
                return

    def _waiting_tokens(self) -> int:
        total = 0
        for job in self._jobs:
            total += sum(job.question.sizes[job.taken :])
            if total >= self._settings.batch_tokens:
                break
        return total

    def _take(self) -> tuple[Wish, list[tuple[Job, int]]]:
        """Return the next batch: ``(job, number of its text)`` of requests that want the same as the first."""
        wish = self._jobs[0].question.wish
        room = self._settings.batch_tokens
        batch: list[tuple[Job, int]] = []
        unfinished: list[Job] = []
        for job in list(self._jobs):
            if job.question.wish != wish:
                continue
            first = job.taken
            count = job.take(room, at_least_one=not batch)
            batch += [(job, number) for number in range(first, first + count)]
            room -= sum(max(size, 1) for size in job.question.sizes[first : first + count])
            if count:
                self._jobs.remove(job)
                if job.waiting:
                    unfinished.append(job)
            if room <= 0 or job.waiting:
                break
        self._jobs.extend(unfinished)
        return wish, batch

    async def _run_batch(self, wish: Wish, batch: list[tuple[Job, int]]) -> None:
        tokens = sum(job.question.sizes[number] for job, number in batch)
        started = time.monotonic()
        answers = await asyncio.get_running_loop().run_in_executor(self._thread, self._answers, wish, batch)
        seconds = time.monotonic() - started
        self._metrics.batch_done(len(batch), tokens, seconds)
        pace = tokens / max(seconds, 1e-6)
        self._pace = _FORGET * self._pace + (1 - _FORGET) * pace if self._pace else pace
        for (job, _), answer in zip(batch, answers, strict=True):
            self._deliver(job, answer)

    def _deliver(self, job: Job, answer: bytes | BaseException) -> None:
        if job.done.done():
            return
        if isinstance(answer, BaseException):
            job.done.set_exception(answer)
        else:
            job.answers.append(answer)
            if len(job.answers) < len(job.question.texts):
                return
            job.done.set_result(job.answers)
        self._unfinished.discard(job)
        self._metrics.queue.set(len(self._unfinished))
        if job in self._jobs:  # a text of it failed: the rest is not analysed
            self._jobs.remove(job)

    def _answers(self, wish: Wish, batch: list[tuple[Job, int]]) -> list[bytes | BaseException]:
        """Return the answer to each text; one that fails does so alone."""
        try:
            documents = list(self._analyze(wish, [job.question.texts[number] for job, number in batch]))
            if len(documents) != len(batch):
                raise RuntimeError(f"{len(batch)} texts gave {len(documents)} documents")
            return [job.write(document, number) for (job, number), document in zip(batch, documents, strict=True)]
        except Exception as error:
            if len(batch) > 1:
                return [answer for item in batch for answer in self._answers(wish, [item])]
            log_failure(error, self._settings.log_texts)
            return [Refused(500, "failed", "The analysis of a text failed; the server's log has more.")]


def log_failure(error: BaseException, in_full: bool) -> None:
    """Log what failed: its kind and place, and only `in_full` its message, which may quote the user's text."""
    if in_full:
        logger.error("a request failed", exc_info=error)
        return
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "an unknown place"
    logger.error("a request failed: %s at %s (--log-texts shows more)", type(error).__name__, place)
