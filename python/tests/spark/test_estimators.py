"""The estimators are those of pyspark.ml: Params, pipelines, files, selection."""

import logging

import numpy as np
import pytest
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.classification import DecisionTreeClassifier
from pyspark.ml.evaluation import MulticlassClassificationEvaluator
from pyspark.ml.feature import VectorAssembler
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

import basrelief
from basrelief.spark import ReliefF, ReliefModel
from spark_tables import in_spark, table, target


@pytest.fixture(scope="module")
def data(spark):
    frame = table("ties", 160)
    labels = target(np.random.default_rng(1), frame, "two")
    rows = in_spark(spark, frame, labels, np.arange(160))
    assembled = VectorAssembler(inputCols=list(frame.columns), outputCol="features").transform(rows)
    assembled = assembled.coalesce(2).persist()
    yield assembled
    assembled.unpersist()


@pytest.fixture(scope="module")
def model(data):
    return ReliefF(numTopFeatures=2, idCol="id", outputCol="selected").fit(data)


def test_every_option_of_the_local_estimator_is_a_param(java):
    local = basrelief.ReliefF()
    estimator = ReliefF()
    assert estimator.getNumNeighbors() == local.n_neighbors
    assert estimator.getNumSamples() == local.n_samples
    assert estimator._texts() == local._option_texts()
    assert ReliefF(ramp=(0.1, 0.2))._texts() == basrelief.ReliefF(ramp=(0.1, 0.2))._option_texts()
    assert "numNeighbors" in ReliefF.__doc__
    assert estimator.setNumNeighbors(3).getNumNeighbors() == 3
    with pytest.raises(TypeError, match="no Param `neighbors`"):
        ReliefF(neighbors=3)


def test_names_come_from_the_metadata(model):
    assert model.featureNames == list("abcde")
    assert model.selectedNames == [model.featureNames[place] for place in model.selectedFeatures]


def test_transform_selects(data, model):
    first = model.transform(data).select("features", "selected").first()
    assert first.selected.toArray().tolist() == [first.features[i] for i in model.selectedFeatures]


def test_transform_of_columns(data):
    columns = list("abcde")
    estimator = ReliefF(inputCols=columns, idCol="id", outputCol="selected", percentile=0.4)
    fitted = estimator.fit(data)
    row = fitted.transform(data).first()
    assert row.selected.toArray().tolist() == [row[name] for name in fitted.selectedNames]
    assert len(fitted.selectedFeatures) == 2


def test_selection_can_be_set_anew(model):
    again = model.copy({model.numTopFeatures: 3})
    assert len(again.selectedFeatures) == 3
    assert len(model.selectedFeatures) == 2
    with pytest.raises(ValueError, match="cannot be selected from 5"):
        model.copy({model.numTopFeatures: 6}).selectedFeatures  # noqa: B018


def test_files(data, model, tmp_path):
    model.write().overwrite().save(str(tmp_path / "model"))
    loaded = ReliefModel.load(str(tmp_path / "model"))
    assert loaded.weights == model.weights
    assert loaded.featureNames == model.featureNames
    assert loaded.selectedFeatures == model.selectedFeatures
    assert loaded.uid == model.uid
    estimator = ReliefF(numNeighbors=4, ramp=(0.1, 0.3))
    estimator.save(str(tmp_path / "estimator"))
    again = ReliefF.load(str(tmp_path / "estimator"))
    assert again._texts() == estimator._texts()


def test_pipeline_and_cross_validation(data, tmp_path):
    relief = ReliefF(numTopFeatures=2, idCol="id", outputCol="selected")
    tree = DecisionTreeClassifier(featuresCol="selected", maxDepth=3)
    pipeline = Pipeline(stages=[relief, tree])
    fitted = pipeline.fit(data)
    fitted.write().overwrite().save(str(tmp_path / "pipeline"))
    loaded = PipelineModel.load(str(tmp_path / "pipeline"))
    wanted = [row.prediction for row in fitted.transform(data).orderBy("id").collect()]
    assert [row.prediction for row in loaded.transform(data).orderBy("id").collect()] == wanted
    grid = ParamGridBuilder().addGrid(relief.numNeighbors, [3, 9]).build()
    search = CrossValidator(
        estimator=pipeline,
        estimatorParamMaps=grid,
        evaluator=MulticlassClassificationEvaluator(metricName="accuracy"),
        numFolds=2,
        seed=1,
    )
    assert len(search.fit(data).avgMetrics) == 2


def test_explain_and_the_log_say_the_same(data, caplog):
    estimator = ReliefF(idCol="id")
    told = estimator.explain(data)
    assert "160 rows, 5 columns" in told
    for stage in ("pack", "search", "lists", "sums"):
        assert f"\n{stage}" in told
    with caplog.at_level(logging.INFO, logger="basrelief.spark"):
        estimator.fit(data)
    assert told in [record.getMessage() for record in caplog.records]
