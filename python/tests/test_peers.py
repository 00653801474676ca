"""Agreement with scikit-rebate and fast-select where their rules and ours are the same."""

import numpy as np
import pytest

import basrelief

# Seconds: what other programs and signals take.
pytestmark = pytest.mark.slow


def two_classes(seed, rows=120, features=15, genotypes=False):
    rng = np.random.default_rng(seed)
    if genotypes:
        X = rng.integers(0, 3, size=(rows, features)).astype(float)
    else:
        X = rng.normal(size=(rows, features))
    y = (X[:, 0] + X[:, 3] * (X[:, 5] - X[:, 5].mean()) > X[:, 0].mean()).astype(int)
    return X, y


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "name",
    [
        "ReliefF",
        "MultiSURF",
        "MultiSURFStar",
        "MultiSWRF",
        "MultiSWRFStar",
        "MultiSWRFDB",
        "MultiSWRFDBStar",
    ],
)
def test_skrebate_on_two_classes_of_numbers(name, seed):
    skrebate = pytest.importorskip("skrebate")
    X, y = two_classes(seed)
    options = {"n_neighbors": 10} if name == "ReliefF" else {}
    theirs = getattr(skrebate, name.replace("Star", "star"))(**options)
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


RADIUS = ["SURF", "SURFStar", "MultiSURF", "MultiSURFStar"]


def assert_as_skrebate(name, X, y, categories=None, **theirs):
    """`compat="skrebate"` gives skrebate's numbers."""
    skrebate = pytest.importorskip("skrebate")
    peer = getattr(skrebate, name.replace("Star", "star"))
    # It scales the numbers that it is given in place.
    peer = peer(categorical_features=[] if categories is None else categories, **theirs)
    peer.fit(X.copy(), y)
    ours = getattr(basrelief, name)(
        compat="skrebate",
        missing="ignore",
        genotype_diff="categorical",
        categorical_features=categories,
    )
    ours.fit(X, y)
    np.testing.assert_allclose(ours.weights_, peer.feature_importances_, rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", RADIUS)
def test_compat_on_two_classes_of_numbers(name, seed):
    assert_as_skrebate(name, *two_classes(seed))


@pytest.mark.parametrize("name", RADIUS)
def test_compat_on_two_classes_of_categories(name):
    assert_as_skrebate(name, *two_classes(9, genotypes=True), categories=list(range(15)))


@pytest.mark.parametrize("name", RADIUS)
def test_compat_on_two_classes_of_genotypes(name):
    assert_as_skrebate(name, *two_classes(10, rows=99, genotypes=True), categories=list(range(15)))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["MultiSURF", "MultiSURFStar"])
def test_compat_on_numbers_with_gaps(name, seed):
    # Not SURF and SURF*, whose radius is halved there by mistake.
    X, y = two_classes(seed)
    X[np.random.default_rng(seed).random(X.shape) < 0.1] = np.nan
    assert_as_skrebate(name, X, y)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["MultiSURF", "MultiSURFStar"])
def test_compat_on_mixed_data_with_gaps(name, seed):
    # Complete mixed data have categories that weigh too much in the distances by mistake.
    X, y = two_classes(seed)
    rng = np.random.default_rng(seed)
    X[:, 6:11] = rng.integers(0, 4, size=(len(X), 5))
    X[rng.random(X.shape) < 0.05] = np.nan
    assert_as_skrebate(name, X, y, categories=list(range(6, 11)))


@pytest.mark.parametrize("name", RADIUS)
def test_compat_on_a_real_target(name):
    X, _ = two_classes(4)
    y = X[:, 0] + X[:, 1] * X[:, 2] + np.random.default_rng(4).normal(size=len(X))
    assert_as_skrebate(name, X, y)


@pytest.mark.parametrize("name", ["SURF", "MultiSURF"])
def test_compat_on_classes_with_as_many_misses_each(name):
    # Its factor for several classes is a mistake unless every row has as many near misses of each
    # other class: far clusters, each with as many rows of each class, and one of one class only.
    rng = np.random.default_rng(6)
    sizes = [(0, 5), (0, 5), (0, 5), (1, 4), (1, 4), (1, 4), (2, 6), (2, 6), (2, 6), (3, 9)]
    classes = [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]
    clusters = np.repeat([cluster for cluster, _ in sizes], [size for _, size in sizes])
    y = np.repeat(classes, [size for _, size in sizes])
    apart = np.tile(np.eye(4)[clusters], 6)
    X = np.hstack([apart, y[:, None] + np.zeros((1, 2))])
    X += rng.normal(size=X.shape) * np.array([0.01] * 24 + [1.0, 1.0])
    assert_as_skrebate(name, X, y)


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


def usable_metric_learn():
    """Give metric-learn where it works with the scikit-learn that is installed."""
    metric_learn = pytest.importorskip("metric_learn")
    try:
        metric_learn.Covariance().fit(np.eye(3))
    except TypeError:
        pytest.skip("metric-learn needs an older scikit-learn")
    return metric_learn


def all_pairs(X, y):
    """Pairs of rows as metric-learn takes them, and 1 for rows of one class, -1 for others."""
    first, second = np.triu_indices(len(X), 1)
    return np.stack([X[first], X[second]], axis=1), np.where(y[first] == y[second], 1, -1)


# With a greater gamma their rounds do not come to an end.
@pytest.mark.parametrize("gamma", [0.3, 1.0])
def test_itml_is_that_of_metric_learn(gamma):
    metric_learn = usable_metric_learn()
    X, y = two_classes(5, rows=14, features=6)
    X[:, 1] += X[:, 0]
    pairs, signs = all_pairs(X, y)
    theirs = metric_learn.ITML(gamma=gamma, max_iter=3000, tol=1e-10)
    theirs.fit(pairs, signs, bounds=np.array([2.0, 20.0]))
    ours = basrelief.ITML(
        gamma=gamma, bounds="2:20", n_constraints="all", max_iter=3000, tol=1e-10
    ).fit(X, y)
    expected = theirs.get_mahalanobis_matrix()
    np.testing.assert_allclose(ours.get_mahalanobis_matrix(), expected, atol=1e-3)
    np.testing.assert_allclose(ours.pair_distance(pairs), theirs.pair_distance(pairs), atol=1e-3)
