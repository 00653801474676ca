"""The rows of a partition on a worker: their facts, their checksum, and pieces of columns."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from basrelief import _native
from basrelief._validation import first_rounded

__all__ = [
    "ROLE",
    "Batch",
    "Checksum",
    "Seen",
    "as_fitted",
    "columns_of",
    "from_bytes",
    "is_text",
    "numbers_of",
    "order_of",
    "piece_of",
    "plain",
    "to_bytes",
    "values_seen",
]

# Bits for the values that occur in a column of numbers.
ZERO, ONE, TWO, OTHER_NUMBER = (1 << bit for bit in range(4))

# Code of a missing genotype in a byte.
_MISSING = 3

# The beginning of the names of the columns of ``Source.frame`` that specify roles of rows: groups,
# weights and covariates.
ROLE = "role-"

# Number of rows that are transposed together.
_TILE = 1024


@dataclass
class Batch:
    """A batch of rows of ``Source.frame``."""

    matrix: np.ndarray | None
    """Features from a single column of vectors or arrays, as rows by columns."""
    columns: list[pa.Array] | None
    """Features from separate columns: numbers without nulls, or texts."""
    labels: pa.Array
    ids: pa.Array | None
    roles: dict[str, pa.Array] = field(default_factory=dict)
    """The columns of the roles of rows that the frame has, by their names without ``ROLE``."""
    rounded: dict[int, tuple[int, int]] = field(default_factory=dict)
    """For integer columns, the first value that float64 would round, and its row."""

    @classmethod
    def read(cls, batch: pa.RecordBatch, form: str, first: int) -> Batch:
        """Read a batch from Spark.

        Parameters
        ----------
        batch : pyarrow.RecordBatch
        form : {"vector", "array", "columns"}
        first : int
            Index of the first row within the partition, for messages.
        """
        names = batch.schema.names
        labels = batch.column("label")
        roles = {
            name.removeprefix(ROLE): batch.column(name) for name in names if name.startswith(ROLE)
        }
        ids = batch.column("id") if "id" in names else None
        if form == "columns":
            columns = [
                plain(batch.column(place))
                for place, name in enumerate(names)
                if name not in ("label", "id") and not name.startswith(ROLE)
            ]
            rounded = {}
            for place in range(len(columns)):
                column = batch.column(place)
                if pa.types.is_integer(column.type):
                    found = first_rounded(column.fill_null(0).to_numpy(zero_copy_only=False))
                    if found is not None:
                        rounded[place] = (found[1], first + int(found[0][0]))
            return cls(None, columns, labels, ids, roles, rounded)
        features = batch.column("features")
        if features.null_count:
            row = int(np.argmax(features.is_null().to_numpy(zero_copy_only=False)))
            raise ValueError(
                f"{_place(first + row)} has a null instead of a {form} of features; remove such "
                "rows, or use NaN for missing values within the features"
            )
        matrix = _dense(features, first) if form == "vector" else _stacked(features, first)
        return cls(matrix, None, labels, ids, roles)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.labels)

    @property
    def width(self) -> int:
        """Number of features."""
        return self.matrix.shape[1] if self.columns is None else len(self.columns)

    def piece(self, places, genotypes: np.ndarray) -> pa.RecordBatch:
        """Extract columns with the ids. Columns in the mask `genotypes` have one byte per value."""
        if self.columns is None:
            of_piece = _turned(self.matrix, places)
        else:
            of_piece = [self.columns[place] for place in places]
        return piece_of(places, of_piece, genotypes, self.ids)


class Seen:
    """The values that occur in every column, over all batches of a partition."""

    def __init__(self):
        self.masks: np.ndarray | None = None
        # For columns of texts: the number of cells and the first row of every text.
        self.texts: dict[int, dict[str, list[int]]] = {}
        # As in `Batch`.
        self.rounded: dict[int, tuple[int, int]] = {}

    def add(self, batch: Batch, first: int):
        """Add a batch; `first` is the index of its first row in the partition."""
        if self.masks is None:
            self.masks = np.zeros(batch.width, dtype=np.uint8)
        if batch.columns is None:
            self._add_matrix(batch.matrix)
            return
        self.rounded = batch.rounded | self.rounded
        for place, column in enumerate(batch.columns):
            if is_text(column):
                self._add_texts(place, column, first)
            elif not self.masks[place] & OTHER_NUMBER:
                self.masks[place] |= values_seen(numbers_of(column)[:, None])[0]

    def _add_matrix(self, matrix):
        # Columns with other values than genotypes are skipped, which are most columns of numbers.
        open_ones = np.flatnonzero(self.masks & OTHER_NUMBER == 0)
        if len(open_ones):
            part = matrix if len(open_ones) == matrix.shape[1] else matrix[:, open_ones]
            self.masks[open_ones] |= values_seen(part)

    def _add_texts(self, place, column, first):
        encoded = column.dictionary_encode()
        codes = encoded.indices.fill_null(-1).to_numpy()
        levels, rows = np.unique(codes, return_index=True)
        counts = np.bincount(codes[codes >= 0], minlength=len(encoded.dictionary))
        found = self.texts.setdefault(place, {})
        texts = encoded.dictionary.to_pylist()
        for level, row in zip(levels.tolist(), rows.tolist(), strict=True):
            if level >= 0:
                entry = found.setdefault(texts[level], [0, first + row])
                entry[0] += int(counts[level])


class Checksum:
    """A checksum that detects whether the rows of a partition have changed.

    If rows have ids, it does not depend on their order. It is not a cryptographic hash.
    """

    def __init__(self):
        self._sum = np.uint64(0)

    def add(self, batch: Batch, first: int):
        """Add a batch; `first` is the index of its first row in the partition."""
        keys = _keys(batch.width + 2 + len(batch.roles))
        of_columns = keys[2 : batch.width + 2]
        if batch.columns is None:
            of_rows = _native.row_checksums(
                np.ascontiguousarray(batch.matrix, np.float64), of_columns
            )
        else:
            of_rows = np.zeros(batch.rows, dtype=np.uint64)
            for column, key in zip(batch.columns, of_columns, strict=True):
                of_rows += _bits(column) * key
        for values, key in zip(batch.roles.values(), keys[batch.width + 2 :], strict=True):
            of_rows += _bits(values) * key
        of_rows += _bits(batch.labels) * keys[0]
        if batch.ids is None:
            names = np.arange(first, first + batch.rows, dtype=np.uint64)
        else:
            names = _bits(batch.ids)
        of_rows += _mixed(names) * keys[1]
        # Sums of arrays overflow without a warning.
        self._sum = np.append(_mixed(of_rows), self._sum).sum(dtype=np.uint64)

    @property
    def number(self) -> int:
        """The checksum of all added batches, as a signed 64-bit number."""
        return int(self._sum.view(np.int64))


def piece_of(places, columns, genotypes: np.ndarray, ids: pa.Array | None) -> pa.RecordBatch:
    """Create a piece of columns at these places, with the ids.

    Columns in the mask `genotypes` have one byte per value.
    """
    found = {}
    for place, values in zip(places, columns, strict=True):
        if isinstance(values, pa.Array) and not is_text(values):
            values = numbers_of(values)
        if genotypes[place]:
            values = np.where(np.isnan(values), _MISSING, values).astype(np.uint8)
        found[str(place)] = pa.array(values)
    if ids is not None:
        found["id"] = ids
    return pa.RecordBatch.from_pydict(found)


def to_bytes(batch: pa.RecordBatch) -> pa.Buffer:
    """Write a batch in the Arrow stream format."""
    length = pa.MockOutputStream()
    _write(batch, length)
    written = pa.allocate_buffer(length.size())
    _write(batch, pa.FixedSizeBufferWriter(written))
    return written


def _write(batch, sink):
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)


def from_bytes(data) -> pa.Table:
    """Read the output of :func:`to_bytes`, without a copy if possible."""
    with pa.ipc.open_stream(data) as stream:
        return stream.read_all()


def columns_of(pieces: list[pa.Table]) -> list:
    """Concatenate the pieces of some columns in order, in the format of ``_native.fit``.

    If the pieces have ids, the rows are sorted by id.
    """
    table = pa.concat_tables(pieces)
    order = None
    if "id" in table.schema.names:
        order = order_of(table.column("id")).to_numpy()
        table = table.drop_columns("id")
        if np.array_equal(order, np.arange(len(order))):
            order = None
    return [
        as_fitted(table.column(place).combine_chunks(), order) for place in range(table.num_columns)
    ]


def order_of(ids: pa.ChunkedArray) -> pa.Array:
    """Sort rows by id: numbers by value, texts by their bytes."""
    return pc.array_sort_indices(ids)


def _turned(matrix, places):
    """Transpose some columns of a matrix of rows by columns."""
    turned = np.empty((len(places), len(matrix)), matrix.dtype)
    if len(places) == places[-1] + 1 - places[0]:
        # A view instead of a copy of separate columns.
        places = slice(places[0], places[-1] + 1)
    for first in range(0, len(matrix), _TILE):
        turned[:, first : first + _TILE] = matrix[first : first + _TILE, places].T
    return turned


def as_fitted(column: pa.Array, order: np.ndarray | None):
    """Convert a column to the format of ``_native.fit``, with the rows in this order."""
    if is_text(column):
        if order is not None:
            column = column.take(pa.array(order))
        # The levels are in order of first occurrence, as for data frames.
        encoded = column.dictionary_encode()
        codes = encoded.indices.fill_null(-1).to_numpy().astype(np.int32, copy=False)
        return codes, encoded.dictionary.to_pylist(), False
    values = numbers_of(column)
    return np.ascontiguousarray(values) if order is None else values[order]


def is_text(column):
    return pa.types.is_string(column.type) or pa.types.is_large_string(column.type)


def plain(column):
    """Convert booleans to the texts of Python, and nulls of numbers to NaN."""
    if pa.types.is_integer(column.type):
        column = column.cast(pa.float64(), safe=False)
    if pa.types.is_boolean(column.type):
        return pc.if_else(column, "True", "False")
    if column.null_count and pa.types.is_floating(column.type):
        return pc.fill_null(column, float("nan"))
    return column


def numbers_of(column):
    return column.to_numpy(zero_copy_only=False)


def _place(row):
    from pyspark import TaskContext

    return f"row {row + 1} of partition {TaskContext.get().partitionId()}"


def _stacked(arrays, first):
    """Convert a column of arrays to a matrix of rows by columns."""
    widths = pc.list_value_length(arrays).to_numpy(zero_copy_only=False)
    _check_widths(widths, first)
    values = arrays.flatten().to_numpy(zero_copy_only=False)
    return values.reshape(len(arrays), -1)


def _dense(vectors, first):
    """Convert a column of dense and sparse vectors to a matrix of rows by columns."""
    is_dense = vectors.field("type").to_numpy(zero_copy_only=False) == 1
    values = vectors.field("values")
    lengths = pc.list_value_length(values).to_numpy(zero_copy_only=False)
    sizes = vectors.field("size").fill_null(0).to_numpy(zero_copy_only=False)
    widths = np.where(is_dense, lengths, sizes)
    _check_widths(widths, first)
    flat = values.flatten().to_numpy(zero_copy_only=False)
    if is_dense.all():
        return flat.reshape(len(vectors), -1)
    matrix = np.zeros((len(vectors), int(widths[0])))
    rows = np.repeat(np.arange(len(vectors)), lengths)
    places = np.empty(len(flat), dtype=np.int64)
    of_dense = is_dense[rows]
    places[of_dense] = np.tile(np.arange(matrix.shape[1]), int(is_dense.sum()))
    indices = vectors.field("indices").filter(pa.array(~is_dense))
    places[~of_dense] = indices.flatten().to_numpy(zero_copy_only=False)
    matrix[rows, places] = flat
    return matrix


def _check_widths(widths, first):
    others = np.flatnonzero(widths != widths[0])
    if len(others):
        row = int(others[0])
        raise ValueError(
            f"{_place(first + row)} has {widths[row]} features, but earlier rows have {widths[0]}; "
            "provide the same features in every row"
        )


def values_seen(matrix):
    """Return the bits of the values that occur in every column."""
    seen = np.zeros(matrix.shape[1], dtype=np.uint8)
    known = np.isnan(matrix)
    for bit, value in ((ZERO, 0), (ONE, 1), (TWO, 2)):
        are = matrix == value
        known |= are
        seen[are.any(axis=0)] |= bit
    seen[~known.all(axis=0)] |= OTHER_NUMBER
    return seen


def _keys(count):
    """Return odd 64-bit keys, always the same."""
    with np.errstate(over="ignore"):
        steps = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return _mixed(steps) | np.uint64(1)


def _mixed(bits):
    """Apply the finalizer of SplitMix64."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def _folded(values):
    """Return the bits of numbers, with a mixed low half, and the same bits for all NaN."""
    values = np.asarray(values, dtype=np.float64)
    gaps = np.isnan(values)
    if gaps.any():
        values = np.where(gaps, np.nan, values)
    bits = np.ascontiguousarray(values).view(np.uint64)
    return bits ^ (bits >> np.uint64(32))


def _bits(column):
    """Return 64 bits per value of a column of any type."""
    if is_text(column):
        encoded = column.dictionary_encode()
        digests = [
            int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
            for text in encoded.dictionary.to_pylist()
        ]
        # The last entry is the code of null.
        return np.array([*digests, 0], dtype=np.uint64)[encoded.indices.fill_null(-1).to_numpy()]
    if pa.types.is_integer(column.type):
        return _mixed(column.fill_null(0).cast(pa.int64()).to_numpy().view(np.uint64))
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8()).cast(pa.float64())
    return _folded(column.fill_null(float("nan")).to_numpy(zero_copy_only=False))
