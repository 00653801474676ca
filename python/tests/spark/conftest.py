"""One session of real worker processes for all tests of this folder but those of faults."""

import os
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed: `make setup` installs it")

PACKAGE = Path(__file__).resolve().parents[2]


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.spark)
            item.add_marker(pytest.mark.slow)


def surroundings():
    """Environment of a session whose executors find this Python and this tree."""
    return {
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONPATH": str(PACKAGE),
        "SPARK_LOCAL_IP": "127.0.0.1",
        # Spark says at every start that it does not know this pandas yet.
        "PYTHONWARNINGS": "ignore::FutureWarning",
    }


@pytest.fixture(scope="session")
def java():
    from basrelief.spark._java import _problem

    problem = _problem(os.environ.get("JAVA_HOME"), os.environ.get("PATH"))
    if problem is not None:
        pytest.skip(problem)


@pytest.fixture(scope="session")
def spark(java):
    """Two executors of one core each, in processes of their own."""
    os.environ.update(surroundings())
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .appName("basrelief tests")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.executor.memory", "900m")
        .config("spark.sql.shuffle.partitions", "4")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
