"""The base of every error this package tells a person about."""

from __future__ import annotations


class VNLPError(Exception):
    """Something the user can act on: the message says what was wrong, with which value, and what to do.

    The command line prints the message as one line and exits with 1. Each room derives its own class where a caller
    may want to catch one kind of failure alone.
    """
