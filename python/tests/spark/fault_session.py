"""Fits on Spark while things go wrong; prints a line for each. Run by test_faults.py.

The two executors stand on two addresses of this machine: Spark never runs a speculative copy on the
host of the task that it copies.
"""

import logging
import os
import signal
import socket
import subprocess
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


def start_cluster():
    """Start a master and two workers of one core each, and give its address and the workers."""
    import pyspark

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    program = Path(pyspark.__file__).parent / "bin" / "spark-class"

    def start(name, host, *arguments):
        command = [program, f"org.apache.spark.deploy.{name}", "--host", host, *arguments]
        return subprocess.Popen(
            [*command, "--webui-port", "0"],
            env={**os.environ, "SPARK_LOCAL_IP": host},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    address = f"spark://127.0.0.1:{port}"
    processes = [start("master.Master", "127.0.0.1", "--port", port)]
    size = ("--cores", "1", "--memory", "1g", "--work-dir", str(FAULT.parent / "work"))
    for host in ("127.0.0.1", "127.0.0.2"):
        processes.append(start("worker.Worker", host, address, *size))
    return address, processes


def executors(workers):
    """Processes of the executors, which are children of the workers."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            command = (entry / "cmdline").read_text()
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent in workers and "CoarseGrainedExecutorBackend" in command:
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
    address, processes = start_cluster()
    try:
        run(address, {process.pid for process in processes})
    finally:
        for process in processes:
            process.terminate()


def run(address, workers):
    # Every row is shuffled, so that there are shuffle files to lose.
    _plan.HELD_BYTES = 0
    session = spark_session.start(
        address,
        **{
            "spark.executorEnv.PYTHONPATH": os.pathsep.join(
                [str(spark_session.FOLDER / "faulty"), os.environ["PYTHONPATH"]]
            ),
            "spark.executorEnv.BASRELIEF_FAULT_FILE": str(FAULT),
            "spark.speculation": "true",
            "spark.speculation.quantile": "0.5",
            "spark.speculation.interval": "200ms",
            # Both executors are there before the first job.
            "spark.scheduler.minRegisteredResourcesRatio": "1.0",
            "spark.scheduler.maxRegisteredResourcesWaitingTime": "60s",
        },
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
        estimator = ReliefF(inputCols=list(frame.columns), idCol="id", blockRows=1536)
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

    def shuffled():
        return set(Path(os.environ["SPARK_LOCAL_DIRS"]).rglob("shuffle_*.data"))

    def lose():
        # What the search has just written, and once: Spark gives up a stage that fails four times,
        # as one does whose files are lost again and again.
        before, until = shuffled(), time.monotonic() + 60
        while not deleted and time.monotonic() < until:
            for file in shuffled() - before:
                file.unlink(missing_ok=True)
                deleted.append(file)
            time.sleep(0.05)

    def kill():
        time.sleep(0.5)
        victim = executors(workers)[0]
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
            gone = killed[0] not in executors(workers)
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
