import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

# Before scipy is imported: else scikit-learn leaves out its check of array-API input.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
# They start clusters, or lose executors: minutes.
LONG_ON_SPARK = {"test_connect", "test_driver_memory", "test_faults"}
ON_SPARK = Path(__file__).resolve().parent / "spark"

# What the tests of faults run in processes of their own.
collect_ignore = ["spark/fault_session.py", "spark/faulty/sitecustomize.py"]
# Without pyspark the one test that remains says why.
if find_spec("pyspark") is None:
    collect_ignore_glob = ["spark/test_[!p]*.py", "spark/spark_*.py"]


def pytest_collection_modifyitems(items):
    for item in items:
        if ON_SPARK in item.path.parents:
            item.add_marker(pytest.mark.spark)
            item.add_marker(pytest.mark.slow)
            if item.path.stem in LONG_ON_SPARK:
                item.add_marker(pytest.mark.long)


# No sandbox, as tests may run as root in a container; nothing that goes to the net by itself.
BROWSER_ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser():
    """Debian's headless Chromium."""
    playwright_api = pytest.importorskip("playwright.sync_api")
    found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if found is None:
        pytest.skip("no Chromium: `apt-get install chromium-headless-shell` as root")
    with playwright_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=BROWSER_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def java():
    from basrelief.spark._java import problem

    found = problem(os.environ.get("JAVA_HOME"), os.environ.get("PATH"))
    if found is not None:
        pytest.skip(found)


@pytest.fixture(scope="session")
def spark(java):
    """One session for all tests on Spark but those of faults and of memory."""
    import spark_session

    # What is refused is refused at once, and not after three more tries.
    session = spark_session.start(**{"spark.task.maxFailures": "1"})
    yield session
    session.stop()


@pytest.fixture(scope="session")
def data_folder():
    """Folder of the real data sets, where there is one."""
    folder = Path(os.environ.get("BASRELIEF_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no data sets in {folder}: set BASRELIEF_DATA to their folder")
    return folder


@pytest.fixture(scope="session")
def program():
    """Path of the program that `scripts/setup.sh` built with the extension module."""
    found = TARGET / "debug" / ("basrelief.exe" if os.name == "nt" else "basrelief")
    if not found.exists():
        pytest.skip(f"no {found}: `make setup` builds it")
    return found
