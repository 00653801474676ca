"""Covariates of a fit, and residuals of a target."""

import warnings

import numpy as np
import pytest

from basrelief import (
    IRelief,
    MultiSURF,
    ReliefF,
    ReliefWarning,
    RReliefF,
    TuRF,
    permutation_test,
    residuals,
)

ROWS = 120


@pytest.fixture
def cohort():
    """Genotypes of two populations that differ in three variants and in their cases."""
    rng = np.random.default_rng(1)
    population = np.arange(ROWS) % 2
    frequency = np.full((ROWS, 8), 0.4)
    frequency[:, :3] += 0.45 * population[:, None] - 0.2
    X = (rng.random((ROWS, 8)) < frequency).astype(float) + (rng.random((ROWS, 8)) < frequency)
    y = (rng.random(ROWS) < 0.15 + 0.7 * population).astype(int)
    return X, y, population


def test_groups_that_are_apart_are_fits_of_their_own():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, (60, 5)).astype(float)
    # Every group has all values, so that ranges agree.
    X[::20], X[1::20] = 0, 2
    y = np.arange(60) % 2
    batch = np.repeat(["a", "b", "c"], 20)
    whole = ReliefF(n_neighbors=4).fit(X, y, covariates=batch[:, None], caliper=1.0)
    parts = [ReliefF(n_neighbors=4).fit(X[batch == name], y[batch == name]) for name in "abc"]
    mean = np.mean([part.weights_ for part in parts], axis=0)
    np.testing.assert_allclose(whole.weights_, mean, atol=1e-12)


def test_a_caliper_takes_ancestry_away(cohort):
    X, y, population = cohort
    naive = MultiSURF().fit(X, y)
    matched = MultiSURF().fit(X, y, covariates=population[:, None], caliper=0.5)
    assert naive.ranking_[:3].max() == 3
    assert matched.ranking_[:3].max() > 3
    near = ReliefF().fit(X, y, covariates=population[:, None], covariate_distance=True)
    joined = ReliefF().fit(np.column_stack([X, population]), y)
    np.testing.assert_array_equal(near.weights_, joined.weights_[:-1])


def test_frames_wrappers_and_tests_take_covariates(cohort):
    pd = pytest.importorskip("pandas")
    X, y, population = cohort
    frame = pd.DataFrame({"batch": np.where(population, "x", "y"), "age": np.arange(ROWS) % 7})
    wrapped = TuRF(ReliefF(), drop=0.3).fit(X, y, covariates=frame, caliper=1.5)
    assert not np.array_equal(wrapped.weights_, TuRF(ReliefF(), drop=0.3).fit(X, y).weights_)
    tested = ReliefF(n_features_to_select="max-t", n_permutations=20, alpha=0.2, random_state=1)
    for uses in ({"caliper": 1.5}, {"covariate_distance": True}):
        with pytest.raises(ValueError, match=r"p-values are not valid.*residuals"):
            tested.fit(X, y, covariates=frame, **uses)
    # What the message names instead.
    with pytest.warns(ReliefWarning, match="drawn at random"):
        left = residuals(y, frame, random_state=1)
    test = permutation_test(RReliefF(5), X, left, n_permutations=20, strata=frame["batch"])
    assert test.pvalues_.shape == (8,)
    with pytest.raises(ValueError, match="covariates or groups"):
        wrapped.to_html(X, y)


def test_residuals_are_those_of_the_models(cohort):
    X, y, population = cohort
    x = np.linspace(0, 3, ROWS) ** 2
    target = 3 * x - 1 + np.sin(np.arange(ROWS))
    design = np.column_stack([np.ones(ROWS), x])
    expected = target - design @ np.linalg.lstsq(design, target, rcond=None)[0]
    np.testing.assert_allclose(residuals(target, x[:, None]), expected, atol=1e-9)
    # With one group of two the probabilities are the shares of cases.
    share = np.where(population == 1, y[population == 1].mean(), y[population == 0].mean())
    deviance = np.where(y == 1, np.sqrt(-2 * np.log(share)), -np.sqrt(-2 * np.log(1 - share)))
    found = residuals(y, population[:, None], kind="deviance")
    np.testing.assert_allclose(found, deviance, atol=1e-9)
    with pytest.warns(ReliefWarning, match=r"drawn at random \(random_state 4\); rankings"):
        quantiles = residuals(y, population[:, None], random_state=4)
    with pytest.warns(ReliefWarning):
        again = residuals(y, population[:, None], random_state=4)
    np.testing.assert_array_equal(quantiles, again)
    assert ((quantiles > 1 - share) == (y == 1)).all()
    RReliefF().fit(X, quantiles)


def test_what_makes_no_sense_is_refused(cohort):
    X, y, population = cohort
    own = population[:, None].astype(float)
    gap = own.copy()
    gap[4] = np.nan
    for given, error, match in [
        ({"covariates": own}, ValueError, "their use is not specified"),
        ({"caliper": 1.0}, ValueError, "there are none"),
        ({"covariates": own, "caliper": -1.0}, ValueError, "above 0"),
        ({"covariates": own, "caliper": "1"}, TypeError, "caliper"),
        ({"covariates": own[:-1], "caliper": 1.0}, ValueError, "119 rows of covariates"),
        ({"covariates": gap, "caliper": 1.0}, ValueError, "missing"),
        ({"covariates": own * 0, "caliper": 1.0}, ValueError, "one value"),
    ]:
        with pytest.raises(error, match=match):
            ReliefF().fit(X, y, **given)
    with pytest.raises(ValueError, match="does not use covariates"):
        IRelief().fit(X, y, covariates=own, caliper=1.0)
    with pytest.raises(ValueError, match="quantile or deviance"):
        residuals(y, own, kind="pearson")
    with pytest.raises(ValueError, match="combination"):
        residuals(X[:, 0], np.column_stack([own, 2 - own]), target_type="real")


def test_covariates_that_separate_some_rows_are_reported():
    level = np.repeat(["a", "b", "c"], 40)
    y = np.where(level == "c", 1, np.arange(120) % 2)
    with pytest.warns(ReliefWarning, match="class of 40 of 120 rows with certainty"):
        found = residuals(y, np.asarray(level, dtype=object)[:, None], kind="deviance")
    assert np.abs(found[level == "c"]).max() < 1e-2


@pytest.mark.parametrize("kind", [str, int])
def test_rows_of_patients_are_reported(kind):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    patients = np.repeat(np.arange(20), 5)
    y = patients % 2
    X = pd.DataFrame(rng.normal(size=(100, 3)), columns=["a", "b", "width"])
    named = X.assign(Patient_ID=[kind(patient) for patient in patients])
    told = "rows with the same `Patient_ID` look like repeated measurements; p-values assume"
    with pytest.warns(ReliefWarning, match=told):
        ReliefF().fit(named, y)
    with pytest.warns(ReliefWarning, match=told):
        permutation_test(ReliefF(), named, y, n_permutations=19)
    with pytest.warns(ReliefWarning, match="rows with the same `who` look like repeated"):
        ReliefF().fit(X, y, covariates=pd.DataFrame({"who": patients}), caliper=10.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ReliefWarning)
        ReliefF().fit(X, y)


def test_rounding_errors_are_not_above_zero():
    selector = ReliefF().fit(np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2)
    selector.weights_ = np.array([0.25, 2e-17, -1e-17])
    np.testing.assert_array_equal(selector.get_support(), [True, False, False])
