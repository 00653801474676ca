"""The contents of a DataFrame: features, labels and ids, for workers and for the driver."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
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
from basrelief.spark._files import NotRead, Scan
from basrelief.spark._rows import (
    ONE,
    OTHER_NUMBER,
    ROLE,
    TWO,
    ZERO,
    as_fitted,
    from_bytes,
    order_of,
)
from basrelief.spark._tasks import FACTS_SCHEMA
from basrelief.spark._worker import shipped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Rows", "Source", "fields_of"]

# Maximum number of examples in an error.
_SHOWN = 3


@dataclass(frozen=True)
class Source:
    """The features, labels and ids of a DataFrame, under internal names."""

    frame: DataFrame
    form: str
    """The form of the features: "vector", "array" or "columns"."""
    names: list[str] | None
    """Names of the features; None if only the rows determine their number."""
    texts: list[bool] | None
    """Whether each column contains texts or booleans; None for vectors and arrays."""
    nominal: tuple[int, ...]
    """Indices of the vector entries that are nominal in Spark's metadata."""
    covariates: tuple[str, ...] = ()
    """Names of the covariates."""
    scan: Scan | None = None
    """The files from which tasks can read the features."""
    not_read: str | None = None
    """Why tasks cannot read the features from files."""

    @classmethod
    def of(
        cls,
        dataset: DataFrame,
        features,
        inputs,
        label: str,
        ids: str | None,
        categorical=None,
        roles=None,
        covariates=None,
    ) -> Source:
        """Select the columns of a DataFrame, without reading rows.

        Parameters
        ----------
        dataset : DataFrame
        features : str
            Column of vectors or arrays; not used with `inputs`.
        inputs : list of str or None
            Columns that contain one feature each.
        label : str
        ids : str or None
        categorical : None, "all", or list of names, indices or booleans
            The declared categorical columns among `inputs`.
        roles : dict of str or None
            The columns of groups and weights, by the names ``group`` and ``weight``. Rows of weight
            0 are excluded.
        covariates : list of str or None
            Columns of covariates.
        """
        covariates = tuple(covariates or ())
        roles = {name: column for name, column in (roles or {}).items() if column is not None}
        if inputs is not None and not inputs:
            raise option_error("inputCols", "it is empty", "specify the columns of the features")
        wanted = [
            *(inputs or [features]),
            label,
            *([] if ids is None else [ids]),
            *roles.values(),
            *covariates,
        ]
        fields = fields_of(dataset, wanted)
        twice = sorted({name for name in wanted if wanted.count(name) > 1})
        if twice:
            raise ValueError(
                f"column `{twice[0]}` is specified more than once among features, label, id, "
                "group, weight and covariates; specify every column once"
            )
        others = [_label(fields[label])]
        if ids is not None:
            others.append(_id(fields[ids]))
        if "group" in roles:
            others.append(_group(fields[roles["group"]]))
        if "weight" in roles:
            weight = _weight(fields[roles["weight"]])
            others.append(weight.alias(f"{ROLE}weight"))
            # Weights that are null are refused when the rows are read.
            dataset = dataset.where(weight.isNull() | (weight != 0))
        for place, name in enumerate(covariates):
            column, is_text = _scalar(fields[name], False)
            column = column.cast("string" if is_text else "double")
            others.append(column.alias(f"{ROLE}{_covariate(place)}"))
        if inputs:
            are_categories = _are_stated(inputs, categorical)
            columns = [
                _scalar(fields[name], is_category)
                for name, is_category in zip(inputs, are_categories, strict=True)
            ]
            selected = [column.alias(f"c{place}") for place, (column, _) in enumerate(columns)]
            frame = dataset.select(*selected, *others)
            texts = [text for _, text in columns]
            scan, not_read = None, None
            try:
                scan = Scan.of(dataset, fields, inputs, are_categories, ids)
            except NotRead as reason:
                not_read = str(reason)
            return cls(frame, "columns", list(inputs), texts, (), covariates, scan, not_read)
        field = fields[features]
        column, form = _of_features(field)
        names, nominal = _attributes(field)
        frame = dataset.select(column.alias("features"), *others)
        not_read = f"the features are in one column (`{features}`)"
        return cls(frame, form, names, None, nominal, covariates, None, not_read)

    def look(self, cores: int | None = None) -> Rows:
        """Read all rows once, and bring labels, ids and facts about columns to the driver.

        Parameters
        ----------
        cores : int or None
            Number of tasks that run in parallel; None if unknown.
        """
        columns, not_read = None, self.not_read
        frame = self.frame
        if self.scan is not None:
            try:
                columns = self.scan.look(frame.sparkSession, cores)
                frame = frame.select(*frame.columns[len(self.names) :])
            except NotRead as reason:
                not_read = str(reason)
        facts = frame.mapInArrow(shipped("look", form=self.form), FACTS_SCHEMA).collect()
        if not facts:
            raise ValueError("the DataFrame has no rows; provide at least two rows")
        facts.sort(key=lambda fact: fact.partition)
        if columns is not None:
            rows = Rows.of(facts, self.names, self, columns.seen, columns.levels)
            if rows.count != columns.rows:
                raise ValueError(
                    f"the files have {columns.rows} rows, but the DataFrame has {rows.count}: they "
                    "have changed; create the DataFrame again"
                )
            return replace(rows, reading=columns.reading, in_order=columns.in_order)
        first = facts[0]
        for fact in facts:
            if fact.width != first.width:
                raise ValueError(
                    f"the rows of partition {first.partition} have {first.width} features, but "
                    f"those of partition {fact.partition} have {fact.width}; provide the same "
                    "features in every row"
                )
        if first.width == 0:
            raise ValueError("the rows have no features; provide at least one feature")
        names = self.names
        if names is None:
            names = [f"x{place}" for place in range(first.width)]
        elif len(names) != first.width:
            raise ValueError(
                f"the vectors have {first.width} features, but their metadata have {len(names)} "
                "names; assemble the vectors again, or drop the metadata"
            )
        masks = np.bitwise_or.reduce([np.frombuffer(fact.seen, np.uint8) for fact in facts])
        return replace(Rows.of(facts, names, self, masks), not_read=not_read)


@dataclass(frozen=True)
class Rows:
    """The facts about all rows on the driver."""

    count: int
    names: list[str]
    labels: np.ndarray
    """Labels in the order of the rows."""
    genotypes: np.ndarray
    """Mask of the columns that contain only 0, 1, 2 and missing values."""
    seen: np.ndarray
    """Bits for the values that occur in columns of numbers."""
    levels: dict[int, dict[str, tuple[int, int]]]
    """For columns of texts: the number of cells and the first row of every text."""
    texts: list[bool]
    nominal: tuple[int, ...]
    checksums: dict[int, tuple[int, int]]
    """Number of rows and checksum of every non-empty partition."""
    roles: dict[str, np.ndarray]
    """The groups and weights of rows in the order of the rows, by the names of the roles."""
    covariates: list
    """The covariates in the order of the rows, as ``_native.fit`` expects features."""
    reading: dict | None = None
    """The files and columns that tasks read; None if Spark sends the features."""
    in_order: bool = False
    """Whether the files have the rows in the order of their ids."""
    not_read: str | None = None
    """Why Spark sends the features; None if tasks read them."""

    @classmethod
    def of(cls, facts, names, source: Source, masks: np.ndarray, levels=None) -> Rows:
        """Merge the facts of the partitions.

        Parameters
        ----------
        facts : list of Row
        names : list of str
        source : Source
        masks : ndarray
            Bits for the values that occur in columns of numbers.
        levels : dict or None
            The levels of columns of texts; None if the facts contain them.
        """
        label = _joined(fact.labels for fact in facts)
        roles = {name: _joined(fact.roles[name] for fact in facts) for name in facts[0].roles}
        order = None
        if facts[0].ids is not None:
            ids = _joined(fact.ids for fact in facts)
            order = order_of(ids)
            _check_ids(ids, order)
            label = label.take(order)
            roles = {name: values.take(order) for name, values in roles.items()}
        own = [roles.pop(_covariate(place)) for place in range(len(source.covariates))]
        for name, values in roles.items():
            _require_known(values, f"{name}Col", name)
        for name, values in zip(source.covariates, own, strict=True):
            _require_known(values, "covariateCols", f"covariate `{name}`")
        texts = source.texts or [False] * len(names)
        numeric = (masks & OTHER_NUMBER == 0) & ~np.array(texts)
        return cls(
            count=len(label),
            names=names,
            labels=_known_labels(label),
            genotypes=numeric,
            seen=masks,
            levels=_levels(facts, names, order) if levels is None else levels,
            texts=texts,
            nominal=source.nominal,
            checksums={fact.partition: (fact.rows, fact.checksum) for fact in facts},
            roles={name: _in_numpy(values) for name, values in roles.items()},
            covariates=[as_fitted(values.combine_chunks(), None) for values in own],
        )

    def kinds(self, categorical, genotype, ordinal=None) -> list[str]:
        """Kind of every column, by the rules of the scikit-learn estimators.

        Parameters
        ----------
        categorical, genotype, ordinal : None, "all", or list of names, indices or booleans
            The declared columns of each kind.
        """
        kinds = column_kinds(self.names, self.texts, categorical, genotype, ordinal)
        for place, kind in enumerate(kinds):
            if kind == "ordinal" and self.texts[place]:
                raise option_error(
                    "ordinalFeatures",
                    f"column `{self.names[place]}` contains texts",
                    "replace the texts by numbers in their order",
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
    """Return the fields of a DataFrame by name; each requested name must exist exactly once."""
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
                f"the DataFrame has {len(same)} columns with the name `{name}` "
                f"({', '.join(same)}); rename them, for example with df.toDF(*names), or drop all "
                "except one"
            )
    return fields


def _are_stated(names, wanted):
    """Return for every name whether it is listed; `column_kinds` refuses invalid entries later."""
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
    """Return the expression that reads a column of one feature, and whether it returns texts."""
    column = F.col(f"`{field.name}`")
    if is_category and isinstance(field.dataType, T.IntegralType):
        # Categories may be numbers that float64 cannot represent.
        return column.cast("string"), True
    if isinstance(field.dataType, (T.StringType, T.BooleanType)):
        return column, True
    if isinstance(field.dataType, T.DecimalType) and field.dataType.scale == 0:
        # Whole numbers that float64 may be unable to represent; the library decides.
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
        f"column `{field.name}` is of type {field.dataType.simpleString()}; featuresCol requires a "
        "vector or an array of numbers, inputCols columns of one feature each"
    )


def _label(field, param="labelCol", name="label"):
    if isinstance(field.dataType, (T.NumericType, T.StringType, T.BooleanType)):
        column = F.col(f"`{field.name}`")
        if isinstance(field.dataType, T.DecimalType):
            column = column.cast("double" if field.dataType.scale else "string")
        return column.alias(name)
    raise TypeError(
        f"column `{field.name}` is of type {field.dataType.simpleString()}; {param} requires "
        "numbers, texts or booleans"
    )


def _group(field):
    return _label(field, "groupCol", f"{ROLE}group")


def _covariate(place):
    """Return the name of the role of a covariate."""
    return f"covariate{place}"


def _weight(field):
    if isinstance(field.dataType, T.NumericType):
        return F.col(f"`{field.name}`").cast("double")
    raise TypeError(
        f"column `{field.name}` is of type {field.dataType.simpleString()}; weightCol requires "
        "numbers"
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
        f"column `{field.name}` is of type {field.dataType.simpleString()}; idCol requires numbers "
        "or texts"
    )


def _attributes(field):
    """Names of the features in Spark's metadata, if complete, and indices of nominal features."""
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
            f"column `{field.name}`: its metadata contain {names.count(twice)} features named "
            f"`{twice}`; assemble the vectors again from columns with different names"
        )
    return names, nominal


def _joined(columns):
    return pa.concat_tables([from_bytes(column) for column in columns]).column("values")


def _check_ids(ids, order):
    if pa.types.is_floating(ids.type):
        ids = pc.if_else(pc.is_nan(ids), None, ids)
    if ids.null_count:
        raise ValueError(
            f"idCol: {ids.null_count} of {len(ids)} rows have no id; every row needs a unique id"
        )
    ordered = ids.take(order).combine_chunks()
    same = pc.equal(ordered.slice(1), ordered.slice(0, len(ordered) - 1))
    twice = np.flatnonzero(same.to_numpy(zero_copy_only=False))
    if len(twice):
        examples = list(dict.fromkeys(ordered[int(place)].as_py() for place in twice))[:_SHOWN]
        raise ValueError(
            f"idCol: {len(twice)} ids occur in more than one row, such as "
            f"{', '.join(map(repr, examples))}; every row needs a unique id"
        )


def _known_labels(label):
    """Convert labels to NumPy, and refuse missing labels."""
    _require_known(label, "labelCol", "label")
    values = _in_numpy(label)
    return read_known(values) if values.dtype == object else values


def _require_known(column, param, what):
    """Refuse missing values of a column that a Param specifies."""
    is_known = pc.is_valid(column)
    if pa.types.is_floating(column.type):
        is_known = pc.fill_null(pc.is_finite(column), False)
    missing = np.flatnonzero(~is_known.to_numpy())
    if len(missing):
        raise ValueError(
            f"{param}: {len(missing)} of {len(column)} rows have no valid {what} (null, NaN or "
            f"infinity), first row {missing[0] + 1}; leave out rows without a {what}: "
            f"df.dropna(subset=[{param}])"
        )


def _in_numpy(column):
    """Convert a column to NumPy: texts to objects, and missing numbers to NaN."""
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return np.array(column.to_pylist(), dtype=object)
    return column.to_numpy()


def _levels(facts, names, order):
    """Merge the distinct texts of the partitions: their numbers of cells and first rows.

    Raises
    ------
    ValueError
        A column contains a whole number that float64 would round.
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
