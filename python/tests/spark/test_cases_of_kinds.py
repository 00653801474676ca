"""Spark reads the cases of `tests/kinds.json` as all front ends do."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from kind_cases import (
    CASES,
    ROWS,
    cells_of,
    check_refusal,
    in_all_orders,
    is_refused,
    mixed,
    name_of,
    numbers,
    problem,
    values_of,
)
from pyspark.sql import functions as F
from pyspark.sql import types as T

import basrelief
from basrelief import spark as on_spark
from basrelief._validation import read_target
from basrelief.spark._source import Source

TYPES = {"integer": T.LongType(), "real": T.DoubleType(), "boolean": T.BooleanType()}


def table(session, columns, labels, label_type):
    """Make a DataFrame of columns, each a name, a type and values, with a label and an id."""
    columns = [*columns, ("label", label_type, labels), ("id", T.LongType(), range(ROWS))]
    schema = T.StructType([T.StructField(name, kind) for name, kind, _ in columns])
    rows = list(zip(*(values for _, _, values in columns), strict=True))
    # Partitions hold the rows in the order of the ids, so that messages name the first rows.
    return session.createDataFrame(rows, schema)


def read(data, names):
    return Source.of(data, None, names, "label", "id").look()


def as_columns(cases):
    for case in cases:
        yield case, (case["name"], T.StringType(), cells_of(case))
        if case["type"] != "text":
            name = f"{case['name']}_typed"
            yield {**case, "name": name}, (name, TYPES[case["type"]], values_of(case))
        if case["type"] == "integer":
            name = f"{case['name']}_as_decimal"
            decimals = [None if value is None else Decimal(value) for value in values_of(case)]
            yield {**case, "name": name}, (name, T.DecimalType(20, 0), decimals)


def test_columns(spark):
    labels = (np.arange(ROWS) % 2).tolist()
    of_cases = list(as_columns([case for case in CASES["columns"] if not is_refused(case)]))
    data = table(spark, [column for _, column in of_cases], labels, T.LongType())
    names = [case["name"] for case, _ in of_cases]
    found = dict(zip(names, read(data, names).kinds(None, None), strict=True))
    assert found == {case["name"]: case["expect"]["kind"] for case, _ in of_cases}


def test_refused_columns(spark):
    labels = (np.arange(ROWS) % 2).tolist()
    of_cases = list(as_columns([case for case in CASES["columns"] if is_refused(case)]))
    for case, column in of_cases:
        data = table(spark, [column], labels, T.LongType())
        with pytest.raises(ValueError, match=problem(case)) as refused:
            read(data, [case["name"]]).kinds(None, None)
        check_refusal(case, str(refused.value), f"column `{case['name']}`")


@pytest.mark.parametrize("case", CASES["targets"], ids=name_of)
def test_targets(spark, case):
    expect = case["expect"]
    sources = [(T.StringType(), cells_of(case))]
    if case["type"] != "text":
        sources.append((TYPES[case["type"]], values_of(case)))
    for kind, labels in sources:
        data = table(spark, [("x", T.DoubleType(), numbers().tolist())], labels, kind)
        if is_refused(case) or "missing" in expect:
            with pytest.raises(ValueError, match=problem(case)) as refused:
                on_spark.MultiSURF(inputCols=["x"], idCol="id").fit(data)
            if is_refused(case):
                check_refusal(case, str(refused.value))
            else:
                assert f"row {expect['missing'][0]}" in str(refused.value)
            continue
        target, _, _ = read_target(read(data, ["x"]).labels, "multisurf", "auto")
        if "classes" in expect:
            assert list(target[1]) == expect["classes"]
        else:
            assert [target.min(), target.max()] == expect["real"]


def test_weights_have_the_bits_of_one_machine(spark):
    frame, labels, _ = mixed()
    sources = [table for table in in_all_orders(frame) if isinstance(table, pd.DataFrame)]
    wanted = basrelief.MultiSURF().fit(sources[-1], labels).weights_.tobytes()
    for order in (np.arange(len(frame)), np.random.default_rng(1).permutation(len(frame))):
        cells = frame.astype(object).where(frame.notna(), None)
        cells = cells.assign(label=labels, id=np.arange(len(frame))).iloc[order]
        schema = "number double, city string, color string, label string, id long"
        data = spark.createDataFrame(list(cells.itertuples(index=False)), schema).repartition(3)
        model = on_spark.MultiSURF(inputCols=list(frame.columns), idCol="id").fit(data)
        assert model.weights.toArray().tobytes() == wanted


def test_whole_numbers_that_are_names_need_not_be_exact(spark):
    big = [2**53 + 1 + 2 * (row % 3) for row in range(ROWS)]
    labels = (np.arange(ROWS) % 2).tolist()
    columns = [("big", T.LongType(), big), ("x", T.DoubleType(), numbers().tolist())]
    data = table(spark, columns, labels, T.LongType())
    estimator = on_spark.ReliefF(inputCols=["big", "x"], idCol="id", numNeighbors=3)
    with pytest.raises(ValueError, match="beyond 2\\^53"):
        estimator.fit(data)
    named = estimator.copy().setParams(categoricalFeatures=["big"]).fit(data)
    texts = data.withColumn("big", F.concat(F.lit("n"), "big"))
    assert named.weights == estimator.fit(texts).weights
