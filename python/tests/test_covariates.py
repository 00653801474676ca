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
    # A permutation test is one given the covariates.
    tested = ReliefF(n_features_to_select="max-t", n_permutations=20, alpha=0.2, random_state=1)
    for uses in ({"caliper": 1.5}, {"covariate_distance": True}):
        tested.fit(X, y, covariates=frame, **uses)
        test = permutation_test(
            ReliefF(), X, y, covariates=frame, **uses, n_permutations=20, random_state=1
        )
        np.testing.assert_array_equal(test.pvalues_, tested.pvalues_)
    adjusted = {"covariates": frame, "residuals": True}
    test = permutation_test(RReliefF(5), X, y, **adjusted, n_permutations=20, strata=frame["batch"])
    assert test.pvalues_.shape == (8,)
    with pytest.raises(ValueError, match="covariates, groups or weights"):
        wrapped.to_html(X, y)


def expected_differences(share, y):
    """Mean absolute differences of uniform numbers in [0, 1 - share] or [1 - share, 1]."""
    low = np.where(y == 1, 1 - share, 0.0)
    high = np.where(y == 1, 1.0, 1 - share)
    steps = (np.arange(1000) + 0.5) / 1000
    found = np.empty((len(y), len(y)))
    known = {}
    for i, one in enumerate(zip(low, high, strict=True)):
        for j, other in enumerate(zip(low, high, strict=True)):
            if (one, other) not in known:
                u = one[0] + (one[1] - one[0]) * steps
                v = other[0] + (other[1] - other[0]) * steps
                known[one, other] = np.abs(u[:, None] - v).mean()
            found[i, j] = known[one, other]
    return found


def test_residuals_are_those_of_the_models(cohort):
    X, y, population = cohort
    x = np.linspace(0, 3, ROWS) ** 2
    target = 3 * x - 1 + np.sin(np.arange(ROWS))
    design = np.column_stack([np.ones(ROWS), x])
    expected = target - design @ np.linalg.lstsq(design, target, rcond=None)[0]
    np.testing.assert_allclose(residuals(target, x[:, None]), expected, atol=1e-9)
    # With one group of two the probabilities are the shares of cases.
    share = np.where(population == 1, y[population == 1].mean(), y[population == 0].mean())
    # All rows are neighbors with the same weight, so that the sums are those over all pairs.
    selector = RReliefF(n_neighbors=ROWS - 1, neighbor_weights="uniform")
    own = selector.fit(X, y, covariates=population[:, None], residuals=True)
    difference = expected_differences(share, y)
    pairs = ~np.eye(ROWS, dtype=bool)
    ranges = X.max(axis=0) - X.min(axis=0)
    weights = []
    for column in (X / ranges).T:
        feature = np.abs(column[:, None] - column)[pairs]
        both = (feature * difference[pairs]).sum()
        of_target, count = difference[pairs].sum(), pairs.sum()
        weights.append(both / of_target - (feature.sum() - both) / (count - of_target))
    np.testing.assert_allclose(own.weights_, weights, atol=1e-6)
    # The weights of single draws scatter around them.
    rng = np.random.default_rng(0)
    draws = []
    for _ in range(60):
        drawn = rng.random(ROWS)
        quantiles = np.where(y == 1, 1 - share + drawn * share, drawn * (1 - share))
        draws.append(selector.fit(X, quantiles).weights_)
    error = np.std(draws, axis=0) / np.sqrt(60)
    assert (np.abs(np.mean(draws, axis=0) - weights) < 5 * error + 2e-3).all()
    numeric = RReliefF().fit(X, target, covariates=x[:, None], residuals=True)
    given = RReliefF().fit(X, expected)
    np.testing.assert_allclose(numeric.weights_, given.weights_, rtol=1e-9, atol=1e-12)


def test_a_confounder_is_no_finding_under_any_use():
    """P-values of features that only ancestry relates to the target."""
    found = {"caliper": [], "distance": [], "residuals": [], "none": []}
    for seed in range(10):
        rng = np.random.default_rng(seed)
        population = rng.normal(size=200)
        X = rng.normal(size=(200, 6)) + 0.7 * population[:, None]
        y = rng.random(200) < 1 / (1 + np.exp(-2 * population))
        uses = {
            "caliper": (ReliefF(), {"caliper": 0.5}),
            "distance": (ReliefF(), {"covariate_distance": True}),
            "residuals": (RReliefF(), {"residuals": True}),
            "none": (ReliefF(), None),
        }
        for name, (selector, use) in uses.items():
            beside = {} if use is None else {"covariates": population[:, None], **use}
            test = permutation_test(
                selector, X, y, n_permutations=39, random_state=seed, n_jobs=1, **beside
            )
            found[name].extend(test.pvalues_)
    rates = {name: np.mean(np.array(values) <= 0.05) for name, values in found.items()}
    assert rates.pop("none") > 0.3
    # 60 p-values: five standard deviations above 0.05.
    assert all(rate < 0.19 for rate in rates.values()), rates


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
    with pytest.raises(ValueError, match="there are none"):
        RReliefF().fit(X, y, residuals=True)
    with pytest.raises(ValueError, match=r"contains classes.*residuals=True"):
        residuals(y, own)
    with pytest.raises(ValueError, match="numeric target"):
        ReliefF().fit(X, y, covariates=own, residuals=True)
    with pytest.raises(ValueError, match="separate classes"):
        permutation_test(ReliefF(), X, y, covariates=y[:, None] + 0.0, caliper=2.0)
    with pytest.raises(ValueError, match="combination"):
        residuals(X[:, 0], np.column_stack([own, 2 - own]), target_type="real")


def test_covariates_that_separate_some_rows_are_reported():
    level = np.repeat(["a", "b", "c"], 40)
    y = np.where(level == "c", 1, np.arange(120) % 2)
    X = np.random.default_rng(0).normal(size=(120, 3))
    covariates = np.asarray(level, dtype=object)[:, None]
    with pytest.warns(ReliefWarning, match="class of 40 of 120 rows with certainty"):
        RReliefF().fit(X, y, covariates=covariates, residuals=True)


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
