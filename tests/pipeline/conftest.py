from __future__ import annotations

import pytest
from pipeline_fakes import fake_models

from vnlp_colab.pipeline_colab import VNLPipeline


@pytest.fixture(scope="session")
def nlp():
    return VNLPipeline(fake_models())


@pytest.fixture(scope="session")
def nlp_all_columns():
    return VNLPipeline(fake_models(), columns=["offsets", "pos_confidence", "ner_confidence", "sentiment_label"])
