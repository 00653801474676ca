"""The stages of a fit on Spark, from the view of the driver.

The module uses only DataFrame operations, which Spark Connect supports. Records are sent to a task
by the number of its partition, and a task reads all records of its partition. It uses no grouping
of Spark, so that the size of a group has no limit.
"""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager

from pyspark import StorageLevel
from pyspark.sql import functions as F

from basrelief import _native
from basrelief.spark._files import is_connect, pieces_frame
from basrelief.spark._plan import (
    BATCH_BYTES,
    PAIR_STAGES,
    Pieces,
    Plan,
    pairs_of_tasks,
    tables_read,
)
from basrelief.spark._records import SCHEMA
from basrelief.spark._worker import shipped, told

__all__ = ["Fit"]

_log = logging.getLogger("basrelief.spark")


class _Batches:
    """Limits the size of Arrow batches while fits run, and restores the setting afterwards.

    With Spark's default limit, a batch of records can need twice some hundred megabytes of the Java
    heap of an executor. Fits in several threads, as in cross-validation, share the setting of a
    session.
    """

    _NAME = "spark.sql.execution.arrow.maxBytesPerBatch"

    def __init__(self):
        self._lock = threading.Lock()
        # The number of running fits per session, and the setting before the first of them.
        self._of_sessions = {}

    def lower(self, spark):
        """Lower the limit for another fit."""
        with self._lock:
            fits, before = self._of_sessions.get(id(spark), (0, None))
            if fits == 0:
                before = spark.conf.get(self._NAME, None)
                spark.conf.set(self._NAME, str(BATCH_BYTES))
            self._of_sessions[id(spark)] = fits + 1, before

    def restore(self, spark):
        """Restore the limit after the last fit."""
        with self._lock:
            fits, before = self._of_sessions.pop(id(spark))
            if fits > 1:
                self._of_sessions[id(spark)] = fits - 1, before
            elif before is None:
                spark.conf.unset(self._NAME)
            else:
                spark.conf.set(self._NAME, before)


_batches = _Batches()


class Fit:
    """A fit, as a context manager that removes all its data from the executors at the end.

    Parameters
    ----------
    source : Source
    method : str
        Name of the method in the registry.
    """

    def __init__(self, source, method):
        self._source = source
        self._method = method
        # The title of the current round on Spark's web page.
        self._title = method
        self._spark = source.frame.sparkSession
        self._kept = []
        conf = self._spark.conf
        self._threads = int(conf.get("spark.task.cpus", "1"))

    def __enter__(self):
        _batches.lower(self._spark)
        return self

    def __exit__(self, *_):
        _batches.restore(self._spark)
        self._forget()

    def _forget(self):
        for frame in reversed(self._kept):
            frame.unpersist()
        self._kept.clear()

    @property
    def cores(self) -> int | None:
        """Number of tasks that run in parallel; None if the session does not report it."""
        context = _context(self._spark)
        return None if context is None else max(1, context.defaultParallelism // self._threads)

    def look(self):
        """Read all rows once."""
        with self._work("read rows, labels and ids"):
            return self._source.look(self.cores)

    def pack(self, rows, job, sampled, columns, title) -> Plan:
        """Divide the rows into columns and pack them, and plan the remaining stages.

        The stored data of an earlier round are removed.

        Parameters
        ----------
        rows : Rows
            The result of :meth:`look`.
        job : bytes
            The result of ``_native.job``.
        sampled : int
            Number of query rows.
        columns : list of int
            Indices of the columns of the job among all columns.
        title : str
            Title of the round.
        """
        self._forget()
        self._title = title
        self._rows, layout = rows.count, _native.job_layout(job)
        column_blocks = [columns[start:end] for start, end in layout["column_blocks"]]
        self._layout = layout = {**layout, "column_blocks": column_blocks}
        self._reading, tables, packed = None, None, None
        if rows.reading is None:
            cut = shipped(
                "cut",
                form=self._source.form,
                column_blocks=column_blocks,
                genotypes=rows.genotypes.tobytes(),
                known=rows.checksums,
            )
            cut = self._to_tasks(self._source.frame.mapInArrow(cut, SCHEMA), len(column_blocks))
            # Kept for the sums, which need the columns again.
            self._pieces = self._keep(cut)
        else:
            self._reading = {
                **rows.reading,
                "blocks": column_blocks,
                "genotypes": rows.genotypes.tobytes(),
            }
            self._pieces = pieces_frame(self._spark, len(column_blocks))
            tables, packed = tables_read(layout, len(columns), rows.in_order)
        told_of = self._packed(job, None if tables is None else tables[0])
        if any(row.kind == "missing" for row in told_of):
            tables, packed = None, "there are missing values"
            told_of = self._packed(job, None)
        self._tables = tables
        facts = sorted((row.a, bytes(row.facts)) for row in told_of if row.facts is not None)
        if len(facts) != len(column_blocks):
            raise ValueError(
                f"the facts of only {len(facts)} of {len(column_blocks)} blocks of columns "
                "arrived; fit again"
            )
        sizes = tuple(row.b for row in told_of if row.facts is not None)
        files = 0 if self._reading is None else len(self._reading["files"])
        cells = [0] * layout["blocks"]
        for row in told_of:
            if row.kind == "cell":
                cells[row.a] += row.bytes
        self._held = None
        self._plan = _native.job_plan(job, [data for _, data in facts])
        self._stages = [dict(stage) for stage in _native.job_stages(self._plan)]
        self._pairs = {
            stage["stage"]: [
                tuple(map(int, pair)) for pair in _native.job_pairs(self._plan, stage["stage"])
            ]
            for stage in self._stages
            if stage["stage"] in PAIR_STAGES
        }
        self.plan = Plan.of(
            self._method,
            rows.count,
            len(columns),
            layout,
            cells,
            Pieces(sizes, files, rows.not_read, packed),
            self._stages,
            self._pairs,
            sampled,
            tables,
            self.cores,
        )
        return self.plan

    def _packed(self, job, blocks):
        """Pack the columns, with cells for so many leading blocks, and return what was packed."""
        pack = shipped("pack", job=job, blocks=blocks, **self._of_columns())
        self._cells = self._keep(self._pieces.mapInArrow(pack, SCHEMA))
        with self._work(f"pack {len(self._layout['column_blocks'])} blocks of columns"):
            return self._cells.select(
                "kind",
                "a",
                "b",
                F.length("data").alias("bytes"),
                F.when(F.col("kind") == "facts", F.col("data")).alias("facts"),
            ).collect()

    def weigh(self, rounds):
        """Run the stages of the plan.

        Parameters
        ----------
        rounds : bytes
            The round of the plan.

        Returns
        -------
        rounds : bytes or None
            The next round; None after the last one.
        weights : ndarray or None
            The weights of all columns in order, after the last round.
        warnings : list of str
        """
        known = []
        if self._held is None:
            self._held = self._hold()
        lists = None
        for stage in (stage["stage"] for stage in self._stages):
            if stage in ("measure", "radii"):
                with self._work(self._told_of(stage)):
                    found = self._pair_results(stage, known).collect()
                results = [(row.a, row.b, bytes(row.data)) for row in found]
                known = [*known, _native.job_known(self._plan, stage, results)]
            elif stage == "lists":
                lists = self._lists(self._pair_results("search", known))
            elif stage == "sums":
                results = self._sums(lists)
            elif stage == "margins":
                results = self._margins()
        return _native.job_after(rounds, self._plan, results)

    def test(self, weights, draws, test) -> dict:
        """Test the weights of the last stage by permutations of the target.

        Parameters
        ----------
        weights : ndarray
        draws : int
            Number of permutations.
        test : tuple
            The test as ``_native.fit`` expects it.

        Returns
        -------
        found : dict
            The result of ``_native.job_test``, as lists.
        """
        *_, sided = test
        plan = self._with_permutations(draws, sided)
        stage = next(own for own in _native.job_stages(plan) if own["stage"] == "permute")
        tasks = stage["parts"]
        parts = self._spark.range(tasks).select(F.col("id").cast("int").alias("part"))
        sent = self._pieces.crossJoin(F.broadcast(parts))
        # The kind contains the block of columns of a piece, which was its task.
        block = F.col("task").cast("string").alias("kind")
        sent = sent.select(F.col("part").alias("task"), block, "a", "b", "data")
        task = shipped("permute", plan=plan, weights=weights.tobytes(), **self._of_columns())
        frame = self._to_tasks(sent, tasks).mapInArrow(task, SCHEMA)
        with self._work(f"{draws} permutations in {tasks} tasks"):
            rows = sorted(frame.collect(), key=lambda row: row.a)
        permuted = [bytes(row.data) for row in rows]
        found = _native.job_test(plan, weights, permuted, test)
        # A model is stored as JSON, without the time, which differs between runs.
        arrays = ("p_values", "q_values", "selected")
        adjusted = found["adjusted"]
        return {
            **{name: found[name].tolist() for name in arrays},
            "adjusted": None if adjusted is None else adjusted.tolist(),
            "chance_weight": found["chance_weight"],
            "warnings": found["warnings"],
        }

    def plan_with_test(self, draws, sided) -> Plan:
        """Return the plan including the test."""
        return self.plan.with_test(_native.job_stages(self._with_permutations(draws, sided)))

    def _with_permutations(self, draws, sided):
        # The result does not depend on the number of tasks; each is sent the complete data.
        return _native.job_permutations(self._plan, draws, sided, self.cores or 1)

    def again(self, rounds, title) -> bool:
        """Continue with a round that uses the same packed rows, if possible.

        Parameters
        ----------
        rounds : bytes
        title : str
            Title of the round.
        """
        plan = _native.job_again(rounds, self._plan)
        if plan is None:
            return False
        self._plan, self._title = plan, title
        return True

    def _hold(self):
        """Collect the cells for all tasks on the driver; None on routes without such cells."""
        if not self.plan.rows_held:
            return None
        if self.plan.route == "read" and self._tables[0] == 0:
            return {}
        wanted = F.col("kind") == "cell"
        if self.plan.route == "queries held":
            wanted &= F.col("a") < self._layout["queries"]
        with self._work("collect packed rows for all tasks"):
            rows = self._cells.where(wanted).select("a", "b", "data").collect()
        held = {}
        for row in sorted(rows, key=lambda row: (row.a, row.b)):
            held.setdefault(row.a, []).append(bytes(row.data))
        return held

    def _pair_results(self, stage, known):
        """Return the lazy DataFrame of the results of all pairs of blocks."""
        given = {
            "plan": self._plan,
            "stage": stage,
            "known": known,
            "pairs": self._pairs[stage],
            "threads": self._threads,
        }
        route, tasks = self.plan.route, self.plan.stage(stage).tasks
        if route == "held":
            numbers = self._spark.range(0, tasks, 1, tasks)
            return numbers.mapInArrow(shipped("pairs_held", held=self._held, **given), SCHEMA)
        if route == "read":
            first, rows, ranges = self._tables
            given["pairs"] = pairs_of_tasks(self._pairs[stage], first, self.cores)
            numbers = self._spark.range(0, tasks, 1, tasks)
            task = shipped(
                "pairs_read",
                held=self._held,
                reading=self._reading,
                tables=(first, rows.tobytes(), ranges),
                **given,
            )
            return numbers.mapInArrow(task, SCHEMA)
        cells = self._cells.where(F.col("kind") == "cell")
        if route == "queries held":
            to_blocks = self._to_tasks(cells, tasks)
            return to_blocks.mapInArrow(shipped("pairs_with", held=self._held, **given), SCHEMA)
        ends = [(task, block) for task, pair in enumerate(self._pairs[stage]) for block in {*pair}]
        pairs = self._spark.createDataFrame(ends, "pair int, block long")
        sent = cells.join(F.broadcast(pairs), F.col("a") == F.col("block"))
        sent = sent.select(F.col("pair").alias("task"), "kind", "a", "b", "data")
        return self._to_tasks(sent, tasks).mapInArrow(shipped("pair", **given), SCHEMA)

    def _lists(self, results):
        """Find the neighbors; return a list of bytes if they are small, otherwise a DataFrame."""
        queries = self._layout["queries"]
        lists = self._to_tasks(results, queries).mapInArrow(
            shipped("lists", plan=self._plan, threads=self._threads), SCHEMA
        )
        if not self.plan.lists_held:
            # Stored, because every task of the sums needs all lists.
            lists = self._keep(lists)
            with self._work(self._told_of("search")):
                found = lists.count()
            held = lists
        else:
            with self._work(self._told_of("search")):
                rows = sorted(lists.collect(), key=lambda row: row.a)
            found = len(rows)
            held = [bytes(row.data) for row in rows]
        if found != queries:
            raise ValueError(
                f"the neighbors of only {found} of {queries} blocks of rows arrived; fit again"
            )
        return held

    def _sums(self, lists):
        tasks = len(self._layout["column_blocks"])
        given = {"plan": self._plan, **self._of_columns()}
        if self.plan.lists_held:
            frame = self._pieces.mapInArrow(shipped("sums", held=lists, **given), SCHEMA)
        else:
            columns = self._spark.range(tasks).select(F.col("id").cast("int").alias("column"))
            sent = lists.crossJoin(F.broadcast(columns))
            sent = sent.select(F.col("column").alias("task"), "kind", "a", "b", "data")
            both = self._to_tasks(self._pieces.unionByName(sent), tasks)
            frame = both.mapInArrow(shipped("sums", held=None, **given), SCHEMA)
        with self._work(f"sums of {tasks} blocks of columns"):
            rows = sorted(frame.collect(), key=lambda row: row.a)
        return [bytes(row.data) for row in rows]

    def _margins(self):
        tasks = self.plan.stage("margins").tasks
        given = {"plan": self._plan, "threads": self._threads}
        if self.plan.rows_held:
            numbers = self._spark.range(0, tasks, 1, tasks)
            frame = numbers.mapInArrow(shipped("margins_held", held=self._held, **given), SCHEMA)
        else:
            parts = self._spark.range(tasks).select(F.col("id").cast("int").alias("part"))
            sent = self._cells.where(F.col("kind") == "cell").crossJoin(F.broadcast(parts))
            sent = sent.select(F.col("part").alias("task"), "kind", "a", "b", "data")
            frame = self._to_tasks(sent, tasks).mapInArrow(shipped("margins", **given), SCHEMA)
        with self._work(f"margins of {tasks} blocks of rows"):
            rows = sorted(frame.collect(), key=lambda row: row.a)
        return [bytes(row.data) for row in rows]

    def _of_columns(self):
        """Return the arguments of all tasks that need columns of all rows."""
        return {"rows": self._rows, "reading": self._reading, "threads": self._threads}

    def _to_tasks(self, records, tasks):
        return records.repartitionById(tasks, F.col("task"))

    def _keep(self, frame):
        # On the Java heap, complete partitions would stay in memory, and a partition with all rows
        # of some columns is too large. The system caches files on disk as memory allows.
        frame = frame.persist(StorageLevel.DISK_ONLY)
        self._kept.append(frame)
        return frame

    def _told_of(self, stage):
        return f"{stage}, {self.plan.stage(stage).pairs} pairs of blocks"

    @contextmanager
    def _work(self, what):
        """Set the description of jobs on Spark's web page, and translate their errors."""
        text = f"basrelief {self._title}: {what}"
        _log.info(text)
        context = _context(self._spark)
        name, tag = "spark.job.description", f"basrelief-{id(self)}"
        before = None if context is None else context.getLocalProperty(name)
        if context is not None:
            context.setLocalProperty(name, text)
        self._spark.addTag(tag)
        try:
            with told():
                yield
        except KeyboardInterrupt:
            self._spark.interruptTag(tag)
            raise
        finally:
            self._spark.removeTag(tag)
            if context is not None:
                context.setLocalProperty(name, before)


def _context(spark):
    """Return the context of the session; None for Spark Connect, which has no context."""
    return None if is_connect(spark) else spark.sparkContext
