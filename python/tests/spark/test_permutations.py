"""Permutations as tasks: what a test of one machine finds."""

import numpy as np
import pytest

import basrelief
from basrelief import spark as on_spark
from basrelief.spark import ReliefModel
from spark_tables import in_spark, table, target


@pytest.mark.parametrize(
    ("name", "kind", "labels", "options"),
    [
        ("ReliefF", "numbers", "two", {"alpha": 0.2, "correction": "fdr"}),
        ("MultiSURF", "mixed", "three", {}),
        ("MultiSURF", "genotypes", "two", {"sided": "two"}),
        ("RReliefF", "genotypes", "real", {"correction": "none", "alpha": 0.1}),
    ],
)
def test_the_test_is_that_of_one_machine(spark, tmp_path, name, kind, labels, options):
    frame = table(kind, 150, 3)
    labels = target(np.random.default_rng(4), frame, labels)
    local = basrelief.permutation_test(
        getattr(basrelief, name)(random_state=6),
        frame,
        labels,
        n_permutations=60,
        random_state=6,
        **{"correction": "max-t", **options},
    )
    data = in_spark(spark, frame, labels, np.arange(len(frame)))
    estimator = getattr(on_spark, name)(
        inputCols=list(frame.columns),
        idCol="id",
        seed=6,
        blockColumns=8,
        numPermutations=60,
        **options,
    )
    model = estimator.fit(data.repartition(3).persist())
    model.write().overwrite().save(str(tmp_path / "model"))
    for own in (model, ReliefModel.load(str(tmp_path / "model")), model.copy()):
        assert own.weights.toArray().tobytes() == local.weights_.tobytes()
        assert own.pValues == local.pvalues_.tolist()
        assert own.adjustedPValues == local.adjusted_pvalues_.tolist()
        assert own.qValues == local.qvalues_.tolist()
        assert own.significantFeatures == np.flatnonzero(local.selected_).tolist()
        assert own.chanceWeight == local.chance_weight_


def test_explain_tells_of_the_test(spark):
    frame = table("numbers", 100)
    labels = target(np.random.default_rng(4), frame, "two")
    data = in_spark(spark, frame, labels)
    estimator = on_spark.ReliefF(inputCols=list(frame.columns))
    alone = estimator.explain(data).splitlines()
    tested = estimator.setNumPermutations(40).explain(data).splitlines()
    assert tested[: len(alone) - 1] == alone[:-1]
    # Each task is sent the pieces that the columns were packed of.
    name, tasks, sent, *_ = tested[len(alone) - 1].split()
    assert name == "permute"
    assert 1 <= int(tasks) <= 40
    assert sent != "-"


def test_what_cannot_be_tested_is_refused(spark):
    frame = table("numbers", 60)
    labels = target(np.random.default_rng(4), frame, "two")
    data = in_spark(spark, frame, labels)
    columns = list(frame.columns)
    for estimator, what in [
        (on_spark.ReliefF(inputCols=columns, numPermutations=9), "9 are too few"),
        (
            on_spark.ReliefF(inputCols=columns, numPermutations=999, correction="min-p"),
            "min-p needs the weights of all permutations",
        ),
        (on_spark.ReliefF(inputCols=columns, numPermutations=99, correction="max"), "max"),
        (
            on_spark.IRelief(inputCols=columns, numPermutations=99),
            "IRelief are scaled in every fit",
        ),
        (on_spark.TuRF(inputCols=columns, numPermutations=99), "TuRF is iterative"),
    ]:
        with pytest.raises(ValueError, match=what):
            estimator.fit(data)
    model = on_spark.ReliefF(inputCols=columns).fit(data)
    assert model.pValues is model.significantFeatures is model.chanceWeight is None
