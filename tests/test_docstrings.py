"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import vnlp_colab

# The builders need TensorFlow, which no example is worth starting for.
MODULES = [
    module.name
    for module in pkgutil.walk_packages(vnlp_colab.__path__, "vnlp_colab.")
    if not module.name.startswith("vnlp_colab.keras_models") and module.name != "vnlp_colab.__main__"
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    examples = [example for name in MODULES for test in finder.find(import_module(name)) for example in test.examples]
    assert len(examples) > 50
