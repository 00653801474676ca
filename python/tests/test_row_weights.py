"""Weights of rows and priors of classes."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from basrelief import (
    LFE,
    MultiSURF,
    ReliefF,
    RReliefF,
    Simba,
    Stable,
    TuRF,
    permutation_test,
)

ROWS = 80


@pytest.fixture
def data():
    """Two features that interact, among six, and weights of 1 to 3."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(ROWS, 6))
    y = np.where(X[:, 0] * X[:, 3] + 0.3 * rng.normal(size=ROWS) > 0, "case", "control")
    return X, y, rng.integers(1, 4, size=ROWS)


def test_a_weight_counts_as_copies_in_one_group(data):
    X, y, weights = data
    copies = np.repeat(np.arange(ROWS), weights)
    ask = {"groups": copies, "group_weight": "rows"}
    for selector in (ReliefF(4), ReliefF(4, neighbor_weights="rank:3"), MultiSURF()):
        found = selector.fit(X, y, sample_weight=weights).weights_
        expected = selector.fit(X[copies], y[copies], **ask).weights_
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    numeric = RReliefF(5).fit(X, X[:, 1], sample_weight=weights).weights_
    expected = RReliefF(5).fit(X[copies], X[copies, 1], **ask).weights_
    np.testing.assert_allclose(numeric, expected, rtol=0, atol=1e-12)


def test_residuals_are_those_of_a_weighted_regression(data):
    X, y, weights = data
    rng = np.random.default_rng(5)
    age = rng.normal(size=(ROWS, 2))
    numbers = X[:, 1] + age[:, 0] + rng.normal(size=ROWS)
    copies = np.repeat(np.arange(ROWS), weights)
    groups = {"groups": copies, "group_weight": "rows"}
    for target in (y, numbers):
        ask = {"covariates": age, "residuals": True}
        found = MultiSURF().fit(X, target, sample_weight=weights, **ask).weights_
        ask["covariates"] = age[copies]
        expected = MultiSURF().fit(X[copies], target[copies], **groups, **ask).weights_
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    # Least squares: rows times the square roots of their weights.
    design, root = np.column_stack([np.ones(ROWS), age]), np.sqrt(weights)
    fitted = design @ np.linalg.lstsq(design * root[:, None], numbers * root, rcond=None)[0]
    expected = RReliefF(5).fit(X, numbers - fitted, sample_weight=weights).weights_
    ask = {"covariates": age, "residuals": True, "sample_weight": weights}
    found = RReliefF(5).fit(X, numbers, **ask).weights_
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)
    tested = permutation_test(MultiSURF(), X, y, n_permutations=99, random_state=0, **ask)
    assert tested.pvalues_.min() > 0


def test_rows_of_weight_0_are_excluded_and_weights_of_1_change_nothing(data):
    X, y, weights = data
    weights = weights * 0.7
    weights[::5] = 0
    kept = weights > 0
    expected = ReliefF(4).fit(X[kept], y[kept], sample_weight=weights[kept]).weights_
    for given in (weights, list(weights), pd.Series(weights), np.ma.array(weights)):
        assert np.array_equal(ReliefF(4).fit(X, y, sample_weight=given).weights_, expected)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    polars = pytest.importorskip("polars")
    for table in (frame, polars.DataFrame(X, schema=list("abcdef")), X.tolist()):
        for target in (y, list(y), pd.Series(y), polars.Series(y)):
            found = ReliefF(4).fit(table, target, sample_weight=weights)
            assert np.array_equal(found.weights_, expected)
    plain = ReliefF(4).fit(X, y).weights_
    assert np.array_equal(ReliefF(4).fit(X, y, sample_weight=np.ones(ROWS)).weights_, plain)
    ask = {"n_permutations": 99, "random_state": 0}
    groups = np.arange(ROWS) // 2
    strata = np.arange(ROWS) % 2
    with pytest.warns(match="groups of permutation_test"):
        tested = permutation_test(
            ReliefF(4), X, y, sample_weight=weights, groups=groups, strata=None, **ask
        )
    with pytest.warns(match="groups of permutation_test"):
        expected = permutation_test(
            ReliefF(4), X[kept], y[kept], sample_weight=weights[kept], groups=groups[kept], **ask
        )
    assert np.array_equal(tested.pvalues_, expected.pvalues_)
    tested = permutation_test(ReliefF(4), X, y, sample_weight=weights, strata=strata, **ask)
    assert tested.pvalues_[[0, 3]].max() <= 0.05


def test_stable_wrappers_and_cross_validation_take_weights(data):
    X, y, weights = data
    settings = {"n_features_to_select": 2, "n_resamples": 20, "random_state": 0}
    weighted = Stable(ReliefF(4), **settings).fit(X, y, sample_weight=weights)
    assert not np.array_equal(
        weighted.frequencies_, Stable(ReliefF(4), **settings).fit(X, y).frequencies_
    )
    wrapped = TuRF(ReliefF(4), keep=3).fit(X, y, sample_weight=weights)
    assert not np.array_equal(wrapped.weights_, TuRF(ReliefF(4), keep=3).fit(X, y).weights_)
    with pytest.raises(ValueError, match="covariates, groups or weights"):
        wrapped.to_html(X, y)
    with sklearn.config_context(enable_metadata_routing=True):
        selector = ReliefF(4, n_features_to_select=2).set_fit_request(sample_weight=True)
        found = cross_validate(
            make_pipeline(selector, KNeighborsClassifier(3)),
            X,
            y,
            cv=3,
            params={"sample_weight": weights},
            return_estimator=True,
            return_indices=True,
        )
    for fitted, train in zip(found["estimator"], found["indices"]["train"], strict=True):
        expected = ReliefF(4).fit(X[train], y[train], sample_weight=weights[train])
        assert np.array_equal(fitted[0].weights_, expected.weights_)


def test_priors_are_stated_by_class(data):
    X, y, _ = data
    plain = ReliefF(4).fit(X, y).weights_
    assert np.array_equal(ReliefF(4).fit(X, y, priors="data").weights_, plain)
    stated = {name: np.mean(y == name) for name in ("case", "control")}
    np.testing.assert_allclose(ReliefF(4).fit(X, y, priors=stated).weights_, plain, atol=1e-14)
    uniform = ReliefF(4).fit(X, y, priors="uniform").weights_
    even = ReliefF(4).fit(X, y, priors={"case": 0.5, "control": 0.5}).weights_
    assert np.array_equal(uniform, even)
    codes = (y == "case").astype(int)
    numbered = ReliefF(4).fit(X, codes, priors={0: 0.5, 1: 0.5}).weights_
    np.testing.assert_allclose(numbered, even, rtol=0, atol=1e-15)
    tested = permutation_test(ReliefF(4), X, y, priors=stated, n_permutations=99, random_state=0)
    assert tested.pvalues_[[0, 3]].max() <= 0.05
    for priors, error, words in [
        ({"case": 0.5, "control": 0.6}, ValueError, "sum to 1.1"),
        ({"case": 1.0}, ValueError, "class `control` has no prior"),
        ({"case": 0.5, "control": 0.4, "other": 0.1}, ValueError, "no row has the class other"),
        ("even", ValueError, "option priors: `even` is unknown"),
        (0.5, TypeError, "priors"),
        ({"case": "x", "control": 0.5}, TypeError, "priors"),
    ]:
        with pytest.raises(error, match=words):
            ReliefF(4).fit(X, y, priors=priors)
    with pytest.raises(ValueError, match="numeric"):
        RReliefF(4).fit(X, X[:, 0], priors="uniform")


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.where(np.arange(ROWS) == 4, -1.0, 1.0), "row 5.*finite number of at least 0"),
        (np.where(np.arange(ROWS) == 4, np.nan, 1.0), "row 5.*missing"),
        (np.zeros(ROWS), "no row remains"),
        (np.ones(ROWS - 1), "inconsistent"),
        (np.ones((ROWS, 2)), "1d array"),
    ],
)
def test_wrong_weights_are_refused(data, weights, words):
    X, y, _ = data
    with pytest.raises(ValueError, match=words):
        ReliefF().fit(X, y, sample_weight=weights)


def test_other_methods_refuse_weights_and_priors(data):
    X, y, weights = data
    with pytest.raises(ValueError, match="simba does not use weights of rows"):
        Simba().fit(X, y, sample_weight=weights)
    with pytest.raises(ValueError, match="simba does not use priors of classes"):
        Simba().fit(X, y, priors="uniform")
    with pytest.raises(TypeError, match="sample_weight"):
        LFE().fit(X, y, sample_weight=weights)
    with pytest.raises(ValueError, match="priors of the classes instead"):
        permutation_test(ReliefF(), X, y, sample_weight=np.where(y == "case", 2.0, 1.0))
