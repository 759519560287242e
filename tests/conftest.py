"""Fixtures of more than one room."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def small_models_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of small random SPUContext and sentiment models (see small_models.py)."""
    from small_models import write_folder

    return write_folder(tmp_path_factory.mktemp("small_models"))


@pytest.fixture
def small_models(small_models_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same folder, as the one models are looked for first."""
    monkeypatch.setenv("VNLP_COLAB_MODELS", str(small_models_folder))
    return small_models_folder
