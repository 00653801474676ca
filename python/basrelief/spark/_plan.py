"""The plan of a fit on Spark: the transport of the rows, the tasks, and the bytes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from basrelief import _native

__all__ = [
    "BATCH_BYTES",
    "HELD_BYTES",
    "PAIR_STAGES",
    "Pieces",
    "Plan",
    "Stage",
    "pairs_of_tasks",
    "tables_read",
]

# Maximum number of bytes that the driver sends to every task instead of shuffling them.
HELD_BYTES = 64 << 20

# Maximum size in bytes of a batch between Java and Python, except for larger records.
BATCH_BYTES = 16 << 20

# Bytes of a number in memory.
NUMBER = 8

# Tasks per core, for tasks that read blocks one after the other.
TASKS_PER_CORE = 4

# The stages that compare pairs of blocks.
PAIR_STAGES = ("measure", "radii", "search")


@dataclass(frozen=True)
class Stage:
    """A stage of a fit."""

    name: str
    tasks: int
    pairs: int
    """Number of pairs of blocks over all tasks; 0 if the stage does not compare pairs."""
    shuffled: int
    """Bytes shuffled before the stage, before compression by Spark."""
    held: int
    """Bytes sent from the driver to every task."""
    memory: int
    """Approximate memory of a task in bytes, for its input and its results."""
    seconds: float
    """Approximate time on one core."""


@dataclass(frozen=True)
class Pieces:
    """How the columns of all rows come to their tasks."""

    sizes: tuple[int, ...]
    """Bytes of every block of columns."""
    files: int
    """Number of files from which the tasks read them."""
    not_read: str | None
    """Why Spark sends them, instead; None if tasks read them."""
    packed: str | None = None
    """Why rows are packed, although tasks read columns; None if tasks read rows, too."""

    @property
    def sent(self) -> int:
        """Bytes that Spark shuffles."""
        return 0 if self.not_read is None else sum(self.sizes)

    @property
    def largest(self) -> int:
        """Bytes of the largest block."""
        return max(self.sizes)

    def text(self) -> str:
        """Format it as text."""
        if self.not_read is not None:
            return f"sent by Spark: {self.not_read}"
        text = f"read by the tasks from {self.files} Parquet file{'s' if self.files > 1 else ''}"
        return text if self.packed is None else f"{text}; rows are packed: {self.packed}"


def tables_read(layout: dict, columns: int, in_order: bool):
    """Choose whether tasks read the rows of their blocks from files.

    Parameters
    ----------
    layout : dict
        The result of ``_native.job_layout``.
    columns : int
    in_order : bool
        Whether the files have the rows in the order of their ids.

    Returns
    -------
    tables : tuple or None
        ``layout["tables"]``; None if rows are packed.
    why : str or None
        Why rows are packed.
    """
    tables = layout["tables"]
    if not in_order:
        return None, "the files do not have them in the order of their ids"
    if tables is None:
        return None, "there are categories, or the method compares rows in the order of classes"
    if NUMBER * len(tables[1]) * columns > HELD_BYTES:
        return None, "the query rows, which every task is sent, have more than 64 MB"
    return tables, None


def pairs_of_tasks(pairs: list, leading: int, cores: int | None) -> list[list]:
    """Divide the pairs of blocks of a stage among tasks that read the rows of these blocks.

    Parameters
    ----------
    pairs : list of tuples
    leading : int
        Number of leading blocks, which all tasks are sent.
    cores : int or None
        Number of tasks that run in parallel; None if unknown.
    """
    if leading == 0:
        return [[pair] for pair in pairs]
    # Blocks that follow each other are read from the same files.
    by_block = sorted(pairs, key=lambda pair: (pair[1], pair[0]))
    blocks = by_block[-1][1] + 1
    tasks = min(blocks, TASKS_PER_CORE * (cores or 1))
    found = [[] for _ in range(tasks)]
    for pair in by_block:
        found[pair[1] * tasks // blocks].append(pair)
    return [own for own in found if own]


@dataclass(frozen=True)
class Plan:
    """The plan of a fit."""

    method: str
    rows: int
    columns: int
    sampled: int
    blocks: int
    block_rows: int
    route: str
    """Transport of rows: "held", "queries held", "shuffled", "all shuffled" or "read"."""
    stages: tuple[Stage, ...]
    pieces: Pieces

    @classmethod
    def of(
        cls,
        method,
        rows,
        columns,
        layout,
        cells,
        pieces,
        stages,
        pairs,
        sampled,
        tables=None,
        cores=None,
    ) -> Plan:
        """Choose the transport of the rows to the tasks.

        Parameters
        ----------
        method : str
        rows, columns : int
        layout : dict
            The result of ``_native.job_layout``.
        cells : list of int
            Bytes of the cells of every block of rows.
        pieces : Pieces
        stages : list of dict
            The result of ``_native.job_stages``.
        pairs : dict of lists of tuples
            The result of ``_native.job_pairs`` for every stage that compares pairs.
        sampled : int
            Number of query rows.
        tables : tuple or None
            The result of :func:`tables_read`, if the tasks read rows.
        cores : int or None
            Number of tasks that run in parallel; None if unknown.
        """
        blocks, queries = layout["blocks"], layout["queries"]
        total, of_queries = sum(cells), sum(cells[:queries])
        if tables is not None:
            # Two blocks as they are read, side by side, and packed.
            route, held = "read", total
            most = total + 5 * NUMBER * min(layout["block_rows"], rows) * columns
        elif total <= HELD_BYTES:
            route, held, most = "held", total, total
        elif queries < blocks and of_queries <= HELD_BYTES and "measure" not in pairs:
            # The stage "measure" needs all pairs, not only those with a held block.
            route, held, most = "queries held", of_queries, of_queries + max(cells)
        elif any(stage["stage"] == "margins" for stage in stages):
            route, held, most = "all shuffled", 0, total
        else:
            route, held, most = "shuffled", 0, 2 * max(cells)
        # Every pair of rows once; pairs of two query rows are not counted twice.
        row_pairs = sampled * rows - sampled * sampled / 2
        lists = sum(stage["result_bytes"] for stage in stages if stage["stage"] == "lists")
        found = []
        for stage in stages:
            name, memory = stage["stage"], stage["memory_bytes"]
            if name in PAIR_STAGES:
                own = pairs[name]
                compared = rows * rows / 2 if name == "measure" else row_pairs
                of_pairs = compared * columns / _native.DIFFERENCES_PER_SECOND
                tasks, sent = len(own), 0
                if route == "read":
                    tasks = len(pairs_of_tasks(own, tables[0], cores))
                elif route == "queries held":
                    tasks, sent = blocks, total
                elif route == "shuffled":
                    sent = sum(cells[a] + (0 if a == b else cells[b]) for a, b in own)
                found.append(Stage(name, tasks, len(own), sent, held, most + memory, of_pairs))
            elif name == "margins":
                tasks = stage["parts"]
                sent = 0 if held else total * tasks
                seconds = 2 * rows * rows * columns / _native.DIFFERENCES_PER_SECOND
                found.append(Stage(name, tasks, 0, sent, held, 2 * most + memory, seconds))
            elif name == "lists":
                before = next(own for own in stages if own["stage"] == "search")
                results = before["result_bytes"]
                memory += results // max(queries, 1)
                found.append(Stage(name, queries, 0, results, 0, memory, 0.0))
            elif name == "scatter":
                # Every block of columns is sent to the tasks of its pairs, one per block.
                tasks, own = stage["parts"], len(layout["column_blocks"])
                in_closure = lists <= HELD_BYTES
                sent = pieces.sent * own + (0 if in_closure else lists * tasks)
                memory += 4 * pieces.largest + lists
                held_lists = lists if in_closure else 0
                found.append(Stage(name, tasks, 0, sent, held_lists, memory, 0.0))
            else:
                blocks_of_columns = len(layout["column_blocks"])
                in_closure = lists <= HELD_BYTES
                shuffled = 0 if in_closure else pieces.sent + lists * blocks_of_columns
                memory += 2 * pieces.largest + lists
                held_lists = lists if in_closure else 0
                found.append(Stage(name, blocks_of_columns, 0, shuffled, held_lists, memory, 0.0))
        of_pack = 3 * pieces.largest
        first = Stage("pack", len(layout["column_blocks"]), 0, pieces.sent, 0, of_pack, 0.0)
        return cls(
            method,
            rows,
            columns,
            sampled,
            blocks,
            layout["block_rows"],
            route,
            (first, *found),
            pieces,
        )

    def with_test(self, stages) -> Plan:
        """Add the permutation test, which is the last of these stages.

        Parameters
        ----------
        stages : list of dict
            The result of ``_native.job_stages`` for the plan with permutations.
        """
        last = stages[-1]
        tasks, pieces = last["parts"], self.pieces
        # Every task finds all neighbors itself.
        seconds = tasks * self.stage("search").seconds
        memory = 2 * sum(pieces.sizes) + last["memory_bytes"]
        test = Stage(last["stage"], tasks, 0, tasks * pieces.sent, 0, memory, seconds)
        return replace(self, stages=(*self.stages, test))

    def stage(self, name) -> Stage:
        """Find a stage by name."""
        return next(stage for stage in self.stages if stage.name == name)

    @property
    def shuffled(self) -> int:
        """Total number of shuffled bytes, before compression by Spark."""
        return sum(stage.shuffled for stage in self.stages)

    @property
    def rows_held(self) -> bool:
        """Whether the driver sends packed rows to every task."""
        return self.route in ("held", "queries held", "read")

    @property
    def lists_held(self) -> bool:
        """Whether the driver sends the lists of neighbors to every task."""
        last = self.stages[-1]
        return last.held > 0 or last.shuffled == 0

    def text(self, cores: int | None) -> str:
        """Format the plan as text.

        Parameters
        ----------
        cores : int or None
            Number of tasks that run in parallel; None if unknown.
        """
        ways = {
            "held": "all packed rows are sent to every task, without a shuffle",
            "queries held": "the packed query rows are sent to every task, every other block to "
            "one task",
            "shuffled": "the packed rows of two blocks are shuffled to the task of the pair",
            "all shuffled": "all packed rows are shuffled to every task",
            "read": "tasks read the rows of their blocks; packed query rows are sent to every task"
            if self.sampled < self.rows
            else "tasks read the rows of their blocks",
        }
        lines = [
            f"basrelief {self.method} on Spark: {self.rows:,} rows, {self.columns:,} columns; "
            f"{self.sampled:,} query rows",
            f"{self.blocks:,} blocks of up to {self.block_rows:,} rows; {self.route}: "
            f"{ways[self.route]}",
            f"columns: {self.pieces.text()}",
            f"{'stage':8} {'tasks':>7} {'pairs of blocks':>15} {'shuffled':>10} "
            f"{'to every task':>13} {'memory of a task':>16}",
        ]
        for stage in self.stages:
            lines.append(
                f"{stage.name:8} {stage.tasks:7,} {stage.pairs or '':>15} "
                f"{_bytes(stage.shuffled):>10} {_bytes(stage.held):>13} {_bytes(stage.memory):>16}"
            )
        seconds = sum(stage.seconds for stage in self.stages)
        time = f"about {_time(seconds)} of one core"
        if cores:
            busy = min(cores, max(stage.tasks for stage in self.stages))
            time += f", {_time(seconds / busy)} with {cores} parallel tasks"
        lines.append(f"differences: {time}; total shuffle: {_bytes(self.shuffled)}")
        return "\n".join(lines)


def _bytes(count):
    if count == 0:
        return "-"
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


def _time(seconds):
    if seconds < 120:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"
