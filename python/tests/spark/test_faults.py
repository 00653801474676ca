"""Whatever goes wrong on the way, weights are those of one machine, or the error says what it is.

The faults in workers are made by ``faulty/sitecustomize.py``; the session is one of its own, in a
process of its own, which prints a line for every fault.
"""

import os
import subprocess
import sys

import pytest

import spark_session


@pytest.fixture(scope="module")
def told(java, tmp_path_factory):
    folder = tmp_path_factory.mktemp("faults")
    environment = {**os.environ, **spark_session.surroundings()}
    environment |= {
        "SPARK_LOCAL_DIRS": str(folder / "spark"),
        "BASRELIEF_FAULT_FILE": str(folder / "fault"),
    }
    done = subprocess.run(
        [sys.executable, str(spark_session.FOLDER / "fault_session.py")],
        capture_output=True,
        text=True,
        env=environment,
        cwd=folder,
        timeout=400,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)


SAME = "same bits, nothing left"


def test_no_fault(told):
    assert told["none"] == f"{SAME}, tried again: no"


def test_every_task_fails_at_its_first_attempt(told):
    assert told["raise"] == f"{SAME}, tried again: yes"


def test_a_slow_task_is_overtaken_by_its_copy(told):
    assert told["slow"] == f"{SAME}, tried again: yes"


def test_lost_shuffle_files(told):
    assert told["lost"] == f"{SAME}, files deleted: yes"


def test_an_executor_killed(told):
    assert told["killed"] == f"{SAME}, executor gone: yes"


def test_an_executor_with_another_version(told):
    assert told["version"].startswith("RuntimeError, nothing left, executor on")
    assert "it has basrelief 0.0.1, but the driver has " in told["version"]
