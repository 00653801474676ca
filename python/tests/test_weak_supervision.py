"""Maps of triplets, quadruplets, chunks and pairs, which are given instead of classes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import basrelief
from basrelief import ITML, LDA, RCA, FrobMetric


@pytest.fixture
def X():
    return np.random.default_rng(7).normal(size=(40, 3))


@pytest.fixture
def y():
    return np.arange(40) % 3


def near_rows(X, row, accepted, count=3):
    """The nearest rows of those accepted, but not the row itself."""
    order = np.argsort(((X - X[row]) ** 2).sum(axis=1), kind="stable")
    return [other for other in order if other != row and accepted[other]][:count]


def triplets_of(X, y):
    return np.array(
        [
            (row, hit, miss)
            for row in range(len(X))
            for hit in near_rows(X, row, y == y[row])
            for miss in near_rows(X, row, y != y[row])
        ]
    )


def test_triplets_of_the_classes_give_the_map_of_the_classes(X, y):
    places = triplets_of(X, y)
    wanted = FrobMetric().fit(X, y)
    assert wanted.converged_
    assert wanted.relative_gap_ <= 1e-6
    found = FrobMetric().fit_triplets(X[places])
    matrix = wanted.get_mahalanobis_matrix()
    np.testing.assert_allclose(found.get_mahalanobis_matrix(), matrix, rtol=1e-6, atol=1e-9)
    assert not hasattr(found, "classes_")
    as_four = places[:, [0, 1, 0, 2]]
    other = FrobMetric().fit_quadruplets(X[as_four])
    np.testing.assert_allclose(other.get_mahalanobis_matrix(), matrix, rtol=1e-6, atol=1e-9)
    # Of whole numbers and texts, as frames.
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(kind=np.where(y == 1, "x", "z"))
    sides = tuple(frame.iloc[places[:, side]] for side in range(3))
    fitted = FrobMetric().fit_triplets(sides)
    assert "kind=x" in fitted.encoded_names_
    polars = FrobMetric().fit_triplets(tuple(pl.from_pandas(side) for side in sides))
    np.testing.assert_allclose(
        polars.get_mahalanobis_matrix(), fitted.get_mahalanobis_matrix(), atol=1e-12
    )


def test_a_metric_of_triplets_is_no_worse_than_a_search_from_the_outside(X, y):
    """Subgradient descent over all metrics, by the definition alone."""
    places = triplets_of(X, y)
    near = X[places[:, 0]] - X[places[:, 1]]
    far = X[places[:, 0]] - X[places[:, 2]]
    apart = np.einsum("ti,tj->tij", far, far) - np.einsum("ti,tj->tij", near, near)
    price = 0.01 * np.mean((apart**2).sum(axis=(1, 2)))

    def objective(matrix):
        lack = np.maximum(1 - np.einsum("tij,ij->t", apart, matrix), 0)
        return lack.mean() + price / 2 * (matrix**2).sum()

    model = FrobMetric(tol=1e-8, max_iter=50_000).fit_triplets(X[places])
    assert objective(model.get_mahalanobis_matrix()) == pytest.approx(model.objective_, rel=1e-9)
    matrix, least = np.zeros((3, 3)), 1.0
    for step in range(1, 4000):
        violated = np.einsum("tij,ij->t", apart, matrix) < 1
        slope = price * matrix - (apart * violated[:, None, None]).mean(axis=0)
        lengths, vectors = np.linalg.eigh(matrix - slope / (price * step))
        matrix = (vectors * np.maximum(lengths, 0)) @ vectors.T
        least = min(least, objective(matrix))
    assert model.objective_ <= least * (1 + 1e-8)
    assert least <= model.objective_ * 1.01


def test_wrong_triplets_are_refused(X):
    with pytest.raises(ValueError, match=r"triplets: the shape is \(40, 3\)"):
        FrobMetric().fit_triplets(X)
    with pytest.raises(
        ValueError, match=r"quadruplets: the shape is .* \(n_quadruplets, 4, n_feat"
    ):
        FrobMetric().fit_quadruplets(np.stack([X, X, X], axis=1))
    with pytest.raises(ValueError, match="triplets: the far rows of number 2 are equal"):
        FrobMetric().fit_triplets(X[[[0, 1, 2], [3, 4, 5], [6, 7, 6]]])
    frame = pd.DataFrame(X)
    with pytest.raises(ValueError, match="triplets: provide three data frames"):
        FrobMetric().fit_triplets((frame, frame))
    assert not hasattr(LDA(), "fit_triplets")
    assert not hasattr(ITML(), "fit_triplets")


def test_chunks_are_classes_of_the_rows_that_have_one(X, y):
    chunks = np.where(np.arange(40) < 30, y, -1)
    kept = chunks >= 0
    wanted = RCA().fit(X[kept], chunks[kept]).get_mahalanobis_matrix()
    # The inverse of the mean covariance within the chunks.
    centered = np.concatenate([X[chunks == c] - X[chunks == c].mean(axis=0) for c in range(3)])
    np.testing.assert_allclose(wanted, np.linalg.inv(centered.T @ centered / len(centered)))
    for rows in [X, pd.DataFrame(X), pl.from_numpy(X), X.tolist()]:
        found = RCA().fit_chunks(rows, chunks)
        np.testing.assert_allclose(found.get_mahalanobis_matrix(), wanted)
        assert not hasattr(found, "classes_")
    with pytest.raises(ValueError, match="there are 39 numbers, but X has 40 rows"):
        RCA().fit_chunks(X, chunks[:39])
    with pytest.raises(ValueError, match="a whole number per row"):
        RCA().fit_chunks(X, chunks + 0.5)
    with pytest.raises(ValueError, match="at least two chunks"):
        RCA().fit_chunks(X, np.where(chunks == 0, 0, -1))
    assert not hasattr(LDA(), "fit_chunks")


def test_pages_tell_of_fits_without_classes(X, y, tmp_path):
    first, second = np.triu_indices(12, 1)
    pairs = np.stack([X[first], X[second]], axis=1)
    signs = np.where(y[first] == y[second], 1, -1)
    triplets = X[triplets_of(X[:12], y[:12])]
    chunks = np.where(np.arange(40) < 30, y, -1)
    for model, data, target, call in [
        (ITML().fit_pairs(pairs, signs), pairs, signs, "fit_pairs(pairs, y)"),
        (FrobMetric().fit_triplets(triplets), triplets, None, "fit_triplets(triplets)"),
        (RCA().fit_chunks(X, chunks), X, chunks, "fit_chunks(X, chunks)"),
    ]:
        page = model.to_html(data, target)
        assert call in page
        file = tmp_path / f"{type(model).__name__}.html"
        model.report(data, target, file)
        assert file.read_text() == page
        with pytest.raises(ValueError, match="provide the data of the fit"):
            model.to_html(data[:5], None if target is None else target[:5])
    again = ITML().fit(X, y)
    assert "fit(X, y)" in again.to_html(X, y)


def test_the_peer_finds_the_same_metric_of_chunks(X, y):
    metric_learn = pytest.importorskip("metric_learn")
    chunks = np.where(np.arange(40) < 30, y, -1)
    try:
        wanted = metric_learn.RCA().fit(X, chunks).get_mahalanobis_matrix()
    except TypeError:
        pytest.skip("metric-learn does not work with this scikit-learn")
    found = basrelief.RCA().fit_chunks(X, chunks).get_mahalanobis_matrix()
    np.testing.assert_allclose(found, wanted)
