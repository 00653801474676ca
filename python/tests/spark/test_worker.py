"""What runs on workers, without Spark: surroundings, rows, checksums."""

import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from pyspark import cloudpickle
from pyspark.errors import PySparkException

from basrelief.spark import _java
from basrelief.spark._plan import Pieces, Plan
from basrelief.spark._rows import Batch, Checksum, columns_of, from_bytes, to_bytes
from basrelief.spark._worker import _cause, shipped, told
from spark_tables import table


def batch_of(frame, ids=None):
    columns = {}
    for place, name in enumerate(frame):
        kind = pa.string() if frame[name].dtype == object else None
        columns[f"c{place}"] = pa.array(frame[name], kind, from_pandas=True)
    columns["label"] = pa.array(frame.index.to_numpy() % 2)
    if ids is not None:
        columns["id"] = pa.array(ids)
    return Batch.read(pa.RecordBatch.from_pydict(columns), "columns", 0)


def checksum(*batches):
    found, first = Checksum(), 0
    for batch in batches:
        found.add(batch, first)
        first += batch.rows
    return found.number


def run_elsewhere(setting):
    """Run a task in a process whose basrelief is another, and give the error."""
    task = cloudpickle.dumps(shipped("look", form="columns"))
    code = (
        f"import sys, types; {setting}\n"
        "from pyspark import cloudpickle\n"
        f"list(cloudpickle.loads({task!r})(iter([])))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode != 0
    return done.stderr


def test_a_worker_without_the_package_says_so():
    told = run_elsewhere("sys.modules['basrelief'] = None")
    assert "basrelief cannot be imported" in told
    assert "--archives" in told


def test_a_worker_with_another_version_says_so():
    told = run_elsewhere(
        "other = types.ModuleType('basrelief'); other.__version__ = '0.0.1'; "
        "sys.modules['basrelief'] = other"
    )
    assert "it has basrelief 0.0.1, but the driver has" in told


def test_the_cause_of_a_failed_task_is_found():
    report = (
        "\n  An exception was thrown from the Python worker. Please see the stack trace below.\n"
        "Traceback (most recent call last):\n"
        '  File "/a/b.py", line 3, in run\n    raise KeyError("x")\nKeyError: \'x\'\n\n'
        "During handling of the above exception, another exception occurred:\n\n"
        "Traceback (most recent call last):\n"
        '  File "/a/c.py", line 9, in run\n    x = MemoryError\n'
        "MemoryError: cannot allocate 8 GB\n\n\tat org.apache.spark.SparkException: no\n"
    )
    assert _cause(report) == "MemoryError: cannot allocate 8 GB"
    assert _cause("Job aborted: executor 3 was lost\n\tat org.apache\n").startswith("Job aborted")
    assert _cause("") == "no cause is known"


def test_a_failed_task_states_its_cause_above_the_report():
    report = "Traceback (most recent call last):\n  File x\nMemoryError: no memory\n"
    with pytest.raises(RuntimeError) as caught, told():
        raise PySparkException(report)
    lines = str(caught.value).splitlines()
    assert lines[0] == "a Spark task failed: MemoryError: no memory"
    assert "Traceback (most recent call last):" in lines


@pytest.mark.parametrize("kind", ["mixed", "numbers", "genotypes"])
def test_checksums_see_every_change(kind):
    frame = table(kind, 40)
    wanted = checksum(batch_of(frame))
    assert checksum(batch_of(frame[:17]), batch_of(frame[17:])) == wanted
    order = np.r_[1, 0, np.arange(2, 40)]
    assert checksum(batch_of(frame.iloc[order])) != wanted
    ids = np.arange(40) * 7
    assert checksum(batch_of(frame, ids)) == checksum(batch_of(frame.iloc[order], ids[order]))
    assert checksum(batch_of(frame, ids)) != checksum(batch_of(frame.iloc[order], ids))
    for name in frame:
        changed = frame.copy()
        others = changed[name][changed[name] != changed[name][3]].dropna()
        changed.loc[3, name] = others.iloc[0]
        assert checksum(batch_of(changed)) != wanted, name


@pytest.mark.parametrize("cuts", [(), (1,), (13, 14, 30)])
def test_pieces_put_together_are_the_columns(cuts):
    frame = table("mixed", 40)
    genotypes = np.array([False, False, True, False, False, False])
    ids = np.random.default_rng(2).permutation(40)
    ends = [0, *cuts, 40]
    pieces = [
        from_bytes(to_bytes(batch_of(frame.iloc[a:b], ids[a:b]).piece(range(6), genotypes)))
        for a, b in pairwise(ends)
    ]
    number, whole, snp, (codes, levels, _), (flags, words, _), single = columns_of(pieces)
    ordered = frame.iloc[np.argsort(ids)]
    # Copies of an allele stay bytes, of which 3 is missing.
    assert snp.dtype == np.uint8
    snp = np.where(snp == 3, np.nan, snp)
    for found, name in ((number, "number"), (whole, "whole"), (snp, "snp"), (single, "single")):
        assert np.array_equal(found, ordered[name], equal_nan=True)
    assert [None if c < 0 else levels[c] for c in codes] == [
        None if text != text else text
        for text in ordered["colour"].astype(object).where(ordered["colour"].notna(), None)
    ]
    assert [words[c] for c in flags] == [str(flag) for flag in ordered["flag"]]
    # Levels in the order of their first appearance.
    assert list(dict.fromkeys(c for c in codes if c >= 0)) == list(range(len(levels)))


def test_the_plan_counts_what_is_shuffled():
    layout = {"blocks": 4, "block_rows": 10, "queries": 4, "column_blocks": [(0, 2), (2, 3)]}
    pairs = [(a, b) for a in range(4) for b in range(a, 4)]
    stages = [
        {"stage": name, "parts": 1, "result_bytes": 50, "memory_bytes": 5}
        for name in ("search", "lists", "sums")
    ]
    cells = [40_000_000] * 4
    sent = Pieces((100, 60), 0, "the features are in one column")
    plan = Plan.of("relieff", 40, 3, layout, cells, sent, stages, {"search": pairs}, 40)
    assert plan.route == "shuffled"
    # Every block goes to the pair with itself and to three others.
    assert plan.stage("search").shuffled == 4 * 4 * 40_000_000
    one = {**layout, "queries": 1}
    few = Plan.of("relieff", 40, 3, one, cells, sent, stages, {"search": pairs[:4]}, 10)
    assert few.route == "queries held"
    assert few.stage("search").shuffled == sum(cells)
    small = Plan.of("relieff", 40, 3, layout, [1000] * 4, sent, stages, {"search": pairs}, 40)
    assert small.route == "held"
    assert small.shuffled == 160 + 50
    read = replace(sent, files=2, not_read=None)
    small = Plan.of("relieff", 40, 3, layout, [1000] * 4, read, stages, {"search": pairs}, 40)
    assert small.shuffled == 50
    # The memory is that of the columns, however they come.
    assert small.stage("pack").memory == plan.stage("pack").memory == 300


@pytest.mark.parametrize(
    ("output", "match"),
    [
        ('openjdk version "11.0.2" 2019-01-15', "is Java 11"),
        ('java version "1.8.0_202"', "is Java 8"),
        ("nothing", "does not report its version"),
    ],
)
def test_java_that_is_too_old(tmp_path, output, match):
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho '{output}' >&2\n")
    java.chmod(0o755)
    assert match in _java.problem(str(tmp_path), "")


def test_no_java(tmp_path):
    environment = {**os.environ, "PATH": str(tmp_path)}
    environment.pop("JAVA_HOME", None)
    code = "from basrelief.spark import ReliefF; ReliefF()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert "Spark requires Java, but no Java was found; install Java 17" in done.stderr


def test_no_pyspark():
    code = (
        "import importlib.util as util; find = util.find_spec\n"
        "util.find_spec = lambda name, *rest: None if name == 'pyspark' else find(name, *rest)\n"
        "import basrelief.spark"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert 'pip install "basrelief[spark]"' in done.stderr
