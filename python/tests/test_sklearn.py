"""Conventions of scikit-learn."""

import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import basrelief
from basrelief import (
    MDM,
    VLS,
    Iter,
    Relief,
    ReliefF,
    ReliefWarning,
    RReliefF,
    Stable,
    TuRF,
)

# Every public estimator, so that a new one is checked before anyone writes a test for it.
PUBLIC = [getattr(basrelief, name) for name in basrelief.__all__]
# The checks of scikit-learn have no target of survival times; test_survival.py has them.
# With all its iterations, SCML takes a minute on the digits of one check.
SHORT = {"SCML": {"max_iter": 100}}
ALL = [
    public(**SHORT.get(public.__name__, {}))
    for public in PUBLIC
    if hasattr(public, "fit") and public is not basrelief.SurvivalRelief
]
# Wrappers around estimators with tags of their own, that drop and deal even among few features.
WRAPPED = [
    TuRF(VLS(Relief(), size=2, rounds=3), keep=2),
    Iter(Relief(), max_iter=3),
    TuRF(MDM(), drop=0.5, keep=1),
    Stable(TuRF(Relief(), keep=2), n_resamples=3),
]


# The methods that use weights of rows.
WEIGHTED = (
    Relief,
    basrelief.ReliefE,
    ReliefF,
    RReliefF,
    basrelief.SURF,
    basrelief.SURFStar,
    basrelief.MultiSURF,
    basrelief.MultiSURFStar,
    basrelief.SWRF,
    basrelief.SWRFStar,
    basrelief.MultiSWRF,
    basrelief.MultiSWRFStar,
    basrelief.MultiSWRFDB,
    basrelief.MultiSWRFDBStar,
)


def expected_failures(estimator):
    """Checks that fail, and why."""
    copies = (
        "copies of a row are neighbors of each other unless they are in one group "
        "(test_row_weights.py compares them with groups)"
    )
    reasons = {
        f"check_sample_weight_equivalence_on_{form}_data": copies for form in ("dense", "sparse")
    }
    while getattr(estimator, "estimator", None) is not None:
        estimator = estimator.estimator
    if not isinstance(estimator, (*WEIGHTED, Stable, TuRF, VLS, Iter)):
        refused = "the method refuses weights of rows"
        for check in ("weights_list", "weights_not_overwritten"):
            reasons[f"check_sample_{check}"] = refused
    if isinstance(estimator, basrelief.MMC):
        reasons["check_fit2d_1feature"] = (
            "the values of the only feature are the classes, so that the rows of a class are equal "
            "and there are no near pairs; the check accepts only errors that name the feature"
        )
    return reasons


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::basrelief.ReliefWarning")
@parametrize_with_checks(ALL + WRAPPED, expected_failed_checks=expected_failures)
def test_scikit_learn_compatible(estimator, check):
    check(estimator)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 8))
    return X, np.where(X[:, 2] * X[:, 5] > 0, "same", "opposite")


def test_attributes(data):
    X, y = data
    selector = ReliefF().fit(X, y)
    assert selector.weights_.shape == (8,)
    assert selector.weights_.dtype == np.float64
    assert selector.feature_importances_ is selector.weights_
    np.testing.assert_array_equal(np.sort(selector.ranking_), np.arange(1, 9))
    assert set(np.argsort(selector.ranking_)[:2]) == {2, 5}
    assert selector.n_features_in_ == 8
    assert list(selector.classes_) == ["opposite", "same"]
    assert selector.warnings_ == []
    assert not hasattr(RReliefF().fit(X, X[:, 0]), "classes_")


def test_how_many_features_are_kept(data):
    X, y = data
    selector = ReliefF().fit(X, y)
    np.testing.assert_array_equal(selector.get_support(), selector.weights_ > 0)
    selector.set_params(threshold=0.05)
    np.testing.assert_array_equal(selector.get_support(), selector.weights_ > 0.05)
    for wanted, count in [(1, 1), (3, 3), (0.5, 4), (0.01, 1), (1.0, 8), (8, 8)]:
        selector.set_params(n_features_to_select=wanted)
        assert selector.get_support().sum() == count
        assert selector.ranking_[selector.get_support()].max() == count
        assert selector.transform(X).shape == (150, count)


def test_equal_weights_keep_the_first_columns(data):
    X, y = data
    with pytest.warns(ReliefWarning, match="copies of another feature"):
        selector = ReliefF(n_features_to_select=1).fit(np.column_stack([X[:, 2]] * 3), y)
    np.testing.assert_array_equal(selector.get_support(), [True, False, False])


def test_names_out(data):
    X, y = data
    selector = ReliefF(n_features_to_select=2).fit(X, y)
    assert list(selector.get_feature_names_out()) == ["x2", "x5"]
    assert list(selector.get_feature_names_out(list("abcdefgh"))) == ["c", "f"]
    assert selector.inverse_transform(selector.transform(X)).shape == X.shape


def test_pickle_and_clone(data):
    X, y = data
    selector = ReliefF(7, ties="first", n_features_to_select=3).fit(X, y)
    again = pickle.loads(pickle.dumps(selector))
    np.testing.assert_array_equal(again.transform(X), selector.transform(X))
    fresh = clone(selector)
    assert fresh.get_params() == selector.get_params()
    assert not hasattr(fresh, "weights_")


def test_grid_search_in_a_pipeline():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(ReliefF(), KNeighborsClassifier())
    grid = {"relieff__n_neighbors": [3, 10], "relieff__n_features_to_select": [1, 2, 0.75]}
    search = GridSearchCV(pipeline, grid, cv=3, n_jobs=2).fit(X, y)
    assert search.best_score_ > 0.9
    assert search.best_estimator_[:-1].transform(X).shape[0] == 150


def test_other_tools_of_scikit_learn_take_the_weights(data):
    X, y = data
    chosen = SelectFromModel(ReliefF(), max_features=2, threshold=-np.inf).fit(X, y)
    assert set(np.flatnonzero(chosen.get_support())) == {2, 5}
    assert set(np.flatnonzero(RFE(ReliefF(), n_features_to_select=2).fit(X, y).support_)) == {2, 5}
    scores = cross_val_score(make_pipeline(ReliefF(), KNeighborsClassifier()), X, y, n_jobs=2)
    assert scores.shape == (5,)


def test_warnings_are_of_one_category(data):
    X, y = data
    with pytest.warns(ReliefWarning) as caught:
        selector = ReliefF(n_neighbors=120).fit(np.column_stack([X, np.zeros(150)]), y)
    assert [str(warning.message) for warning in caught] == selector.warnings_
    assert len(selector.warnings_) >= 2
    assert issubclass(ReliefWarning, UserWarning)


def test_verbose_writes_to_standard_error(data, capsys):
    X, y = data
    ReliefF(verbose=1).fit(X, y)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "relieff: done in" in captured.err


def test_methods_and_wrappers_are_listed():
    for method in [*basrelief.methods(), *basrelief.wrappers()]:
        assert method["purpose"]
        assert method["source"]
        for option in method["options"]:
            assert set(option) == {"name", "values", "default", "help"}


def test_only_public_names_of_scikit_learn_are_imported():
    package = Path(basrelief.__file__).parent
    for file in package.glob("*.py"):
        for line in file.read_text().splitlines():
            if re.match(r"\s*(from|import) sklearn", line):
                assert not re.search(r"\b_\w", line.replace("__future__", "")), f"{file}: {line}"
