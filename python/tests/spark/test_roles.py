"""Groups, weights and covariates of rows and priors of classes on Spark: as on one machine."""

import numpy as np
import pandas as pd
import pytest

import basrelief
from basrelief import spark as on_spark
from spark_tables import in_spark, table, target

ROWS = 300


def problem(kind, labels):
    frame = table(kind, ROWS, 3)
    labels = target(np.random.default_rng(4), frame, labels)
    rng = np.random.default_rng(7)
    subjects = np.array([f"s{number}" for number in rng.integers(0, ROWS // 3, ROWS)], dtype=object)
    weights = rng.choice([0.0, 0.5, 1.0, 2.5], ROWS)
    return frame, labels, subjects, weights


def with_roles(session, frame, labels, subjects, weights):
    """The rows in another order, with an id, a group and a weight."""
    whole = frame.assign(subject=subjects, weight=weights)
    order = np.random.default_rng(5).permutation(ROWS)
    data = in_spark(session, whole.iloc[order].reset_index(drop=True), labels[order], order)
    return data.repartition(5).persist()


@pytest.mark.parametrize(
    ("name", "kind", "labels", "local", "params"),
    [
        ("ReliefF", "mixed", "three", {"groups": True}, {"groupCol": "subject"}),
        (
            "MultiSURF",
            "mixed",
            "real",
            {"groups": True, "group_weight": "rows"},
            {"groupCol": "subject", "groupWeight": "rows"},
        ),
        ("ReliefF", "ties", "three", {"sample_weight": True}, {"weightCol": "weight"}),
        ("RReliefF", "numbers", "real", {"sample_weight": True}, {"weightCol": "weight"}),
        (
            "SURFStar",
            "genotypes",
            "three",
            {"groups": True, "sample_weight": True, "priors": {"a": 0.2, "b": 0.3, "c": 0.5}},
            {
                "groupCol": "subject",
                "weightCol": "weight",
                "priors": {"a": 0.2, "b": 0.3, "c": 0.5},
            },
        ),
        ("MultiSURFStar", "mixed", "three", {"priors": "uniform"}, {"priors": "uniform"}),
    ],
)
def test_the_weights_are_those_of_one_machine(spark, name, kind, labels, local, params):
    frame, labels, subjects, weights = problem(kind, labels)
    of_rows = {"groups": subjects, "sample_weight": weights}
    given = {key: of_rows[key] if value is True else value for key, value in local.items()}
    wanted = getattr(basrelief, name)().fit(frame, labels, **given)
    data = with_roles(spark, frame, labels, subjects, weights)
    estimator = getattr(on_spark, name)(
        inputCols=list(frame.columns), idCol="id", blockRows=256, blockColumns=8, **params
    )
    model = estimator.fit(data)
    data.unpersist()
    assert model.weights.toArray().tobytes() == wanted.weights_.tobytes()
    assert model.warnings == wanted.warnings_


def covariates_of_rows():
    rng = np.random.default_rng(11)
    ages = rng.integers(20, 80, ROWS).astype(float)
    sites = rng.choice(["north", "south"], ROWS)
    return pd.DataFrame({"age": ages, "site": sites, "smokes": rng.random(ROWS) < 0.3})


@pytest.mark.parametrize(
    ("name", "kind", "labels", "uses"),
    [
        ("ReliefF", "mixed", "three", {"caliper": 1.2}),
        ("RReliefF", "numbers", "real", {"covariate_distance": True}),
        ("MultiSURF", "mixed", "three", {"covariate_distance": True, "caliper": 2.0}),
        ("SURFStar", "genotypes", "two", {"covariate_distance": True}),
    ],
)
def test_covariates_count_as_on_one_machine(spark, name, kind, labels, uses):
    frame, labels, subjects, weights = problem(kind, labels)
    covariates = covariates_of_rows()
    wanted = getattr(basrelief, name)().fit(frame, labels, covariates=covariates, **uses)
    data = with_roles(spark, frame.join(covariates), labels, subjects, weights)
    named = {"covariate_distance": "covariateDistance"}
    estimator = getattr(on_spark, name)(
        inputCols=list(frame.columns),
        idCol="id",
        blockRows=256,
        blockColumns=8,
        covariateCols=list(covariates.columns),
        **{named.get(use, use): value for use, value in uses.items()},
    )
    model = estimator.fit(data)
    data.unpersist()
    assert model.weights.toArray().tobytes() == wanted.weights_.tobytes()
    assert model.warnings == wanted.warnings_


@pytest.mark.parametrize(
    ("kind", "local", "params"),
    [
        (
            "numbers",
            {"covariates": True, "caliper": 1.5},
            {"caliper": 1.5, "covariateCols": ["age", "site"]},
        ),
        (
            "mixed",
            {"groups": True, "sample_weight": True},
            {"groupCol": "subject", "weightCol": "weight"},
        ),
    ],
)
def test_a_permutation_test_equals_that_of_one_machine(spark, kind, local, params):
    frame, labels, subjects, weights = problem(kind, "two")
    columns = list(frame.columns)
    covariates = covariates_of_rows()[["age", "site"]]
    roles = {"covariates": covariates, "groups": subjects, "sample_weight": weights}
    data = with_roles(spark, frame.join(covariates), labels, subjects, weights)
    wanted = basrelief.permutation_test(
        basrelief.ReliefF(random_state=6),
        frame,
        labels,
        n_permutations=30,
        random_state=6,
        alpha=0.1,
        **{name: roles.get(name, value) for name, value in local.items()},
    )
    estimator = on_spark.ReliefF(
        inputCols=columns,
        idCol="id",
        seed=6,
        blockColumns=8,
        numPermutations=30,
        alpha=0.1,
        **params,
    )
    model = estimator.fit(data)
    data.unpersist()
    assert model.weights.toArray().tobytes() == wanted.weights_.tobytes()
    assert model.pValues == wanted.pvalues_.tolist()
    assert model.adjustedPValues == wanted.adjusted_pvalues_.tolist()


def test_a_two_sided_test_warns_of_negative_weights(spark):
    rng = np.random.default_rng(0)
    frame = table("ties", 200)
    labels = (frame["a"] + frame["b"] > 3).astype(int).to_numpy() ^ (rng.random(200) < 0.02)
    options = {"alpha": 0.3, "correction": "none", "sided": "two"}
    with pytest.warns(UserWarning, match="weights below 0"):
        local = basrelief.permutation_test(
            basrelief.ReliefF(random_state=6),
            frame,
            labels,
            n_permutations=60,
            random_state=6,
            **options,
        )
    estimator = on_spark.ReliefF(
        inputCols=list(frame.columns), idCol="id", seed=6, numPermutations=60, **options
    )
    with pytest.warns(UserWarning, match="weights below 0"):
        model = estimator.fit(in_spark(spark, frame, labels, np.arange(200)))
    assert model.pValues == local.pvalues_.tolist()
    assert any("weights below 0" in text for text in model.warnings)


def test_what_is_refused(spark):
    frame, labels, subjects, weights = problem("ties", "two")
    weights[3], weights[5] = np.nan, 1.0
    data = with_roles(spark, frame, labels, subjects, weights)
    columns = list(frame.columns)
    for params, what in [
        ({"groupCol": "nobody"}, "no column `nobody`"),
        ({"groupCol": "id"}, "`id` is specified more than once"),
        ({"groupWeight": "rows"}, "groupWeight: it has no effect without groups"),
        ({"groupCol": "subject", "groupWeight": "all"}, "groupWeight"),
        ({"weightCol": "weight"}, "weightCol: 1 of .* rows have no valid weight"),
        ({"priors": {"0": 0.5}}, "priors: the priors sum to 0.5"),
        (
            {"caliper": 1.0},
            "covariateCols: there are none; provide them, or omit caliper and covariateDistance",
        ),
        (
            {"covariateCols": ["subject"]},
            "their use is not specified; set caliper or covariateDistance",
        ),
        ({"covariateCols": ["subject"], "caliper": 0.0}, "caliper: found 0"),
        ({"covariateCols": ["weight"], "caliper": 1.0}, "covariateCols: 1 of .* valid covariate"),
        ({"covariateCols": ["a"], "caliper": 1.0}, "`a` is specified more than once"),
    ]:
        with pytest.raises(ValueError, match=what):
            on_spark.ReliefF(inputCols=columns, idCol="id", **params).fit(data)
    with pytest.raises(TypeError, match="weightCol requires numbers"):
        on_spark.ReliefF(inputCols=columns, weightCol="subject").fit(data)
    with pytest.raises(ValueError, match="irelief does not use groups of rows"):
        on_spark.IRelief(inputCols=columns, groupCol="subject").fit(data)
    with pytest.raises(TypeError, match="neither a text nor a dictionary"):
        on_spark.ReliefF(priors=3)
