from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pyarrow as pa
import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent


@pytest.fixture(scope="session", autouse=True)
def workers_find_us():
    """Processes that Ray and Spark start import this tree, and listen on this machine alone."""
    before = dict(os.environ)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(HERE), os.environ.get("PYTHONPATH", "")])
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="session")
def spark():
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java, which is not installed (apt-get install default-jre-headless)")
    pyspark = pytest.importorskip("pyspark", reason="Spark is not installed (pip install vnlp-colab[spark])")
    session = (
        pyspark.sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def object_store(workers_find_us):
    """An S3 of this machine with a bucket ``engine``; whatever is started later finds it."""
    import fsspec
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    os.environ["AWS_ENDPOINT_URL"] = "http://{}:{}".format(*server.get_host_and_port())
    os.environ["AWS_ACCESS_KEY_ID"] = os.environ["AWS_SECRET_ACCESS_KEY"] = "testing"
    os.environ["AWS_DEFAULT_REGION"] = "us-east-1"
    os.environ["no_proxy"] = "127.0.0.1,localhost"
    fsspec.filesystem("s3").mkdir("engine")
    yield
    server.stop()


@pytest.fixture(scope="session")
def ray_here(object_store):
    """A Ray of this machine that all tests share."""
    ray = pytest.importorskip("ray", reason="Ray is not installed (pip install vnlp-colab[ray])")
    pytest.importorskip("ray.data")
    ray.init(num_cpus=5, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    yield ray
    ray.shutdown()


@pytest.fixture
def odd_table() -> pa.Table:
    """Rows as they come: no text, blanks, a number's worth of text, a long one, a column of ours."""
    texts = ["Ali eve gitti.", None, "", "  \t ", "12", "Çok güzel bir film! 🙂", "kelime " * 120, "Kâğıt bitti."] * 3
    return pa.table(
        {
            "id": pa.array(range(len(texts)), pa.int64()),
            "metin": pa.array(texts, pa.string()),
            "pos": pa.array(["mine"] * len(texts), pa.string()),
        }
    )
