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


@pytest.fixture(scope="session")
def nlp():
    """A pipeline whose annotators answer by rule (see pipeline_fakes.py)."""
    from pipeline_fakes import fake_models

    from vnlp_colab.pipeline_colab import VNLPipeline

    return VNLPipeline(fake_models())


@pytest.fixture(scope="session")
def nlp_all_columns():
    """The same with every optional column."""
    from pipeline_fakes import fake_models

    from vnlp_colab.pipeline_colab import VNLPipeline

    columns = ["offsets", "pos_confidence", "ner_confidence", "sentiment_label", "entities", "ner_bio"]
    return VNLPipeline(fake_models(), columns=columns)
