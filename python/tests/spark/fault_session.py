"""Fits on Spark while things go wrong; prints a line for each. Run by test_faults.py."""

import logging
import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np

import basrelief
import spark_session
from basrelief.spark import ReliefF, _plan
from spark_tables import in_spark, table, target

FAULT = Path(os.environ["BASRELIEF_FAULT_FILE"])
FAULT.write_text("none")


def executors(driver):
    """Processes of the executors: children of the driver's Java."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            command = (entry / "cmdline").read_text()
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == driver and "CoarseGrainedExecutorBackend" in command:
            found.append(int(entry.name))
    return found


class During(logging.Handler):
    """Does something in a thread as soon as the search has begun."""

    def __init__(self, action):
        super().__init__()
        self.thread = threading.Thread(target=action)

    def emit(self, record):
        if ": search," in record.getMessage() and self.thread.ident is None:
            self.thread.start()


def main():
    # Every row is shuffled, so that there are shuffle files to lose.
    _plan.HELD_BYTES = 0
    session = spark_session.start(
        **{
            "spark.executorEnv.PYTHONPATH": os.pathsep.join(
                [str(spark_session.FOLDER / "faulty"), os.environ["PYTHONPATH"]]
            ),
            "spark.executorEnv.BASRELIEF_FAULT_FILE": str(FAULT),
            "spark.speculation": "true",
            "spark.speculation.quantile": "0.5",
            "spark.speculation.interval": "200ms",
            "spark.excludeOnFailure.enabled": "false",
        }
    )
    frame = table("numbers", 6000)
    labels = target(np.random.default_rng(1), frame, "two")
    wanted = basrelief.ReliefF().fit(frame, labels).weights_.tobytes()
    data = in_spark(session, frame, labels, np.arange(6000)).repartition(4)
    context = session.sparkContext
    log = logging.getLogger("basrelief.spark")
    log.setLevel(logging.INFO)

    def left():
        return context._jsc.getPersistentRDDs().size()

    def fit():
        estimator = ReliefF(inputCols=list(frame.columns), idCol="id")
        same = estimator.fit(data).weights.toArray().tobytes() == wanted
        kept = "nothing left" if left() == 0 else f"{left()} left"
        return f"{'same bits' if same else 'OTHER BITS'}, {kept}"

    def again(name):
        return "yes" if list(FAULT.parent.glob(f"fault-{name}-search-*-1")) else "no"

    for name in ("none", "raise", "slow"):
        FAULT.write_text(name)
        outcome = fit()
        print(f"{name}: {outcome}, tried again: {again(name)}", flush=True)

    FAULT.write_text("none")
    deleted = []

    def lose():
        # While the search reads them, for as long as it takes to lose some.
        until = time.monotonic() + 3
        while time.monotonic() < until:
            for file in Path(os.environ["SPARK_LOCAL_DIRS"]).rglob("shuffle_*.data"):
                file.unlink(missing_ok=True)
                deleted.append(file)
            time.sleep(0.1)

    def kill():
        time.sleep(0.5)
        victim = executors(context._gateway.proc.pid)[0]
        killed.append(victim)
        os.kill(victim, signal.SIGKILL)

    for name, action in (("lost", lose), ("killed", kill)):
        killed = []
        handler = During(action)
        log.addHandler(handler)
        outcome = fit()
        handler.thread.join()
        log.removeHandler(handler)
        if name == "lost":
            print(f"lost: {outcome}, files deleted: {'yes' if deleted else 'no'}", flush=True)
        else:
            gone = killed[0] not in executors(context._gateway.proc.pid)
            print(f"killed: {outcome}, executor gone: {'yes' if gone else 'no'}", flush=True)

    FAULT.write_text("version")
    try:
        fit()
    except RuntimeError as error:
        kept = "nothing left" if left() == 0 else f"{left()} left"
        print(f"version: {type(error).__name__}, {kept}, {error}", flush=True)
    session.stop()


if __name__ == "__main__":
    sys.exit(main())
