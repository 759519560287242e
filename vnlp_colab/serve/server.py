"""Running the application with uvicorn: one process or several, until a signal ends it."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn

from vnlp_colab.runtime import available_cores
from vnlp_colab.serve.app import create_app
from vnlp_colab.serve.engine import PipelineEngine
from vnlp_colab.serve.metrics import FOLDER_ENVIRONMENT
from vnlp_colab.serve.settings import ServeError, ServeSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from vnlp_colab.serve.engine import Engine

logger = logging.getLogger(__name__)

APPLICATION = "vnlp_colab.serve.app:app_from_environment"
_FAILURE = "failure"  # the file in which a worker leaves the reason why it could not start


def serve(
    settings: ServeSettings,
    host: str = "127.0.0.1",
    port: int = 8000,
    workers: int = 1,
    *,
    load: Callable[[ServeSettings], Engine] = PipelineEngine,
    application: str = APPLICATION,
) -> int:
    """Serve until a signal; return 0, or raise `ServeError` where the models cannot be loaded.

    SIGTERM and SIGINT end it: it takes no more requests, and finishes those it has.

    Parameters
    ----------
    settings
        What to load and what to allow.
    host, port
        Where to listen.
    workers
        Processes, each with models and a queue of its own and its share of the cores.
    load
        Makes the engine, in a server of one process.
    application
        Where the processes of a server of several find their application.
    """
    common = {
        "host": host,
        "port": port,
        "log_config": None,
        "access_log": False,  # ours has no query and no unknown path in it
        "server_header": False,
        "proxy_headers": False,  # nobody's address is looked at or logged
        "timeout_graceful_shutdown": int(settings.time_limit) + 5,
        "ws": "none",
    }
    with _ended_by_signals():
        if workers == 1:
            _one(settings, common, load)
        else:
            _many(settings, common, workers, application)
    return 0


def _one(settings: ServeSettings, common: dict[str, object], load: Callable[[ServeSettings], Engine]) -> None:
    failures: list[BaseException] = []

    def failed(error: BaseException) -> None:
        failures.append(error)
        server.should_exit = True

    server = uvicorn.Server(uvicorn.Config(create_app(settings, load, failed), **common))  # type: ignore[arg-type]
    with contextlib.suppress(SystemExit):  # uvicorn's way to say that it could not listen; it has logged why
        server.run()
    if failures:
        raise ServeError(f"the models could not be loaded: {failures[0]}") from failures[0]
    if not server.started:
        place = f"{common['host']} port {common['port']}"
        raise ServeError(f"cannot listen on {place}; is another server running there? --port takes another one")


def _many(settings: ServeSettings, common: dict[str, object], workers: int, application: str) -> None:
    threads = settings.threads or max(1, available_cores() // workers)
    replace(settings, threads=threads).write(os.environ)
    with tempfile.TemporaryDirectory(prefix="vnlp-colab-serve-") as folder:
        os.environ[FOLDER_ENVIRONMENT] = folder
        try:
            uvicorn.run(application, factory=True, workers=workers, **common)  # type: ignore[arg-type]
        except SystemExit as end:
            if end.code:
                raise ServeError(f"cannot listen on {common['host']} port {common['port']}") from None
        finally:
            del os.environ[FOLDER_ENVIRONMENT]
        reason = Path(folder) / _FAILURE
        if reason.exists():
            raise ServeError(f"the models could not be loaded: {reason.read_text(encoding='utf-8')}")


def stop_all(error: BaseException) -> None:
    """End this worker and its supervisor, which would start the same failure again and again."""
    folder = os.environ.get(FOLDER_ENVIRONMENT)
    if folder is None:
        logger.error("the models could not be loaded: %s", error)
        signal.raise_signal(signal.SIGTERM)
        return
    (Path(folder) / _FAILURE).write_text(str(error), encoding="utf-8")
    os.kill(os.getppid(), signal.SIGTERM)


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let SIGTERM end the server as an end that was asked for: uvicorn raises it again when it is done."""

    def end(_number: int, _frame: FrameType | None) -> None:
        sys.exit(0)

    kept = signal.signal(signal.SIGTERM, end)
    try:
        yield
    except KeyboardInterrupt:  # uvicorn has finished what was running
        pass
    finally:
        signal.signal(signal.SIGTERM, kept)
