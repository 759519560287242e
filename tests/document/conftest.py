from __future__ import annotations

import pytest
from document_fakes import FakePipeline


@pytest.fixture(scope="session")
def nlp():
    return FakePipeline()
