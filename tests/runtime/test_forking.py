"""Processes that are forked beside models at work answer, or say what to do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from vnlp_colab import forking
from vnlp_colab.forking import ForkError, at_work
from vnlp_colab.recurrent.row_cache import RowCache
from vnlp_colab.runtime import SessionOptions, in_threads

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]


def in_child(work, seconds=30):
    """Fork, do `work` there, and return its exit code: 0, 3 for a ForkError, a negative number if it hung."""
    child = os.fork()
    if child == 0:
        signal.alarm(seconds)
        try:
            work()
        except ForkError:
            os._exit(3)
        except BaseException:
            os._exit(4)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.fixture
def busy():
    """Threads that always hold the lock of a cache, but for moments."""
    cache = RowCache(4, 64)
    stop = threading.Event()

    def slow(keys):
        time.sleep(0.001)
        return np.zeros((len(keys), 4), np.float32)

    def work(number):
        count = 0
        while not stop.is_set():
            count += 1
            cache.rows([f"{number} {count} {key}" for key in range(2000)], slow)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    yield cache
    stop.set()
    for thread in threads:
        thread.join()


def test_a_fork_beside_work_answers(busy):
    for number in range(20):
        assert in_child(lambda number=number: busy.rows([f"c{number}"], lambda keys: np.zeros((1, 4), np.float32))) == 0


def test_the_parent_goes_on(busy):
    assert in_child(lambda: None) == 0
    assert busy.rows(["x"], lambda keys: np.ones((1, 4), np.float32)).tolist() == [[1, 1, 1, 1]]


def test_what_cannot_be_waited_for_is_told_in_the_child(monkeypatch):
    monkeypatch.setattr(forking, "PATIENCE_SECONDS", 0.1)
    begun, end = threading.Event(), threading.Event()

    def work():
        with at_work():
            begun.set()
            end.wait(60)

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()
    code = in_child(lambda: in_threads(str, [1, 2], 2))
    end.set()
    thread.join()
    assert code == 3
    assert in_threads(str, [1, 2], 2) == ["1", "2"]
    assert in_child(lambda: in_threads(str, [1, 2], 2)) == 0


def test_a_thread_may_fork_in_the_middle_of_its_own_work():
    began = time.monotonic()
    with at_work():
        assert in_child(lambda: in_threads(str, [1, 2], 2)) == 0
    assert time.monotonic() - began < 20  # it did not wait for itself


def test_work_inside_of_work_does_not_wait_for_a_fork():
    """Parts that other threads do, and the work in them, belong to the work that is waited for."""
    forked = threading.Event()

    def part(item):
        if item == 0:
            threading.Thread(target=lambda: (in_child(lambda: None), forked.set())).start()
            time.sleep(0.2)  # the fork waits now
        with at_work():
            return item

    assert in_threads(part, range(4), 2) == [0, 1, 2, 3]
    assert forked.wait(30)


def test_an_error_ends_the_work():
    def fail(item):
        raise ValueError(item)

    with pytest.raises(ValueError, match="1"):
        in_threads(fail, [1, 2], 2)
    assert in_child(lambda: None) == 0


_POOLS_AND_FORKS = """
import os, signal, sys, threading
from vnlp_colab import forking
from vnlp_colab.runtime import in_threads

forking.PATIENCE_SECONDS = 10.0
stop = threading.Event()


def work():
    while not stop.is_set():
        in_threads(str, range(4), 2)


threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
codes = []
for _ in range(40):
    if (child := os.fork()) == 0:
        signal.alarm(30)
        try:
            in_threads(str, [1, 2], 2)
        except BaseException:
            os._exit(3)
        os._exit(0)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
stop.set()
sys.exit(any(codes))
"""


@pytest.mark.slow
def test_a_fork_does_not_hold_what_pools_of_threads_need():
    """In a process of its own: the order in which modules are first imported is what it is about."""
    done = subprocess.run([sys.executable, "-c", _POOLS_AND_FORKS], capture_output=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SPUContextPoS", "JointAnalyzer"])
@pytest.mark.parametrize("threads", [1, 2])
def test_models_answer_in_forks_beside_busy_threads(name, threads):
    import vnlp_colab

    model = getattr(vnlp_colab, name)(device="cpu", options=SessionOptions(threads=threads))
    sentence = ["Ali", "Ankara'ya", "gitti", "."]
    wanted = model.predict(sentence)
    stop = threading.Event()

    def work(number):
        count = 0
        while not stop.is_set():
            count += 1
            model.predict_batch([[f"kelime{number}x{count}x{place}" for place in range(20)]] * 8)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()

    def answer():
        assert model.predict(sentence) == wanted

    try:
        assert [in_child(answer, 60) for _ in range(15)] == [0] * 15
    finally:
        stop.set()
        for thread in threads:
            thread.join()
