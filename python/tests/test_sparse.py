"""Sparse matrices of SciPy."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils import get_tags

from basrelief import (
    LFDA,
    SURF,
    VLS,
    IRelief,
    Iter,
    MultiSURF,
    ReliefF,
    ReliefWarning,
    RReliefF,
    Stable,
    TuRF,
)

pytestmark = pytest.mark.filterwarnings("ignore::basrelief.ReliefWarning")


@pytest.fixture
def counts():
    rng = np.random.default_rng(5)
    dense = rng.poisson(0.15, size=(160, 40)) * rng.integers(1, 4, size=(160, 40))
    dense = dense.astype(np.float64)
    y = np.where(dense[:, 3] + dense[:, 7] + rng.random(160) > 0.8, "a", "b")
    return dense, y


def layouts(dense):
    """Every layout that scikit-learn knows, as arrays and as matrices."""
    for layout in ["csr", "csc", "coo", "lil", "dok", "bsr"]:
        yield getattr(sparse, f"{layout}_array")(dense)
        yield getattr(sparse, f"{layout}_matrix")(dense)


@pytest.mark.parametrize("selector", [ReliefF(), SURF(), MultiSURF(), TuRF(ReliefF(), keep=5)])
def test_weights_are_those_of_dense_arrays(counts, selector):
    dense, y = counts
    wanted = selector.fit(dense, y).weights_
    for X in layouts(dense):
        found = selector.fit(X, y)
        np.testing.assert_allclose(found.weights_, wanted, rtol=0, atol=1e-12)
        assert found.n_features_in_ == 40


def test_numeric_targets(counts):
    dense, _ = counts
    y = dense[:, 3] * 2 + dense[:, 5]
    found = RReliefF().fit(sparse.csr_array(dense), y)
    np.testing.assert_allclose(found.weights_, RReliefF().fit(dense, y).weights_, atol=1e-12)


@pytest.mark.parametrize(
    "dtype", [np.float32, np.float64, np.int64, np.int32, np.uint8, np.bool_, np.int16]
)
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_types_of_values_and_indices(counts, dtype, index):
    dense, y = counts
    dense = dense.astype(dtype)
    X = sparse.csr_array(dense)
    X.indptr, X.indices = X.indptr.astype(index), X.indices.astype(index)
    wanted = ReliefF().fit(dense.astype(np.float64), y).weights_
    np.testing.assert_allclose(ReliefF().fit(X, y).weights_, wanted, atol=1e-12)


def test_repeated_unsorted_and_zero_entries_and_nan():
    data = np.array([1.0, 2.0, 0.0, 5.0, np.nan, 4.0, 1.0])
    indices = np.array([2, 2, 0, 1, 1, 0, 2])
    X = sparse.csr_array((data, indices, np.array([0, 3, 4, 5, 6, 7])), shape=(5, 3))
    y = ["a", "b", "a", "b", "a"]
    before = (X.data.copy(), X.indices.copy())
    found = ReliefF(n_neighbors=1).fit(X, y)
    dense = np.array([[0, 0, 3], [0, 5, 0], [0, np.nan, 0], [4, 0, 0], [0, 0, 1]])
    np.testing.assert_array_equal(found.weights_, ReliefF(n_neighbors=1).fit(dense, y).weights_)
    # The input is unchanged.
    np.testing.assert_array_equal(before[0], X.data)
    np.testing.assert_array_equal(before[1], X.indices)


def test_transform_returns_sparse_output(counts):
    dense, y = counts
    X = sparse.csr_array(dense)
    selector = MultiSURF(n_features_to_select=3).fit(X, y)
    for given in [X, X.tocsc(), X[:5]]:
        selected = selector.transform(given)
        assert sparse.issparse(selected)
        assert selected.shape == (given.shape[0], 3)
        columns = given.toarray()[:, selector.get_support()]
        np.testing.assert_array_equal(selected.toarray(), columns)
    assert isinstance(selector.transform(dense), np.ndarray)


def test_pipelines_behind_encoders():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, size=(200, 6))
    y = codes[:, 1] % 2
    texts = [" ".join(f"word{code}{place}" for place, code in enumerate(row)) for row in codes]
    for first, X in [
        (OneHotEncoder(), codes),
        (CountVectorizer(), texts),
        (TfidfVectorizer(), texts),
        (TfidfVectorizer(dtype=np.float32), texts),
    ]:
        pipeline = make_pipeline(first, MultiSURF(n_features_to_select=4), LogisticRegression())
        assert pipeline.fit(X, y).score(X, y) == 1.0
        names = pipeline[:2].get_feature_names_out()
        assert len(names) == 4


def test_tests_resamples_wrappers_and_pages(counts, tmp_path):
    dense, y = counts
    X = sparse.csr_array(dense)
    for selector in [
        ReliefF(n_features_to_select="max-t", n_permutations=50, random_state=3),
        MultiSURF(n_features_to_select="fdr", n_permutations=50, random_state=3),
        Stable(ReliefF(), n_resamples=8, random_state=2),
        VLS(ReliefF(), size=10, rounds=3, random_state=1),
        Iter(ReliefF(), max_iter=3),
        ReliefF(n_features_to_select=5, redundancy="correlation:0.9"),
    ]:
        names = ("pvalues_", "weights_", "frequencies_")
        found = selector.fit(X, y)
        found = {name: getattr(found, name) for name in names if hasattr(found, name)}
        assert found
        wanted = selector.fit(dense, y)
        for name, values in found.items():
            np.testing.assert_allclose(values, getattr(wanted, name), rtol=0, atol=1e-12)
    fitted = ReliefF().fit(X, y)
    assert "multisurf" in MultiSURF().fit(X, y).to_html(X, y)
    fitted.report(X, y, tmp_path / "page.html")
    np.testing.assert_allclose(
        ReliefF().fit(X, y, groups=np.arange(160) // 2).weights_,
        ReliefF().fit(dense, y, groups=np.arange(160) // 2).weights_,
        atol=1e-12,
    )
    weights = np.arange(160) % 3
    for given in [X, X.tocsc(), X.tocoo()]:
        np.testing.assert_allclose(
            ReliefF().fit(given, y, sample_weight=weights).weights_,
            ReliefF().fit(dense, y, sample_weight=weights).weights_,
            atol=1e-12,
        )


def test_kinds_can_be_stated(counts):
    dense, y = counts
    dense = np.minimum(dense, 2)
    X = sparse.csc_array(dense)
    for kinds in [
        {"genotype_features": "all"},
        {"categorical_features": [0, 3]},
        {"ordinal_features": [1]},
    ]:
        found = ReliefF(**kinds).fit(X, y).weights_
        wanted = dict(kinds)
        if "genotype_features" not in kinds:
            # Without it, columns of 0, 1 and 2 of a dense array are genotypes.
            wanted["genotype_features"] = []
        np.testing.assert_allclose(found, ReliefF(**wanted).fit(dense, y).weights_, atol=1e-12)


def test_methods_that_need_dense_arrays_refuse_sparse_ones(counts):
    dense, y = counts
    X = sparse.csr_array(dense)
    for estimator in [LFDA(), IRelief()]:
        assert not get_tags(estimator).input_tags.sparse
        with pytest.raises(TypeError, match="dense data is required"):
            estimator.fit(X, y)
    assert get_tags(TuRF(MultiSURF())).input_tags.sparse
    with pytest.raises(ValueError, match="no form for sparse tables"):
        ReliefF(metric="chebyshev").fit(X, y)
    with pytest.raises(ValueError, match="no form for sparse tables"):
        ReliefF(ramp="0.1:0.5").fit(X, y)


def test_bad_matrices(counts):
    dense, y = counts
    X = sparse.csr_array(dense)
    X.data[7] = np.inf
    row = int(np.searchsorted(X.indptr, 7, side="right"))
    with pytest.raises(ValueError, match=rf"row {row}, column `x{X.indices[7]}`: infinite value"):
        ReliefF().fit(X, y)
    whole = sparse.csr_array(dense.astype(np.int64))
    whole.data[2] = 2**53 + 1
    with pytest.raises(ValueError, match="9007199254740993"):
        ReliefF().fit(whole, y)
    wide = sparse.csr_array(
        (np.ones(4), np.zeros(4, dtype=np.int64), np.arange(5)), shape=(4, 2**33)
    )
    with pytest.raises(ValueError, match="X has 8589934592 columns; use at most 4294967295"):
        ReliefF().fit(wide, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="Found array with 1 sample"):
        ReliefF().fit(X[:1], y[:1])


def test_warnings_are_those_of_dense_arrays():
    rng = np.random.default_rng(1)
    dense = np.where(rng.random((60, 5)) < 0.2, rng.random((60, 5)), 0)
    dense[:, 1] = 0
    dense[:, 4] = dense[:, 2]
    y = rng.integers(0, 2, 60)
    with pytest.warns(ReliefWarning):
        wanted = ReliefF().fit(dense, y).warnings_
    with pytest.warns(ReliefWarning):
        found = ReliefF().fit(sparse.csr_array(dense), y).warnings_
    assert found == wanted
    assert len(found) == 2
