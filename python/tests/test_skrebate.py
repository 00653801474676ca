"""`basrelief.skrebate` computes the numbers of scikit-rebate 0.8.4."""

import os
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from basrelief import skrebate as ours

theirs = pytest.importorskip("skrebate")
pytestmark = pytest.mark.slow

SHARED = Path(os.environ.get("BASRELIEF_DATA", Path(__file__).parents[3] / "shared" / "data"))
RADIUS = ["SURF", "SURFstar", "MultiSURF", "MultiSURFstar"]
SMOOTH = [
    "SWRF",
    "SWRFstar",
    "MultiSWRF",
    "MultiSWRFstar",
    "MultiSWRFDB",
    "MultiSWRFDBstar",
]
NEAREST = ["ReliefF", "MuRelief"]


def some(X, y, rows, seed=0):
    """Draw rows, or return all if `rows` is None."""
    if rows is None:
        return X, y
    chosen = np.random.default_rng(seed).permutation(len(X))[:rows]
    return X[chosen], y[chosen]


def of_sklearn(load, rows=110):
    return lambda: some(*load(return_X_y=True), rows)


def of_file(name, rows=110):
    def load():
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"{path} is not there")
        frame = pd.read_csv(path)
        target = frame.columns[-1]
        return some(frame.drop(columns=target).to_numpy(float), frame[target].to_numpy(), rows)

    return load


def made(kind, target, seed=0, rows=90):
    """A table of numbers, categories or both, complete or with missing values."""

    def load():
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(rows, 9))
        if kind != "numbers":
            few = slice(0, 9 if kind == "categories" else 4)
            X[:, few] = rng.integers(0, 4, size=X[:, few].shape)
        if kind == "constant":
            X[:, 2] = 1.0
        score = X[:, 0] + X[:, 5] * X[:, 1]
        if kind in ("missing", "constant"):
            X[rng.random(X.shape) < 0.1] = np.nan
        if target == "numbers":
            return X, score + 0.1 * rng.normal(size=rows)
        count = 2 if target == "two" else 4
        return X, np.digitize(score, np.quantile(score, np.arange(1, count) / count))

    return load


TABLES = {
    "iris": of_sklearn(load_iris),
    "wine": of_sklearn(load_wine),
    "wdbc": of_sklearn(load_breast_cancer),
    "diabetes": of_sklearn(load_diabetes),
    "GAMETES": of_file("gametes_2way_20atts_04h.csv"),
    "GAMETES, numeric target": of_file("gametes_2way_continuous_target.csv"),
    "GAMETES, missing": of_file("gametes_2way_missing.csv"),
    "GAMETES, mixed": of_file("gametes_2way_mixed.csv"),
    "GAMETES, three classes": of_file("gametes_3class.csv"),
    **{
        f"{kind}, {target}": made(kind, target)
        for kind in ("numbers", "categories", "mixed", "missing", "constant")
        for target in ("two", "four", "numbers")
    },
}


def assert_equal(name, X, y, **options):
    """The scores and the ranking of both packages are equal."""
    mine = getattr(ours, name)(**options).fit(X.copy(), y)
    other = getattr(theirs, name)(**options)
    other.fit(X.copy(), y)
    np.testing.assert_allclose(
        mine.feature_importances_, other.feature_importances_, rtol=1e-9, atol=1e-9
    )
    return mine, other


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", RADIUS + SMOOTH)
def test_methods_with_a_radius(name, table):
    assert_equal(name, *TABLES[table]())


# Tables in which no two distances are equal: scikit-rebate sorts with an unstable sort.
UNTIED = [
    "wine",
    "wdbc",
    *(
        f"{kind}, {target}"
        for kind in ("numbers", "missing", "mixed")
        for target in ("two", "four")
    ),
    *(f"{kind}, numbers" for kind in ("numbers", "missing", "mixed")),
    "diabetes",
]


@pytest.mark.parametrize("neighbors", [3, 20, 80, 0.4])
@pytest.mark.parametrize("table", UNTIED)
@pytest.mark.parametrize("name", NEAREST)
def test_methods_with_neighbors(name, table, neighbors):
    assert_equal(name, *TABLES[table](), n_neighbors=neighbors)


# All rows of the files.
COMPLETE = {
    "iris": of_sklearn(load_iris, None),
    "wine": of_sklearn(load_wine, None),
    "wdbc": of_sklearn(load_breast_cancer, None),
    "GAMETES": of_file("gametes_2way_20atts_04h.csv", None),
    "GAMETES, numeric target": of_file("gametes_2way_continuous_target.csv", None),
    "GAMETES, missing": of_file("gametes_2way_missing.csv", None),
    "GAMETES, mixed": of_file("gametes_2way_mixed.csv", None),
    "GAMETES, three classes": of_file("gametes_3class.csv", None),
}


@pytest.fixture(scope="module")
def distances():
    """Compute the distances of scikit-rebate for missing values once: they take it a minute."""
    compute, kept = theirs.ReliefF._distarray_missing, []

    def of_file(self, *arguments):
        if len(self._y) < 1600:
            return compute(self, *arguments)
        if not kept:
            kept.append(compute(self, *arguments))
        return kept[0].copy()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(theirs.ReliefF, "_distarray_missing", of_file)
        yield


# scikit-rebate takes a minute for a fit to 1600 rows.
QUICK = ("iris", "wine")
ON_COMPLETE = [
    pytest.param(name, marks=[] if name in QUICK else pytest.mark.long) for name in COMPLETE
]


@pytest.mark.usefixtures("distances")
@pytest.mark.parametrize("table", ON_COMPLETE)
@pytest.mark.parametrize("name", RADIUS + SMOOTH)
def test_methods_with_a_radius_on_complete_files(name, table):
    assert_equal(name, *COMPLETE[table]())


@pytest.mark.parametrize("table", ON_COMPLETE)
@pytest.mark.parametrize("name", NEAREST)
def test_methods_with_neighbors_on_complete_files(name, table):
    assert_equal(name, *COMPLETE[table]())


def test_parameters():
    X, y = TABLES["wine"]()
    mine, other = assert_equal("MultiSURFstar", X, y, rank_absolute=True, n_features_to_select=4)
    np.testing.assert_array_equal(mine.top_features_, other.top_features_)
    np.testing.assert_array_equal(mine.transform(X), other.transform(X))
    assert_equal("SURF", X, y, label_type="continuous")
    assert_equal("MultiSWRFDBstar", X, y, categorical_threshold=90)
    assert_equal("MultiSWRF", X, y, categorical_features=[3, 4], n_jobs=-1)
    assert_equal("SURFstar", X, X[:, 0], multiclass_threshold=200)
    X, y = TABLES["numbers, numbers"]()
    # Few different labels, of which none is close to another.
    assert_equal("MultiSURF", X, np.round(y), label_type="continuous")


@pytest.mark.parametrize("table", ["wine", "numbers, two", "categories, two", "GAMETES, missing"])
@pytest.mark.parametrize("final", [False, True])
@pytest.mark.parametrize("name", ["MultiSURF", "SURFstar", "SWRFstar", "MultiSWRFDB"])
def test_weights_of_features(name, table, final):
    X, y = TABLES[table]()
    weights = np.random.default_rng(1).random(X.shape[1])
    mine = getattr(ours, name)(weight_final_scores=final).fit(X.copy(), y, weights)
    other = getattr(theirs, name)(weight_final_scores=final)
    other.fit(X.copy(), y, weights=weights)
    np.testing.assert_allclose(mine.feature_importances_, other.feature_importances_, atol=1e-9)


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("table", ["wine", "wdbc", "GAMETES", "GAMETES, missing", "mixed, numbers"])
def test_wrappers(table, absolute):
    X, y = TABLES[table]()
    for wrapper, options in [
        ("TURF", {"pct": 0.3, "num_scores_to_return": 4}),
        ("TURF", {"pct": 2, "num_scores_to_return": 4}),
        ("VLS", {"num_feature_subset": 12, "size_feature_subset": 4, "random_state": 7}),
        ("Iter", {"max_iter": 4, "beta": 0.3}),
        ("Iter", {"convergence_threshold": 10.0}),
    ]:
        if wrapper == "Iter" and table == "mixed, numbers":
            continue
        before = random.getstate()
        mine = getattr(ours, wrapper)(ours.MultiSURF(rank_absolute=absolute), **options)
        mine.fit(X.copy(), y)
        assert random.getstate() == before
        other = getattr(theirs, wrapper)(theirs.MultiSURF(rank_absolute=absolute), **options)
        other.fit(X.copy(), y)
        np.testing.assert_allclose(
            mine.feature_importances_, other.feature_importances_, atol=1e-9, err_msg=wrapper
        )


def test_iter_of_vls():
    X, y = TABLES["wine"]()
    options = {"num_feature_subset": 9, "size_feature_subset": 4, "random_state": 2}
    mine = ours.Iter(ours.VLS(ours.SWRF(), **options), max_iter=3).fit(X, y)
    other = theirs.Iter(theirs.VLS(theirs.SWRF(), **options), max_iter=3).fit(X.copy(), y)
    np.testing.assert_allclose(mine.feature_importances_, other.feature_importances_, atol=1e-9)


def test_summary(capsys):
    X, y = TABLES["wine"]()
    names = [f"feature {'x' * index * 4}" for index in range(X.shape[1])]
    for options in (
        {},
        {"sort": False, "feature_name": names},
        {"show_feature_type": True, "feature_name": names[:3] + ["ab"] * 10},
    ):
        ours.MultiSURF().fit(X, y).summary(**options)
        mine = capsys.readouterr().out
        other = theirs.MultiSURF()
        other.fit(X.copy(), y)
        other.summary(**options)
        assert mine == capsys.readouterr().out


def test_in_scikit_learn():
    X, y = load_iris(return_X_y=True)
    selector = ours.SURF(n_features_to_select=2)
    assert make_pipeline(selector, KNeighborsClassifier()).fit(X, y).score(X, y) > 0.9
    assert clone(ours.Iter(ours.VLS(selector, random_state=1), beta=0.5)).beta == 0.5
    one, many = (ours.SWRFstar(n_jobs=n).fit(X, y).feature_importances_ for n in (1, 3))
    np.testing.assert_array_equal(one, many)


def test_what_is_refused():
    X, y = load_iris(return_X_y=True)
    for kind, arguments, message in [
        (ours.SURF(), (X, np.zeros(150)), "all labels are equal"),
        (ours.SURF(label_type="binary"), (X, y), "there are 3 labels"),
        (ours.SURF(label_type="some"), (X, y), "'some' is not a kind of label"),
        (ours.SURF(), (X, y[1:]), "149 labels for 150 rows"),
        (ours.SURF(), (X, y, [1.0]), "provide one weight for each of the 4 features"),
        (ours.SURF(categorical_features=[0]), (X, y, [1.0] * 4), "some features are numeric"),
        (ours.SURF(categorical_features=[]), (X * [1, 1, 0, 1], y), "does not vary"),
        (ours.TURF(ours.SURF(), pct=1), (X, y), "is not a fraction"),
        (ours.VLS(ours.SURF(), 2, 1), (X, y), "do not cover 4 features"),
        (ours.Iter(ours.SURF(), max_iter=0), (X, y), "is less than 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            kind.fit(*arguments)
    with pytest.raises(ValueError, match="exceeds the 4 features"):
        ours.SURF().fit(X, y).transform(X)
