"""Tests of pairs: against plain loops, for what users hand over, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, false_discovery_control

from basrelief import interacting_pairs


def likelihood_ratio(first, second, target):
    """The statistic of three arrays of codes without gaps, fitted to the end."""
    table = np.zeros((first.max() + 1, second.max() + 1, target.max() + 1))
    np.add.at(table, (first, second, target), 1)
    fitted = np.full(table.shape, table.mean())
    for _ in range(2000):
        for axis in range(3):
            sums = fitted.sum(axis=axis, keepdims=True)
            wanted = table.sum(axis=axis, keepdims=True)
            fitted *= np.divide(wanted, sums, out=np.zeros_like(sums), where=sums > 0)
    known = table > 0
    return 2 * np.sum(table[known] * np.log(table[known] / fitted[known]))


@pytest.fixture
def data():
    random = np.random.default_rng(5)
    X = random.binomial(2, 0.4, size=(300, 12))
    y = ((X[:, 2] > 0) ^ (X[:, 9] > 0)) & (random.random(300) < 0.8)
    return X, y


def test_statistics_are_those_of_a_plain_fit(data):
    X, y = data
    found = interacting_pairs(X, y, genotype_features="all", n_pairs=100)
    assert found.n_tested_ == 66 == len(found.pairs_)
    assert found.pairs_[0].tolist() == [2, 9]
    for (first, second), statistic in zip(found.pairs_, found.statistics_, strict=True):
        wanted = likelihood_ratio(X[:, first], X[:, second], y.astype(int))
        assert statistic == pytest.approx(wanted, rel=1e-5)
    np.testing.assert_allclose(found.pvalues_, chi2.sf(found.statistics_, 4), rtol=1e-9)
    np.testing.assert_allclose(found.qvalues_, false_discovery_control(found.pvalues_))
    assert found.residual_degrees_of_freedom_ is None
    assert found.adjusted_pvalues_ is None


def test_features_are_chosen_by_index_or_mask(data):
    X, y = data
    frame = pd.DataFrame(X, columns=[f"rs{index}" for index in range(12)])
    mask = np.isin(np.arange(12), [1, 2, 9])
    by_mask = interacting_pairs(frame, y, features=mask, genotype_features="all", n_jobs=1)
    by_index = interacting_pairs(X, y, features=[9, 1, 2], genotype_features="all", n_jobs=2)
    assert by_mask.n_tested_ == 3
    assert by_mask.feature_names_in_[2] == "rs2"
    assert set(by_index.pairs_[0]) == set(by_mask.pairs_[0]) == {2, 9}
    np.testing.assert_allclose(by_mask.pvalues_, by_index.pvalues_)


def test_permutations_and_real_targets(data):
    X, y = data
    options = {"n_permutations": 39, "strata": np.arange(300) % 3, "random_state": 1}
    found = interacting_pairs(X, y, genotype_features="all", n_pairs=5, **options)
    assert found.adjusted_pvalues_[0] == 1 / 40
    assert np.all(np.diff(found.adjusted_pvalues_) >= 0)
    values = np.random.default_rng(1).normal(size=(200, 4))
    real = values[:, 0] * values[:, 3] + values[:, 1]
    found = interacting_pairs(values, real, n_permutations=19)
    assert found.pairs_[0].tolist() == [0, 3]
    assert found.residual_degrees_of_freedom_.tolist() == [196] * 6
    assert found.interaction_information_ is None
    assert found.adjusted_pvalues_[0] == 1 / 20


def indicators(codes):
    return (codes[:, None] == np.unique(codes)[None, :]).astype(float)


def log_likelihood(design, y):
    """The largest log-likelihood of a logistic regression, as statsmodels' Logit gives it.

    statsmodels is not among the packages of the tests. Singular equations are solved with the
    smallest step.
    """
    coefficients = np.zeros(design.shape[1])
    previous = -np.inf
    for _ in range(60):
        scores = design @ coefficients
        value = -np.sum(np.logaddexp(0, np.where(y, -scores, scores)))
        if value - previous < 1e-13:
            break
        previous = value
        p = 1 / (1 + np.exp(-scores))
        information = (design * (p * (1 - p))[:, None]).T @ design
        coefficients += np.linalg.lstsq(information, design.T @ (y - p), rcond=1e-12)[0]
    return value


@pytest.fixture
def confounded():
    """Frequencies and the target differ between three populations; no feature has an effect."""
    random = np.random.default_rng(8)
    population = random.integers(0, 3, size=500)
    frequencies = random.uniform(0.2, 0.7, size=(3, 6))
    X = random.binomial(2, frequencies[population]).astype(float)
    X[random.random(X.shape) < 0.02] = np.nan
    y = random.random(500) < np.array([0.2, 0.5, 0.8])[population]
    age = random.normal(50, 10, size=500)
    return X, y, pd.DataFrame({"age": age, "population": np.array(list("abc"))[population]})


def test_covariates_are_in_both_logistic_models(confounded):
    X, y, covariates = confounded
    options = {"genotype_features": "all", "n_pairs": 15}
    found = interacting_pairs(X, y, covariates=covariates, n_jobs=2, **options)
    own = np.column_stack([(covariates["age"] - 50) / 10, pd.get_dummies(covariates["population"])])
    own = own[:, :-1].astype(float)
    for pair, statistic, rows in zip(
        found.pairs_, found.statistics_, found.n_samples_, strict=True
    ):
        known = ~np.isnan(X[:, pair]).any(axis=1)
        first, second = X[known][:, pair].T
        main = [indicators(first), indicators(second)[:, 1:], own[known]]
        full = [indicators(3 * first + second), own[known]]
        fits = [log_likelihood(np.hstack(parts), y[known]) for parts in (main, full)]
        assert statistic == pytest.approx(2 * (fits[1] - fits[0]), abs=1e-8)
        assert rows == known.sum()
    assert found.degrees_of_freedom_.tolist() == [4] * 15
    np.testing.assert_allclose(found.pvalues_, chi2.sf(found.statistics_, 4), rtol=1e-9)
    plain = interacting_pairs(X, y, **options)
    order, plain_order = (np.lexsort(result.pairs_.T) for result in (found, plain))
    assert not np.allclose(found.statistics_[order], plain.statistics_[plain_order], atol=0.1)
    np.testing.assert_array_equal(
        found.interaction_information_[order], plain.interaction_information_[plain_order]
    )
    # The same covariates as an array.
    again = interacting_pairs(X, y, covariates=own, **options)
    np.testing.assert_allclose(again.statistics_, found.statistics_, atol=1e-8)


def test_covariates_are_in_both_linear_models(confounded):
    X, y, covariates = confounded
    real = np.random.default_rng(1).normal(size=500) + 2 * y
    found = interacting_pairs(
        X, real, covariates=covariates, genotype_features="all", n_permutations=19
    )
    own = pd.get_dummies(covariates["population"]).to_numpy(float)[:, 1:]
    own = np.column_stack([np.ones(500), covariates["age"], own])
    for pair, statistic, residual in zip(
        found.pairs_, found.statistics_, found.residual_degrees_of_freedom_, strict=True
    ):
        known = ~np.isnan(X[:, pair]).any(axis=1)
        main = np.column_stack([own[known], X[known][:, pair]])
        full = np.column_stack([main, X[known][:, pair].prod(axis=1)])
        left = [np.linalg.lstsq(design, real[known])[1][0] for design in (main, full)]
        assert residual == known.sum() - 7
        assert statistic == pytest.approx((left[0] - left[1]) / (left[1] / residual), rel=1e-8)
    assert np.all(found.adjusted_pvalues_ >= 1 / 20)


def test_covariates_that_cannot_be_used_are_refused(confounded):
    X, y, covariates = confounded
    with pytest.raises(ValueError, match="300 rows of covariates"):
        interacting_pairs(X, y, covariates=covariates[:300])
    with pytest.raises(ValueError, match=r"3 classes.*keep two classes"):
        interacting_pairs(X, covariates["population"], covariates=covariates[["age"]])
    with pytest.raises(ValueError, match="determine the target completely"):
        interacting_pairs(X, y, covariates=y.astype(float)[:, None] * 3)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"n_pairs": 0}, ValueError, "option n_pairs: 0 is less than 1"),
        ({"n_pairs": "5"}, TypeError, "option n_pairs: '5' is not a whole number"),
        ({"n_permutations": 0}, ValueError, "option n_permutations: 0 is less than 1"),
        ({"features": [12]}, ValueError, "option features: there is no column 12"),
        ({"features": [True]}, ValueError, "its mask has 1 entries for 12 columns"),
        ({"features": ["a"]}, TypeError, "option features: use None"),
        ({"features": [3, 3]}, ValueError, "is named twice"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(data, options, error, words):
    with pytest.raises(error, match=words):
        interacting_pairs(*data, **options)
