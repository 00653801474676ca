"""The nearest-neighbor classifier and regressor: agreement with scikit-learn, ties, errors."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn import neighbors as peer
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from basrelief import LDA, KNeighborsClassifier, KNeighborsRegressor

BOTH = [KNeighborsClassifier, KNeighborsRegressor]


@pytest.fixture(params=[(300, 4), (700, 30), (1100, 2)], ids=str)
def data(request):
    """Rows at different distances each, a sought part, classes and numbers."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=request.param)
    y = rng.integers(0, 4, len(X))
    return X, X[:90] + 0.1 * rng.normal(size=(90, X.shape[1])), y, X[:, 0] ** 2 + y


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_answers_are_those_of_scikit_learn(data, metric, weights):
    X, sought, y, numbers = data
    options = {"weights": weights, "metric": metric}
    for count in (1, 7):
        ours = KNeighborsClassifier(count, **options).fit(X, y)
        theirs = peer.KNeighborsClassifier(count, algorithm="brute", **options).fit(X, y)
        shares = theirs.predict_proba(sought)
        np.testing.assert_allclose(ours.predict_proba(sought), shares, atol=1e-12)
        # Equal votes are decided otherwise there.
        clear = np.diff(np.sort(shares)[:, -2:]).ravel() > 1e-9
        np.testing.assert_array_equal(ours.predict(sought)[clear], theirs.predict(sought)[clear])
        assert clear.mean() > 0.5
        ours = KNeighborsRegressor(count, **options).fit(X, numbers)
        theirs = peer.KNeighborsRegressor(count, algorithm="brute", **options).fit(X, numbers)
        np.testing.assert_allclose(ours.predict(sought), theirs.predict(sought), atol=1e-12)
        assert ours.score(sought, numbers[:90]) == pytest.approx(theirs.score(sought, numbers[:90]))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_neighbors_are_those_of_scikit_learn(data, metric):
    X, sought, y, _ = data
    ours = KNeighborsClassifier(metric=metric).fit(X, y)
    theirs = peer.KNeighborsClassifier(algorithm="brute", metric=metric).fit(X, y)
    for rows, count in [(sought, None), (sought, 3), (None, None), (None, 9)]:
        distances, found = ours.kneighbors(rows, count)
        expected_distances, expected = theirs.kneighbors(rows, count)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_allclose(distances, expected_distances, rtol=1e-6, atol=1e-7)
        np.testing.assert_array_equal(ours.kneighbors(rows, count, return_distance=False), expected)
        for mode in ("connectivity", "distance"):
            graph = ours.kneighbors_graph(rows, count, mode)
            difference = abs(graph - theirs.kneighbors_graph(rows, count, mode))
            assert graph.shape == (found.shape[0], len(X))
            assert difference.max() < 1e-6


def test_distances_of_two_rows_far_from_the_origin():
    # By |a|^2 + |b|^2 - 2ab all digits would be lost.
    X = np.array([[1e8], [1e8 + 1], [1e8 + 3]])
    distances, rows = KNeighborsRegressor(2).fit(X, [0.0, 1.0, 2.0]).kneighbors([[1e8 + 1.75]])
    np.testing.assert_array_equal(rows, [[1, 2]])
    np.testing.assert_array_equal(distances, [[0.75, 1.25]])


def test_equal_votes_go_to_the_nearer_class_and_then_to_the_first():
    X, y = [[0.0], [1.0], [2.0], [10.0]], ["b", "b", "a", "a"]
    knn = KNeighborsClassifier(4).fit(X, y)
    assert knn.predict([[0.5], [6.0], [9.0]]).tolist() == ["b", "a", "a"]
    # Both classes are 1 away.
    assert KNeighborsClassifier(2).fit([[0.0], [2.0]], ["b", "a"]).predict([[1.0]]) == ["a"]


def test_of_equally_far_rows_the_first_are_the_nearer():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 3, size=(600, 5)).astype(float)
    sought = rng.integers(0, 3, size=(50, 5)).astype(float)
    for metric, power in [("euclidean", 2), ("manhattan", 1)]:
        distances = (np.abs(sought[:, None] - X) ** power).sum(2)
        expected = np.argsort(distances, axis=1, kind="stable")[:, :9]
        # Ties, and not of the same rows only.
        assert (np.diff(np.take_along_axis(distances, expected, 1)) > 0).any(1).mean() > 0.5
        knn = KNeighborsRegressor(9, metric=metric).fit(X, np.arange(600))
        np.testing.assert_array_equal(knn.kneighbors(sought, return_distance=False), expected)
        np.testing.assert_allclose(knn.predict(sought), expected.mean(1), rtol=1e-12)


def test_only_rows_at_distance_0_vote_where_there_are_any():
    knn = KNeighborsClassifier(4, weights="distance").fit(
        [[0.0], [1.0], [0.0], [2.0]], [0, 1, 1, 1]
    )
    np.testing.assert_allclose(knn.predict_proba([[0.0]]), [[0.5, 0.5]], atol=1e-15)
    # Equal votes, but the other neighbors of class 1 are farther.
    assert knn.predict([[0.0]]) == [0]
    np.testing.assert_allclose(knn.predict_proba([[4.0]]), [[3 / 16, 13 / 16]], atol=1e-15)


def test_threads_change_no_bit(data):
    X, sought, y, _ = data
    one, many = (KNeighborsClassifier(n_jobs=jobs).fit(X, y) for jobs in (None, 3))
    for a, b in zip(one.kneighbors(sought), many.kneighbors(sought), strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(one.predict_proba(sought), many.predict_proba(sought))


def test_in_pipelines_searches_frames_and_pickles():
    X, y = load_wine(return_X_y=True, as_frame=True)
    pipeline = make_pipeline(LDA(scale="standard"), KNeighborsClassifier())
    grid = GridSearchCV(pipeline, {"kneighborsclassifier__n_neighbors": [1, 5]}, cv=3).fit(X, y)
    assert grid.best_score_ > 0.95
    knn = KNeighborsClassifier(3).fit(X, y)
    assert list(knn.feature_names_in_) == list(X.columns)
    assert not hasattr(clone(knn), "classes_")
    again = pickle.loads(pickle.dumps(knn))
    np.testing.assert_array_equal(again.predict(X), knn.predict(X.astype(np.float32)))
    labels = np.array(["low", "high"])[(y > 0).astype(int)]
    knn = KNeighborsClassifier(1).fit(X, pd.Series(labels))
    assert list(knn.classes_) == ["high", "low"]
    assert knn.score(X, labels) == 1.0


@pytest.mark.parametrize("cls", BOTH)
def test_mistakes_are_named(cls):
    X, y = np.arange(12.0).reshape(6, 2), [0, 1, 0, 1, 0, 1]
    for options, message in [
        ({"n_neighbors": 0}, "option n_neighbors: `0` is not a number of neighbors"),
        ({"n_neighbors": 2.0}, "option n_neighbors: `2.0`"),
        ({"n_neighbors": True}, "option n_neighbors: `True`"),
        ({"metric": "cosine"}, "option metric: `cosine`.*'euclidean' or 'manhattan'"),
        ({"weights": "rank"}, "option weights: `rank`.*'uniform' or 'distance'"),
    ]:
        with pytest.raises(ValueError, match=message):
            cls(**options).fit(X, y)
    with pytest.raises(
        ValueError, match="7 neighbors were requested, but there are n_samples = 6 rows"
    ):
        cls(7).fit(X, y).predict(X)
    with pytest.raises(
        ValueError, match="6 neighbors were requested, but there are n_samples = 5 rows"
    ):
        cls(6).fit(X, y).kneighbors()
    with pytest.raises(ValueError, match="option mode"):
        cls(2).fit(X, y).kneighbors_graph(mode="weight")
    with pytest.raises(ValueError, match="NaN"):
        cls().fit([[0.0], [np.nan]], [0, 1])
    with pytest.raises(ValueError, match="expecting 2 features"):
        cls(2).fit(X, y).predict(X[:, :1])
    with pytest.raises(NotFittedError):
        cls().kneighbors(X)
