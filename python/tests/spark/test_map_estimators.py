"""A map on Spark is that of one machine, to the bit."""

import logging

import numpy as np
import pandas as pd
import pytest
from pyspark.errors import PythonException
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.feature import VectorAssembler
from pyspark.ml.linalg import VectorUDT
from pyspark.sql import functions as F

import basrelief
from basrelief.spark import LFE, MapModel, _plan
from spark_tables import in_spark


def rows_of(columns, rows=600, seed=0):
    """Numbers, some of them with ties, whose classes are told by the sum of two."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        rng.normal(size=(rows, columns)), columns=[f"x{j}" for j in range(columns)]
    )
    frame["x2"] = frame["x2"].round(1)
    frame["x3"] = rng.integers(0, 3, size=rows).astype(float)
    score = frame["x0"] + 3 * frame["x1"] + rng.normal(size=rows) / 4
    return frame, np.array(["a", "b", "c"], dtype=object)[np.digitize(score, [-1.5, 1.5])]


def check(session, frame, labels, partitions=3, **options):
    """Fit both, and compare every bit."""
    names = {"k": "n_components", "numNeighbors": "n_neighbors"}
    local = {names.get(name, name): value for name, value in options.items()}
    wanted = basrelief.LFE(form="direct", **local).fit(frame, labels)
    order = np.random.default_rng(5).permutation(len(frame))
    data = in_spark(session, frame.iloc[order].reset_index(drop=True), labels[order], order)
    data = data.repartition(partitions).persist()
    try:
        columns = {"inputCols": list(frame.columns), "idCol": "id"}
        model = LFE(**columns, blockRows=256, blockColumns=64, **options).fit(data)
    finally:
        data.unpersist()
    assert model.components.toArray().tobytes() == wanted.components_.tobytes()
    assert model.mean.toArray().tobytes() == wanted.mean_.tobytes()
    assert model.eigenvalues.toArray().tobytes() == wanted.eigenvalues_.tobytes()
    assert model.discriminantPower == wanted.discriminant_power_
    assert model.featureNames == list(frame.columns)
    return model, wanted


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"k": 2, "scale": "range"},
        {"k": 3, "scale": "standard", "numNeighbors": 4},
        {"metric": "manhattan", "ties": "first", "numNeighbors": 2, "scale": "range"},
    ],
)
def test_maps_have_the_bits_of_one_machine(spark, options):
    frame, labels = rows_of(6)
    check(spark, frame, labels, **options)


@pytest.mark.parametrize("partitions", [1, 7])
def test_several_blocks_of_columns(spark, partitions):
    frame, labels = rows_of(130)
    check(spark, frame, labels, partitions, k=3, scale="range", numNeighbors=3)


def test_rows_and_lists_that_are_shuffled(spark, monkeypatch):
    monkeypatch.setattr(_plan, "HELD_BYTES", 0)
    frame, labels = rows_of(70)
    check(spark, frame, labels, k=2, scale="range")


@pytest.fixture(scope="module")
def data(spark):
    frame, labels = rows_of(6, rows=300)
    rows = in_spark(spark, frame, labels, np.arange(300))
    assembled = VectorAssembler(inputCols=list(frame.columns), outputCol="features").transform(rows)
    assembled = assembled.coalesce(2).persist()
    yield assembled
    assembled.unpersist()


@pytest.fixture(scope="module")
def wanted():
    frame, labels = rows_of(6, rows=300)
    fitted = basrelief.LFE(2, form="direct", scale="range", n_neighbors=2).fit(frame, labels)
    return fitted, fitted.transform(frame)


def estimator(**params):
    columns = {"idCol": "id", "outputCol": "mapped"}
    return LFE(**columns, k=2, scale="range", numNeighbors=2, **params)


def test_transform_maps_vectors_arrays_and_columns(data, wanted):
    fitted, coordinates = wanted
    arrays = data.select("id", "label", F.expr("array(x0, x1, x2, x3, x4, x5)").alias("features"))
    for rows, params in (
        (data, {}),
        (arrays, {}),
        (data, {"inputCols": [f"x{j}" for j in range(6)]}),
    ):
        model = estimator(**params).fit(rows)
        assert model.components.toArray().tobytes() == fitted.components_.tobytes()
        mapped = model.transform(rows)
        assert isinstance(mapped.schema["mapped"].dataType, VectorUDT)
        found = mapped.orderBy("id").select("mapped").collect()
        np.testing.assert_allclose(
            [row.mapped.toArray() for row in found], coordinates, rtol=0, atol=1e-12
        )
        again = model.transform(rows.repartition(5)).orderBy("id").select("mapped").collect()
        assert again == found


def test_a_pipeline_and_its_files(data, wanted, tmp_path):
    fitted, coordinates = wanted
    pipeline = Pipeline(stages=[estimator()])
    pipeline.save(str(tmp_path / "pipeline"))
    pipeline = Pipeline.load(str(tmp_path / "pipeline"))
    assert pipeline.getStages()[0].getScale() == "range"
    assert pipeline.getStages()[0].getK() == 2
    model = pipeline.fit(data)
    model.save(str(tmp_path / "model"))
    model = PipelineModel.load(str(tmp_path / "model"))
    own = model.stages[0]
    assert isinstance(own, MapModel)
    assert own.components.toArray().tobytes() == fitted.components_.tobytes()
    assert own.eigenvalues.toArray().tobytes() == fitted.eigenvalues_.tobytes()
    assert own.discriminantPower == fitted.discriminant_power_
    assert own.featureNames == [f"x{j}" for j in range(6)]
    first = model.transform(data).orderBy("id").first().mapped.toArray()
    np.testing.assert_allclose(first, coordinates[0], rtol=0, atol=1e-12)
    renamed = own.copy({own.outputCol: "other"})
    assert renamed.transform(data).first().other == own.transform(data).first().mapped


def test_explain_and_the_log_tell_the_plan(data, caplog):
    text = estimator(blockRows=256).explain(data)
    lines = {line.split()[0]: line.split() for line in text.splitlines()}
    assert text.startswith("basrelief lfe on Spark: 300 rows, 6 columns")
    assert lines["search"][1:3] == ["3", "3"]
    assert lines["scatter"][1] == "1"
    assert "sums" not in lines
    with caplog.at_level(logging.INFO, logger="basrelief.spark"):
        estimator().fit(data)
    assert any("scatter of 1 pairs of blocks of columns" in text for text in caplog.messages)


def test_every_param_is_the_local_option(java):
    local = basrelief.LFE()
    assert LFE().getNumNeighbors() == local.n_neighbors
    assert LFE().getMetric() == local.metric
    assert LFE(k=3)._texts().count(("n_components", "3")) == 1
    assert ("form", "direct") in LFE()._texts()
    assert "numNeighbors" in LFE.__doc__
    for name in ("form", "kernel", "basis"):
        with pytest.raises(TypeError, match=f"LFE has no Param `{name}`"):
            LFE(**{name: "auto"})


def test_what_is_refused(data, spark):
    with pytest.raises(ValueError, match=r"numNeighbors|n_neighbors"):
        LFE(numNeighbors=0, idCol="id").fit(data)
    with pytest.raises(ValueError, match="option inputCols: it is empty"):
        LFE(inputCols=[]).fit(data)
    with pytest.raises(ValueError, match="the same class"):
        LFE(idCol="id").fit(data.withColumn("label", F.lit("a")))
    texts = data.withColumn("x1", F.when(F.col("x1") > 0, "up").otherwise("down"))
    with pytest.raises(ValueError, match="there are categories in: x1"):
        LFE(inputCols=["x0", "x1"], idCol="id").fit(texts)
    gaps = data.withColumn("x1", F.when(F.col("id") > 3, F.col("x1")))
    with pytest.raises(ValueError, match=r"values are missing \(NaN\) in: x1"):
        LFE(inputCols=["x0", "x1"], idCol="id").fit(gaps)
    constant = data.withColumn("x0", F.lit(2.0))
    with pytest.raises(ValueError, match="all columns are constant"):
        LFE(inputCols=["x0"], idCol="id").fit(constant)
    model = LFE(inputCols=["x0", "x1"], idCol="id", outputCol="mapped").fit(data)
    with pytest.raises(PythonException, match="values are missing"):
        model.transform(gaps).select("mapped").collect()
