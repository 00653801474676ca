"""Maps of frames with categories and missing values."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from basrelief import (
    ITML,
    LDA,
    LFE,
    PCA,
    SDML,
    Euclidean,
    Kernelized,
    ReliefF,
    ReliefWarning,
)

ROWS = 80


@pytest.fixture
def y():
    return np.where(np.random.default_rng(2).uniform(size=ROWS) < 0.5, "ill", "well")


@pytest.fixture
def columns(y):
    rng = np.random.default_rng(3)
    color = np.where(rng.uniform(size=ROWS) < 0.7, np.where(y == "ill", "red", "blue"), "green")
    return {
        "age": rng.normal(50, 10, size=ROWS) + 8 * (y == "ill"),
        "color": color.astype(object),
        "smokes": rng.integers(0, 2, size=ROWS).astype(bool),
    }


@pytest.fixture
def frame(columns):
    frame = pd.DataFrame(columns)
    frame.loc[::7, "age"] = np.nan
    frame.loc[3::9, "color"] = None
    return frame


def one_hot(frame):
    """The columns of numbers, by hand."""
    age = frame["age"].to_numpy(dtype=float)
    known = age[~np.isnan(age)]
    made = [np.where(np.isnan(age), known.mean(), age), np.isnan(age) * known.std()]
    for name in ["color", "smokes"]:
        texts = frame[name].map(str).where(frame[name].notna())
        levels = sorted(set(texts.dropna()))
        missing = texts.isna().to_numpy()
        own = np.array([(texts == level).to_numpy() for level in levels]) * np.sqrt(0.5)
        means = own[:, ~missing].mean(axis=1)
        own[:, missing] = means[:, None]
        made += list(own)
        if missing.any():
            made.append(missing * np.sqrt(0.5 * (1 - 2 * np.sum(means**2))))
    return np.column_stack(made)


@pytest.mark.parametrize("method", [LFE(), LDA(), PCA(), Euclidean()], ids=str)
def test_frames_are_columns_made_by_hand(method, frame, y):
    X = one_hot(frame)
    fitted = clone(method).fit(frame, y)
    assert list(fitted.encoded_names_) == [
        "age",
        "age (missing)",
        "color=blue",
        "color=green",
        "color=red",
        "color (missing)",
        "smokes=False",
        "smokes=True",
    ]
    by_hand = clone(method).fit(X, y).transform(X)
    found = fitted.transform(frame)
    apart = np.linalg.norm(found[:, None] - found, axis=2)
    wanted = np.linalg.norm(by_hand[:, None] - by_hand, axis=2)
    np.testing.assert_allclose(apart, wanted, atol=1e-9)
    pairs = frame.iloc[:40], frame.iloc[40:]
    np.testing.assert_allclose(fitted.pair_distance(pairs), np.diag(wanted[:40, 40:]), atol=1e-9)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(frame), found)
    rows = fitted.transform(frame.iloc[[5]])
    np.testing.assert_allclose(rows, found[[5]], rtol=1e-13)


def test_frames_of_both_kinds_and_codes_are_one(frame, y):
    fitted = LFE().fit(frame, y)
    known = {name: frame[name].notna() for name in frame}
    cells = {name: zip(frame[name], known[name], strict=True) for name in frame}
    other = pl.DataFrame(
        {name: [cell if own else None for cell, own in cells[name]] for name in frame}
    )
    same = LFE().fit(other, y)
    np.testing.assert_array_equal(same.components_, fitted.components_)
    np.testing.assert_array_equal(same.transform(other), fitted.transform(frame))
    typed = frame.astype({"color": pd.CategoricalDtype(["red", "unused", "blue", "green"])})
    np.testing.assert_array_equal(LFE().fit(typed, y).components_, fitted.components_)
    codes = frame["color"].map({"blue": 4.0, "green": 7.0, "red": 9.0}).astype(float)
    numbers = np.column_stack([frame["age"], codes, frame["smokes"].astype(float)])
    coded = LFE(categorical_features=[1, 2]).fit(numbers, y)
    np.testing.assert_array_equal(coded.components_, fitted.components_)
    np.testing.assert_array_equal(coded.transform(numbers), fitted.transform(frame))
    assert list(coded.encoded_names_)[2:5] == ["x1=4", "x1=7", "x1=9"]


def test_what_is_new_is_told(frame, y):
    fitted = LDA().fit(frame.assign(full=np.arange(ROWS) % 13), y)
    new = pd.DataFrame(
        {"age": [40.0, np.nan], "color": ["violet", "red"], "smokes": [True, False]}
    ).assign(full=[np.nan, 3.0])
    with pytest.warns(ReliefWarning) as told:
        mapped = fitted.transform(new)
    texts = [str(warning.message) for warning in told]
    assert any("`full` (1)" in text for text in texts), texts
    assert any("`color`: 1 row has a category" in text and "`violet`" in text for text in texts)
    assert np.isfinite(mapped).all()
    with pytest.raises(ValueError, match=r"`age`.*`old`|`old`.*`age`|column `age`"):
        fitted.transform(new.assign(age=["old", "young"]))
    # Of complete numbers, too.
    X = np.random.default_rng(0).normal(size=(ROWS, 3))
    plain = PCA().fit(X)
    assert plain.encoding_ is None
    gap = X[:2].copy()
    gap[0, 1] = np.nan
    with pytest.warns(ReliefWarning, match=r"`x1` \(1\)"):
        mapped = plain.transform(gap)
    gap[0, 1] = plain.mean_[1]
    np.testing.assert_array_equal(mapped, plain.transform(gap))


def test_arrays_of_any_layout_give_one_map(y):
    X = np.random.default_rng(1).integers(-60, 60, (ROWS, 19)).astype(float)
    wanted = LDA().fit(pd.DataFrame(X), y)
    gaps = X[:9].copy()
    gaps[3, 4] = gaps[3, 18] = gaps[7, 4] = np.nan
    with pytest.warns(ReliefWarning, match=r"`4` \(2\).*`18` \(1\)"):
        mapped = wanted.transform(pd.DataFrame(gaps))
    wide = np.zeros((ROWS, 40))
    wide[:, 11:30] = X
    # By rows, by columns, as a part of rows, and as other numbers.
    for rows in [X, np.asfortranarray(X), wide[:, 11:30], X.astype("f4"), X.astype("i1")]:
        fitted = LDA().fit(rows, y)
        np.testing.assert_array_equal(fitted.components_, wanted.components_)
        with pytest.warns(ReliefWarning, match=r"`x4` \(2\).*`x18` \(1\)"):
            np.testing.assert_array_equal(fitted.transform(gaps), mapped)


def test_in_pipelines_and_kernels(frame, y):
    knn = KNeighborsClassifier(5)
    for method in [LFE(2, scale="standard"), Kernelized(LDA(ridge=0.1, scale="standard"))]:
        assert cross_val_score(make_pipeline(method, knn), frame, y, cv=4).mean() > 0.7
    fitted = Kernelized(PCA(2), "laplacian:rho=3").fit(frame)
    assert fitted.encoding_[0] == "absolute"
    assert fitted.transform(frame).shape == (ROWS, 2)
    page = LFE(scale="standard").fit(frame, y).to_html(frame, y)
    assert "age (12 values)" in page
    assert "color=red" in page


def test_a_column_called_as_the_target_is_told_of(frame, y):
    target = pd.Series(y, name="group")
    X = frame.assign(group=np.arange(ROWS))
    for method in [LDA(), ReliefF()]:
        with pytest.warns(ReliefWarning, match="X has a column `group`, the name of the target"):
            fitted = method.fit(X, target)
        assert fitted.warnings_[0].startswith("X has a column `group`")
        assert not any("column `group`" in text for text in method.fit(frame, target).warnings_)


def test_maps_of_given_pairs(frame, y):
    X = np.random.default_rng(5).normal(size=(30, 3))
    first, second = np.triu_indices(30, 1)
    labels = np.arange(30) % 3
    signs = np.where(labels[first] == labels[second], 1, -1)
    pairs = np.stack([X[first], X[second]], axis=1)
    for cls in [ITML, SDML]:
        found = cls(tol=1e-10).fit_pairs(pairs, signs)
        wanted = cls(tol=1e-10, n_constraints="all").fit(X, labels)
        matrix = wanted.get_mahalanobis_matrix()
        np.testing.assert_allclose(found.get_mahalanobis_matrix(), matrix, rtol=1e-3, atol=1e-5)
        assert not hasattr(found, "classes_")
        sides = frame.iloc[:40], frame.iloc[40:]
        near = np.where(y[:40] == y[40:], 1, -1)
        fitted = cls().fit_pairs(sides, near)
        assert fitted.pair_distance(sides).shape == (40,)
        other = tuple(pl.from_pandas(side) for side in sides)
        matrix = fitted.get_mahalanobis_matrix()
        np.testing.assert_allclose(cls().fit_pairs(other, near).get_mahalanobis_matrix(), matrix)
        with pytest.raises(ValueError, match="y: provide 1 or -1 for each of the 435 pairs"):
            cls().fit_pairs(pairs, labels[first])
    assert not hasattr(LDA(), "fit_pairs")


def test_pairs_and_the_way_back(y):
    X = np.random.default_rng(4).normal(size=(ROWS, 4))
    full, two = LDA().fit(X, y), PCA(2).fit(X)
    pairs = np.stack([X[:30], X[30:60]], axis=1)
    metric = two.get_metric()
    wanted = [metric(a, b) for a, b in pairs]
    np.testing.assert_allclose(two.pair_distance(pairs), wanted)
    np.testing.assert_allclose(two.pair_score(pairs), -two.pair_distance(pairs))
    assert metric(X[0], X[1], squared=True) == pytest.approx(metric(X[0], X[1]) ** 2)
    Euclid = Euclidean().fit(X)
    np.testing.assert_allclose(Euclid.inverse_transform(Euclid.transform(X)), X, atol=1e-12)
    # Fewer components: the nearest to the mean of the rows that are mapped there.
    for fitted in [full, two]:
        mapped = fitted.transform(X)
        back = fitted.inverse_transform(mapped)
        np.testing.assert_allclose(fitted.transform(back), mapped, atol=1e-9)
        lost = X - back
        assert np.all(
            np.linalg.norm(back - fitted.mean_, axis=1)
            <= np.linalg.norm(X - fitted.mean_, axis=1) + 1e-9
        )
        np.testing.assert_allclose(lost @ fitted.components_.T, 0, atol=1e-9)
    with pytest.raises(ValueError, match="has 3 columns, but the map has 2"):
        two.inverse_transform(np.zeros((1, 3)))
    for wrong in [X, pairs[:, :1], (pd.DataFrame(X), pd.DataFrame(X[:3]))]:
        with pytest.raises(ValueError, match=r"pairs: "):
            two.pair_distance(wrong)
