"""Agreement with scikit-rebate and fast-select where their rules and ours are the same."""

import numpy as np
import pytest

import basrelief


def two_classes(seed, rows=120, features=15, genotypes=False):
    rng = np.random.default_rng(seed)
    if genotypes:
        X = rng.integers(0, 3, size=(rows, features)).astype(float)
    else:
        X = rng.normal(size=(rows, features))
    y = (X[:, 0] + X[:, 3] * (X[:, 5] - X[:, 5].mean()) > X[:, 0].mean()).astype(int)
    return X, y


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["ReliefF", "MultiSURF", "MultiSURFStar"])
def test_skrebate_on_two_classes_of_numbers(name, seed):
    skrebate = pytest.importorskip("skrebate")
    X, y = two_classes(seed)
    theirs = {
        "ReliefF": lambda: skrebate.ReliefF(n_neighbors=10),
        "MultiSURF": skrebate.MultiSURF,
        "MultiSURFStar": skrebate.MultiSURFstar,
    }[name]()
    theirs.fit(X, y)
    ours = getattr(basrelief, name)().fit(X, y)
    np.testing.assert_allclose(ours.weights_, theirs.feature_importances_, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["MultiSURF", "MultiSURFStar"])
def test_skrebate_on_two_classes_of_categories(name):
    skrebate = pytest.importorskip("skrebate")
    X, y = two_classes(9, genotypes=True)
    theirs = skrebate.MultiSURF() if name == "MultiSURF" else skrebate.MultiSURFstar()
    theirs.fit(X, y)
    ours = getattr(basrelief, name)(categorical_features="all").fit(X, y)
    np.testing.assert_allclose(ours.weights_, theirs.feature_importances_, rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["SURF", "SURFStar", "MultiSURF"])
def test_fast_select_on_two_classes_of_numbers(name, seed):
    fast_select = pytest.importorskip("fast_select")
    X, y = two_classes(seed)
    theirs = {
        "SURF": lambda: fast_select.SURF(backend="cpu", n_jobs=1),
        "SURFStar": lambda: fast_select.SURF(backend="cpu", n_jobs=1, use_star=True),
        "MultiSURF": lambda: fast_select.MultiSURF(backend="cpu", n_jobs=1),
    }[name]()
    theirs.fit(X, y)
    ours = getattr(basrelief, name)().fit(X, y)
    # fast-select works in single precision.
    np.testing.assert_allclose(ours.weights_, theirs.feature_importances_, rtol=0, atol=2e-6)
