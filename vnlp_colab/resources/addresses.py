"""Addresses as they may be shown and stored: without the passwords people write into them."""

from __future__ import annotations

import re

# What stands before the @ of the host.
_USER = re.compile(r"(?P<scheme>\b[a-zA-Z][\w+.-]*://)[^/?#\s]*@")
# A password with a raw / ? or # in it: what should be the port is no number, and an @ comes later.
_ODD_USER = re.compile(r"(?P<scheme>\b[a-zA-Z][\w+.-]*://)[^/?#@:\[\s]*:(?!\d*(?:[/?#\s]|$))\S*@")
# Signed addresses carry their key in the query.
_QUERY = re.compile(r"(?P<address>\b[a-zA-Z][\w+.-]*://[^?\s]*)\?[^\s)\]'\"]*")


def without_secrets(text: str) -> str:
    """Return a text (an address, or a message that holds some) without user names, passwords and queries in it.

    Examples
    --------
    >>> without_secrets("cannot fetch https://ayşe:gizli@example.org/models/a.onnx: 404")
    'cannot fetch https://example.org/models/a.onnx: 404'
    >>> without_secrets("https://example.org/a.onnx?signature=abc")
    'https://example.org/a.onnx?…'
    """
    for pattern in (_USER, _ODD_USER):
        text = pattern.sub(r"\g<scheme>", text)
    return _QUERY.sub(r"\g<address>?…", text)


def cause(error: Exception, address: str) -> Exception | None:
    """Return what an error is raised from: nothing where a traceback would show the password of `address`."""
    return error if without_secrets(address) == address else None
