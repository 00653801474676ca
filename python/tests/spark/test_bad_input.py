"""What is wrong with the data is said before the work, in words that help."""

import datetime

import numpy as np
import pytest
from pyspark.ml.linalg import Vectors
from pyspark.sql import functions as F

from basrelief import spark as on_spark
from basrelief.spark import ReliefF
from spark_tables import in_spark, table, target


@pytest.fixture(scope="module")
def data(spark):
    frame = table("mixed", 60)
    labels = target(np.random.default_rng(1), frame, "three")
    return in_spark(spark, frame, labels, np.arange(60))


COLUMNS = ["number", "whole", "snp", "colour", "flag", "single"]


def refused(data, match, kind=ValueError, **params):
    params = {"inputCols": COLUMNS, "idCol": "id", **params}
    with pytest.raises(kind, match=match):
        ReliefF(**params).fit(data)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda df: df.where("id < 0"), "no rows"),
        (lambda df: df.where("id = 3"), "row"),
        (lambda df: df.withColumn("label", F.lit("a")), "class"),
        (lambda df: df.withColumn("label", F.when(F.col("id") > 4, "a")), "5 of 60 rows have no"),
        (lambda df: df.withColumn("id", F.col("id") % 50), "10 ids occur .* such as 0, 1, 2;"),
        (lambda df: df.withColumn("id", F.when(F.col("id") > 1, F.col("id"))), "2 of 60 rows"),
        (
            lambda df: df.withColumn("colour", F.when(F.col("id") == 7, "12 kg").otherwise("3.5")),
            r"`colour`: 1 of 60 non-missing cells is not a number: `12 kg` \(row 8\)",
        ),
        (
            lambda df: df.withColumn("colour", F.concat(F.col("id"), F.lit(" kg"))),
            r"`colour`: 60 of 60 distinct values are numbers with a unit: `0 kg` \(row 1\)",
        ),
        (
            lambda df: df.withColumn("number", F.col("id") + F.lit(2**53 + 1)),
            r"`number`: whole numbers beyond 2\^53",
        ),
        (
            lambda df: df.withColumn("label", F.when(F.col("id") > 4, "a").otherwise("NA")),
            "`NA`|'NA'",
        ),
        (lambda df: df.withColumn("number", F.lit(float("inf"))), "number"),
        (lambda df: df.drop("snp"), "no column `snp`"),
    ],
)
def test_data_are_refused(data, change, match):
    refused(change(data), match)


def test_columns_of_one_name_are_refused(data):
    twice = data.select("*", data["number"])
    refused(twice, r"2 columns with the name `number` \(number, number\); rename them")
    other_case = data.withColumnRenamed("single", "NUMBER")
    refused(other_case, r"\(number, NUMBER\)", inputCols=["number", "whole"])
    # A column that is not used may be there twice.
    unused = data.select("*", data["single"])
    params = {"inputCols": ["number", "whole"], "idCol": "id"}
    assert ReliefF(**params).fit(unused).weights == ReliefF(**params).fit(data).weights


def test_features_of_one_name_are_refused(spark):
    rows = [(Vectors.dense([float(row), row % 3]), row % 2) for row in range(20)]
    entries = [{"idx": 0, "name": "a"}, {"idx": 1, "name": "a"}]
    metadata = {"ml_attr": {"attrs": {"numeric": entries}, "num_attrs": 2}}
    data = spark.createDataFrame(rows, ["features", "label"])
    data = data.withMetadata("features", metadata)
    with pytest.raises(ValueError, match="its metadata contain 2 features named `a`"):
        ReliefF().fit(data)


def test_dates_are_refused(data):
    refused(
        data.withColumn("number", F.lit(datetime.date(2026, 1, 1))), "type date", kind=TypeError
    )


def test_one_partition_may_hold_a_class_alone(data, spark):
    """That is no fault: rows have the order of their ids."""
    sorted_by_class = data.repartitionByRange(3, "label")
    again = ReliefF(inputCols=COLUMNS, idCol="id").fit(sorted_by_class)
    assert again.weights == ReliefF(inputCols=COLUMNS, idCol="id").fit(data).weights


def test_rows_that_change_are_found(data):
    again = F.udf(lambda _: __import__("random").random(), "double").asNondeterministic()
    refused(data.withColumn("number", again("number")), "the DataFrame is not deterministic")


def test_vectors_of_different_lengths(spark):
    for rows, match in (
        ([(Vectors.dense([1.0, 2.0]), 1), (Vectors.dense([1.0]), 0)], "features"),
        ([(Vectors.dense([1.0, 2.0]), 1), (None, 0)], "null instead of a vector"),
    ):
        data = spark.createDataFrame(rows, ["features", "label"])
        for partitions in (1, 2):
            with pytest.raises(ValueError, match=match):
                ReliefF().fit(data.coalesce(1) if partitions == 1 else data)


def test_what_cannot_be_done_in_parts_has_no_class():
    with pytest.raises(AttributeError, match=r"has no Simba; it has .*ReliefF"):
        on_spark.Simba  # noqa: B018
