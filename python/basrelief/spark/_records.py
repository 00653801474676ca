"""What goes from one task of Spark to another: bytes, and what they are of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["SCHEMA", "Record", "read_records", "write_records"]

# As Spark is told it.
SCHEMA = "task int, kind string, a long, b long, data binary"

_ARROW = pa.schema(
    [
        ("task", pa.int32()),
        ("kind", pa.string()),
        ("a", pa.int64()),
        ("b", pa.int64()),
        ("data", pa.binary()),
    ]
)


class Record(NamedTuple):
    """Some bytes on their way to a task."""

    task: int
    """The task that needs them, which is the partition that they go to."""
    kind: str
    """What they are: `piece`, `facts`, `cell`, `result`, `lists`, `sums`, `scatter` or
    `margins`.
    """
    a: int
    b: int
    data: pa.Buffer | bytes | np.ndarray


def read_records(batches: Iterable[pa.RecordBatch]) -> Iterator[Record]:
    """Read records, whose bytes are not copied."""
    for batch in batches:
        columns = [batch.column(name) for name in _ARROW.names]
        numbers = [column.to_pylist() for column in columns[:-1]]
        for row, fields in enumerate(zip(*numbers, strict=True)):
            yield Record(*fields, columns[-1][row].as_buffer())


def write_records(records: Iterable[Record]) -> Iterator[pa.RecordBatch]:
    """Write every record as a batch of its own, as its bytes may be many; they are not copied."""
    for *fields, data in records:
        few = [pa.array([value], own.type) for value, own in zip(fields, _ARROW, strict=False)]
        data = pa.py_buffer(data)
        ends = pa.py_buffer(np.array([0, data.size], np.int32))
        many = pa.Array.from_buffers(pa.binary(), 1, [None, ends, data])
        yield pa.RecordBatch.from_arrays([*few, many], schema=_ARROW)
