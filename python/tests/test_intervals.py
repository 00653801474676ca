"""Intervals of weights."""

import pickle

import numpy as np
import pytest

from basrelief import MultiSURF, MultiSURFStar, ReliefF, RReliefF, TuRF


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6))
    return X, X[:, 1] + X[:, 4] + 0.5 * rng.normal(size=200)


@pytest.mark.parametrize("selector", [ReliefF(), RReliefF()])
def test_intervals_are_around_the_weights(data, selector):
    X, y = data
    if isinstance(selector, ReliefF):
        y = y > 0
    plain = selector.fit(X, y).weights_
    assert not hasattr(selector, "weight_intervals_")
    selector.fit(X, y, intervals=True)
    np.testing.assert_array_equal(selector.weights_, plain)
    lower, upper = selector.weight_intervals_.T
    np.testing.assert_allclose((lower + upper) / 2, plain, atol=1e-12)
    # The features with an effect are above 0.
    assert (lower[[1, 4]] > 0).all()
    assert "lower limit" in selector._repr_html_()
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(selector)).weight_intervals_, selector.weight_intervals_
    )
    # A fit without intervals has none.
    assert not hasattr(selector.fit(X, y), "weight_intervals_")


def test_a_radius_method_has_intervals(data):
    X, y = data
    classes = np.where(y > np.median(y), "high", "low")
    selector = MultiSURF().fit(X, classes, intervals=True)
    np.testing.assert_array_equal(selector.weights_, MultiSURF().fit(X, classes).weights_)
    lower, upper = selector.weight_intervals_.T
    assert (lower < selector.weights_).all()
    assert (selector.weights_ < upper).all()
    with pytest.raises(ValueError, match="for classes only; use RReliefF"):
        MultiSURF().fit(X, y, intervals=True)


def test_groups_of_one_row_each_are_rows(data):
    X, y = data
    alone = RReliefF().fit(X, y, intervals=True)
    single = RReliefF().fit(X, y, intervals=True, groups=np.arange(len(y))[::-1])
    np.testing.assert_array_equal(alone.weight_intervals_, single.weight_intervals_)
    pairs = RReliefF().fit(X, y, intervals=True, groups=np.arange(len(y)) // 2)
    assert pairs.weight_intervals_.shape == (6, 2)


def test_the_page_has_whiskers(data):
    X, y = data
    page = RReliefF().fit(X, y, intervals=True).to_html(X, y)
    assert page.count('class="limits"') == 3 * X.shape[1]


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        (MultiSURFStar(), "not known to cover .* use ReliefF, RReliefF, SURF or MultiSURF"),
        (TuRF(RReliefF()), "inside turf"),
        (RReliefF(n_neighbors=4), "use at least 5|give at least 5"),
        (RReliefF(n_samples=50), "some of the rows"),
    ],
)
def test_intervals_that_may_not_cover_are_refused(data, selector, words):
    X, y = data
    with pytest.raises(ValueError, match=words):
        selector.fit(X, y, intervals=True)


def test_covariates_are_refused(data):
    X, y = data
    with pytest.raises(ValueError, match="given covariates"):
        RReliefF().fit(X, y, intervals=True, covariates=X[:, :1], residuals=True)
