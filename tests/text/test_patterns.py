"""Patterns that match the same in every Python the package admits."""

from __future__ import annotations

import re

from vnlp_colab.text import tokens

# A group that is repeated possessively, "(...)*+". Python 3.11.0 to 3.11.4 (Debian 12 has 3.11.2) match too much with
# them (python/cpython#106052): "içti." was one token there. "(?>(...)*)" means the same and is right everywhere.
_POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{[0-9,]*\})\+")


def test_no_group_of_the_tokenizer_is_repeated_possessively():
    patterns = {name: value.pattern for name, value in vars(tokens).items() if isinstance(value, re.Pattern)}
    assert len(patterns) > 3
    assert [name for name, pattern in patterns.items() if _POSSESSIVE_GROUP.search(pattern)] == []


def test_the_guard_knows_such_a_group():
    assert _POSSESSIVE_GROUP.search(r"(?:ab)*+c")
    assert _POSSESSIVE_GROUP.search(r"(ab){1,2}+")
    assert not _POSSESSIVE_GROUP.search(r"a++(?>(?:ab)*)[()]\)?+")
