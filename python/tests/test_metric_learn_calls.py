"""The calls of metric-learn's documentation, with the import swapped, and in itself."""

import itertools
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.covariance import graphical_lasso
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import basrelief
from basrelief import ReliefWarning
from basrelief import metric_learn as ours
from basrelief.metric_learn.exceptions import NonPSDError, PreprocessorError


@pytest.fixture
def theirs(monkeypatch):
    """Give metric-learn where it works with the scikit-learn that is installed."""
    metric_learn = pytest.importorskip("metric_learn")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            metric_learn.Covariance().fit(np.eye(3))
    except TypeError:
        pytest.skip("metric-learn needs an older scikit-learn")

    def lasso(covariance, alpha, verbose, cov_init):
        # The start is an argument that scikit-learn takes no more.
        return graphical_lasso(covariance, alpha=alpha, verbose=verbose)[:2]

    monkeypatch.setattr("metric_learn.sdml.graphical_lasso", lasso)
    return metric_learn


@pytest.fixture(params=["basrelief.metric_learn", "metric_learn"])
def library(request):
    """Give this package, and metric-learn where it works."""
    return ours if request.param.startswith("basrelief") else request.getfixturevalue("theirs")


@pytest.fixture(autouse=True)
def quiet():
    """Both warn of small data, each in its own words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture
def flowers():
    return load_iris(return_X_y=True)


@pytest.fixture
def pairs():
    """Rows near along the first feature, whatever the second, as lists."""
    random = np.random.default_rng(3)
    first = random.normal(size=(40, 2)) * [1, 5]
    y = np.where(np.arange(40) % 2 == 0, 1, -1)
    apart = np.where(y == 1, 0.1, 3.0) * random.choice([-1, 1], 40)
    second = np.stack([first[:, 0] + apart, random.normal(size=40) * 5], axis=1)
    return np.stack([first, second], axis=1).tolist(), y.tolist()


def comparisons(size):
    """Triplets or quadruplets of the same kind."""
    random = np.random.default_rng(4)
    rows = random.normal(size=(30, size, 2)) * [0.2, 5]
    rows[:, 2:, 0] += 4
    if size == 4:
        rows[:, 3, 0] += 4
    return rows


def test_a_learner_from_classes_maps_and_measures(library):
    X = np.array([[1.0, 4.0], [0.5, -1.5], [6.0, 2.5], [5.0, 0.0]])
    y = np.array(["owl", "wren", "owl", "wren"])
    nca = library.NCA(random_state=42)
    assert nca.fit(X, y) is nca
    new = np.array([[8.0, 4.0], [2.0, 4.5]])
    np.testing.assert_allclose(nca.transform(new), new @ nca.components_.T)
    asked = [[[3.0, 3.5], [5.5, 2.5]], [[1.0, 4.0], [2.0, 6.5]], [[3.5, 8.0], [11.0, 0.0]]]
    distances = nca.pair_distance(asked)
    np.testing.assert_allclose(nca.pair_score(asked), -distances)
    with pytest.warns(FutureWarning):
        np.testing.assert_allclose(nca.score_pairs(asked), distances)
    metric = nca.get_metric()
    assert metric([3.0, 3.5], [5.5, 2.5]) == pytest.approx(distances[0])
    assert metric([3.0, 3.5], [5.5, 2.5], squared=True) == pytest.approx(distances[0] ** 2)
    difference = np.array([-2.5, 1.0])
    matrix = nca.get_mahalanobis_matrix()
    assert difference @ matrix @ difference == pytest.approx(distances[0] ** 2)
    knn = KNeighborsClassifier(1, metric=metric).fit(X, y)
    np.testing.assert_array_equal(knn.predict(X), y)


@pytest.mark.parametrize(
    ("name", "options", "columns"),
    [
        ("LMNN", {"n_neighbors": 5, "learn_rate": 1e-6}, 4),
        ("LMNN", {"n_components": 2, "init": "pca", "regularization": 0.3, "max_iter": 60}, 2),
        ("NCA", {"max_iter": 1000}, 4),
        ("NCA", {"init": "lda", "n_components": 2, "tol": 1e-4, "random_state": 1}, 2),
        ("LFDA", {"k": 2, "n_components": 2}, 2),
        ("LFDA", {"embedding_type": "orthonormalized"}, 4),
        ("LFDA", {"embedding_type": "plain"}, 4),
        ("ITML_Supervised", {"n_constraints": 200, "random_state": 0}, 4),
        ("ITML_Supervised", {"prior": "covariance", "gamma": 2.0, "verbose": False}, 4),
        ("SDML_Supervised", {"sparsity_param": 0.1, "balance_param": 1e-5}, 4),
        ("RCA_Supervised", {"n_chunks": 30, "chunk_size": 2, "random_state": 7}, 4),
        ("Covariance", {}, 4),
    ],
)
def test_learners_from_classes_are_transformers(library, flowers, name, options, columns):
    X, y = flowers
    learner = getattr(library, name)(**options)
    mapped = learner.fit_transform(X, y)
    assert mapped.shape == (150, columns)
    assert learner.components_.shape == (columns, 4)
    np.testing.assert_allclose(learner.transform(X), mapped)
    np.testing.assert_allclose(mapped, X @ learner.components_.T)
    assert clone(learner).get_params()["preprocessor"] is None
    again = pickle.loads(pickle.dumps(learner))
    np.testing.assert_array_equal(again.transform(X), learner.transform(X))


def test_learners_work_in_pipelines_and_searches(library, flowers):
    X, y = flowers
    pipeline = make_pipeline(library.NCA(max_iter=20), KNeighborsClassifier())
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.9
    wanted = {"lfda__k": [2, 5]}
    pipeline = make_pipeline(library.LFDA(n_components=2), KNeighborsClassifier())
    search = GridSearchCV(pipeline, wanted, cv=3).fit(X, y)
    assert search.best_score_ > 0.9


def test_chunks(library, flowers):
    X = [[-0.1, 3.0], [0.1, -3.0], [0.2, -3.5], [-0.2, 3.5], [-1.0, 0.0], [0.9, 0.1], [9.0, 9.0]]
    rca = library.RCA().fit(X, [0, 0, 1, 1, 2, 2, -1])
    # The last row has no chunk.
    np.testing.assert_allclose(
        rca.get_mahalanobis_matrix(),
        library.RCA().fit(X[:6], [0, 0, 1, 1, 2, 2]).get_mahalanobis_matrix(),
    )
    X, y = flowers
    with pytest.raises(ValueError, match="chunks"):
        library.RCA_Supervised(n_chunks=100, chunk_size=2).fit(X, y)


def test_pairs_are_classified(library, pairs):
    pairs, y = pairs
    itml = library.ITML()
    assert itml.fit(pairs, y) is itml
    assert set(itml.predict(pairs)) == {-1, 1}
    # The second feature says nothing, and more so after the fit.
    matrix = itml.get_mahalanobis_matrix()
    assert matrix[0, 0] > matrix[1, 1]
    np.testing.assert_allclose(itml.decision_function(pairs), -itml.pair_distance(pairs))
    assert itml.score(pairs, y) > 0.9
    assert itml.set_threshold(0.4) is itml
    assert itml.threshold_ == 0.4
    np.testing.assert_array_equal(
        itml.predict(pairs), np.where(itml.pair_distance(pairs) <= 0.4, 1, -1)
    )
    itml.calibrate_threshold(pairs, y)
    accuracy = np.mean(itml.predict(pairs) == np.array(y))
    assert accuracy > 0.8
    itml.fit(pairs, y, bounds=[1.0, 9.0], calibration_params={"strategy": "f_beta", "beta": 2.0})
    itml.fit(np.array(pairs), np.array(y, dtype=float))
    with pytest.raises(ValueError, match="trategy"):
        itml.calibrate_threshold(pairs, y, strategy="best")
    with pytest.raises(ValueError, match="min_rate"):
        itml.calibrate_threshold(pairs, y, strategy="max_tpr")
    with pytest.raises(ValueError, match="threshold"):
        itml.set_threshold("far")


def test_pairs_in_model_selection(library, pairs):
    pairs, y = np.array(pairs[0]), np.array(pairs[1])
    known, asked, y_known, y_asked = train_test_split(pairs, y, random_state=0)
    assert library.ITML().fit(known, y_known).score(asked, y_asked) > 0.8
    scores = cross_val_score(library.ITML(), pairs, y, scoring="accuracy", cv=3)
    assert scores.mean() > 0.7
    areas = cross_val_score(library.ITML(gamma=0.5), pairs, y, cv=3)
    assert areas.mean() > 0.8
    if library is ours:
        # Where metric-learn has no number.
        by_name = cross_val_score(library.ITML(gamma=0.5), pairs, y, scoring="roc_auc", cv=3)
        np.testing.assert_allclose(by_name, areas)


def test_sparse_metrics_of_pairs(library, pairs):
    pairs, y = pairs
    sdml = library.SDML(balance_param=1e-4, sparsity_param=0.05, prior="covariance").fit(pairs, y)
    assert sdml.predict(pairs).shape == (40,)
    assert 0.5 < sdml.score(pairs, y) <= 1


def test_rows_are_looked_up(library, flowers):
    X, y = flowers
    rows = np.array([3, 60, 120, 4, 70, 140, 10, 90, 110])
    by_index = library.LFDA(preprocessor=X, k=2).fit(rows, y[rows])
    plain = library.LFDA(k=2).fit(X[rows], y[rows])
    np.testing.assert_allclose(by_index.get_mahalanobis_matrix(), plain.get_mahalanobis_matrix())
    np.testing.assert_allclose(by_index.transform(rows[:2]), plain.transform(X[rows[:2]]))
    # Rows themselves are rows all the same.
    np.testing.assert_allclose(by_index.transform(X), plain.transform(X))

    def rows_of(names):
        return np.vstack([X[int(str(name).removesuffix(".png"))] for name in names])

    files = [f"{row}.png" for row in rows]
    by_name = library.LFDA(preprocessor=rows_of, k=2).fit(files, y[rows])
    np.testing.assert_allclose(by_name.get_mahalanobis_matrix(), plain.get_mahalanobis_matrix())


def test_rows_of_pairs_are_looked_up(library, flowers):
    X, y = flowers
    random = np.random.RandomState(42)
    places = random.randint(len(X), size=(60, 2))
    signs = np.where(y[places[:, 0]] == y[places[:, 1]], 1, -1)
    itml = library.ITML(preprocessor=X)
    itml.fit(places, signs)
    np.testing.assert_allclose(itml.pair_distance(places), itml.pair_distance(X[places]))
    assert cross_val_score(itml, places, signs, cv=3).mean() > 0.7
    with pytest.raises(ValueError, match="preprocessor"):
        library.ITML().fit(places, signs)
    itml.fit(X[places], signs)

    def unused(_):
        raise NotImplementedError

    library.ITML(preprocessor=unused).fit(X[places], signs)


def test_pairs_of_all_rows_of_a_class(library, flowers):
    """As in the examples: index pairs of classes, and as many others drawn at random."""
    X, y = flowers
    X, y = X[::5], y[::5]
    alike = [
        pair for label in range(3) for pair in itertools.combinations(np.flatnonzero(y == label), 2)
    ]
    other = [pair for pair in itertools.combinations(range(30), 2) if y[pair[0]] != y[pair[1]]]
    drawn = np.random.default_rng(0).permutation(other)[: len(alike)]
    pairs = np.vstack([alike, drawn])
    signs = np.concatenate([np.ones(len(alike)), -np.ones(len(alike))])
    itml = library.ITML(preprocessor=X)
    itml.fit(pairs, signs)
    assert itml.transform(X).shape == (30, 4)
    assert itml.score(pairs, signs) > 0.8


def test_closed_forms_are_those_of_the_peer(theirs, flowers):
    X, y = flowers
    chunks = np.where(np.arange(150) % 7 < 5, y * 10 + np.arange(150) % 4, -1)
    for found, wanted in [
        (ours.Covariance().fit(X), theirs.Covariance().fit(X)),
        (ours.RCA().fit(X, chunks), theirs.RCA().fit(X, chunks)),
        (ours.RCA(2).fit(X, chunks), theirs.RCA(2).fit(X, chunks)),
    ]:
        np.testing.assert_allclose(
            found.get_mahalanobis_matrix(), wanted.get_mahalanobis_matrix(), rtol=1e-6, atol=1e-9
        )
        asked = np.stack([X[:9], X[-9:]], axis=1)
        np.testing.assert_allclose(found.pair_distance(asked), wanted.pair_distance(asked))


def test_iterated_metrics_are_those_of_the_peer(theirs, flowers, pairs):
    pairs, y = np.array(pairs[0]), np.array(pairs[1])
    bounds = [2.0, 12.0]
    found = ours.ITML(tol=1e-10).fit(pairs, y, bounds=bounds)
    wanted = theirs.ITML(tol=1e-10, max_iter=3000).fit(pairs, y, bounds=np.array(bounds))
    np.testing.assert_allclose(
        found.get_mahalanobis_matrix(), wanted.get_mahalanobis_matrix(), atol=1e-3
    )
    options = {"balance_param": 1e-4, "sparsity_param": 0.05}
    np.testing.assert_allclose(
        ours.SDML(**options).fit(pairs, y).get_mahalanobis_matrix(),
        theirs.SDML(**options).fit(pairs, y).get_mahalanobis_matrix(),
        atol=1e-3,
    )
    # The same objective, to be as great: the sum of the probabilities of a right neighbor.
    X, classes = flowers

    def objective(components):
        mapped = X @ components.T
        apart = ((mapped[:, None] - mapped[None]) ** 2).sum(axis=2)
        np.fill_diagonal(apart, np.inf)
        near = np.exp(apart.min(axis=1, keepdims=True) - apart)
        near /= near.sum(axis=1, keepdims=True)
        return near[classes[:, None] == classes[None]].sum()

    ends = [
        objective(library.NCA(init="identity").fit(X, classes).components_)
        for library in (ours, theirs)
    ]
    assert ends[0] >= ends[1] - 0.5


@pytest.mark.parametrize(
    "calibration",
    [
        {},
        {"strategy": "f_beta"},
        {"strategy": "f_beta", "beta": 0.5},
        {"strategy": "max_tpr", "min_rate": 0.7},
        {"strategy": "max_tnr", "min_rate": 0.7},
        {"strategy": "max_tnr", "min_rate": 1},
    ],
)
def test_a_threshold_is_the_best_of_all(pairs, calibration):
    pairs, y = np.array(pairs[0]), np.array(pairs[1])
    # Labels that no distance tells apart, and distances that are equal.
    y = np.where(np.arange(40) % 9 == 0, -y, y)
    pairs[5] = pairs[6]
    itml = ours.ITML().fit(pairs, y, calibration_params=calibration)
    distances = itml.pair_distance(pairs)

    def worth(threshold):
        near = distances <= threshold
        hits, rejected = np.sum(near & (y == 1)), np.sum(~near & (y == -1))
        found, left = hits / np.sum(y == 1), rejected / np.sum(y == -1)
        strategy = calibration.get("strategy", "accuracy")
        if strategy == "accuracy":
            return hits + rejected
        if strategy == "f_beta":
            precision, beta = hits / max(near.sum(), 1), calibration.get("beta", 1)
            weighed = beta**2 * precision + found
            return (1 + beta**2) * precision * found / weighed if weighed else 0
        rate, other = (found, left) if strategy == "max_tpr" else (left, found)
        return rate if other >= calibration["min_rate"] else -1

    best = max(map(worth, [-1.0, *distances]))
    assert worth(itml.threshold_) == pytest.approx(best)
    np.testing.assert_array_equal(itml.predict(pairs) == 1, distances <= itml.threshold_)


@pytest.mark.parametrize("strategy", ["accuracy", "max_tpr", "max_tnr"])
def test_thresholds_are_those_of_the_peer(theirs, pairs, strategy):
    pairs, y = np.array(pairs[0]), np.array(pairs[1])
    y = np.where(np.arange(40) % 9 == 0, -y, y)
    bounds = np.array([2.0, 12.0])
    calibration = {"strategy": strategy}
    if strategy != "accuracy":
        calibration["min_rate"] = 0.75
    found, wanted = (
        library.ITML().fit(pairs, y, bounds=bounds).calibrate_threshold(pairs, y, **calibration)
        for library in (ours, theirs)
    )
    np.testing.assert_array_equal(found.predict(pairs), wanted.predict(pairs))


@pytest.mark.parametrize("size", [3, 4])
def test_comparisons_are_ordered(size):
    """The calls of SCML and LSML, which FrobMetric takes here."""
    rows = comparisons(size)
    metric = ours.FrobMetric().fit(rows)
    assert metric.score(rows) == 1
    swapped = rows[:, [0, 2, 1]] if size == 3 else rows[:, [2, 3, 0, 1]]
    assert set(metric.predict(swapped)) == {-1}
    assert metric.score(swapped) == 0
    np.testing.assert_allclose(metric.decision_function(swapped), -metric.decision_function(rows))
    flat, places = rows.reshape(-1, 2), np.arange(30 * size).reshape(30, size)
    by_index = ours.FrobMetric(preprocessor=flat).fit(places)
    np.testing.assert_allclose(by_index.components_, metric.components_)
    native = basrelief.FrobMetric()
    native = native.fit_triplets(rows) if size == 3 else native.fit_quadruplets(rows)
    np.testing.assert_allclose(
        metric.get_mahalanobis_matrix(), native.get_mahalanobis_matrix(), rtol=1e-9
    )


def test_learners_are_those_of_this_package(flowers):
    X, y = flowers
    mine = ours.LMNN(n_neighbors=4, regularization=0.3).fit(X, y)
    native = basrelief.LMNN(n_neighbors=4, mu=0.7).fit(X, y)
    np.testing.assert_allclose(mine.components_, native.components_)
    assert mine.n_iter_ == native.n_iter_
    assert mine.estimator_.converged_ == native.converged_
    drawn = ours.ITML_Supervised(n_constraints=50, random_state=3).fit(X, y)
    native = basrelief.ITML(n_constraints=50, random_state=3).fit(X, y)
    np.testing.assert_allclose(drawn.components_, native.components_)
    # Rows of unknown class are left out.
    partly = np.where(np.arange(150) % 10 == 0, -1, y)
    for learner in [ours.ITML_Supervised(random_state=3), ours.SDML_Supervised(random_state=3)]:
        found = clone(learner).fit(X, partly).components_
        np.testing.assert_allclose(found, learner.fit(X[partly >= 0], y[partly >= 0]).components_)
    frame = pd.DataFrame(X, columns=list("abcd"))
    assert ours.NCA(max_iter=5).fit(frame, y).feature_names_in_.tolist() == list("abcd")


def test_what_is_not_here_is_refused(flowers, pairs):
    X, y = flowers
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = ours.Nothing
    with pytest.raises(ValueError, match=r"option init: its shape is \(2, 3\)"):
        ours.NCA(init=np.ones((2, 3))).fit(X, y)
    with pytest.raises(ValueError, match="option init: it has 4 rows, but there are 2 components"):
        ours.NCA(init=np.eye(4), n_components=2).fit(X, y)
    with pytest.raises(ValueError, match="option init: `far` is not one of its values"):
        ours.LMNN(init="far").fit(X, y)
    with pytest.raises(ValueError, match="option init: `lda` is not one of its values"):
        ours.MLKR(init="lda").fit(X, X[:, 0])
    with pytest.raises(ValueError, match="option init: `1` is not a matrix"):
        ours.LMNN(init=1).fit(X, y)
    with pytest.raises(ValueError, match="option prior: `far` is not one of its values"):
        ours.ITML(prior="far").fit(*pairs)
    with pytest.raises(ValueError, match="option prior: the matrix is not symmetric"):
        ours.LSML(prior=[[1.0, 0.5], [0.0, 1.0]]).fit(comparisons(4))
    with pytest.raises(NonPSDError, match="option prior: its smallest eigenvalue is -1"):
        ours.SDML(prior=np.diag([1.0, -1.0])).fit(*pairs)
    with pytest.raises(np.linalg.LinAlgError, match="option prior: the matrix is singular"):
        ours.ITML(prior=np.diag([1.0, 0.0])).fit(*pairs)
    twice = np.repeat(pairs[0], 2, axis=2)
    with pytest.raises(np.linalg.LinAlgError, match="the covariance of the rows is singular"):
        ours.ITML(prior="covariance").fit(twice, pairs[1])
    for learner in [ours.NCA(n_components=5), ours.LFDA(0), ours.RCA(5), ours.MLKR(-1)]:
        with pytest.raises(ValueError, match=r"option n_components: .* use a number from 1 to 4"):
            learner.fit(X, y)
    with pytest.raises(ValueError, match="pairs: its lists have different lengths"):
        ours.ITML().fit([[[1.0, 2.0], [1.0]], [[2.0, 3.0], [4.0, 5.0]]], [1, -1])
    with pytest.raises(ValueError, match="triplets: 1 are too few for a basis of 2 features"):
        ours.SCML().fit(comparisons(3)[:1])
    with pytest.raises(ValueError, match="option n_basis"):
        ours.SCML(n_basis=4.0).fit(comparisons(3))
    with pytest.raises(ValueError, match="option output_iter: `500` exceeds max_iter"):
        ours.SCML(max_iter=100).fit(comparisons(3))
    with pytest.raises(ValueError, match="option basis: `lda` is not one of its values"):
        ours.SCML(basis="lda").fit(comparisons(3))
    with pytest.raises(ValueError, match="option weights: its shape is"):
        ours.LSML().fit(comparisons(4), weights=[1.0])

    def unknown(places):
        raise KeyError(places[0])

    with pytest.raises(PreprocessorError, match="option preprocessor: it raised KeyError"):
        ours.ITML(preprocessor=unknown).fit([["a", "b"]], [1])
    with pytest.raises(ValueError, match="option balance"):
        ours.SDML(balance_param=100.0).fit(*pairs)
    with pytest.raises(ValueError, match="option bounds: there are 3"):
        ours.ITML().fit(*pairs, bounds=[1, 2, 3])
    with pytest.raises(ValueError, match="150 is not an index of the 150 rows"):
        ours.ITML(preprocessor=X).fit([[0, 1], [0, 150]], [1, -1])
    with pytest.raises(ValueError, match="option preprocessor: for 2 indicators"):
        ours.ITML(preprocessor=lambda places: X).fit([[0, 1], [2, 3]], [1, -1])
    with pytest.raises(ValueError, match=r"pairs: the shape is \(4, 3, 2\)"):
        ours.ITML().fit(np.zeros((4, 3, 2)), [1, -1, 1, -1])
    with pytest.raises(ValueError, match="y: provide 1 or -1"):
        ours.ITML().fit(pairs[0], np.zeros(40))
    with pytest.raises(ValueError, match="3 features, but ITML is expecting 2"):
        ours.ITML().fit(*pairs).pair_distance(np.zeros((4, 2, 3)))
    with pytest.raises(ValueError, match="pass tuples of rows to fit_pairs"):
        basrelief.ITML().fit(*pairs)


def test_options_without_effect_are_told_of(flowers):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ReliefWarning, match="option learn_rate: it has no effect here"):
            ours.LMNN(learn_rate=1e-6).fit(*flowers)


def test_starts_and_priors_may_be_matrices(flowers, pairs):
    X, y = flowers
    start = np.random.default_rng(5).normal(size=(2, 4))
    for learner in [ours.NCA(max_iter=1), ours.LMNN(max_iter=1), ours.MLKR(max_iter=1)]:
        given = clone(learner).set_params(init=start, n_components=2).fit(X, y)
        other = clone(learner).set_params(init=-start[::-1], n_components=2).fit(X, y)
        # The same metric to start from.
        np.testing.assert_allclose(
            given.get_mahalanobis_matrix(), other.get_mahalanobis_matrix(), rtol=1e-6
        )
        drawn = [
            clone(learner).set_params(init="random", random_state=seed).fit(X, y).components_
            for seed in (1, 1, 2)
        ]
        np.testing.assert_array_equal(drawn[0], drawn[1])
        assert np.abs(drawn[0] - drawn[2]).max() > 1e-3
    X, y = np.array(pairs[0]), pairs[1]
    prior = np.array([[2.0, 0.5], [0.5, 1.0]])
    # Under the prior, the rows are those of its map.
    root = np.linalg.cholesky(prior).T
    given = ours.ITML(prior=prior, tol=1e-9).fit(X, y, bounds=[2.0, 12.0])
    moved = ours.ITML(tol=1e-9).fit(X @ root.T, y, bounds=[2.0, 12.0])
    np.testing.assert_allclose(
        given.get_mahalanobis_matrix(),
        root.T @ moved.get_mahalanobis_matrix() @ root,
        rtol=1e-3,
        atol=1e-5,
    )


def test_components_have_the_requested_shape(flowers):
    X, y = flowers
    # Two features, and their copies and sums.
    wide = np.column_stack([X[:, :2], X[:, :2], X[:, :1] + X[:, 1:2]])
    for learner in [ours.NCA(), ours.LMNN(), ours.LFDA(k=2), ours.RCA(), ours.MLKR()]:
        for n_components in (None, 3):
            found = clone(learner).set_params(n_components=n_components).fit(wide, y)
            assert found.components_.shape == (n_components or 5, 5)
            assert found.transform(wide).shape == (150, n_components or 5)


def test_metrics_compare_vectors(flowers):
    X, y = flowers
    metric = ours.LFDA(k=2).fit(X, y).get_metric()
    plain = metric(X[0], X[1])
    assert metric(X[:1], X[1:2]) == metric(X[0].tolist(), X[1].tolist()) == plain
    assert metric(X[0][:, None], X[1][:, None]) == plain
    for a, b in [(X[:4], X[1:5]), (X[0, :3], X[1, :3]), ([*X[0], 1.0], X[1])]:
        with pytest.raises(ValueError, match="the metric compares two rows of 4 features"):
            metric(a, b)


def test_comparisons_are_satisfied(library):
    """The calls of LSML and SCML."""
    rows = comparisons(4)
    lsml = library.LSML().fit(rows)
    assert lsml.score(rows) >= 0.9
    assert set(lsml.predict(rows[:, [2, 3, 0, 1]])) <= {-1, 1}
    matrix = lsml.get_mahalanobis_matrix()
    assert matrix[0, 0] > matrix[1, 1]
    library.LSML().fit(rows.tolist(), weights=np.arange(1.0, 31.0))
    rows = comparisons(3)
    scml = library.SCML(n_basis=40, random_state=0).fit(rows)
    assert scml.score(rows) > 0.9
    np.testing.assert_allclose(
        scml.decision_function(rows),
        scml.pair_distance(rows[:, [0, 2]]) - scml.pair_distance(rows[:, :2]),
    )


def test_supervised_forms(library, flowers):
    X, y = flowers
    for learner in [
        library.LSML_Supervised(n_constraints=60, random_state=1),
        library.MMC_Supervised(n_constraints=60, random_state=1),
        library.SCML_Supervised(n_basis=40, random_state=1),
        library.MLKR(n_components=2),
    ]:
        mapped = learner.fit(X, y).transform(X)
        knn = cross_val_score(KNeighborsClassifier(3), mapped, y, cv=3)
        assert knn.mean() > 0.9, learner


def test_far_pairs_move_apart(library, pairs):
    pairs, y = np.array(pairs[0]), np.array(pairs[1])
    mmc = library.MMC().fit(pairs, y)
    assert mmc.score(pairs, y) > 0.8
    assert set(mmc.predict(pairs)) <= {-1, 1}


def test_the_unit_of_mmc_is_that_of_the_peer(pairs):
    pairs, y = np.array(pairs[0]), np.array(pairs[1])
    near = pairs[y == 1, 0] - pairs[y == 1, 1]
    for init, first in [("identity", np.eye(2)), (np.diag([4.0, 1.0]), np.diag([4.0, 1.0]))]:
        found = ours.MMC(init=init).fit(pairs, y).get_mahalanobis_matrix()
        assert np.sum((near @ found) * near) == pytest.approx(
            np.sum((near @ first) * near) / 100, rel=1e-6
        )
    found = ours.MMC(diagonal=True, diagonal_c=3.0).fit(pairs, y).get_mahalanobis_matrix()
    assert np.sum((near @ found) * near) == pytest.approx(1.5)
    assert found[0, 1] == pytest.approx(0, abs=1e-12)


def test_weights_of_comparisons_repeat_them():
    rows = comparisons(4)
    # Some of them the wrong way round, so that not all can hold.
    rows[::3] = rows[::3][:, [2, 3, 0, 1]]
    weights = np.arange(30) % 3
    weighted = ours.LSML(tol=1e-10).fit(rows, weights=weights.astype(float))
    repeated = ours.LSML(tol=1e-10).fit(np.repeat(rows, weights, axis=0))
    np.testing.assert_allclose(
        weighted.get_mahalanobis_matrix(), repeated.get_mahalanobis_matrix(), rtol=1e-3
    )


def test_a_singular_covariance_is_reported(pairs):
    twice = np.repeat(pairs[0], 2, axis=2)
    mmc = ours.MMC(init="covariance")
    warnings.simplefilter("always")
    with pytest.warns(ReliefWarning, match="option init: the covariance of the rows is singular"):
        mmc.fit(twice, pairs[1])
