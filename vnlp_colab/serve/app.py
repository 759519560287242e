"""The application: routes, limits and answers. `create_app` makes it, `vnlp_colab.serve.server` runs it."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

from vnlp_colab import __version__
from vnlp_colab.serve import openapi
from vnlp_colab.serve.batcher import Batcher, log_failure
from vnlp_colab.serve.bodies import read_body, until_gone
from vnlp_colab.serve.engine import Engine, PipelineEngine
from vnlp_colab.serve.gate import Gate
from vnlp_colab.serve.metrics import CONTENT_TYPE, Metrics
from vnlp_colab.serve.page import page_routes
from vnlp_colab.serve.requests import Question, Refused, read_question
from vnlp_colab.serve.settings import ServeSettings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from starlette.types import Receive, Scope, Send

logger = logging.getLogger(__name__)

_CLIENT_GONE = 499  # nginx's number for a client that closed the connection; nobody reads it but the log


class Service:
    """The state of a server: its models, once they are loaded, and the requests that wait for them."""

    def __init__(self, settings: ServeSettings, load: Callable[[ServeSettings], Engine]) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self.engine: Engine | None = None
        self.batcher: Batcher | None = None
        self._load = load

    async def start(self) -> None:
        """Load the models, then answer until cancelled."""
        self.engine = await asyncio.to_thread(self._loaded_for_good)
        self.batcher = Batcher(self.engine.documents, self.settings, self.metrics)
        self.metrics.ready.set(1)
        logger.info("ready: %s", ", ".join(dict.fromkeys(model["model"] for model in self.engine.models)))
        await self.batcher.run()

    def _loaded_for_good(self) -> Engine:
        engine = self._load(self.settings)
        # What is loaded stays. Walking it again and again, the collector took a sixth of the time of a busy server.
        gc.collect()
        gc.freeze()
        return engine

    async def close(self) -> None:
        """Finish what is running."""
        if self.batcher is not None:
            await self.batcher.close()
        self.metrics.ready.set(0)

    def loaded(self) -> tuple[Engine, Batcher]:
        """Return models and queue; raise `Refused` while they are loading."""
        if self.engine is None or self.batcher is None:
            raise Refused(503, "loading", "The models are still loading; try again in a few seconds.", retry_after=3)
        return self.engine, self.batcher

    async def answers(
        self, request: Request, write: Callable[[Question], Callable[[Any, int], bytes]]
    ) -> tuple[Question, list[bytes]]:
        """Read a request, wait for its turn and return what `write` made of the document of each text."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.settings.time_limit
        engine, batcher = self.loaded()
        with batcher.coming():
            body = await read_body(request, self.settings.max_body, deadline)
        question = read_question(body, engine.offer, self.settings)
        job = batcher.submit(question, write(question))
        gone = asyncio.ensure_future(until_gone(request))
        try:
            left = max(0.0, deadline - loop.time())
            await asyncio.wait((job.done, gone), timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if job.done.done():
                return question, job.done.result()
            if gone.done():
                raise Refused(_CLIENT_GONE, "gone", "The client went away.")
            raise Refused(
                504,
                "too_slow",
                f"The answer was not ready within {self.settings.time_limit:g} s; send less text or try again later.",
            )
        finally:
            batcher.drop(job)
            gone.cancel()


def create_app(
    settings: ServeSettings | None = None,
    load: Callable[[ServeSettings], Engine] = PipelineEngine,
    on_failure: Callable[[BaseException], None] | None = None,
) -> FastAPI:
    """Return the application; `load` makes the engine, `on_failure` hears why it could not.

    Examples
    --------
    >>> sorted(create_app().openapi()["paths"])
    ['/healthz', '/metrics', '/readyz', '/v1/analyze', '/v1/conllu', '/v1/models']
    """
    settings = settings or ServeSettings()
    service = Service(settings, load)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        # Loading goes on behind, so that /healthz answers meanwhile and /readyz says what is going on.
        running = asyncio.create_task(service.start())
        running.add_done_callback(lambda task: _tell(task, on_failure))
        yield
        await service.close()
        running.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await running

    app = FastAPI(
        title="vnlp-colab",
        version=__version__,
        description=openapi.DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,  # FastAPI's pages load their scripts from elsewhere
        redoc_url=None,
        exception_handlers={Refused: _refused, HTTPException: _http_error},
    )
    _add_routes(app, service)
    for route in page_routes():
        app.router.routes.append(route)
    app.add_middleware(Gate, settings=settings, metrics=service.metrics)
    if settings.cors:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors),
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type"],
            expose_headers=["Retry-After"],
        )
    openapi.secure(app, settings.token is not None)
    return app


class _PlainRoute(APIRoute):
    """A route whose function takes the request and returns the response: FastAPI describes it, and adds nothing else.

    There are no parameters to resolve and nothing to close afterwards: body, limits and refusals are ours. That saves
    a fifth of what the server itself does for a request.
    """

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.methods is not None and scope["method"] not in self.methods:
            await super().handle(scope, receive, send)  # says which methods there are
            return
        response: Response = await self.endpoint(Request(scope, receive, send))
        await response(scope, receive, send)


def _add_routes(app: FastAPI, service: Service) -> None:
    router = app.router
    router.route_class = _PlainRoute

    @router.post("/v1/analyze", **openapi.ANALYZE)
    async def analyze(request: Request) -> Response:
        """Analyse one text or many; the answer is the document of the text, or a list of documents."""

        def write(question: Question) -> Callable[[Any, int], bytes]:
            return lambda document, _: _document(document, question.include, service.engine)

        question, answers = await service.answers(request, write)
        body = b'{"documents": [' + b", ".join(answers) + b"]}" if question.many else answers[0]
        return Response(body, media_type="application/json")

    @router.post("/v1/conllu", **openapi.CONLLU)
    async def conllu(request: Request) -> Response:
        """Analyse one text or many; the answer is CoNLL-U, the texts numbered from 1 on as documents."""
        _, answers = await service.answers(
            request, lambda _: lambda document, number: document.to_conllu(str(number + 1)).encode()
        )
        return Response(b"".join(answers), media_type="text/plain; charset=utf-8")

    @router.get("/v1/models", **openapi.MODELS)
    async def models(_request: Request) -> Response:
        """Tell what is loaded, what requests may ask for, and the limits."""
        engine, _ = service.loaded()
        limits = ("max_body", "max_texts", "max_tokens", "max_word", "max_queue", "time_limit")
        told = {
            "version": __version__,
            "models": engine.models,
            "columns": engine.offer.columns,
            "optional_columns": engine.offer.optional,
            "styles": engine.offer.styles,
            "style": service.settings.style,
            "entity_styles": engine.offer.entity_styles,
            "entity_style": service.settings.entity_style,
            "limits": {name: getattr(service.settings, name) for name in limits},
        }
        return JSONResponse(told)

    @router.get("/healthz", **openapi.HEALTH)
    async def healthz(_request: Request) -> Response:
        """Tell whether the process answers at all."""
        return PlainTextResponse("ok\n")

    @router.get("/readyz", **openapi.READY)
    async def readyz(_request: Request) -> Response:
        """Tell whether a request would be taken now: models loaded, room in the queue."""
        _, batcher = service.loaded()
        batcher.check_room()
        return PlainTextResponse("ready\n")

    @router.get("/metrics", **openapi.METRICS)
    async def metrics(_request: Request) -> Response:
        """Return figures for Prometheus."""
        return Response(service.metrics.page(), media_type=CONTENT_TYPE)


def _document(document: Any, include: frozenset[str], engine: Engine | None) -> bytes:
    data = document.to_dict()
    if "svg" in include and engine is not None and "dep" in document.columns:
        data["svg"] = engine.trees(document)
    if "conllu" in include:
        data["conllu"] = document.to_conllu()
    return json.dumps(data, ensure_ascii=False, allow_nan=False).encode()


def _tell(task: asyncio.Task[None], on_failure: Callable[[BaseException], None] | None) -> None:
    if task.cancelled() or task.exception() is None:
        return
    error = task.exception()
    if on_failure is not None and error is not None:
        on_failure(error)
    elif error is not None:
        log_failure(error, in_full=True)  # no request was read yet, so there is no text to keep out of the log


async def _refused(_: Request, error: Exception) -> Response:
    if not isinstance(error, Refused):
        raise error
    headers = {} if error.retry_after is None else {"Retry-After": str(error.retry_after)}
    return JSONResponse({"error": error.code, "message": error.message}, error.status, headers)


async def _http_error(_: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    told = {
        404: "There is nothing at this address; GET /openapi.json lists what there is.",
        405: "This address does not take that method; GET /openapi.json lists what there is.",
    }
    message = told.get(error.status_code, error.detail)
    return JSONResponse({"error": "http", "message": message}, error.status_code, error.headers)


def app_from_environment() -> FastAPI:
    """Return the application with the settings of the environment: what worker processes start.

    ``uvicorn --factory vnlp_colab.serve.app:app_from_environment`` works, too.
    """
    from vnlp_colab.serve.server import stop_all

    logging.basicConfig(level=logging.WARNING, format="vnlp-colab: %(message)s")
    logging.getLogger("vnlp_colab.serve").setLevel(logging.INFO)
    return create_app(ServeSettings.from_environment(os.environ), on_failure=stop_all)
