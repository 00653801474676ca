"""Columns and rows that tasks read from Parquet files, instead of rows that Spark sends to them.

Spark sends every value of a DataFrame through Java to Python, and again to the task of its column.
If the rows are those of Parquet files that all executors see, a task reads only its columns, and
Spark sends file names. If the files have the rows in the order of their ids, a task also reads the
rows of its blocks.
"""

from __future__ import annotations

import json
import os
import socket
from bisect import bisect_right
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import functions as F

from basrelief._validation import first_rounded
from basrelief.spark._rows import (
    OTHER_NUMBER,
    columns_of,
    numbers_of,
    order_of,
    piece_of,
    plain,
    values_seen,
)
from basrelief.spark._worker import shipped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = [
    "FACTS_OF_FILES",
    "ColumnFacts",
    "NotRead",
    "RowReader",
    "Scan",
    "facts_of_files",
    "is_connect",
    "pieces_frame",
    "tables_of",
]

# The schema of the facts about some columns.
FACTS_OF_FILES = (
    "task int, seen binary, levels string, states string, in_order boolean, obstacle string"
)

# The types of Arrow that Parquet files have for the types of Spark.
_TYPES = {
    "double": (pa.float64(),),
    "float": (pa.float32(),),
    "bigint": (pa.int64(),),
    "int": (pa.int32(),),
    "smallint": (pa.int16(),),
    "tinyint": (pa.int8(),),
    "boolean": (pa.bool_(),),
    "string": (pa.string(), pa.large_string()),
}

# Values that are looked at together.
_VALUES = 1 << 20

# Values of rows that are read together.
_READ_VALUES = 1 << 24

# Columns that a task looks at, at most.
_COLUMNS = 256


class NotRead(Exception):
    """The reason why tasks cannot read the columns from files."""


@dataclass(frozen=True)
class ColumnFacts:
    """What occurs in the columns of features, and how the tasks read them."""

    seen: np.ndarray
    """Bits for the values that occur in columns of numbers."""
    levels: dict[int, dict[str, tuple[int, int]]]
    """For columns of texts: the number of cells and the first row of every text."""
    rows: int
    """Number of rows."""
    reading: dict
    """The files and the columns, for :func:`tables_of` and :class:`RowReader`."""
    in_order: bool
    """Whether the rows of the files, one after the other, have ascending ids."""


@dataclass(frozen=True)
class Scan:
    """The Parquet files of a DataFrame whose rows are exactly those of the files."""

    paths: tuple[str, ...]
    columns: tuple[tuple[str, str, bool], ...]
    """Of every feature: its name, its type in Spark, and whether its numbers are categories."""
    ids: tuple[str, str]
    """Name of the column of ids, and its type in Spark."""

    @classmethod
    def of(cls, dataset: DataFrame, fields: dict, inputs, are_categories, ids: str | None) -> Scan:
        """Find the files of a DataFrame, without reading rows.

        Parameters
        ----------
        dataset : DataFrame
        fields : dict of StructField
            The fields of the DataFrame by name.
        inputs : list of str
            The columns of features.
        are_categories : list of bool
            Whether whole numbers of a column are categories.
        ids : str or None
            The column of ids.

        Raises
        ------
        NotRead
            The rows can only come from Spark.
        """
        if ids is None:
            raise NotRead("rows have no ids, which give their order")
        if is_connect(dataset):
            raise NotRead("a session of Spark Connect does not show where rows come from")
        level = dataset.storageLevel
        if level.useMemory or level.useDisk:
            raise NotRead("the DataFrame is persisted")
        types = {name: fields[name].dataType.simpleString() for name in [*inputs, ids]}
        for name, kind in types.items():
            if kind not in _TYPES:
                raise NotRead(f"column `{name}` is of type {kind}")
            if "." in name:
                raise NotRead(f"the name of column `{name}` contains a dot")
        _check_plan(dataset._jdf.queryExecution().optimizedPlan())
        paths = []
        for address in dataset.inputFiles():
            parts = urlsplit(address)
            if parts.scheme != "file":
                raise NotRead(f"files are at {parts.scheme}:// and not in a folder")
            paths.append(unquote(parts.path))
        if not paths:
            raise NotRead("there are no files")
        columns = tuple(
            (name, types[name], bool(is_category and types[name].endswith("int")))
            for name, is_category in zip(inputs, are_categories, strict=True)
        )
        return cls(tuple(sorted(paths)), columns, (ids, types[ids]))

    def look(self, spark, cores: int | None) -> ColumnFacts:
        """Look at all columns on the executors.

        Parameters
        ----------
        spark : SparkSession
        cores : int or None
            Number of tasks that run in parallel; None if unknown.

        Raises
        ------
        NotRead
            An executor does not see the files, or they have columns of other types.
        """
        width = len(self.columns)
        tasks = max(-(-width // _COLUMNS), min(width, 2 * (cores or 1)))
        groups = [list(range(width))[task::tasks] for task in range(tasks)]
        reading = {
            "files": [(path, None, 0) for path in self.paths],
            "columns": self.columns,
            "ids": self.ids,
        }
        task = shipped("look_into_files", reading=reading, groups=groups)
        found = spark.range(0, tasks, 1, tasks).mapInArrow(task, FACTS_OF_FILES).collect()
        for row in found:
            if row.obstacle is not None:
                raise NotRead(row.obstacle)
        first = found[0]
        if any(row.states != first.states for row in found):
            raise NotRead("executors do not see the same files")
        seen, levels = np.zeros(width, np.uint8), {}
        for row in found:
            seen[groups[row.task]] = np.frombuffer(row.seen, np.uint8)
            for place, texts in json.loads(row.levels).items():
                levels[int(place)] = {text: tuple(entry) for text, entry in texts.items()}
        states = json.loads(first.states)
        files = [(path, *own) for path, own in zip(self.paths, states, strict=True)]
        rows = sum(count for *_, count in files)
        in_order = any(row.in_order for row in found)
        return ColumnFacts(seen, levels, rows, {**reading, "files": files}, in_order)


def is_connect(of_session) -> bool:
    """Tell whether a session or a DataFrame is one of Spark Connect."""
    return type(of_session).__module__.startswith("pyspark.sql.connect")


def _check_plan(plan):
    """Refuse a plan that does more than select columns of Parquet files."""
    while plan.nodeName() == "Project":
        entries = plan.projectList()
        if any(entries.apply(i).nodeName() != "AttributeReference" for i in range(entries.size())):
            raise NotRead("the DataFrame has computed columns")
        plan = plan.child()
    if plan.nodeName() != "LogicalRelation":
        raise NotRead(f"the rows come from another step of Spark ({plan.nodeName()})")
    relation = plan.relation()
    if relation.getClass().getSimpleName() != "HadoopFsRelation":
        raise NotRead("the rows do not come from files")
    name = relation.fileFormat().getClass().getSimpleName()
    if name != "ParquetFileFormat":
        raise NotRead(f"the files are not Parquet ({name})")
    if not relation.partitionSchema().isEmpty():
        raise NotRead("columns come from the names of folders")


def pieces_frame(spark, blocks: int) -> DataFrame:
    """Create the records that stand for the pieces of columns that tasks read themselves."""
    numbered = spark.range(0, blocks, 1, blocks)
    nothing = F.lit(0).cast("long")
    return numbered.select(
        F.col("id").cast("int").alias("task"),
        F.lit("piece").alias("kind"),
        nothing.alias("a"),
        nothing.alias("b"),
        F.lit(bytearray()).alias("data"),
    )


# --- On executors --------------------------------------------------------------------------------


def facts_of_files(reading: dict, task: int, places: list[int]) -> pa.RecordBatch:
    """Return the facts of some columns, or the obstacle to reading them, for the driver."""
    states, seen, levels, in_order, obstacle = [], b"", {}, None, None
    try:
        for path, *_ in reading["files"]:
            states.append([_state(path), _check_file(path, reading, places)])
        seen, levels = _facts(reading, places)
        # The ids are the same for all tasks.
        in_order = _are_in_order(reading) if task == 0 else None
    except NotRead as reason:
        obstacle = str(reason)
    except (OSError, pa.ArrowException) as error:
        obstacle = _unreadable("the files", error)
    columns = {
        "task": pa.array([task], pa.int32()),
        "seen": pa.array([seen], pa.binary()),
        "levels": pa.array([json.dumps(levels)], pa.string()),
        "states": pa.array([json.dumps(states)], pa.string()),
        "in_order": pa.array([in_order], pa.bool_()),
        "obstacle": pa.array([obstacle], pa.string()),
    }
    return pa.RecordBatch.from_pydict(columns)


def tables_of(reading: dict, places: list[int], genotypes: np.ndarray) -> list[pa.Table]:
    """Read some columns and the ids of all files, as pieces.

    Raises
    ------
    ValueError
        A file has changed, or this executor does not see it.
    """
    columns = [reading["columns"][place] for place in places]
    id_name, id_type = reading["ids"]
    wanted = [*(name for name, *_ in columns), id_name]
    tables = []
    for path, state, _ in reading["files"]:
        with _opened(path, state) as file:
            tables.append(file.read(wanted, use_threads=False))
    pieces = []
    for table in _joined(tables):
        ids = _of_spark(table.column(id_name), False)
        if id_type != "string":
            ids = ids.cast(pa.int64() if id_type.endswith("int") else pa.float64())
        pieces.append(_piece(reading, places, table, genotypes, ids))
    return pieces


class RowReader:
    """Reads rows of all files, which are numbered from file to file.

    Rows that follow those of the last call, or are among them, are read without starting again.

    Parameters
    ----------
    reading : dict
        Files with the rows in the order of their ids, and columns without texts.
    places : list of int
        The columns.
    genotypes : ndarray
        Mask of the columns with one byte per value.
    """

    def __init__(self, reading: dict, places: list[int], genotypes: np.ndarray):
        self._reading, self._places, self._genotypes = reading, places, genotypes
        ends = np.cumsum([count for *_, count in reading["files"]])
        # The first row of every file, and the number of all rows.
        self._firsts = [0, *ends.tolist()]
        self._batches = iter(())
        # The last batches with their first rows, and the first row of the next batch.
        self._kept, self._next = [], 0

    def columns(self, first: int, end: int) -> list:
        """Read a range of rows, as columns in the format of ``_native.fit``.

        Raises
        ------
        ValueError
            A file has changed, or this executor does not see it.
        """
        if not (self._kept and self._kept[0][0] <= first <= self._next):
            self._start(first)
        while self._next < end:
            batch = next(self._batches)
            self._kept.append((self._next, batch))
            self._next += batch.num_rows
            self._kept = [own for own in self._kept if own[0] + own[1].num_rows > first]
        parts = []
        for start, batch in self._kept:
            part = batch.slice(max(first - start, 0), max(end - max(first, start), 0))
            parts.append(pa.Table.from_batches([part]))
        return columns_of(
            [
                _piece(self._reading, self._places, table, self._genotypes, None)
                for table in _joined(parts)
            ]
        )

    def _start(self, row):
        """Begin with the file of a row, at the beginning of a row group."""
        place = bisect_right(self._firsts, row) - 1
        self._kept, self._next = [], self._firsts[place]
        self._batches = self._from_file(place, row - self._next)

    def _from_file(self, place, row):
        """Read batches of the files from this one on, without the row groups before this row."""
        names = [self._reading["columns"][place][0] for place in self._places]
        most = max(1024, _READ_VALUES // len(names))
        for path, state, _ in self._reading["files"][place:]:
            with _opened(path, state) as file:
                for group in range(file.num_row_groups):
                    rows = file.metadata.row_group(group).num_rows
                    if row >= rows:
                        row -= rows
                        self._next += rows
                        continue
                    row = 0
                    yield from file.iter_batches(most, [group], names, use_threads=False)


def _joined(tables):
    """Concatenate tables of the same types: every column is then converted once."""
    schema = tables[0].schema
    if all(table.schema.equals(schema) for table in tables):
        return [pa.concat_tables(tables)]
    return tables


def _piece(reading, places, table, genotypes, ids):
    """Create the piece of some columns of a table or a batch that was read from a file."""
    columns = [reading["columns"][place] for place in places]
    values = [plain(_of_spark(table.column(name), text)) for name, _, text in columns]
    return pa.Table.from_batches([piece_of(places, values, genotypes, ids)])


@contextmanager
def _opened(path, state):
    """Open a file that must have this state; None stands for any, before the first reading.

    Raises
    ------
    ValueError
        The file has changed, or this executor cannot read it.
    """
    try:
        found = _state(path)
        if state is not None and found != state:
            raise ValueError(
                f"file {path} has changed since the first reading; fit again when it is complete"
            )
        metadata = _metadata(path, *found)
        with pq.ParquetFile(path, metadata=metadata, memory_map=True) as file:
            yield file
    except (NotRead, OSError, pa.ArrowException) as error:
        raise ValueError(
            f"{error}; mount the folder on all executors, or persist the DataFrame before fit, so "
            "that Spark sends its rows"
        ) from None


@lru_cache(maxsize=64)
def _metadata(path, size, changed):
    """Read the metadata of a file of this size that was last changed at this time.

    With a thousand columns, this takes longer than reading one of them.
    """
    return pq.read_metadata(path, memory_map=True)


def _are_in_order(reading):
    """Tell whether the rows of the files, one after the other, have ascending ids."""
    tables = tables_of(reading, [], np.zeros(0, dtype=bool))
    order = order_of(pa.concat_tables(tables).column("id")).to_numpy()
    return bool(np.array_equal(order, np.arange(len(order))))


def _state(path):
    """Return the size and the time of the last change of a file."""
    try:
        found = os.stat(path)
    except OSError as error:
        raise NotRead(_unreadable(path, error.strerror)) from None
    return [found.st_size, found.st_mtime_ns]


def _unreadable(what, why):
    return f"executor on {socket.gethostname()} cannot read {what} ({why})"


def _check_file(path, reading, places):
    """Return the number of rows of a file; refuse columns of other types than Spark's."""
    metadata = _metadata(path, *_state(path))
    schema, rows = metadata.schema.to_arrow_schema(), metadata.num_rows
    for name, kind in [*(reading["columns"][place][:2] for place in places), reading["ids"]]:
        found = schema.get_all_field_indices(name)
        if len(found) != 1:
            raise NotRead(f"{path} has {len(found)} columns `{name}`")
        of_file = schema.field(found[0]).type
        if pa.types.is_dictionary(of_file):
            of_file = of_file.value_type
        if of_file not in _TYPES[kind]:
            raise NotRead(f"column `{name}` of {path} has type {of_file}, but {kind} in Spark")
    return rows


def _of_spark(column, as_text):
    """Return a column as an array of a type that Spark would send."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if as_text or pa.types.is_large_string(column.type):
        column = column.cast(pa.string())
    return column


def _facts(reading, places):
    """Return the values seen in columns of numbers as bytes, and the levels of texts."""
    kinds = {place: reading["columns"][place] for place in places}
    are_texts = {
        place: is_category or kind in ("string", "boolean")
        for place, (_, kind, is_category) in kinds.items()
    }
    levels = _levels(reading, [place for place in places if are_texts[place]])
    seen = dict.fromkeys(places, 0)

    def is_open(place):
        """Tell whether more rows can change what is known of a column of numbers."""
        return kinds[place][1] == "bigint" or not seen[place] & OTHER_NUMBER

    for path, *_ in reading["files"]:
        left = [place for place in places if not are_texts[place] and is_open(place)]
        if not left:
            break
        names = [kinds[place][0] for place in left]
        rows = max(1024, _VALUES // len(names))
        metadata = _metadata(path, *_state(path))
        with pq.ParquetFile(path, metadata=metadata, memory_map=True) as file:
            for batch in file.iter_batches(rows, columns=names, use_threads=False):
                for place, name in zip(left, names, strict=True):
                    column = _of_spark(batch.column(name), False)
                    if kinds[place][1] == "bigint":
                        _require_exact(column, name)
                    if not seen[place] & OTHER_NUMBER:
                        seen[place] |= int(values_seen(numbers_of(plain(column))[:, None])[0])
                if not any(map(is_open, left)):
                    break
    return bytes(seen[place] for place in places), levels


def _require_exact(column, name):
    """Leave a whole number that float64 would round to Spark's rows: the error names the row."""
    if first_rounded(column.fill_null(0).to_numpy(zero_copy_only=False)) is not None:
        raise NotRead(f"column `{name}` has a whole number that float64 would round")


def _levels(reading, places):
    """Return the number of cells and the first row of every text of some columns, by id."""
    if not places:
        return {}
    genotypes = np.zeros(max(places) + 1, dtype=bool)
    levels = {}
    columns = columns_of(tables_of(reading, places, genotypes))
    for place, (codes, texts, _) in zip(places, columns, strict=True):
        known, first = np.unique(codes, return_index=True)
        counts = np.bincount(codes[codes >= 0], minlength=len(texts)).tolist()
        rows = dict(zip(known.tolist(), first.tolist(), strict=True))
        levels[place] = {text: (counts[code], rows[code]) for code, text in enumerate(texts)}
    return levels
