"""A map on Spark: a fit whose last stage sums a scatter matrix."""

from __future__ import annotations

from pyspark.sql import functions as F

from basrelief import _native
from basrelief.spark._flow import Fit
from basrelief.spark._records import SCHEMA
from basrelief.spark._worker import shipped

__all__ = ["MapFit"]


class MapFit(Fit):
    """The fit of a map: a context manager, like :class:`Fit`."""

    def learn(self) -> dict:
        """Run the stages of the plan.

        Returns
        -------
        found : dict
            The result of ``_native.job_map``.
        """
        self._held = self._hold()
        lists = self._lists(self._pair_results("search", []))
        return _native.job_map(self._plan, self._tiles(lists))

    def _tiles(self, lists):
        """Sum the scatter: each task has the columns of two blocks, and the lists of all rows."""
        pairs = _native.job_pairs(self._plan, "scatter")
        ends = [(part, int(block)) for part, pair in enumerate(pairs) for block in {*pair}]
        wanted = self._spark.createDataFrame(ends, "part int, block int")
        sent = self._pieces.join(F.broadcast(wanted), F.col("task") == F.col("block"))
        # The kind contains the block of columns of a piece, which was its task.
        kind = F.col("block").cast("string").alias("kind")
        sent = sent.select(F.col("part").alias("task"), kind, "a", "b", "data")
        given = {**self._of_columns(), "plan": self._plan, "held": None}
        if self.plan.lists_held:
            given["held"] = lists
        else:
            parts = self._spark.range(len(pairs)).select(F.col("id").cast("int").alias("part"))
            to_all = lists.crossJoin(F.broadcast(parts))
            to_all = to_all.select(F.col("part").alias("task"), "kind", "a", "b", "data")
            sent = sent.unionByName(to_all)
        frame = self._to_tasks(sent, len(pairs)).mapInArrow(shipped("scatter", **given), SCHEMA)
        with self._work(f"scatter of {len(pairs)} pairs of blocks of columns"):
            rows = sorted(frame.collect(), key=lambda row: row.a)
        return [bytes(row.data) for row in rows]
