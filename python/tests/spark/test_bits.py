"""Weights on Spark are those of one machine, to the bit."""

import numpy as np
import pandas as pd
import pytest
from pyspark.ml.linalg import Vectors

import basrelief
from basrelief import spark as on_spark
from basrelief.spark import _plan
from spark_tables import in_spark, table, target

TARGETS = {
    "Relief": "two",
    "ReliefE": "three",
    "ReliefF": "three",
    "RReliefF": "real",
    "SURF": "two",
    "SURFStar": "two",
    "MultiSURF": "three",
    "MultiSURFStar": "two",
    "SWRF": "two",
    "SWRFStar": "two",
    "MultiSWRFStar": "two",
    "MultiSWRFDB": "three",
}
KINDS = ("numbers", "ties", "genotypes", "mixed", "single")


def problem(kind, rows, labels, seed=0):
    frame = table(kind, rows, seed)
    return frame, target(np.random.default_rng(seed + 1), frame, labels)


def check(session, name, frame, labels, partitions, *, shuffled=False, **options):
    """Fit both, and compare every bit."""
    local = {
        ("n_" + key[3:].lower() if key.startswith("num") else key): value
        for key, value in options.items()
    }
    wanted = getattr(basrelief, name)(**local, random_state=0).fit(frame, labels)
    order = np.arange(len(frame))
    if shuffled:
        order = np.random.default_rng(5).permutation(len(frame))
    data = in_spark(session, frame.iloc[order].reset_index(drop=True), labels[order], order)
    data = data.repartition(partitions).persist()
    try:
        estimator = getattr(on_spark, name)(
            inputCols=list(frame.columns), idCol="id", blockRows=256, blockColumns=8, **options
        )
        model = estimator.fit(data)
    finally:
        data.unpersist()
    assert model.weights.toArray().tobytes() == wanted.weights_.tobytes()
    assert model.featureNames == list(frame.columns)
    assert model.selectedNames == wanted.get_feature_names_out().tolist()
    return model


@pytest.mark.parametrize("name", TARGETS)
def test_every_method(spark, name):
    place = list(TARGETS).index(name)
    frame, labels = problem("mixed", 600, TARGETS[name])
    check(spark, name, frame, labels, 7, shuffled=place % 2 == 0)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_table(spark, kind):
    frame, labels = problem(kind, 600, "two")
    check(spark, "ReliefF", frame, labels, 3, numNeighbors=7)


@pytest.mark.parametrize("partitions", [1, 64])
def test_any_number_of_partitions(spark, partitions):
    frame, labels = problem("ties", 600, "three")
    check(spark, "MultiSURF", frame, labels, partitions, shuffled=True)


@pytest.mark.parametrize(("held", "samples"), [(0, None), (0, 150), (60_000, 150)])
def test_every_route(spark, monkeypatch, held, samples):
    """Rows shuffled; lists shuffled; queries held: as the limit is set low for this table."""
    monkeypatch.setattr(_plan, "HELD_BYTES", held)
    frame, labels = problem("numbers", 2000, "two")
    options = {} if samples is None else {"numSamples": samples}
    check(spark, "ReliefF", frame, labels, 4, **options)


@pytest.mark.parametrize("form", ["dense", "sparse", "array"])
def test_vectors_and_arrays(spark, form):
    frame, labels = problem("ties", 200, "two")
    make = {
        "dense": Vectors.dense,
        "sparse": lambda row: Vectors.sparse(len(row), {i: v for i, v in enumerate(row) if v}),
        "array": list,
    }[form]
    rows = [
        (make(row), int(label))
        for row, label in zip(frame.to_numpy().tolist(), labels, strict=True)
    ]
    # In the order of the partitions, as there is no id.
    data = spark.createDataFrame(rows, ["features", "label"]).coalesce(2)
    wanted = basrelief.ReliefF().fit(frame.to_numpy(), labels)
    model = on_spark.ReliefF().fit(data)
    assert model.weights.toArray().tobytes() == wanted.weights_.tobytes()
    assert model.featureNames == [f"x{place}" for place in range(frame.shape[1])]


def test_kinds_that_are_stated(spark):
    frame, labels = problem("ties", 150, "two")
    wanted = basrelief.ReliefF(categorical_features=["a", "c"]).fit(frame, labels)
    data = in_spark(spark, frame, labels, np.arange(150))
    estimator = on_spark.ReliefF(
        inputCols=list(frame.columns), idCol="id", categoricalFeatures=["a", "c"]
    )
    assert estimator.fit(data).weights.toArray().tobytes() == wanted.weights_.tobytes()


def test_ordinal_columns_are_those_of_one_machine(spark):
    frame, labels = problem("ties", 150, "two")
    wanted = basrelief.ReliefF(ordinal_features=["a", "c"]).fit(frame, labels)
    data = in_spark(spark, frame, labels, np.arange(150))
    columns = {"inputCols": list(frame.columns), "idCol": "id"}
    estimator = on_spark.ReliefF(**columns, ordinalFeatures=["a", "c"])
    assert estimator.fit(data).weights.toArray().tobytes() == wanted.weights_.tobytes()
    with pytest.raises(TypeError, match="use a list of columns"):
        on_spark.ReliefF(**columns, ordinalFeatures={"a": [1, 2]})


def test_ids_of_text_give_the_order(spark):
    frame, labels = problem("ties", 120, "two")
    ids = pd.Series([f"person {place:04}" for place in range(120)])
    order = np.random.default_rng(3).permutation(120)
    data = in_spark(
        spark, frame.iloc[order].reset_index(drop=True), labels[order], ids[order].to_list()
    )
    model = on_spark.ReliefF(inputCols=list(frame.columns), idCol="id").fit(data.repartition(3))
    wanted = basrelief.ReliefF().fit(frame, labels)
    assert model.weights.toArray().tobytes() == wanted.weights_.tobytes()


def test_nothing_is_left(spark):
    frame, labels = problem("numbers", 100, "two")
    data = in_spark(spark, frame, labels, np.arange(100))
    before = spark.sparkContext._jsc.getPersistentRDDs().size()
    limit = spark.conf.get("spark.sql.execution.arrow.maxBytesPerBatch")
    context = spark.sparkContext
    context.setLocalProperty("spark.job.description", "mine")
    on_spark.ReliefF(inputCols=list(frame.columns), idCol="id").fit(data)
    assert context._jsc.getPersistentRDDs().size() == before
    assert spark.conf.get("spark.sql.execution.arrow.maxBytesPerBatch") == limit
    assert context.getLocalProperty("spark.job.description") == "mine"
    context.setLocalProperty("spark.job.description", None)
