"""A fit on Spark, stage after stage: what the driver does.

Operations of DataFrames alone, so that a session of Spark Connect will do. Records go to a task by
the number of a partition, and a task takes all records of its partition: with no groups of Spark's,
there is no limit on how large one may be.
"""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager

from pyspark import StorageLevel
from pyspark.sql import functions as F

from basrelief import _native
from basrelief.spark._plan import BATCH_BYTES, PAIR_STAGES, Plan
from basrelief.spark._records import SCHEMA
from basrelief.spark._worker import shipped, told

__all__ = ["Fit"]

_log = logging.getLogger("basrelief.spark")


class _Batches:
    """Keeps batches of Arrow small while fits run, and then lets them be what they were.

    Spark's own limit lets a batch of our records take some hundred megabytes of an executor's Java,
    twice over. Fits in several threads, as those of a cross-validation, share a session's setting.
    """

    _NAME = "spark.sql.execution.arrow.maxBytesPerBatch"

    def __init__(self):
        self._lock = threading.Lock()
        # Fits that run in a session, and its setting before the first of them.
        self._of_sessions = {}

    def lower(self, spark):
        """Lower the limit, for one more fit."""
        with self._lock:
            fits, before = self._of_sessions.get(id(spark), (0, None))
            if fits == 0:
                before = spark.conf.get(self._NAME, None)
                spark.conf.set(self._NAME, str(BATCH_BYTES))
            self._of_sessions[id(spark)] = fits + 1, before

    def restore(self, spark):
        """Restore the limit, if this is the last fit."""
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
    """One fit: a context, at whose end nothing of it is left on the executors.

    Parameters
    ----------
    source : Source
    method : str
        Name in the registry.
    """

    def __init__(self, source, method):
        self._source = source
        self._method = method
        # What the round at hand is called on Spark's web page.
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
        """Tasks that run at once; None where the session does not say."""
        context = _context(self._spark)
        return None if context is None else max(1, context.defaultParallelism // self._threads)

    def look(self):
        """Read all rows once."""
        with self._work("read rows, labels and ids"):
            return self._source.look()

    def pack(self, rows, job, sampled, columns, title) -> Plan:
        """Cut the rows into columns and pack them; know then what the rest will take.

        What an earlier round has kept is given up.

        Parameters
        ----------
        rows : Rows
            What :meth:`look` gave.
        job : bytes
            What ``_native.job`` gave.
        sampled : int
            Rows whose neighbors are sought.
        columns : list of int
            Places of the job's columns among all.
        title : str
            What the round is called.
        """
        self._forget()
        self._title = title
        self._rows, layout = rows.count, _native.job_layout(job)
        column_blocks = [columns[start:end] for start, end in layout["column_blocks"]]
        self._layout = layout = {**layout, "column_blocks": column_blocks}
        cut = self._to_tasks(
            self._source.frame.mapInArrow(
                shipped(
                    "cut",
                    form=self._source.form,
                    column_blocks=column_blocks,
                    genotypes=rows.genotypes.tobytes(),
                    known=rows.checksums,
                ),
                SCHEMA,
            ),
            len(column_blocks),
        )
        # Once more for the sums: the columns are what they weigh.
        self._pieces = self._keep(cut)
        pack = shipped("pack", job=job, rows=rows.count, threads=self._threads)
        self._cells = self._keep(self._pieces.mapInArrow(pack, SCHEMA))
        with self._work(f"pack {len(column_blocks)} blocks of columns"):
            told_of = self._cells.select(
                "kind",
                "a",
                "b",
                F.length("data").alias("bytes"),
                F.when(F.col("kind") == "facts", F.col("data")).alias("facts"),
            ).collect()
        facts = sorted((row.a, bytes(row.facts)) for row in told_of if row.facts is not None)
        if len(facts) != len(column_blocks):
            raise ValueError(
                f"facts of {len(facts)} of {len(column_blocks)} blocks of columns arrived; "
                "fit again"
            )
        pieces = [row.b for row in told_of if row.facts is not None]
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
            pieces,
            self._stages,
            self._pairs,
            sampled,
        )
        return self.plan

    def weigh(self, rounds):
        """Do the stages of the plan.

        Parameters
        ----------
        rounds : bytes
            The round that the plan was made for.

        Returns
        -------
        rounds : bytes or None
            The next round; None after the last one.
        weights : ndarray or None
            After the last round: in the order of all columns.
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
            Permutations.
        test : tuple
            As ``_native.fit`` takes it.

        Returns
        -------
        found : dict
            What ``_native.job_test`` gives, as lists.
        """
        plan = self._with_permutations(draws)
        stage = next(own for own in _native.job_stages(plan) if own["stage"] == "permute")
        tasks = stage["parts"]
        parts = self._spark.range(tasks).select(F.col("id").cast("int").alias("part"))
        sent = self._pieces.crossJoin(F.broadcast(parts))
        # The kind says which columns a piece has, as its task did.
        block = F.col("task").cast("string").alias("kind")
        sent = sent.select(F.col("part").alias("task"), block, "a", "b", "data")
        given = {"plan": plan, "rows": self._rows, "threads": self._threads}
        task = shipped("permute", weights=weights.tobytes(), **given)
        frame = self._to_tasks(sent, tasks).mapInArrow(task, SCHEMA)
        with self._work(f"{draws} permutations in {tasks} tasks"):
            rows = sorted(frame.collect(), key=lambda row: row.a)
        permuted = [bytes(row.data) for row in rows]
        found = _native.job_test(plan, weights, permuted, test)
        # A model is stored as JSON, the same for every run.
        arrays = ("p_values", "q_values", "selected")
        adjusted = found["adjusted"]
        return {
            **{name: found[name].tolist() for name in arrays},
            "adjusted": None if adjusted is None else adjusted.tolist(),
            "chance_weight": found["chance_weight"],
        }

    def plan_with_test(self, draws) -> Plan:
        """Plan the test too, for whoever wants to know what it will take."""
        return self.plan.with_test(_native.job_stages(self._with_permutations(draws)))

    def _with_permutations(self, draws):
        # However many tasks there are, they count alike; every one is sent the whole data.
        return _native.job_permutations(self._plan, draws, self.cores or 1)

    def again(self, rounds, title) -> bool:
        """Go on with another round of the same packed rows, if it is of the same.

        Parameters
        ----------
        rounds : bytes
        title : str
            What the round is called.
        """
        plan = _native.job_again(rounds, self._plan)
        if plan is None:
            return False
        self._plan, self._title = plan, title
        return True

    def _hold(self):
        """Bring to the driver the cells that go to all tasks; none on the route without them."""
        if not self.plan.rows_held:
            return None
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
        """Say what the pairs of blocks give, which is not computed yet."""
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
        """Find neighbors: a list of bytes where they are small, else a DataFrame."""
        queries = self._layout["queries"]
        lists = self._to_tasks(results, queries).mapInArrow(
            shipped("lists", plan=self._plan, threads=self._threads), SCHEMA
        )
        if not self.plan.lists_held:
            # Kept, as every task of the sums needs all of them.
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
            raise ValueError(f"neighbors of {found} of {queries} blocks of rows arrived; fit again")
        return held

    def _sums(self, lists):
        tasks = len(self._layout["column_blocks"])
        given = {"plan": self._plan, "rows": self._rows, "threads": self._threads}
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

    def _to_tasks(self, records, tasks):
        return records.repartitionById(tasks, F.col("task"))

    def _keep(self, frame):
        # In Java's memory a partition is kept whole, as long as others stand beside it: one of all
        # rows of some columns is too much. Of what is on disk the system keeps what it can.
        frame = frame.persist(StorageLevel.DISK_ONLY)
        self._kept.append(frame)
        return frame

    def _told_of(self, stage):
        return f"{stage}, {self.plan.stage(stage).pairs} pairs of blocks"

    @contextmanager
    def _work(self, what):
        """Call the jobs within so on Spark's web page, and their errors what they are."""
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
    """Give the session's context; None of Spark Connect, which has none."""
    return None if _is_connect(spark) else spark.sparkContext


def _is_connect(spark):
    return type(spark).__module__.startswith("pyspark.sql.connect")
