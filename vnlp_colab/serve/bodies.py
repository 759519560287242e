"""Reading bodies within their limits, and noticing that a client went away."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect

from vnlp_colab.serve.requests import Refused

if TYPE_CHECKING:
    from fastapi import Request

# A body that is too large is read and thrown away up to here: a client that is still sending sees the answer only
# when it is done.
_THROWN_AWAY = 64 << 20


async def read_body(request: Request, most: int, deadline: float) -> bytes:
    """Return the JSON body of a request of at most `most` bytes; raise `Refused` otherwise."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(415, "not_json", "The body must be JSON, with the header Content-Type: application/json.")
    try:
        async with asyncio.timeout_at(deadline):
            return await _read(request, most)
    except TimeoutError:
        raise Refused(408, "slow_body", "The body did not arrive within the time limit.") from None
    except ClientDisconnect:
        raise Refused(499, "gone", "The client went away.") from None


async def _read(request: Request, most: int) -> bytes:
    told = request.headers.get("content-length", "")
    if told.isdecimal() and int(told) > most and ("expect" in request.headers or int(told) > _THROWN_AWAY):
        raise _too_large(most)  # a client that asks first has not sent anything yet
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size <= most:
            parts.append(part)
        elif size > _THROWN_AWAY:
            break
    if size > most:
        raise _too_large(most)
    return b"".join(parts)


def _too_large(most: int) -> Refused:
    return Refused(413, "body_too_large", f"The body is larger than {most:,} bytes; send less text at a time.")


async def until_gone(request: Request) -> None:
    """Return when the client of a request whose body was read has closed the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
