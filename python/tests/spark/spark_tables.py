"""Tables of all kinds, with missing values and ties, as pandas and Spark have them."""

import numpy as np
import pandas as pd
from pyspark.sql import types as T


def target(rng, table, kind):
    """A target that depends on the first two columns, of two or three classes, or real."""
    numbers = [
        pd.to_numeric(table[name], errors="coerce").fillna(0.5) for name in table.columns[:2]
    ]
    score = numbers[0].to_numpy(float) * 2 + numbers[1].to_numpy(float) + rng.random(len(table))
    if kind == "real":
        return score
    if kind == "three":
        return np.array(["a", "b", "c"], dtype=object)[
            np.digitize(score, np.quantile(score, [0.3, 0.7]))
        ]
    return (score > np.median(score)).astype(int)


def table(kind, rows, seed=0):
    """Features of a kind: "numbers", "ties", "genotypes", "mixed" or "single" precision."""
    rng = np.random.default_rng(seed)
    if kind == "numbers":
        return pd.DataFrame(rng.normal(size=(rows, 6)), columns=list("abcdef"))
    if kind == "single":
        numbers = rng.normal(size=(rows, 6)).astype(np.float32)
        return pd.DataFrame(numbers, columns=list("abcdef"))
    if kind == "ties":
        return pd.DataFrame(rng.integers(0, 4, size=(rows, 5)).astype(float), columns=list("abcde"))
    if kind == "genotypes":
        values = rng.integers(0, 3, size=(rows, 12)).astype(float)
        values[rng.random(values.shape) < 0.05] = np.nan
        return pd.DataFrame(values, columns=[f"snp{place}" for place in range(12)])
    gap = rng.random((rows, 5)) < 0.06
    frame = pd.DataFrame(
        {
            "number": np.where(gap[:, 0], np.nan, rng.normal(size=rows).round(1)),
            "whole": rng.integers(-3, 4, size=rows),
            "snp": np.where(gap[:, 1], np.nan, rng.integers(0, 3, size=rows)),
            "colour": rng.choice(["red", "green", "blue"], size=rows),
            "flag": rng.random(rows) < 0.4,
            "single": np.where(gap[:, 3], np.nan, rng.random(rows)).astype(np.float32),
        }
    )
    frame["colour"] = frame["colour"].astype(object).where(~gap[:, 2], None)
    return frame


def in_spark(session, frame, labels, ids=None):
    """The same in Spark, with a label and, where there are ids, an id; NaN of numbers is null."""
    types = {"f8": T.DoubleType(), "f4": T.FloatType(), "i8": T.LongType(), "b1": T.BooleanType()}
    columns = {**{name: frame[name] for name in frame.columns}, "label": pd.Series(labels)}
    if ids is not None:
        columns["id"] = pd.Series(ids)
    fields, values = [], []
    for name, column in columns.items():
        kind = types.get(
            column.dtype.str[1:] if hasattr(column.dtype, "str") else "", T.StringType()
        )
        fields.append(T.StructField(name, kind))
        values.append(
            [None if value is None or value != value else value for value in column.tolist()]
        )
    return session.createDataFrame(list(zip(*values, strict=True)), T.StructType(fields))
