"""What a DataFrame holds: features, labels and ids, as workers and the driver see them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.ml.linalg import VectorUDT
from pyspark.sql import functions as F
from pyspark.sql import types as T

from basrelief import _native
from basrelief._validation import (
    column_kinds,
    inexact_number,
    option_error,
    read_known,
    unusable,
)
from basrelief.spark._rows import ONE, OTHER_NUMBER, TWO, ZERO, from_bytes, order_of
from basrelief.spark._tasks import FACTS_SCHEMA
from basrelief.spark._worker import shipped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Rows", "Source", "fields_of"]

# Up to how many examples an error shows.
_SHOWN = 3


@dataclass(frozen=True)
class Source:
    """The features, labels and ids of a DataFrame, under names of our own."""

    frame: DataFrame
    form: str
    """Whether the features are a "vector", an "array" or "columns"."""
    names: list[str] | None
    """Names of the features; None where only the rows tell how many there are."""
    texts: list[bool] | None
    """Which columns hold texts or booleans; None of vectors and arrays, which never do."""
    nominal: tuple[int, ...]
    """Places of a vector that Spark's own metadata calls categories."""

    @classmethod
    def of(
        cls, dataset: DataFrame, features, inputs, label: str, ids: str | None, categorical=None
    ) -> Source:
        """Choose the columns of a DataFrame; no row is read.

        Parameters
        ----------
        dataset : DataFrame
        features : str
            Column of vectors or arrays; not used where there are `inputs`.
        inputs : list of str or None
            Columns of one feature each.
        label : str
        ids : str or None
        categorical : None, "all", or list of names, indices or booleans
            Which columns of one feature each are stated to be categories.
        """
        if inputs is not None and not inputs:
            raise option_error("inputCols", "it names no column", "name the features")
        wanted = [*(inputs or [features]), label, *([] if ids is None else [ids])]
        fields = fields_of(dataset, wanted)
        twice = sorted({name for name in wanted if wanted.count(name) > 1})
        if twice:
            raise ValueError(
                f"column `{twice[0]}` is named more than once among features, label and id; "
                "name every column once"
            )
        others = [_label(fields[label])]
        if ids is not None:
            others.append(_id(fields[ids]))
        if inputs:
            columns = [
                _scalar(fields[name], is_category)
                for name, is_category in zip(inputs, _are_stated(inputs, categorical), strict=True)
            ]
            selected = [column.alias(f"c{place}") for place, (column, _) in enumerate(columns)]
            frame = dataset.select(*selected, *others)
            return cls(frame, "columns", list(inputs), [text for _, text in columns], ())
        field = fields[features]
        column, form = _of_features(field)
        names, nominal = _attributes(field)
        frame = dataset.select(column.alias("features"), *others)
        return cls(frame, form, names, None, nominal)

    def look(self) -> Rows:
        """Read all rows once: labels and ids come to the driver, and what the columns hold."""
        facts = self.frame.mapInArrow(shipped("look", form=self.form), FACTS_SCHEMA).collect()
        if not facts:
            raise ValueError("the DataFrame has no rows; there is nothing to learn from")
        facts.sort(key=lambda fact: fact.partition)
        first = facts[0]
        for fact in facts:
            if fact.width != first.width:
                raise ValueError(
                    f"vectors of partition {first.partition} have {first.width} features, those of "
                    f"partition {fact.partition} {fact.width}; give every row the same features"
                )
        if first.width == 0:
            raise ValueError("the rows have no features; there is nothing to weigh")
        names = self.names
        if names is None:
            names = [f"x{place}" for place in range(first.width)]
        elif len(names) != first.width:
            raise ValueError(
                f"the vectors have {first.width} features, their metadata names {len(names)}; "
                "assemble them again, or drop the metadata"
            )
        return Rows.of(facts, names, self)


@dataclass(frozen=True)
class Rows:
    """What the driver knows of all rows."""

    count: int
    names: list[str]
    labels: np.ndarray
    """In the order of the rows."""
    genotypes: np.ndarray
    """Columns that hold nothing but 0, 1, 2 and missing values."""
    seen: np.ndarray
    """Bits of what the columns of numbers hold."""
    levels: dict[int, dict[str, tuple[int, int]]]
    """Of columns of texts: of every text, the number of cells and the first row."""
    texts: list[bool]
    nominal: tuple[int, ...]
    checksums: dict[int, tuple[int, int]]
    """Number of rows and checksum of every partition that has rows."""

    @classmethod
    def of(cls, facts, names, source: Source) -> Rows:
        """Put together what the partitions told."""
        label = _joined(fact.labels for fact in facts)
        order = None
        if facts[0].ids is not None:
            ids = _joined(fact.ids for fact in facts)
            order = order_of(ids)
            _check_ids(ids, order)
            label = label.take(order)
        masks = np.bitwise_or.reduce([np.frombuffer(fact.seen, np.uint8) for fact in facts])
        texts = source.texts or [False] * len(names)
        numeric = (masks & OTHER_NUMBER == 0) & ~np.array(texts)
        return cls(
            count=len(label),
            names=names,
            labels=_known_labels(label),
            genotypes=numeric,
            seen=masks,
            levels=_levels(facts, names, order),
            texts=texts,
            nominal=source.nominal,
            checksums={fact.partition: (fact.rows, fact.checksum) for fact in facts},
        )

    def kinds(self, categorical, genotype, ordinal=None) -> list[str]:
        """Kind of every column, as the estimators of scikit-learn read them.

        Parameters
        ----------
        categorical, genotype, ordinal : None, "all", or list of names, indices or booleans
            What is stated.
        """
        kinds = column_kinds(self.names, self.texts, categorical, genotype, ordinal)
        for place, kind in enumerate(kinds):
            if kind == "ordinal" and self.texts[place]:
                raise option_error(
                    "ordinalFeatures",
                    f"column `{self.names[place]}` holds texts",
                    "replace them by numbers in their order",
                )
            if kind != "auto":
                continue
            if self.texts[place]:
                kinds[place] = self._kind_of_texts(place)
            elif categorical is None and place in self.nominal:
                kinds[place] = "categorical"
            else:
                kinds[place] = self._kind_of_numbers(place)
        return kinds

    def _kind_of_numbers(self, place):
        """Kind of a column of numbers, by the rule of all readers."""
        seen = [bool(self.seen[place] & bit) for bit in (ZERO, ONE, TWO)]
        return _native.kind_of_numbers(seen, bool(self.seen[place] & OTHER_NUMBER))

    def _kind_of_texts(self, place):
        """Kind of a column of texts, by the rule of all readers."""
        found = sorted(self.levels.get(place, {}).items(), key=lambda entry: entry[1][1])
        return _native.kind_of_texts(
            self.names[place],
            [text for text, _ in found],
            [count for _, (count, _) in found],
            [row for _, (_, row) in found],
        )


def fields_of(dataset: DataFrame, wanted: list[str]) -> dict:
    """Give the fields of a DataFrame by their names; those wanted must be there once each."""
    fields = {field.name: field for field in dataset.schema.fields}
    is_exact = dataset.sparkSession.conf.get("spark.sql.caseSensitive") == "true"
    for name in wanted:
        if name not in fields:
            known = ", ".join(list(fields)[:20])
            raise ValueError(f"the DataFrame has no column `{name}`; its columns are {known}")
        same = [
            field.name
            for field in dataset.schema.fields
            if field.name == name or (not is_exact and field.name.lower() == name.lower())
        ]
        if len(same) > 1:
            raise ValueError(
                f"the DataFrame has {len(same)} columns of the name `{name}` "
                f"({', '.join(same)}); give them different names, as with "
                "df.toDF(*names), or drop all but one"
            )
    return fields


def _are_stated(names, wanted):
    """Tell for every name whether it is wanted; wrong entries are refused with the kinds."""
    if wanted is None or isinstance(wanted, str):
        return [wanted == "all"] * len(names)
    wanted = list(wanted)
    if wanted and all(isinstance(entry, bool) for entry in wanted):
        return [place < len(wanted) and wanted[place] for place in range(len(names))]
    width = len(names)
    return [
        name in wanted or place in wanted or place - width in wanted
        for place, name in enumerate(names)
    ]


def _scalar(field, is_category):
    """Give a column of one feature as it is read, and whether it is read as texts."""
    column = F.col(f"`{field.name}`")
    if is_category and isinstance(field.dataType, T.IntegralType):
        # Names may be numbers that float64 does not hold.
        return column.cast("string"), True
    if isinstance(field.dataType, (T.StringType, T.BooleanType)):
        return column, True
    if isinstance(field.dataType, T.DecimalType) and field.dataType.scale == 0:
        # Whole numbers that float64 may not hold: the library decides.
        return column.cast("string"), True
    if isinstance(field.dataType, (T.FloatType, T.LongType)):
        # Workers check that whole numbers are exact as float64.
        return column, False
    if isinstance(field.dataType, T.NumericType):
        return column.cast("double"), False
    raise unusable(field.name, field.dataType.simpleString())


def _of_features(field):
    column = F.col(f"`{field.name}`")
    if isinstance(field.dataType, VectorUDT):
        return column, "vector"
    if isinstance(field.dataType, T.ArrayType):
        element = field.dataType.elementType
        if isinstance(element, (T.FloatType, T.DoubleType)):
            return column, "array"
        if isinstance(element, T.NumericType):
            return column.cast("array<double>"), "array"
    raise TypeError(
        f"column `{field.name}` is of type {field.dataType.simpleString()}; featuresCol takes a "
        "vector or an array of numbers, inputCols takes columns of one feature each"
    )


def _label(field):
    if isinstance(field.dataType, (T.NumericType, T.StringType, T.BooleanType)):
        column = F.col(f"`{field.name}`")
        if isinstance(field.dataType, T.DecimalType):
            column = column.cast("double" if field.dataType.scale else "string")
        return column.alias("label")
    raise TypeError(
        f"column `{field.name}` is of type {field.dataType.simpleString()}; labelCol takes "
        "numbers, texts or booleans"
    )


def _id(field):
    column = F.col(f"`{field.name}`")
    if isinstance(field.dataType, T.StringType):
        return column.alias("id")
    if isinstance(field.dataType, T.IntegralType):
        return column.cast("long").alias("id")
    if isinstance(field.dataType, T.NumericType):
        return column.cast("double").alias("id")
    raise TypeError(
        f"column `{field.name}` is of type {field.dataType.simpleString()}; idCol takes numbers or "
        "texts"
    )


def _attributes(field):
    """Names of the features in Spark's metadata, where all have one, and places of categories."""
    groups = field.metadata.get("ml_attr", {}).get("attrs", {})
    attributes = {
        entry["idx"]: (entry.get("name"), kind) for kind, group in groups.items() for entry in group
    }
    nominal = tuple(sorted(place for place, (_, kind) in attributes.items() if kind == "nominal"))
    names = [attributes.get(place, (None,))[0] for place in range(len(attributes))]
    if not names or None in names:
        return None, nominal
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(
            f"column `{field.name}`: its metadata name {names.count(twice)} features `{twice}`; "
            "assemble the vectors again from columns of different names"
        )
    return names, nominal


def _joined(columns):
    return pa.concat_tables([from_bytes(column) for column in columns]).column("values")


def _check_ids(ids, order):
    if pa.types.is_floating(ids.type):
        ids = pc.if_else(pc.is_nan(ids), None, ids)
    if ids.null_count:
        raise ValueError(
            f"idCol: {ids.null_count} of {len(ids)} rows have no id; give every row one of its own"
        )
    ordered = ids.take(order).combine_chunks()
    same = pc.equal(ordered.slice(1), ordered.slice(0, len(ordered) - 1))
    twice = np.flatnonzero(same.to_numpy(zero_copy_only=False))
    if len(twice):
        examples = list(dict.fromkeys(ordered[int(place)].as_py() for place in twice))[:_SHOWN]
        raise ValueError(
            f"idCol: {len(twice)} ids stand in more than one row, such as "
            f"{', '.join(map(repr, examples))}; give every row an id of its own"
        )


def _known_labels(label):
    """Labels as NumPy has them."""
    is_known = pc.is_valid(label)
    if pa.types.is_floating(label.type):
        is_known = pc.fill_null(pc.is_finite(label), False)
    missing = np.flatnonzero(~is_known.to_numpy())
    if len(missing):
        raise ValueError(
            f"labelCol: {len(missing)} of {len(label)} rows have no known label (null, NaN or "
            f"infinity), the first of them row {missing[0] + 1}; leave out rows whose label is "
            "unknown: df.dropna(subset=[labelCol])"
        )
    if pa.types.is_string(label.type) or pa.types.is_large_string(label.type):
        return read_known(np.array(label.to_pylist(), dtype=object))
    return label.to_numpy()


def _levels(facts, names, order):
    """Put together the distinct texts of the partitions: their cells and first rows.

    Raises
    ------
    ValueError
        A whole number that float64 would round.
    """
    ranks = None
    if order is not None:
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order.to_numpy()] = np.arange(len(order))
    levels, start = {}, 0
    for fact in facts:
        found, rounded = json.loads(fact.texts)
        for place, (number, row) in rounded.items():
            rank = start + row if ranks is None else int(ranks[start + row])
            raise inexact_number(number, names[int(place)], rank)
        for place, texts in found.items():
            known = levels.setdefault(int(place), {})
            for text, (count, row) in texts.items():
                rank = start + row if ranks is None else int(ranks[start + row])
                before, first = known.get(text, (0, rank))
                known[text] = before + count, min(first, rank)
        start += fact.rows
    return levels
