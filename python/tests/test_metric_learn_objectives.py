"""Objectives of the learners of basrelief.metric_learn, at least as good as those of metric-learn.

The numbers of metric-learn were measured once with metric-learn 0.7.0, NumPy 2.0.2, SciPy 1.13.1
and scikit-learn 1.6.1 on the same rows and tuples: ``MLKR()``, ``LSML(max_iter=5000, tol=1e-6)``,
``MMC(tol=1e-6, max_iter=1000)``, ``MMC(diagonal=True, max_iter=1000)`` and ``SCML(n_basis=320,
random_state=0)``.
"""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from basrelief import metric_learn


@pytest.fixture(autouse=True)
def quiet():
    """Rows are equal, features differ in their units."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def rows_of(name):
    """Rows and classes; those of wine in standard deviations."""
    X, y = {"iris": load_iris, "wine": load_wine}[name](return_X_y=True)
    return (X, y) if name == "iris" else ((X - X.mean(axis=0)) / X.std(axis=0), y)


def drawn(X, y):
    """Draw 150 pairs of different rows of one class, and as many of different classes."""
    random = np.random.RandomState(0)
    found = []
    for alike in (True, False):
        pairs = []
        while len(pairs) < 150:
            i, j = random.randint(len(X), size=2)
            if (y[i] == y[j]) == alike and (X[i] != X[j]).any():
                pairs.append((i, j))
        found.append(np.array(pairs))
    return found


def squares(M, differences):
    return np.einsum("ij,jk,ik->i", differences, M, differences).clip(0)


@pytest.mark.parametrize(("name", "theirs"), [("iris", 2.3773049), ("wine", 2.302e-06)])
def test_errors_of_mlkr(name, theirs):
    X, y = rows_of(name)
    mapped = metric_learn.MLKR().fit(X, y).transform(X)
    distances = ((mapped[:, None] - mapped[None]) ** 2).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    weights = np.exp(distances.min(axis=1, keepdims=True) - distances)
    predicted = weights @ y / weights.sum(axis=1)
    assert np.sum((predicted - y) ** 2) <= theirs * (1 + 1e-4)


@pytest.mark.parametrize(("name", "theirs"), [("iris", 4.018501007), ("wine", 13.416021182)])
def test_objectives_of_lsml(name, theirs):
    X, y = rows_of(name)
    near, far = drawn(X, y)
    lsml = metric_learn.LSML().fit(np.concatenate([X[near], X[far]], axis=1))
    M = lsml.get_mahalanobis_matrix()
    residuals = np.sqrt(squares(M, X[near[:, 0]] - X[near[:, 1]])) - np.sqrt(
        squares(M, X[far[:, 0]] - X[far[:, 1]])
    )
    loss = np.mean(np.maximum(residuals, 0) ** 2)
    objective = loss + np.trace(M) - np.linalg.slogdet(M)[1]
    assert objective <= theirs
    # The report contains the divergence, which is 0 for the prior.
    assert lsml.estimator_.objective_ == pytest.approx(objective - len(M), abs=1e-8)


@pytest.mark.parametrize(("name", "theirs"), [("iris", 78.724531261), ("wine", 42.706384964)])
def test_distances_of_mmc(name, theirs):
    X, y = rows_of(name)
    near, far = drawn(X, y)
    signs = np.repeat([1, -1], 150)
    M = metric_learn.MMC().fit(np.vstack([X[near], X[far]]), signs).get_mahalanobis_matrix()
    # The sum of the far distances if that of the squared near distances is 1.
    distances = np.sqrt(squares(M, X[far[:, 0]] - X[far[:, 1]])).sum()
    assert distances / np.sqrt(squares(M, X[near[:, 0]] - X[near[:, 1]]).sum()) >= theirs


@pytest.mark.parametrize(("name", "theirs"), [("iris", 82.39542931), ("wine", 1506.4657053)])
def test_objectives_of_diagonal_mmc(name, theirs):
    X, y = rows_of(name)
    near, far = drawn(X, y)
    signs = np.repeat([1, -1], 150)
    mmc = metric_learn.MMC(diagonal=True).fit(np.vstack([X[near], X[far]]), signs)
    w = np.diag(mmc.get_mahalanobis_matrix())

    def objective(w):
        apart = np.sqrt((X[far[:, 0]] - X[far[:, 1]]) ** 2 @ w).sum()
        return ((X[near[:, 0]] - X[near[:, 1]]) ** 2 @ w).sum() - np.log(apart)

    assert objective(w) <= theirs
    # It is convex: no step decreases it.
    random = np.random.RandomState(1)
    for size in (1.0, 0.1, 0.01):
        for _ in range(50):
            moved = np.maximum(w + size * w.max() * random.normal(size=len(w)), 0)
            assert objective(moved) >= objective(w) - 1e-4


@pytest.mark.parametrize(("name", "theirs"), [("iris", 0.046475249), ("wine", 0.156185129)])
def test_objectives_of_scml(name, theirs):
    X, y = rows_of(name)
    near, _ = drawn(X, y)
    others = np.random.RandomState(1).permutation(len(X))[:150]
    kept = [
        place
        for place, (i, _) in enumerate(near)
        if y[i] != y[others[place]] and (X[i] != X[others[place]]).any()
    ]
    triplets = X[np.column_stack([near, others])[kept]]
    scml = metric_learn.SCML(n_basis=100, random_state=0).fit(triplets)
    M = scml.get_mahalanobis_matrix()
    margins = squares(M, triplets[:, 0] - triplets[:, 2]) - squares(
        M, triplets[:, 0] - triplets[:, 1]
    )
    # Directions have length 1, so that the trace is the sum of their weights.
    objective = np.maximum(1 - margins, 0).mean() + 1e-5 * np.trace(M)
    assert objective <= theirs
    assert scml.estimator_.objective_ == pytest.approx(objective, abs=1e-8)
