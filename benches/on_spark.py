"""basrelief on Spark beside basrelief on one machine: processor seconds, speed, bytes.

``python benches/on_spark.py --write docs/benchmarks-spark.md`` runs all; ``make bench-spark`` calls
it. ``python benches/on_spark.py CASE WHERE FOLDER`` fits once in this process and prints JSON:
``local`` without Spark, ``parts`` by the tasks' own functions one after the other, each on one
thread, or on so many executors of one core, such as ``2 read`` or ``2 sent``: whether tasks read
from files, or Spark sends the rows. ``1 count`` only counts the rows on Spark.
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
    "many pairs": (200_000, 100, None),
}
PARTITIONS = 16
# Executors, and whether the tasks read from files, or Spark sends rows.
ON_SPARK = {
    "sampled": ("1 read", "2 read", "1 sent", "2 sent"),
    "all pairs": ("1 read", "2 read", "1 sent", "2 sent"),
    "many pairs": ("1 read", "2 read"),
}
# Sessions that only count the rows.
COUNTED = ("1 count", "2 count")
TICKS = os.sysconf("SC_CLK_TCK")


def names_of(case):
    """Names of the columns of features."""
    return [f"x{place}" for place in range(CASES[case][1])]


def make_data(case, folder):
    """Write the rows as files of Parquet, a partition each.

    The features are written twice: as arrays, which Spark sends, and as columns, which tasks read.
    """
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
                **dict(zip(names_of(case), X.T.copy(), strict=True)),
            }
        )
        # Without dictionaries, as Spark writes numbers that do not repeat.
        path = Path(folder) / f"{part:02}.parquet"
        pq.write_table(table, path, compression="none", use_dictionary=False)


def read_data(case, folder):
    """Read what :func:`make_data` wrote: features and labels."""
    import pyarrow.parquet as pq

    rows, columns, _ = CASES[case]
    table = pq.read_table(folder, columns=["features", "label"])
    features = table.column("features").combine_chunks().flatten().to_numpy()
    return features.reshape(rows, columns), table.column("label").to_numpy()


def fit_locally(case, folder):
    """Fit on one thread, and print what it took as JSON."""
    from basrelief import ReliefF

    samples = CASES[case][2]
    X, y = read_data(case, folder)
    wall, cpu = time.perf_counter(), time.process_time()
    weights = ReliefF(n_samples=samples or "all", random_state=0).fit(X, y).weights_
    told = {"seconds": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    print(json.dumps({**told, "weights": weights.tobytes().hex()}))


def fit_in_parts(case, folder):
    """Fit by what the tasks on Spark compute, without what moves their bytes; print it as JSON."""
    from basrelief import _native
    from basrelief._base import Study

    _, columns, samples = CASES[case]
    X, y = read_data(case, folder)
    X = np.asfortranarray(X)
    names = names_of(case)
    options = [("n_samples", str(samples or "all"))]
    target = (y.astype(np.uint32), ["0", "1"])
    study = Study("relieff", options, None, names, ["numeric"] * columns, target)
    start = time.process_time()
    job = _native.job(
        study, groups=None, weights=None, covariates=None, block_rows=None, block_columns=None
    )
    layout = _native.job_layout(job)
    blocks = [
        [X[:, place] for place in range(first, end)] for first, end in layout["column_blocks"]
    ]
    leading, of_leading, ranges = layout["tables"]
    packed = [
        _native.job_columns(job, block, features, leading, 1)
        for block, features in enumerate(blocks)
    ]
    plan = _native.job_plan(job, [facts for facts, *_ in packed])
    cells = list(zip(*(cells for _, cells, _ in packed), strict=True))

    def rows_of(block):
        if block < leading:
            return {"cells": cells[block]}
        first, end = ranges[block - leading]
        are_own = np.isin(np.arange(first, end), of_leading, invert=True)
        return {"columns": [X[first:end, place][are_own] for place in range(columns)]}

    found = {}
    for a, b in _native.job_pairs(plan, "search"):
        other = {"cells": []} if a == b else rows_of(b)
        for block, result in _native.job_pair(plan, "search", [], a, b, rows_of(a), other, 1):
            found.setdefault(block, []).append((a, b, result))
    lists = [_native.job_lists(plan, block, found[block], 1) for block in sorted(found)]
    sums = [
        _native.job_sums(plan, block, features, lists, 1) for block, features in enumerate(blocks)
    ]
    rounds = _native.job_rounds(study)
    _, weights, _ = _native.job_after(rounds, plan, sums)
    told = {"cpu": time.process_time() - start}
    print(json.dumps({**told, "weights": np.asarray(weights).tobytes().hex()}))


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

    from basrelief.spark import _tasks

    _tasks.freeze()
    time.sleep(1)
    yield from batches


def fit_on_spark(case, where, folder):
    """Fit on Spark, and print what it took as JSON."""
    from pyspark.sql import SparkSession

    from basrelief.spark import ReliefF

    executors, way = where.split()
    executors = int(executors)
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
    if way == "count":
        spark.read.parquet(str(folder)).count()
        print(json.dumps({"java": processes_below(driver)["java"] - before["java"]}))
        spark.stop()
        return
    estimator = ReliefF(numSamples=samples, idCol="id", numTopFeatures=2)
    if way == "read":
        estimator.setParams(inputCols=names_of(case))
    plans = []
    keep_plan(plans)
    weights = estimator.fit(data).weights.toArray()
    told = {"seconds": time.perf_counter() - start}
    after = processes_below(driver)
    time.sleep(2)
    told |= {kind: after[kind] - before[kind] for kind in after}
    told |= {"shuffled": shuffled() - bytes_before, "planned": plans[0].shuffled}
    told |= {"route": plans[0].route, "columns": plans[0].pieces.text()}
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


def measure(case, where, folder):
    """Measure a fit in a process of its own."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "python"),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, __file__, case, str(where), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(done.stderr[-4000:])
    return json.loads(done.stdout.strip().splitlines()[-1])


def _executors(where):
    count, _ = where.split()
    return f"{count} executor{'s' if count > '1' else ''}"


def report():
    """Measure all cases, and write them as lines of Markdown."""
    lines = [
        "# On Spark, measured",
        "",
        "`make bench-spark` writes this page. It measures what Spark costs compared with one "
        "machine: `ReliefF` with 10 neighbors and two classes, on numbers in double precision in "
        "16 Parquet files. An executor is a process with one core (`local-cluster`); all run on "
        "one machine. The features are separate columns, which the tasks [read from the "
        "files](spark.md#rows-and-columns-from-files), in the order of their ids, or arrays, which "
        "Spark sends.",
        "",
        *machine(),
        "",
        "| rows x columns, sampled | where | s | faster than 1 executor | processor s of Python's "
        "workers | of Java | Python's relative to one thread | Java's | busy cores "
        "| shuffled | planned |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for case, (rows, columns, samples) in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            make_data(case, folder)
            local, parts, *on_spark = (
                measure(case, where, folder)
                for where in ("local", "parts", *ON_SPARK[case], *COUNTED)
            )
        by_where = dict(zip((*ON_SPARK[case], *COUNTED), on_spark, strict=True))
        for other in (parts, *(by_where[where] for where in ON_SPARK[case])):
            if other["weights"] != local["weights"]:
                sys.exit(f"{case}: other weights in parts than on one machine")
        of = f"{rows:,} x {columns:,}, {'all' if samples is None else f'{samples:,}'}"
        lines.append(
            f"| {of} | one thread, no Spark | {local['seconds']:.1f} | | {local['cpu']:.1f} "
            "| | 1 | | | | |"
        )
        lines.append(
            f"| | the tasks' own functions, no Spark | | | {parts['cpu']:.1f} "
            f"| | {parts['cpu'] / local['cpu']:.2f} | | | | |"
        )
        for where in COUNTED:
            java = by_where[where]["java"]
            lines.append(f"| | {_executors(where)}, rows counted | | | | {java:.1f} | | | | | |")
        for where in ON_SPARK[case]:
            count, way = where.split()
            found, counted = by_where[where], by_where[f"{count} count"]
            one = by_where[f"1 {way}"]
            lines.append(
                f"| | {_executors(where)}, columns {way}, rows {found['route']} "
                f"| {found['seconds']:.1f} | {one['seconds'] / found['seconds']:.2f} "
                f"| {found['python']:.1f} | {found['java']:.1f} "
                f"| {found['python'] / local['cpu']:.2f} "
                f"| {(found['java'] - counted['java']) / local['cpu']:.2f} "
                f"| {(found['python'] + found['java']) / found['seconds']:.1f} "
                f"| {found['shuffled'] / 1e6:,.0f} MB | {found['planned'] / 1e6:,.0f} MB |"
            )
    lines += [
        "",
        "The weights on one and on two executors are identical, to the bit, to those without "
        "Spark; otherwise the benchmark ends with an error. Spark counts the bytes, with "
        "`spark.shuffle.compress=false`; by default Spark compresses them. Java's processor "
        "seconds include its just-in-time compilation, reading Parquet, and passing the rows to "
        "Python and back; relative to one thread, they are without those of a session that only "
        "counts the rows. Busy cores are the processor seconds of Python and Java by the time.",
        "",
        "The tasks' own functions are called one after the other in a process, with the rows in "
        "memory: they inspect columns, search, merge lists and sum. The additional time of "
        "Python's workers is spent on reading the files three times (twice by columns, once by "
        "rows) and collecting garbage, or on packing, on cutting rows into columns and passing "
        "bytes between Java and Python. If Spark sends the columns, every "
        "value goes to Python five times, to be inspected, cut, packed, compared and summed, and "
        "comes back twice, cut and packed. The driver, Java and both executors run on the same two "
        "cores. Java and Python of a task work at the same time, so one executor is busy on more "
        "than one core, and a second one gains less than on a separate machine.",
        "",
    ]
    return "\n".join(lines)


def main():
    if len(sys.argv) == 4:
        _, case, where, folder = sys.argv
        if where == "local":
            fit_locally(case, folder)
        elif where == "parts":
            fit_in_parts(case, folder)
        else:
            fit_on_spark(case, where, folder)
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
