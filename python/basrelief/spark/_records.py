"""Records that are sent from one Spark task to another: bytes with their origin."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["SCHEMA", "Record", "read_records", "write_records"]

# The schema for Spark.
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


# Maximum size of a binary value in Arrow and in Spark.
_MOST_BYTES = 2**31 - 1


class Record(NamedTuple):
    """Bytes that are sent to a task."""

    task: int
    """The receiving task, which is the number of its partition."""
    kind: str
    """The contents: `piece`, `facts`, `cell`, `result`, `lists`, `sums`, `scatter`, `margins` or
    `permuted`.
    """
    a: int
    b: int
    data: pa.Buffer | bytes | np.ndarray


def read_records(batches: Iterable[pa.RecordBatch]) -> Iterator[Record]:
    """Read records, without copying their bytes."""
    for batch in batches:
        columns = [batch.column(name) for name in _ARROW.names]
        numbers = [column.to_pylist() for column in columns[:-1]]
        for row, fields in enumerate(zip(*numbers, strict=True)):
            yield Record(*fields, columns[-1][row].as_buffer())


def write_records(records: Iterable[Record]) -> Iterator[pa.RecordBatch]:
    """Write every record as a separate batch, without copying its bytes, which may be large."""
    for *fields, data in records:
        few = [pa.array([value], own.type) for value, own in zip(fields, _ARROW, strict=False)]
        data = pa.py_buffer(data)
        if data.size > _MOST_BYTES:
            raise ValueError(
                f"the result of a task has {data.size} bytes, but Spark supports at most "
                f"{_MOST_BYTES}; reduce blockRows or blockColumns"
            )
        ends = pa.py_buffer(np.array([0, data.size], np.int32))
        many = pa.Array.from_buffers(pa.binary(), 1, [None, ends, data])
        yield pa.RecordBatch.from_arrays([*few, many], schema=_ARROW)
