"""basrelief on Spark beside basrelief on one machine: processor seconds, speed, bytes.

``python benches/on_spark.py --write docs/benchmarks-spark.md`` runs all; ``make bench-spark`` calls
it. ``python benches/on_spark.py CASE EXECUTORS FOLDER`` fits once in this process, on so many
executors of one core, or with 0 on one thread without Spark, and prints JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from measuring import ROOT, machine

# Rows, columns, rows whose neighbors are sought.
CASES = {
    "sampled": (200_000, 1000, 2000),
    "all pairs": (50_000, 100, None),
}
PARTITIONS = 16
TICKS = os.sysconf("SC_CLK_TCK")


def make_data(case, folder):
    """Write the rows as files of Parquet, a partition each, with their features as arrays."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows, columns, _ = CASES[case]
    rng = np.random.default_rng(rows)
    for part in range(PARTITIONS):
        X = rng.random((rows // PARTITIONS, columns))
        y = (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)
        ends = pa.array(np.arange(len(X) + 1, dtype=np.int32) * columns)
        table = pa.table(
            {
                "id": part * len(X) + np.arange(len(X)),
                "label": y.astype(np.int32),
                "features": pa.ListArray.from_arrays(ends, pa.array(X.ravel())),
            }
        )
        pq.write_table(table, Path(folder) / f"{part:02}.parquet", compression="none")


def fit_locally(case, folder):
    """Fit on one thread, and print what it took as JSON."""
    import pyarrow.parquet as pq

    from basrelief import ReliefF

    rows, columns, samples = CASES[case]
    table = pq.read_table(folder)
    X = table.column("features").combine_chunks().flatten().to_numpy().reshape(rows, columns)
    y = table.column("label").to_numpy()
    del table
    wall, cpu = time.perf_counter(), time.process_time()
    weights = ReliefF(n_samples=samples or "all", random_state=0).fit(X, y).weights_
    told = {"seconds": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    print(json.dumps({**told, "weights": weights.tobytes().hex()}))


def processes_below(root):
    """Give the processor seconds of all processes below one, by whether Java or Python runs."""
    stats = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                name, _, rest = (entry / "stat").read_text().partition("(")[2].rpartition(")")
                command = (entry / "cmdline").read_text()
            except OSError:
                continue
            stats[int(entry.name)] = (name, command, rest.split())
    seconds = {"java": 0.0, "python": 0.0}
    executors = [
        pid
        for pid, (_, command, rest) in stats.items()
        if int(rest[1]) == root and "CoarseGrainedExecutorBackend" in command
    ]
    below = set(executors)
    for _ in range(4):
        below |= {pid for pid, (_, _, rest) in stats.items() if int(rest[1]) in below}
    for pid in below:
        name, _, rest = stats[pid]
        # Its own, and those of children that have ended.
        seconds["java" if pid in executors else "python"] += (
            sum(map(int, rest[11:13] if pid in executors else rest[11:15])) / TICKS
        )
    return seconds


def begin(batches):
    """Import what tasks import, as a task."""
    import time

    import basrelief.spark._tasks  # noqa: F401

    time.sleep(1)
    yield from batches


def fit_on_spark(case, executors, folder):
    """Fit on Spark, and print what it took as JSON."""
    from pyspark.sql import SparkSession

    from basrelief.spark import ReliefF

    spark = (
        SparkSession.builder.master(f"local-cluster[{executors},1,4096]")
        .config("spark.executor.memory", "4g")
        .config("spark.driver.memory", "2g")
        .config("spark.driver.maxResultSize", "2g")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.files.maxPartitionBytes", "1g")
        .config("spark.sql.files.openCostInBytes", "1g")
        # Bytes as they are, to compare them with those of the plan.
        .config("spark.shuffle.compress", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    data = spark.read.parquet(str(folder))
    samples = CASES[case][2] or "all"
    # What any first job starts, the workers of Python among it, is not measured. Tasks that wait
    # leave room for no other on their executor, so that all executors get some.
    spark.range(0, 4 * executors, 1, 4 * executors).mapInArrow(begin, "id long").collect()
    store = spark.sparkContext._jsc.sc().statusStore()
    driver = spark.sparkContext._gateway.proc.pid

    def shuffled():
        summaries = store.executorList(True)
        return sum(summaries.apply(i).totalShuffleWrite() for i in range(summaries.size()))

    before, bytes_before = processes_below(driver), shuffled()
    start = time.perf_counter()
    estimator = ReliefF(numSamples=samples, idCol="id", numTopFeatures=2)
    plans = []
    keep_plan(plans)
    weights = estimator.fit(data).weights.toArray()
    told = {"seconds": time.perf_counter() - start}
    after = processes_below(driver)
    time.sleep(2)
    told |= {kind: after[kind] - before[kind] for kind in after}
    told |= {"shuffled": shuffled() - bytes_before, "planned": plans[0].shuffled}
    told |= {"route": plans[0].route, "tasks": max(stage.tasks for stage in plans[0].stages)}
    print(json.dumps({**told, "weights": weights.tobytes().hex()}))
    spark.stop()


def keep_plan(plans):
    """Keep the plan of a fit, which only its text shows."""
    from basrelief.spark._flow import Fit

    pack = Fit.pack

    def packed(self, *given):
        plans.append(pack(self, *given))
        return plans[-1]

    Fit.pack = packed


def measure(case, executors, folder):
    """Measure a fit in a process of its own."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "python"),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, __file__, case, str(executors), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(done.stderr[-4000:])
    return json.loads(done.stdout.strip().splitlines()[-1])


def report():
    """Measure all cases, and write them as lines of Markdown."""
    lines = [
        "# On Spark, measured",
        "",
        "`make bench-spark` remakes this page. What Spark costs beside one machine: `ReliefF` with "
        "10 neighbors and two classes, numbers in double precision, read from Parquet. An executor "
        "is a process of one core (`local-cluster`), all on one machine.",
        "",
        *machine(),
        "",
        "| rows x columns, sampled | where | s | faster than 1 executor | processor s of Python's "
        "workers | of Java | Python's beside one thread | shuffled | planned |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for case, (rows, columns, samples) in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            make_data(case, folder)
            local, one, two = (measure(case, count, folder) for count in (0, 1, 2))
        for other in (one, two):
            if other["weights"] != local["weights"]:
                sys.exit(f"{case}: other weights on Spark than on one machine")
        of = f"{rows:,} x {columns:,}, {'all' if samples is None else f'{samples:,}'}"
        lines.append(
            f"| {of} | one thread, no Spark | {local['seconds']:.1f} | | {local['cpu']:.1f} "
            "| | 1 | | |"
        )
        for count, found in ((1, one), (2, two)):
            lines.append(
                f"| | {count} executor{'s' if count > 1 else ''}, {found['route']} "
                f"| {found['seconds']:.1f} | {one['seconds'] / found['seconds']:.2f} "
                f"| {found['python']:.1f} | {found['java']:.1f} "
                f"| {found['python'] / local['cpu']:.2f} "
                f"| {found['shuffled'] / 1e6:,.0f} MB | {found['planned'] / 1e6:,.0f} MB |"
            )
    lines += [
        "",
        "Weights on one and on two executors have the bits of those without Spark; the benchmark "
        "ends with an error where they have not. Bytes are those of Spark's own count, with "
        "`spark.shuffle.compress=false`; by default Spark compresses them. Java's processor "
        "seconds hold its just-in-time compilation, reading Parquet, and the way of the rows to "
        "Python and back.",
        "",
    ]
    return "\n".join(lines)


def main():
    if len(sys.argv) == 4:
        case, executors, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
        if executors == 0:
            fit_locally(case, folder)
        else:
            fit_on_spark(case, executors, folder)
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", help="file to write instead of standard output")
    arguments = parser.parse_args()
    text = report()
    if arguments.write:
        Path(arguments.write).write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
