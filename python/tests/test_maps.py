"""The transformers: agreement with scikit-learn, and what they give."""

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.covariance import graphical_lasso
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_circles
from sklearn.decomposition import PCA as SklearnPCA
from sklearn.decomposition import KernelPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, NeighborhoodComponentsAnalysis
from sklearn.pipeline import make_pipeline

import basrelief
from basrelief import (
    LDA,
    LFDA,
    LFE,
    NCA,
    PCA,
    RCA,
    SDML,
    Kernelized,
    ReliefMargin,
    ReliefWarning,
    _native,
)
from basrelief._base import Study
from basrelief._validation import read_classes, read_features

MAPS = [
    getattr(basrelief, name)
    for name in basrelief.__all__
    if hasattr(getattr(basrelief, name), "get_mahalanobis_matrix")
]


@pytest.fixture(params=[load_iris, load_wine, load_breast_cancer], ids=["iris", "wine", "wdbc"])
def data(request):
    return request.param(return_X_y=True)


def test_parameters_are_those_of_the_registry():
    for cls in MAPS:
        given = cls().get_params()
        for option in cls._entry["options"]:
            if option["name"] in ("kernel", "basis", "max_rank", "rank_tolerance"):
                continue  # parameters of `Kernelized`
            default = given[option["name"]]
            if option["name"] == "n_components":
                assert (default, option["default"]) == (None, "all")
            elif isinstance(default, str):
                assert default == option["default"]
            else:
                words = {"yes": 1, "no": 0}
                assert float(default) == float(words.get(option["default"], option["default"]))
            # The docstring has them with their help.
            assert f"\n    {option['name']} : " in cls.__doc__


def test_pca_is_that_of_scikit_learn(data):
    X, _ = data
    ours, theirs = PCA(3).fit(X), SklearnPCA(3).fit(X)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.explained_variance_, rtol=1e-10)
    signs = np.sign(np.sum(ours.components_ * theirs.components_, axis=1, keepdims=True))
    np.testing.assert_allclose(ours.components_, signs * theirs.components_, atol=1e-8)
    np.testing.assert_allclose(ours.mean_, X.mean(axis=0), rtol=1e-12)


def test_lda_is_that_of_scikit_learn(data):
    X, y = data
    ours, theirs = LDA().fit(X, y), LinearDiscriminantAnalysis().fit(X, y)
    theirs = theirs.scalings_[:, : len(ours.components_)]
    # Its unit is the spread within the classes over n, not over n less the number of classes.
    expected = theirs @ theirs.T * (len(y) - len(np.unique(y))) / len(y)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(ours.get_mahalanobis_matrix() / scale, expected / scale, atol=1e-9)


def test_rca_inverts_the_spread_within_classes(data):
    X, y = data
    within = sum(np.cov(X[y == c].T, bias=True) * np.mean(y == c) for c in np.unique(y))
    expected = np.linalg.inv(within)
    found = RCA().fit(X, y).get_mahalanobis_matrix()
    np.testing.assert_allclose(
        found / np.abs(expected).max(), expected / np.abs(expected).max(), atol=1e-7
    )


@pytest.mark.parametrize("sparsity", [0.01, 0.2])
def test_sdml_is_a_graphical_lasso(sparsity):
    X, y = load_wine(return_X_y=True)
    X = ((X - X.mean(axis=0)) / X.std(axis=0))[::3]
    y = y[::3]
    first, second = np.triu_indices(len(X), 1)
    apart = X[first] - X[second]
    signs = np.where(y[first] == y[second], 1, -1)
    loss = np.cov(X.T, bias=True) + 0.3 * (apart.T * signs) @ apart / len(apart)
    _, expected = graphical_lasso(loss, sparsity, tol=1e-8, max_iter=2000, enet_tol=1e-10)
    options = {"balance": 0.3, "sparsity": sparsity, "prior": "covariance"}
    ours = SDML(**options, n_constraints="all", tol=1e-10).fit(X, y)
    assert ours.converged_
    found = ours.get_mahalanobis_matrix()
    np.testing.assert_allclose(found, expected, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize("cls", MAPS, ids=lambda cls: cls.__name__)
def test_what_a_map_gives(cls):
    X, y = load_wine(return_X_y=True)
    fitted = cls(2, scale="standard", random_state=0).fit(X, y)
    mapped = fitted.transform(X)
    assert mapped.shape == (178, len(fitted.components_)) == (178, fitted.n_components_)
    np.testing.assert_allclose(mapped, (X - fitted.mean_) @ fitted.components_.T, atol=1e-12)
    step = X[3] - X[50]
    squared = step @ fitted.get_mahalanobis_matrix() @ step
    assert squared == pytest.approx(np.sum((mapped[3] - mapped[50]) ** 2))
    assert fitted.get_metric()(X[3], X[50]) == pytest.approx(np.sqrt(squared))
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(X), mapped)
    assert not hasattr(clone(fitted), "components_")
    two = cls(2, scale="standard", n_jobs=2, random_state=0).fit(X, y)
    np.testing.assert_array_equal(two.components_, fitted.components_)


def test_a_diagonal_map_is_no_matrix():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 4000))
    fitted = basrelief.Euclidean(scale="standard").fit(X)
    # The matrix would take 128 MB; it is made for those who ask, and not kept.
    assert len(pickle.dumps(fitted)) < 1_000_000
    mapped = fitted.transform(X)
    np.testing.assert_allclose(mapped.std(axis=0), 1.0, rtol=1e-12)
    few = basrelief.Euclidean(3, scale="range").fit(X[:, :6])
    assert few.components_.shape == (3, 6)
    assert "components_" not in vars(few)
    np.testing.assert_array_equal(few.components_ @ np.ones(6), 1 / np.ptp(X[:, :3], axis=0))
    # A fit of another method's class is not touched by it.
    with pytest.raises(AttributeError, match="no attribute 'components_'"):
        _ = LFE().components_


def test_a_better_metric_for_nearest_neighbors():
    X, y = load_wine(return_X_y=True)
    knn = KNeighborsClassifier(3)
    plain = cross_val_score(knn, X, y, cv=5).mean()
    for learner in [LDA(), LFE(4, scale="standard"), LFDA(2)]:
        assert cross_val_score(make_pipeline(learner, knn), X, y, cv=5).mean() > plain + 0.2


def test_in_a_grid_search_and_as_a_frame():
    X, y = load_iris(return_X_y=True, as_frame=True)
    pipeline = make_pipeline(LFE(), KNeighborsClassifier())
    search = GridSearchCV(pipeline, {"lfe__n_components": [1, 2, 3]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    framed = LFE(2).set_output(transform="pandas").fit(X, y).transform(X)
    assert list(framed.columns) == ["lfe0", "lfe1"]
    assert isinstance(framed, pd.DataFrame)


def test_more_features_than_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 500)), np.repeat([0, 1], 15)
    X[y == 1, :3] += 5
    fitted = LFE(1).fit(X, y)
    assert fitted.rank_ == 29
    assert set(np.argsort(-np.abs(fitted.components_[0]))[:3]) == {0, 1, 2}
    with pytest.warns(ReliefWarning, match="span only 29 dimensions"):
        LFE(40).fit(X, y)


def test_what_cannot_be_mapped_is_said():
    X, y = load_iris(return_X_y=True, as_frame=True)
    with pytest.raises(ValueError, match=r"option n_components: 0 is less than 1"):
        LFE(0).fit(X, y)
    with pytest.raises(ValueError, match=r"option ridge: -1 is not a finite number"):
        LDA(ridge=-1.0).fit(X, y)
    with pytest.raises(ValueError, match=r"feature names should match"):
        LDA().fit(X, y).transform(X.rename(columns={"petal width (cm)": "width"}))


@pytest.mark.parametrize("basis", ["kpca", "gram-schmidt"])
def test_kernel_pca_is_that_of_scikit_learn(data, basis):
    X, _ = data
    X = X / X.std(axis=0)
    ours = Kernelized(PCA(3), "rbf:rho=3", basis).fit(X[::2])
    theirs = KernelPCA(3, kernel="rbf", gamma=1 / 18).fit(X[::2])
    count = len(X[::2])
    np.testing.assert_allclose(ours.eigenvalues_ * (count - 1), theirs.eigenvalues_, rtol=1e-8)
    mapped, expected = ours.transform(X), theirs.transform(X)
    signs = np.sign(np.sum(mapped * expected, axis=0))
    np.testing.assert_allclose(mapped, expected * signs, atol=1e-7)


def test_a_linear_kernel_changes_nothing(data):
    X, y = data
    X = X / X.std(axis=0)
    for method in [LFE(), LDA(), PCA()]:
        plain = method.fit(X, y).transform(X)
        kernelized = Kernelized(method, "linear").fit(X, y).transform(X)
        np.testing.assert_allclose(pdist(kernelized[:50]), pdist(plain[:50]), rtol=1e-5)


def test_a_kernel_parts_what_no_plane_does():
    X, y = make_circles(300, factor=0.5, noise=0.08, random_state=0)
    knn = KNeighborsClassifier(3)
    for method in [LDA(ridge=1e-3), LFE(1), ReliefMargin()]:
        pipeline = make_pipeline(Kernelized(method, "rbf:rho=0.5"), knn)
        assert cross_val_score(pipeline, X, y, cv=5).mean() > 0.95


def test_a_fit_gives_all_that_the_report_holds():
    rows = np.random.default_rng(0).normal(size=(30, 3))
    names = ["a", "b", "c"]
    features = read_features(PCA(), rows, None, None, None)[0]
    classes = read_classes(np.arange(30) % 2)[0]
    options = [("max_iter", "3"), ("tol", "1e-300")]
    columns = (features.values, names, features.kinds)
    study = Study("gi-relief", options, *columns, classes, seed=0, threads=1, progress=None)
    report = _native.fit_map(study).report
    assert report.iterations == 3
    assert report.converged is False
    assert report.last_change > 0
    assert report.options["max_iter"] == "3"
    assert report.options["kernel"] == "none"


@pytest.mark.slow
def test_kernelized_gives_what_its_parts_say():
    X, y = load_wine(return_X_y=True)
    fitted = Kernelized(LFE(2, scale="standard"), "rbf:rho=cv").fit(X, y)
    assert fitted.kernel_.startswith("rbf:rho=")
    assert fitted.components_.shape == (2, len(fitted.basis_))
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(X), fitted.transform(X))
    grid = {"kernel": ["rbf", "linear"], "estimator__n_neighbors": [1, 3]}
    search = GridSearchCV(
        make_pipeline(Kernelized(LFE(2)), KNeighborsClassifier(3)),
        {f"kernelized__{name}": values for name, values in grid.items()},
        cv=3,
    )
    assert search.fit(X, y).best_score_ > 0.6
    chosen = Kernelized(PCA(2, scale="standard"), "rbf:rho=cv")
    assert chosen.fit(X, y).kernel_.startswith("rbf:rho=")
    with pytest.raises(ValueError, match="rho=cv needs classes"):
        chosen.fit(X)
    with pytest.raises(NotFittedError):
        Kernelized(PCA(2)).transform(X)
    with pytest.raises(TypeError, match="`int` is not a method of basrelief"):
        Kernelized(3).fit(X, y)
    with pytest.raises(ValueError, match=r"option kernel: `none` is not a kernel"):
        Kernelized(LFE(), "none").fit(X, y)
    with pytest.raises(ValueError, match=r"option kernel: .*rho"):
        Kernelized(LFE(), "rbf:rho=-1").fit(X, y)


@pytest.mark.slow
def test_nca_reaches_the_objective_of_scikit_learn(data):
    X, y = data
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for components in [2, None]:
        theirs = NeighborhoodComponentsAnalysis(components, random_state=0).fit(X, y)
        ours = NCA(components).fit(X, y)
        assert nca_objective(X, y, ours.components_) == pytest.approx(ours.objective_, rel=1e-9)
        least = nca_objective(X, y, theirs.components_) * (1 - 1e-6)
        assert ours.objective_ >= least


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris, load_wine])
def test_nca_ends_where_the_ground_is_level(load):
    X, y = load(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    ours = NCA(init="identity", tol=1e-12, max_iter=2000).fit(X, y)
    theirs = NeighborhoodComponentsAnalysis(init="identity", tol=1e-12, max_iter=2000).fit(X, y)
    assert ours.converged_ == (not ours.warnings_)
    assert ours.objective_ >= nca_objective(X, y, theirs.components_) * (1 - 1e-6)
    if ours.converged_:
        # By finite differences along the map itself and some random ways.
        rng = np.random.default_rng(0)
        for way in [ours.components_, *rng.normal(size=(3, *ours.components_.shape))]:
            way = way * np.linalg.norm(ours.components_) / np.linalg.norm(way)
            at = [nca_objective(X, y, ours.components_ + step * way) for step in (1e-5, -1e-5)]
            assert abs(at[0] - at[1]) / 2e-5 <= 1.1e-6 * ours.objective_ + 1e-6


def nca_objective(X, y, L):
    """Sum of the probabilities of the right class."""
    distances = squareform(pdist(X @ L.T, "sqeuclidean"))
    np.fill_diagonal(distances, np.inf)
    odds = np.exp(distances.min(axis=1, keepdims=True) - distances)
    return np.sum((odds * (y[:, None] == y)).sum(axis=1) / odds.sum(axis=1))


@pytest.mark.parametrize("cls", MAPS, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_row_alone_has_the_coordinates_that_it_has_among_others(cls, n_jobs):
    rng = np.random.default_rng(61)
    X, y = rng.normal(size=(70, 6)), np.arange(70) % 3
    X[:, 0] += y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = cls(n_jobs=n_jobs).fit(X, y)
    whole = fitted.transform(X)
    for size in (1, 2, 33):
        parts = [fitted.transform(X[start : start + size]) for start in range(0, 70, size)]
        assert (np.concatenate(parts) == whole).all()


@pytest.mark.parametrize("cls", MAPS, ids=lambda cls: cls.__name__)
def test_values_whose_squares_overflow_name_their_column(cls):
    rng = np.random.default_rng(62)
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=["a", "b", "c"])
    y = np.arange(40) % 2
    for size in (1e160, -1e200, 1.79e308):
        wide = frame.copy()
        wide.loc[7, "b"] = size
        with pytest.raises(ValueError, match="`b`"):
            cls().fit(wide, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # What the message advises.
        mapped = cls(scale="standard").fit_transform(wide, y)
    assert np.isfinite(mapped).all()


@pytest.mark.parametrize("scale", ["none", "standard"])
def test_coordinates_that_overflow_name_row_and_column(scale):
    rng = np.random.default_rng(63)
    frame = pd.DataFrame(1e-3 * rng.normal(size=(40, 3)), columns=["a", "b", "c"])
    y = np.arange(40) % 2
    for cls in (LDA, basrelief.Euclidean, LFE):
        fitted = cls(scale=scale).fit(frame, y)
        wide = frame.copy()
        wide.loc[33, "b"] = 1.7e308
        wide.loc[33, "c"] = -1.7e308
        values, message = np.zeros(1), None
        try:
            values = fitted.transform(wide)
        except ValueError as error:
            message = str(error)
        assert np.isfinite(values).all()
        assert message is None or re.search("row 34.*`[bc]`|`[bc]`.*row 34", message)
