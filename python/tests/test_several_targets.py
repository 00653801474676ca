"""Several targets, labels in a hierarchy, and unlabeled rows."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import basrelief
from basrelief import (
    LDA,
    LFE,
    LMNN,
    MFA,
    MLKR,
    PCA,
    SURF,
    Kernelized,
    MultiSURF,
    ReliefF,
    RReliefF,
    Stable,
    TuRF,
    permutation_test,
)
from basrelief._base import MethodSelector

SELECTORS = [RReliefF(), SURF(), MultiSURF()]


@pytest.fixture
def data():
    """Three features determine three targets: a number, a label and a text."""
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(150, 6))
    y = pd.DataFrame(
        {
            "size": X[:, 0] + X[:, 1],
            "label": (X[:, 1] > 0.5).astype(float),
            "color": np.where(X[:, 2] > 0.5, "red", "blue"),
        }
    )
    return X, y


def weights_by_definition(X, difference, known, k=10, sigma=20):
    """Compute RReliefF's weights, from the differences of all pairs of rows."""
    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    apart = np.abs(scaled[:, None] - scaled[None])
    distance = apart.sum(axis=2)
    np.fill_diagonal(distance, np.inf)
    by_rank = np.exp(-((np.arange(1, k + 1) / sigma) ** 2))
    count = np.zeros_like(distance)
    nearest = np.argsort(distance, axis=1, kind="stable")[:, :k]
    np.put_along_axis(count, nearest, by_rank[None] / by_rank.sum(), axis=1)
    count *= known
    n_dc, n_da = (count * difference).sum(), np.einsum("ij,ijk", count, apart)
    n_dcda = np.einsum("ij,ijk", count * difference, apart)
    return n_dcda / n_dc - (n_da - n_dcda) / (count.sum() - n_dc)


def test_weights_follow_the_definition(data):
    X, y = data
    y.loc[:19, "size"] = np.nan
    y.loc[10:29, "color"] = None
    size, label = y["size"].to_numpy(), y["label"].to_numpy()
    colors = y["color"].to_numpy(dtype=object)
    parts, known = [], []
    for values, scale in ((size, np.nanmax(size) - np.nanmin(size)), (label, 1.0)):
        both = ~np.isnan(values)[:, None] & ~np.isnan(values)[None]
        parts.append(np.where(both, np.abs(values[:, None] - values[None]) / scale, 0))
        known.append(both)
    has_color = np.array([isinstance(color, str) for color in colors])
    known.append(has_color[:, None] & has_color[None])
    parts.append(np.where(known[-1], colors[:, None] != colors[None], 0).astype(float))
    count = np.sum(known, axis=0)
    expected = weights_by_definition(X, np.sum(parts, axis=0) / count, count > 0)
    found = RReliefF().fit(X, y)
    np.testing.assert_allclose(found.weights_, expected, atol=1e-12)
    assert not hasattr(found, "classes_")
    assert set(found.ranking_[:3]) == {1, 2, 3}


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda own: type(own).__name__)
def test_one_target_in_a_list_has_the_weights_of_the_target(selector, data):
    X, y = data
    selector.set_params(target_type="real")
    alone = selector.fit(X, y["size"]).weights_.copy()
    twice = y["size"].to_numpy()[:, None].repeat(2, axis=1)
    np.testing.assert_array_equal(selector.fit(X, twice).weights_, alone)


def test_indicator_matrices_and_distances_of_labels():
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(120, 5))
    y = (X[:, :3] > [0.3, 0.5, 0.7]).astype(int)
    found = {
        distance: RReliefF(target_distance=distance).fit(X, y).weights_
        for distance in ("mean", "hamming", "jaccard", "f1", "cosine")
    }
    np.testing.assert_array_equal(found["mean"], found["hamming"])
    both, sizes = y @ y.T, y.sum(axis=1)
    either = sizes[:, None] + sizes[None]
    with np.errstate(invalid="ignore", divide="ignore"):
        similar = {
            "jaccard": both / (either - both),
            "f1": 2 * both / either,
            "cosine": both / np.sqrt(sizes[:, None] * sizes[None]),
        }
    for distance, similarity in similar.items():
        similarity = np.where(either == 0, 1.0, np.nan_to_num(similarity))
        expected = weights_by_definition(X, 1 - similarity, np.ones_like(similarity, dtype=bool))
        np.testing.assert_allclose(found[distance], expected, atol=1e-12)
    sparse_y = sparse.csr_matrix(y)
    jaccard = RReliefF(target_distance="jaccard").fit(X, sparse_y).weights_
    np.testing.assert_array_equal(jaccard, found["jaccard"])
    as_bool = RReliefF(target_distance="jaccard").fit(X, y.astype(bool)).weights_
    np.testing.assert_array_equal(as_bool, found["jaccard"])


def test_unlabeled_rows_are_neighbors_that_do_not_count(data):
    X, y = data
    label = y["label"].to_numpy().copy()
    label[::4] = -1
    unlabeled = RReliefF(unlabeled=-1).fit(X, label).weights_
    known = label >= 0
    difference = (label[:, None] != label[None]).astype(float)
    expected = weights_by_definition(X, difference, known[:, None] & known[None])
    np.testing.assert_allclose(unlabeled, expected, atol=1e-12)
    missing = np.where(known, label, np.nan)
    found = RReliefF(unlabeled="missing").fit(X, missing).weights_
    np.testing.assert_array_equal(found, unlabeled)
    # Without the parameter, -1 is a number.
    assert not np.allclose(RReliefF().fit(X, label).weights_, unlabeled)
    with pytest.raises(ValueError, match="leave out rows whose target is unknown"):
        RReliefF().fit(X, missing)
    with pytest.raises(ValueError, match="option unlabeled: no row has the target `7`"):
        RReliefF(unlabeled=7).fit(X, label)


@pytest.fixture
def partial():
    """Rows of three classes, of which every fourth repeats the features of one and is unlabeled."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(120, 5))
    y = np.digitize(X[:, 0] * X[:, 1], [-0.3, 0.4])
    X[1::4], y[1::4] = X[::4], -1
    return X, y


METHODS = [
    selector
    for selector in (getattr(basrelief, name) for name in basrelief.__all__)
    if isinstance(selector, type)
    and issubclass(selector, MethodSelector)
    and selector._entry["task"] in ("classes", "two classes")
]


@pytest.mark.parametrize("method", METHODS, ids=lambda own: own.__name__)
def test_methods_for_classes_use_labeled_rows(method, partial):
    X, y = partial
    if method._entry["task"] == "two classes":
        y[y == 2] = 1
    known = y >= 0
    names = np.array(["a", "b", "c", "unknown"])[y]
    found = method(unlabeled=-1, random_state=3).fit(X, y)
    alone = method(random_state=3).fit(X[known], y[known])
    np.testing.assert_array_equal(found.weights_, alone.weights_)
    np.testing.assert_array_equal(found.classes_, np.unique(y[known]))
    assert found.transform(X).shape[0] == 120
    texts = method(unlabeled="unknown", random_state=3).fit(X, names)
    np.testing.assert_array_equal(texts.weights_, found.weights_)
    missing = method(unlabeled="missing", random_state=3).fit(X, np.where(known, y, np.nan))
    np.testing.assert_array_equal(missing.weights_, found.weights_)


def test_relieff_scales_features_by_all_rows(partial):
    X, y = partial
    X[1, 0], X[5, 3] = 9.0, -7.0
    known = y >= 0
    found = ReliefF(3, unlabeled=-1).fit(X, y).weights_
    scaled = ((X - X.min(axis=0)) / np.ptp(X, axis=0))[known]
    apart = np.abs(scaled[:, None] - scaled[None])
    distance, label = apart.sum(axis=2), y[known]
    np.fill_diagonal(distance, np.inf)
    expected = np.zeros(5)
    for row, own in enumerate(label):
        for other in range(3):
            members = np.flatnonzero(label == other)
            near = members[np.argsort(distance[row, members])[:3]]
            share = np.mean(label == other) / (1 - np.mean(label == own))
            expected += (-1 if other == own else share) * apart[row, near].mean(axis=0)
    np.testing.assert_allclose(found, expected / len(label), atol=1e-12)


def test_tests_of_labeled_rows(partial):
    X, y = partial
    known = y >= 0
    groups, weights = np.arange(120) // 6, 1 + np.arange(120) % 3
    for roles in ({}, {"groups": groups}, {"strata": groups % 2}, {"sample_weight": weights}):
        of_known = {name: values[known] for name, values in roles.items()}
        test = {"n_permutations": 19, "random_state": 3}
        found = permutation_test(ReliefF(unlabeled=-1), X, y, **test, **roles)
        alone = permutation_test(ReliefF(), X[known], y[known], **test, **of_known)
        np.testing.assert_array_equal(found.pvalues_, alone.pvalues_)
        np.testing.assert_array_equal(found.weights_, alone.weights_)
    # In resamples too, unlabeled rows count in the ranges.
    X[~known] = X[known].mean(axis=0)
    resamples = {"n_features_to_select": 2, "n_resamples": 6, "random_state": 3}
    stable = Stable(ReliefF(unlabeled=-1), **resamples).fit(X, y)
    alone = Stable(ReliefF(), **resamples).fit(X[known], y[known])
    np.testing.assert_array_equal(stable.frequencies_, alone.frequencies_)
    wrapped = TuRF(ReliefF(unlabeled=-1)).fit(X, y).weights_
    np.testing.assert_array_equal(wrapped, TuRF(ReliefF()).fit(X[known], y[known]).weights_)


@pytest.mark.parametrize("scale", ["none", "standard", "range"])
def test_maps_use_labeled_rows(scale, partial):
    X, y = partial
    X[1] *= 4
    known = y >= 0
    units = {"none": np.ones(5), "standard": X.std(axis=0), "range": np.ptp(X, axis=0)}[scale]
    for make in (LFE, LDA, LMNN, MFA):
        found = make(2, scale=scale, unlabeled=-1).fit(X, y)
        mapped = found.transform(X)
        alone = make(2).fit((X / units)[known], y[known]).transform(X / units)
        np.testing.assert_allclose(mapped - mapped[0], alone - alone[0], atol=1e-7)
        np.testing.assert_array_equal(found.classes_, [0, 1, 2])
    kernel = Kernelized(LFE(2, unlabeled=-1), "rbf:rho=2").fit(X, y).transform(X)
    alone = Kernelized(LFE(2), "rbf:rho=2").fit(X[known], y[known]).transform(X)
    if scale == "none":
        np.testing.assert_allclose(kernel - kernel[0], alone - alone[0], atol=1e-6)
    # A numeric target.
    size = np.where(known, X[:, 0], np.nan)
    mapped = MLKR(2, unlabeled="missing").fit(X, size).transform(X)
    alone = MLKR(2).fit(X[known], size[known]).transform(X)
    np.testing.assert_allclose(np.ptp(mapped, axis=0), np.ptp(alone, axis=0), rtol=1e-3)
    # All rows, whatever the target.
    np.testing.assert_array_equal(PCA(unlabeled=-1).fit(X, y).mean_, PCA().fit(X).mean_)
    page = LFE(2, unlabeled=-1).fit(X, y).to_html(X, y)
    assert "unlabeled" in page


def test_maps_refuse_unknown_values_of_unlabeled_rows(partial):
    X, y = partial
    with pytest.raises(ValueError, match="option unlabeled: no row has the target `7`"):
        LFE(unlabeled=7).fit(X, y)
    np.testing.assert_array_equal(
        LFE(unlabeled="missing").fit(X, y).components_, LFE().fit(X, y).components_
    )
    with pytest.raises(ValueError, match="NaN"):
        LFE().fit(X, np.where(y >= 0, y, np.nan))


def test_hierarchies(data):
    X, _ = data
    names = np.array(["cat", "dog", "oak"])[np.digitize(X[:, 1], [0.3, 0.6])]
    tree = {"cat": "animal", "dog": "animal", "oak": "plant", "animal": None}
    found = RReliefF(target_tree=tree).fit(X, names)
    indicators = pd.DataFrame({name: (names == name).astype(int) for name in ("cat", "dog", "oak")})
    again = RReliefF(target_tree=tree).fit(X, indicators)
    np.testing.assert_array_equal(found.weights_, again.weights_)
    with pytest.raises(ValueError, match="is its own ancestor"):
        RReliefF(target_tree={"cat": "dog", "dog": "cat", "oak": None}).fit(X, names)
    with pytest.raises(ValueError, match="label `oak` of the target is not in the hierarchy"):
        RReliefF(target_tree={"cat": "dog"}).fit(X, names)
    with pytest.raises(TypeError, match="is not a dictionary of labels and their parents"):
        RReliefF(target_tree=["cat"]).fit(X, names)


def test_tests_wrappers_and_pages(data, tmp_path):
    X, y = data
    found = permutation_test(RReliefF(), X, y, n_permutations=99, random_state=0)
    assert (found.pvalues_[1:3] < 0.05).all()
    assert set(TuRF(RReliefF()).fit(X, y).ranking_[:3]) == {1, 2, 3}
    stable = Stable(RReliefF(), n_resamples=5, random_state=0).fit(X, y)
    assert stable.frequencies_.shape == (6,)
    selector = RReliefF(n_features_to_select=3, random_state=0).fit(X, y)
    assert selector.transform(X).shape == (150, 3)
    file = tmp_path / "page.html"
    selector.report(X, y, path=file)
    assert "size" in file.read_text()


def test_bad_targets_are_refused(data):
    X, y = data
    with pytest.raises(ValueError, match="in every row"):
        RReliefF().fit(X, y.assign(size=1.0))
    with pytest.raises(ValueError, match=r"contains NaN \(row 1\)"):
        RReliefF().fit(X, y.where(y["size"] > y["size"].iloc[0]))
    with pytest.raises(ValueError, match="`size` is not a label"):
        RReliefF(target_distance="f1").fit(X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        RReliefF().fit(X, y.iloc[1:])
    with pytest.raises(ValueError, match="option target_distance"):
        RReliefF(target_distance="jaccard").fit(X, y["size"])
