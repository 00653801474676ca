"""Fits that go round on Spark have the bits of one machine, round after round."""

import logging

import numpy as np
import pytest
from pyspark.ml import Pipeline
from pyspark.ml.classification import DecisionTreeClassifier
from pyspark.ml.evaluation import MulticlassClassificationEvaluator
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

import basrelief
from basrelief.spark import IRelief, ReliefF, SURFStar, TuRF, _plan
from spark_tables import in_spark, table, target


def problem(kind, rows, labels):
    frame = table(kind, rows)
    return frame, target(np.random.default_rng(1), frame, labels)


@pytest.mark.parametrize(
    ("kind", "inner", "held"),
    [("genotypes", "ReliefF", None), ("mixed", "SURFStar", 0), ("numbers", "MultiSURF", None)],
)
def test_turf(spark, monkeypatch, kind, inner, held):
    if held is not None:
        monkeypatch.setattr(_plan, "HELD_BYTES", held)
    frame, labels = problem(kind, 600, "two")
    options = {"numNeighbors": 7, "numSamples": 300} if inner == "ReliefF" else {}
    local = {"n_neighbors": 7, "n_samples": 300} if inner == "ReliefF" else {}
    wanted = basrelief.TuRF(
        getattr(basrelief, inner)(**local), drop=0.3, keep=2, n_features_to_select=2, random_state=3
    ).fit(frame, labels)
    order = np.random.default_rng(5).permutation(600)
    data = in_spark(spark, frame.iloc[order].reset_index(drop=True), labels[order], order)
    turf = TuRF(
        estimator=getattr(basrelief.spark, inner)(**options),
        inputCols=list(frame.columns),
        idCol="id",
        seed=3,
        drop=0.3,
        keep=2,
        numTopFeatures=2,
        blockRows=256,
    )
    model = turf.fit(data.repartition(4).persist())
    assert model.weights.toArray().tobytes() == wanted.weights_.tobytes()
    assert model.selectedNames == wanted.get_feature_names_out().tolist()
    assert model.featureNames == list(frame.columns)


@pytest.mark.parametrize(
    ("kind", "held", "options", "local"),
    [
        ("mixed", None, {"maxIter": 3, "missing": "ignore"}, {"max_iter": 3, "missing": "ignore"}),
        ("numbers", 0, {"sigma": 0.5, "outliers": False}, {"sigma": 0.5, "outliers": False}),
    ],
)
def test_irelief(spark, monkeypatch, kind, held, options, local):
    if held is not None:
        monkeypatch.setattr(_plan, "HELD_BYTES", held)
    frame, labels = problem(kind, 600, "three")
    wanted = basrelief.IRelief(**local).fit(frame, labels)
    order = np.random.default_rng(5).permutation(600)
    data = in_spark(spark, frame.iloc[order].reset_index(drop=True), labels[order], order)
    relief = IRelief(inputCols=list(frame.columns), idCol="id", **options)
    told = relief.explain(data)
    assert told.startswith("irelief, iteration 1 of up to ")
    assert "\nmargins" in told
    model = relief.fit(data.repartition(4))
    assert model.weights.toArray().tobytes() == wanted.weights_.tobytes()
    assert len(model.warnings) == (1 if "maxIter" in options else 0)


def test_what_irelief_refuses(spark):
    frame, labels = problem("ties", 40, "two")
    data = in_spark(spark, frame, labels, np.arange(40))
    columns = {"inputCols": list(frame.columns), "idCol": "id"}
    with pytest.raises(ValueError, match="online visits one row after the other"):
        IRelief(mode="online", **columns).fit(data)
    with pytest.raises(ValueError, match="blocks of IRelief follow from the data"):
        IRelief(blockRows=256, **columns).fit(data)
    with pytest.raises(ValueError, match="IRelief iterates by itself"):
        TuRF(estimator=IRelief(), **columns).fit(data)


def test_turf_warns_as_the_local_one(spark):
    frame, labels = problem("ties", 90, "three")
    frame["constant"], frame["again"] = 1.0, frame["a"]
    labels[:3] = ["rare", "rare", "rare"]
    with pytest.warns(basrelief.ReliefWarning) as local:
        wanted = basrelief.TuRF(basrelief.ReliefF(), keep=2).fit(frame, labels)
    data = in_spark(spark, frame, labels, np.arange(90))
    turf = TuRF(inputCols=list(frame.columns), idCol="id", keep=2)
    with pytest.warns(basrelief.ReliefWarning):
        model = turf.fit(data)
    assert model.weights.toArray().tobytes() == wanted.weights_.tobytes()
    assert model.warnings == [str(warning.message) for warning in local]
    assert any("constant" in text for text in model.warnings)


def test_the_estimator_inside(spark, tmp_path):
    inner = ReliefF(numNeighbors=4, ramp=(0.1, 0.3))
    turf = TuRF(estimator=inner, drop=0.2, keep=3, idCol="id")
    turf.save(str(tmp_path / "turf"))
    again = TuRF.load(str(tmp_path / "turf"))
    assert (again.uid, again.getDrop(), again.getKeep()) == (turf.uid, 0.2, 3)
    assert again.getEstimator().uid == inner.uid
    assert again.getEstimator()._texts() == inner._texts()
    TuRF(keep=4).save(str(tmp_path / "alone"))
    assert TuRF.load(str(tmp_path / "alone")).getEstimator() is None
    copied = turf.copy({inner.numNeighbors: 9, turf.keep: 5})
    assert (copied.getEstimator().getNumNeighbors(), copied.getKeep()) == (9, 5)
    assert (turf.getEstimator().getNumNeighbors(), turf.getKeep()) == (4, 3)
    for wrong in (basrelief.ReliefF(), TuRF(), 3):
        with pytest.raises(TypeError, match="not an estimator of a method"):
            TuRF(estimator=wrong)
    frame, labels = problem("ties", 40, "two")
    data = in_spark(spark, frame, labels, np.arange(40))
    outer = TuRF(estimator=SURFStar(idCol="id"), inputCols=list(frame.columns))
    with pytest.raises(
        ValueError, match=r"`idCol` is set in the wrapped SURFStar.*set `idCol` of TuRF"
    ):
        outer.fit(data)
    with pytest.raises(ValueError, match="keep"):
        TuRF(inputCols=list(frame.columns), keep=0).fit(data)


def test_in_a_pipeline_and_a_cross_validation(spark, caplog):
    frame, labels = problem("ties", 160, "two")
    data = in_spark(spark, frame, labels, np.arange(160)).coalesce(2).persist()
    inner = ReliefF()
    turf = TuRF(estimator=inner, inputCols=list(frame.columns), idCol="id", keep=2)
    turf.setParams(outputCol="selected", numTopFeatures=2)
    told = turf.explain(data)
    assert told.startswith("turf of relieff, round 1 of 4\n")
    assert "160 rows, 5 columns" in told
    with caplog.at_level(logging.INFO, logger="basrelief.spark"):
        turf.fit(data)
    assert "round 4 of 4: search" in caplog.text
    tree = DecisionTreeClassifier(featuresCol="selected", maxDepth=3)
    grid = ParamGridBuilder().addGrid(inner.numNeighbors, [3]).addGrid(turf.keep, [1, 3]).build()
    search = CrossValidator(
        estimator=Pipeline(stages=[turf, tree]),
        estimatorParamMaps=grid,
        evaluator=MulticlassClassificationEvaluator(metricName="accuracy"),
        numFolds=2,
        seed=1,
    )
    assert len(search.fit(data).avgMetrics) == 2
    if hasattr(spark, "sparkContext"):
        data.unpersist(blocking=True)
