"""One session for all tests of this folder but those of faults and of memory."""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

# Without pyspark the one test that remains says why.
if find_spec("pyspark") is None:
    collect_ignore_glob = ["test_[!p]*.py"]


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.spark)
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def java():
    from basrelief.spark._java import problem

    found = problem(os.environ.get("JAVA_HOME"), os.environ.get("PATH"))
    if found is not None:
        pytest.skip(found)


@pytest.fixture(scope="session")
def spark(java):
    import spark_session

    # What is refused is refused at once, and not after three more tries.
    session = spark_session.start(**{"spark.task.maxFailures": "1"})
    yield session
    session.stop()
