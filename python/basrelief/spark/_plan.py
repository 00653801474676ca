"""How a fit will run on Spark: which way the rows go, how many tasks, and how many bytes."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["BATCH_BYTES", "HELD_BYTES", "Plan", "Stage"]

# Up to how many bytes the driver holds and sends to every task, instead of shuffling them.
HELD_BYTES = 64 << 20

# Up to how many bytes a batch between Java and Python holds, but for a record that is larger.
BATCH_BYTES = 16 << 20

# Of numbers, by one core: what docs/cluster.md tells of the search of pairs of blocks.
_DIFFERENCES_IN_A_SECOND = 1.7e10

# The stages that take pairs of blocks.
PAIR_STAGES = ("measure", "radii", "search")


@dataclass(frozen=True)
class Stage:
    """A stage of the work."""

    name: str
    tasks: int
    pairs: int
    """Pairs of blocks that its tasks do together; 0 where they take no pairs."""
    shuffled: int
    """Bytes that go from tasks to tasks before it, as they are before Spark compresses them."""
    held: int
    """Bytes that go from the driver to every task."""
    memory: int
    """Bytes that a task takes, about: what it gets, and what it makes of that."""
    seconds: float
    """Of one core, about."""


@dataclass(frozen=True)
class Plan:
    """What a fit will do."""

    method: str
    rows: int
    columns: int
    sampled: int
    blocks: int
    block_rows: int
    route: str
    """How packed rows get to the tasks: "held", "queries held", "shuffled" or "all shuffled"."""
    stages: tuple[Stage, ...]

    @classmethod
    def of(cls, method, rows, columns, layout, cells, pieces, stages, pairs, sampled) -> Plan:
        """Choose how rows go to the tasks.

        Parameters
        ----------
        method : str
        rows, columns : int
        layout : dict
            What ``_native.job_layout`` gives.
        cells : list of int
            Bytes of the cells of every block of rows.
        pieces : list of int
            Bytes of the pieces of every block of columns.
        stages : list of dict
            What ``_native.job_stages`` gives.
        pairs : dict of lists of tuples
            What ``_native.job_pairs`` gives of every stage that takes pairs.
        sampled : int
            Rows whose neighbors are sought.
        """
        blocks, queries = layout["blocks"], layout["queries"]
        total, of_queries = sum(cells), sum(cells[:queries])
        if total <= HELD_BYTES:
            route, held, most = "held", total, total
        elif queries < blocks and of_queries <= HELD_BYTES and "measure" not in pairs:
            # To measure, all pairs are needed, not only those with a block that is held.
            route, held, most = "queries held", of_queries, of_queries + max(cells)
        elif any(stage["stage"] == "margins" for stage in stages):
            route, held, most = "all shuffled", 0, total
        else:
            route, held, most = "shuffled", 0, 2 * max(cells)
        # Every pair of rows once; of sampled rows among themselves no pair twice.
        row_pairs = sampled * rows - sampled * sampled / 2
        lists = sum(stage["result_bytes"] for stage in stages if stage["stage"] == "lists")
        found = []
        for stage in stages:
            name, memory = stage["stage"], stage["memory_bytes"]
            if name in PAIR_STAGES:
                own = pairs[name]
                compared = rows * rows / 2 if name == "measure" else row_pairs
                of_pairs = compared * columns / _DIFFERENCES_IN_A_SECOND
                tasks, sent = len(own), 0
                if route == "queries held":
                    tasks, sent = blocks, total
                elif route == "shuffled":
                    sent = sum(cells[a] + (0 if a == b else cells[b]) for a, b in own)
                found.append(Stage(name, tasks, len(own), sent, held, most + memory, of_pairs))
            elif name == "margins":
                tasks = stage["parts"]
                sent = 0 if held else total * tasks
                seconds = 2 * rows * rows * columns / _DIFFERENCES_IN_A_SECOND
                found.append(Stage(name, tasks, 0, sent, held, 2 * most + memory, seconds))
            elif name == "lists":
                before = next(own for own in stages if own["stage"] == "search")
                results = before["result_bytes"]
                memory += results // max(queries, 1)
                found.append(Stage(name, queries, 0, results, 0, memory, 0.0))
            elif name == "scatter":
                # Every block of columns goes to the tasks of its pairs, one with each block.
                tasks, own = stage["parts"], len(layout["column_blocks"])
                in_closure = lists <= HELD_BYTES
                sent = sum(pieces) * own + (0 if in_closure else lists * tasks)
                memory += 4 * max(pieces) + lists
                held_lists = lists if in_closure else 0
                found.append(Stage(name, tasks, 0, sent, held_lists, memory, 0.0))
            else:
                blocks_of_columns = len(layout["column_blocks"])
                in_closure = lists <= HELD_BYTES
                shuffled = 0 if in_closure else sum(pieces) + lists * blocks_of_columns
                memory += 2 * max(pieces) + lists
                held_lists = lists if in_closure else 0
                found.append(Stage(name, blocks_of_columns, 0, shuffled, held_lists, memory, 0.0))
        first = Stage("pack", len(layout["column_blocks"]), 0, sum(pieces), 0, 3 * max(pieces), 0.0)
        return cls(
            method,
            rows,
            columns,
            sampled,
            blocks,
            layout["block_rows"],
            route,
            (first, *found),
        )

    def with_test(self, stages) -> Plan:
        """Add the test by permutations, which is the last of these stages.

        Parameters
        ----------
        stages : list of dict
            What ``_native.job_stages`` gives of the plan with its permutations.
        """
        last = stages[-1]
        tasks, pieces = last["parts"], self.stage("pack").shuffled
        # Every task finds the neighbors for itself.
        seconds = tasks * self.stage("search").seconds
        memory = 2 * pieces + last["memory_bytes"]
        test = Stage(last["stage"], tasks, 0, tasks * pieces, 0, memory, seconds)
        return replace(self, stages=(*self.stages, test))

    def stage(self, name) -> Stage:
        """Find a stage by its name."""
        return next(stage for stage in self.stages if stage.name == name)

    @property
    def shuffled(self) -> int:
        """Bytes that all stages shuffle together, before Spark compresses them."""
        return sum(stage.shuffled for stage in self.stages)

    @property
    def rows_held(self) -> bool:
        """Whether the driver holds packed rows and sends them to every task."""
        return self.route in ("held", "queries held")

    @property
    def lists_held(self) -> bool:
        """Whether the driver holds the lists of neighbors and sends them to every task."""
        last = self.stages[-1]
        return last.held > 0 or last.shuffled == 0

    def text(self, cores: int | None) -> str:
        """Write the plan as lines of text.

        Parameters
        ----------
        cores : int or None
            Tasks that run at once; None where nobody says.
        """
        ways = {
            "held": "all packed rows go to every task; they are not shuffled",
            "queries held": "the packed rows whose neighbors are sought go to every task; each "
            "other block goes to one task",
            "shuffled": "the packed rows of two blocks go to the task of the pair",
            "all shuffled": "all packed rows go to every task, by a shuffle",
        }
        lines = [
            f"basrelief {self.method} on Spark: {self.rows:,} rows, {self.columns:,} columns; "
            f"neighbors of {self.sampled:,} rows are sought",
            f"{self.blocks:,} blocks of up to {self.block_rows:,} rows; {self.route}: "
            f"{ways[self.route]}",
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
            time += f", {_time(seconds / busy)} on {cores} that work at once"
        lines.append(f"differences: {time}; shuffled in all: {_bytes(self.shuffled)}")
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
