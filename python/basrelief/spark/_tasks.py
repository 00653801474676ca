"""The tasks of workers: each function maps the batches of a partition to other batches.

The function returned by :func:`basrelief.spark._worker.shipped` calls them by name. All are pure: a
retry, or the same task on two workers, produces the same bytes. After a shuffle, records arrive in
any order.
"""

from __future__ import annotations

import gc
import json
from functools import cache

import numpy as np
import pyarrow as pa

from basrelief import _native
from basrelief.spark._files import RowReader, facts_of_files, tables_of
from basrelief.spark._records import Record, read_records, write_records
from basrelief.spark._rows import Batch, Checksum, Seen, columns_of, from_bytes, to_bytes

__all__ = [
    "FACTS_SCHEMA",
    "cut",
    "freeze",
    "lists",
    "look",
    "look_into_files",
    "margins",
    "margins_held",
    "pack",
    "pair",
    "pairs_held",
    "pairs_read",
    "pairs_with",
    "permute",
    "scatter",
    "sums",
]

# The schema of the facts that `look` returns for a partition.
FACTS_SCHEMA = (
    "partition int, rows long, width int, checksum long, seen binary, texts string, "
    "labels binary, ids binary, roles map<string, binary>"
)


@cache
def freeze():
    """Exclude all imported modules from the garbage collection, which Spark runs after every task.

    The first task of a process does this; later calls do nothing.
    """
    gc.freeze()


def look(batches, form):
    """Return the facts of a partition: labels, ids, roles, values in columns, and a checksum."""
    seen, checksum = Seen(), Checksum()
    rows, labels, ids, roles = 0, [], [], {}
    for batch in _read(batches, form):
        seen.add(batch, rows)
        checksum.add(batch, rows)
        labels.append(batch.labels)
        ids.append(batch.ids)
        for name, values in batch.roles.items():
            roles.setdefault(name, []).append(values)
        rows += batch.rows
    if rows == 0:
        return
    facts = {
        "partition": pa.array([_partition()], pa.int32()),
        "rows": pa.array([rows], pa.int64()),
        "width": pa.array([len(seen.masks)], pa.int32()),
        "checksum": pa.array([checksum.number], pa.int64()),
        "seen": pa.array([seen.masks.tobytes()], pa.binary()),
        "texts": pa.array([json.dumps([seen.texts, seen.rounded])], pa.string()),
        "labels": pa.array([_column_bytes(labels)], pa.binary()),
        "ids": pa.array([None if ids[0] is None else _column_bytes(ids)], pa.binary()),
        "roles": pa.array(
            [[(name, _column_bytes(values)) for name, values in roles.items()]],
            pa.map_(pa.string(), pa.binary()),
        ),
    }
    yield pa.RecordBatch.from_pydict(facts)


def look_into_files(batches, reading, groups):
    """Return the facts of the groups of columns whose numbers are in the batches."""
    for batch in batches:
        for task in batch.column("id").to_pylist():
            yield facts_of_files(reading, task, groups[task])


def cut(batches, form, column_blocks, genotypes, known):
    """Divide the rows of a partition into pieces of columns, for the tasks of these columns.

    ``column_blocks`` contains the column indices of every task, ``known`` the number of rows and
    the checksum of every partition from :func:`look`.
    """
    return write_records(
        _pieces(batches, form, column_blocks, np.frombuffer(genotypes, bool), known)
    )


def _pieces(batches, form, column_blocks, genotypes, known):
    partition, checksum, rows = _partition(), Checksum(), 0
    wanted = known.get(partition, (0, 0))
    for batch in _read(batches, form):
        if batch.width != len(genotypes):
            raise _changed(partition)
        checksum.add(batch, rows)
        for task, places in enumerate(column_blocks):
            yield Record(task, "piece", partition, rows, to_bytes(batch.piece(places, genotypes)))
        rows += batch.rows
    if (rows, checksum.number) != wanted:
        raise _changed(partition)


def pack(batches, job, rows, reading, blocks, threads):
    """Return the facts of some columns, and pack the rows of all or of the leading blocks in cells.

    The record of the facts contains the number of bytes of the columns. If there are missing values
    and not all blocks have cells, another record reports it.
    """
    pieces = list(read_records(batches))
    if pieces:
        task = pieces[0].task
        tables = _tables(task, pieces, reading)
        columns = _columns(tables, rows)
        facts, cells, is_complete = _native.job_columns(job, task, columns, blocks, threads)
        came = sum(record.data.size for record in pieces)
        if reading is not None:
            came = sum(table.nbytes for table in tables)
        yield from write_records([Record(task, "facts", task, came, facts)])
        if blocks is not None and not is_complete:
            yield from write_records([Record(task, "missing", task, 0, b"")])
        yield from write_records(
            Record(block, "cell", block, task, cell) for block, cell in enumerate(cells)
        )


def pair(batches, plan, stage, known, pairs, threads):
    """Compare a pair of blocks, whose cells are in the batches."""
    cells = list(read_records(batches))
    if cells:
        a, b = pairs[cells[0].task]
        blocks = _by_block(cells)
        yield from _pair(plan, stage, known, a, b, blocks, threads)


def pairs_with(batches, plan, stage, known, pairs, held, threads):
    """Compare the block whose cells are in the batches with the held blocks."""
    cells = list(read_records(batches))
    if cells:
        blocks = {**held, **_by_block(cells)}
        for a, b in pairs:
            if b == cells[0].task:
                yield from _pair(plan, stage, known, a, b, blocks, threads)


def pairs_held(batches, plan, stage, known, pairs, held, threads):
    """Compare the pairs with the numbers in the batches; all blocks are held."""
    for batch in batches:
        for task in batch.column("id").to_pylist():
            yield from _pair(plan, stage, known, *pairs[task], held, threads)


def pairs_read(batches, plan, stage, known, pairs, held, reading, tables, threads):
    """Compare the pairs of the tasks with the numbers in the batches; rows are held or read.

    ``pairs`` has those of every task, by their second block. ``tables`` are the blocks that are
    read, from ``_native.job_layout``.
    """
    genotypes = np.frombuffer(reading["genotypes"], bool)
    places = [place for block in reading["blocks"] for place in block]
    reader = RowReader(reading, places, genotypes)
    for batch in batches:
        for task in batch.column("id").to_pylist():
            blocks = {}
            for a, b in pairs[task]:
                # The columns of at most two blocks stay in memory.
                blocks = {own: rows for own, rows in blocks.items() if own in (a, b)}
                for own in (a, b):
                    if own not in held and own not in blocks:
                        blocks[own] = _block_of_rows(reader, own, *tables)
                yield from _pair(plan, stage, known, a, b, {**held, **blocks}, threads)


def _block_of_rows(reader, block, leading, rows_of_leading, ranges):
    """Return the columns of a block of rows; those of the leading blocks do not belong to it."""
    first, end = ranges[block - leading]
    columns = reader.columns(first, end)
    others = np.frombuffer(rows_of_leading, np.uint32)
    others = others[np.searchsorted(others, first) : np.searchsorted(others, end)]
    if len(others):
        are_own = np.ones(end - first, dtype=bool)
        are_own[others - first] = False
        columns = [column[are_own] for column in columns]
    return {"columns": columns}


def _pair(plan, stage, known, a, b, blocks, threads):
    of_b = {"cells": []} if a == b else _rows_of(blocks, b)
    found = _native.job_pair(plan, stage, known, a, b, _rows_of(blocks, a), of_b, threads)
    # Both blocks of the pair are recorded, because they identify the results of a block.
    return write_records(Record(block, "result", a, b, result) for block, result in found)


def _rows_of(blocks, block):
    """Return the rows of a block as ``_native.job_pair`` expects them."""
    rows = blocks.get(block)
    return rows if isinstance(rows, dict) else {"cells": _needed(blocks, block)}


def _needed(blocks, block):
    if block not in blocks:
        raise ValueError(f"the cells of block {block} of rows did not arrive; fit again")
    return [np.frombuffer(cell, np.uint8) for cell in blocks[block]]


def lists(batches, plan, threads):
    """Merge all search results of a block of rows into its lists of neighbors."""
    results = list(read_records(batches))
    if results:
        block = results[0].task
        found = sorted((record.a, record.b, record.data.to_pybytes()) for record in results)
        yield from write_records(
            [Record(block, "lists", block, 0, _native.job_lists(plan, block, found, threads))]
        )


def sums(batches, plan, rows, reading, held, threads):
    """Compute the weights of some columns; the lists of all blocks are held or in the batches."""
    records = list(read_records(batches))
    pieces = [record for record in records if record.kind == "piece"]
    if pieces:
        if held is None:
            sent = sorted((record for record in records if record.kind == "lists"), key=_of_a)
            held = [record.data.to_pybytes() for record in sent]
        task = pieces[0].task
        columns = _columns(_tables(task, pieces, reading), rows)
        found = _native.job_sums(plan, task, columns, held, threads)
        yield from write_records([Record(task, "sums", task, 0, found)])


def margins(batches, plan, threads):
    """Sum the margins of a part, from the cells of all rows in the batches."""
    cells = list(read_records(batches))
    if cells:
        yield from _margins(plan, cells[0].task, _by_block(cells), threads)


def margins_held(batches, plan, held, threads):
    """Sum the margins of the parts with the numbers in the batches; all cells are held."""
    for batch in batches:
        for part in batch.column("id").to_pylist():
            yield from _margins(plan, part, held, threads)


def _margins(plan, part, blocks, threads):
    cells = [_needed(blocks, block) for block in sorted(blocks)]
    found = _native.job_margins(plan, part, cells, threads)
    return write_records([Record(part, "margins", part, 0, found)])


def permute(batches, plan, rows, reading, weights, threads):
    """Compute the permutations of a part, with all pieces of all columns."""
    by_block = {}
    part = None
    for record in read_records(batches):
        part = record.task
        by_block.setdefault(int(record.kind), []).append(record)
    if by_block:
        columns = _columns_of_blocks(by_block, rows, reading)
        weights = np.frombuffer(weights)
        found = _native.job_permute(plan, part, columns, weights, threads)
        yield from write_records([Record(part, "permuted", part, 0, found)])


def scatter(batches, plan, rows, reading, held, threads):
    """Sum a part of the scatter, with all rows of its columns and the lists of all blocks."""
    by_block, sent, part = {}, [], None
    for record in read_records(batches):
        part = record.task
        if record.kind == "lists":
            sent.append(record)
        else:
            by_block.setdefault(int(record.kind), []).append(record)
    if by_block:
        if held is None:
            held = [record.data.to_pybytes() for record in sorted(sent, key=_of_a)]
        columns = _columns_of_blocks(by_block, rows, reading)
        found = _native.job_scatter(plan, part, columns, held, threads)
        yield from write_records([Record(part, "scatter", part, 0, found)])


def _of_a(record):
    return record.a


def _columns_of_blocks(by_block, rows, reading):
    return [
        column
        for block in sorted(by_block)
        for column in _columns(_tables(block, by_block[block], reading), rows)
    ]


def _tables(block, pieces, reading):
    """Return the columns of a block in parts: its pieces, or the files that replace them."""
    if reading is not None:
        genotypes = np.frombuffer(reading["genotypes"], bool)
        return tables_of(reading, reading["blocks"][block], genotypes)
    pieces = sorted(pieces, key=lambda record: (record.a, record.b))
    return [from_bytes(record.data) for record in pieces]


def _columns(tables, rows):
    found = sum(table.num_rows for table in tables)
    if found != rows:
        raise ValueError(f"only {found} of {rows} rows of some columns arrived; fit again")
    return columns_of(tables)


def _by_block(cells):
    """Cells of every block of rows, in the order of the blocks of columns."""
    blocks = {}
    for record in sorted(cells, key=lambda record: (record.a, record.b)):
        blocks.setdefault(record.a, []).append(record.data)
    return blocks


def _read(batches, form):
    first = 0
    for batch in batches:
        if batch.num_rows:
            yield Batch.read(batch, form, first)
            first += batch.num_rows


def _partition():
    from pyspark import TaskContext

    return TaskContext.get().partitionId()


def _column_bytes(arrays):
    table = pa.Table.from_arrays([pa.chunked_array(arrays)], ["values"]).combine_chunks()
    return to_bytes(table.to_batches()[0]).to_pybytes()


def _changed(partition):
    return ValueError(
        f"partition {partition} of the DataFrame has changed rows, or another order of rows, since "
        "the first reading: the DataFrame is not deterministic; persist it or write it to a file "
        "before fit, or assign an id to every row (idCol) if only the order changes"
    )
