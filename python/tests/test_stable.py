"""Stability selection around any selector."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

from basrelief import MDM, VLS, MultiSURF, ReliefF, ReliefWarning, RReliefF, Stable, TuRF
from basrelief._stable import _calibrate


@pytest.fixture
def data():
    """The class is whether the columns 2 and 5 of sixteen have one sign."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(160, 16))
    return X, X[:, 2] * X[:, 5] > 0


def test_the_pair_of_an_exclusive_or_is_kept(data):
    X, y = data
    stable = Stable(ReliefF(), random_state=0).fit(X, y)
    np.testing.assert_array_equal(np.flatnonzero(stable.get_support()), [2, 5])
    assert list(stable.get_feature_names_out()) == ["x2", "x5"]
    assert stable.transform(X).shape == (160, 2)
    assert stable.frequencies_.shape == stable.copy_frequencies_.shape == (16,)
    # Each resample selects the root of 0.8 * 16, features and copies together.
    total = stable.frequencies_.sum() + stable.copy_frequencies_.sum()
    assert total == pytest.approx(4)
    assert stable.frequencies_[[2, 5]].min() > 0.6
    assert set(stable.ranking_[[2, 5]]) == {1, 2}
    np.testing.assert_array_equal(np.sort(stable.ranking_), np.arange(1, 17))
    assert stable.fdp_ == 0.5
    assert stable.cutoff_ == stable.frequencies_[[2, 5]].min()
    least, greatest = stable.stability_interval_
    assert 0 < least < stable.stability_ < greatest <= 1
    assert list(stable.classes_) == [False, True]
    assert stable.warnings_ == []


@pytest.mark.filterwarnings("ignore::basrelief.ReliefWarning")
def test_nearly_nothing_is_kept_of_noise():
    kept = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 15))
        stable = Stable(n_resamples=30, random_state=seed).fit(X, rng.integers(0, 2, size=60))
        kept.append(stable.get_support().sum())
        assert (stable.fdp_ <= 0.5) == (kept[-1] > 0)
    assert np.mean(kept) < 0.3


def test_a_cutoff_that_is_given_needs_no_copies(data):
    X, y = data
    stable = Stable(cutoff=0.7, n_features_to_select=3, random_state=0).fit(X, y)
    assert stable.copy_frequencies_ is None
    assert stable.fdp_ is None
    assert stable.cutoff_ == 0.7
    assert stable.frequencies_.sum() == pytest.approx(3)
    np.testing.assert_array_equal(stable.get_support(), stable.frequencies_ >= 0.7)
    assert set(np.flatnonzero(stable.get_support())) >= {2, 5}
    # What a resample selects is the estimator's own number unless another is given.
    own = Stable(ReliefF(n_features_to_select=3), cutoff=0.7, random_state=0).fit(X, y)
    np.testing.assert_array_equal(own.frequencies_, stable.frequencies_)
    half = Stable(n_features_to_select=0.5, cutoff=0.7, random_state=0).fit(X, y)
    assert half.frequencies_.sum() == pytest.approx(8)


def test_the_seed_decides_and_threads_do_not(data):
    X, y = data
    first = Stable(n_resamples=20, random_state=3).fit(X, y)
    for again in (clone(first), clone(first).set_params(n_jobs=2)):
        again.fit(X, y)
        np.testing.assert_array_equal(again.frequencies_, first.frequencies_)
        np.testing.assert_array_equal(again.copy_frequencies_, first.copy_frequencies_)
        assert again.stability_ == first.stability_
    other = clone(first).set_params(random_state=4).fit(X, y)
    assert (other.frequencies_ != first.frequencies_).any()
    # The outermost that is given counts.
    inner = Stable(ReliefF(random_state=3), n_resamples=20).fit(X, y)
    np.testing.assert_array_equal(inner.frequencies_, first.frequencies_)


def test_any_selector_and_any_target(data):
    X, y = data
    for estimator in (MultiSURF(), TuRF(ReliefF(), keep=8), VLS(MultiSURF(), size=12, rounds=5)):
        stable = Stable(estimator, n_resamples=20, random_state=0).fit(X, y)
        assert set(np.argsort(stable.ranking_)[:2]) == {2, 5}, estimator
        assert not hasattr(estimator, "weights_")
    stable.set_params(estimator=RReliefF(), target_fdp=0.9).fit(X, X[:, 7] * 2.0)
    assert stable.ranking_[7] == 1
    assert not hasattr(stable, "classes_")


def test_frames_go_in_and_out():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(150, 6))).add_prefix("gene")
    frame["color"] = pd.Categorical(rng.choice(["red", "green"], size=150))
    frame.loc[::11, "gene3"] = np.nan
    y = np.where((frame["color"] == "red") ^ (frame["gene1"] > 0), "a", "b")
    stable = Stable(random_state=0).set_output(transform="pandas").fit(frame, y)
    assert list(stable.feature_names_in_) == list(frame.columns)
    selected = stable.transform(frame)
    assert list(selected.columns) == ["gene1", "color"]
    assert str(selected["color"].dtype) == "category"


def test_polars_frames_keep_their_types(data):
    polars = pytest.importorskip("polars")
    X, y = data
    frame = polars.DataFrame({f"c{index}": X[:, index] for index in range(16)})
    stable = Stable(random_state=0).set_output(transform="polars").fit(frame, y)
    assert stable.transform(frame).columns == ["c2", "c5"]


def test_pipelines_and_grids(data):
    X, y = data
    pipeline = make_pipeline(
        Stable(ReliefF(), n_resamples=10, cutoff=0.6, random_state=0), KNeighborsClassifier()
    )
    grid = {"stable__estimator__n_neighbors": [5, 10], "stable__cutoff": [0.4, 0.6]}
    assert GridSearchCV(pipeline, grid, cv=3).fit(X, y).best_score_ > 0.75


def test_the_cutoff_by_hand():
    frequencies = np.array([1.0, 0.9, 0.9, 0.5, 0.4, 0.4, 0.0])
    copies = np.array([0.6, 0.4, 0.3, 0.0, 0.0, 0.0, 0.0])
    # From 0.4, 0.5, 0.9 and 1 on: 3/6, 2/4, 1/3, 1/1.
    assert _calibrate(frequencies, copies, None, 0) == (0.9, pytest.approx(1 / 3))
    assert _calibrate(frequencies, copies, 0.5, 0) == (0.4, 0.5)
    assert _calibrate(frequencies, copies, 0.5, 0.45) == (0.5, 0.5)
    assert _calibrate(frequencies, copies, 0.4, 0) == (0.9, pytest.approx(1 / 3))
    assert _calibrate(frequencies, copies, 0.1, 0) == (np.inf, pytest.approx(1 / 3))
    assert _calibrate(frequencies, copies, None, 0.95) == (np.inf, 1.0)
    # Of equal estimates the highest cut-off, and nothing above one half.
    copies = np.array([0.7, 0.4, 0.0, 0.0, 0.0])
    assert _calibrate(np.array([0.9, 0.9, 0.7, 0.7, 0.4]), copies, None, 0) == (0.9, 0.5)
    assert _calibrate(np.array([0.5, 0.5, 0.4, 0.4]), np.zeros(4), None, 0) == (0.4, 0.25)
    assert _calibrate(np.array([0.9, 0.3]), np.array([0.3, 0.3]), None, 0) == (np.inf, 1.0)
    assert _calibrate(np.array([0.9, 0.3]), np.array([0.3, 0.3]), 1.0, 0) == (0.9, 1.0)
    assert _calibrate(np.zeros(3), np.ones(3), None, 0) == (np.inf, 1.0)


def test_what_is_not_kept_is_told():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 10)), rng.integers(0, 2, size=80)
    stable = Stable(target_fdp=0.01, min_cutoff=0, n_resamples=10, random_state=0)
    with pytest.warns(ReliefWarning, match="no feature is kept: the smallest estimated"):
        stable.fit(X, y)
    stable.set_params(min_cutoff=1.0)
    with pytest.warns(ReliefWarning, match="the largest frequency is .* below min_cutoff=1"):
        stable.fit(X, y)
    assert (stable.cutoff_, stable.fdp_) == (np.inf, 1.0)
    assert not stable.get_support().any()
    with pytest.warns(UserWarning, match="No features were selected"):
        assert stable.transform(X).shape == (80, 0)


def test_undefined_stability_is_nan(data):
    _, y = data
    # Of a feature and its copy that are the same in all rows, the first column is always selected.
    stable = Stable(n_features_to_select=1, n_resamples=5, target_fdp=1.0, random_state=0)
    with pytest.warns(ReliefWarning, match="in every resample: 2 features have only one value"):
        stable.fit(np.zeros((160, 1)), y)
    assert (stable.frequencies_, stable.copy_frequencies_) == ([1.0], [0.0])
    assert np.isnan([stable.stability_, *stable.stability_interval_]).all()
    assert (stable.cutoff_, stable.fdp_) == (1.0, 1.0)


def test_progress_is_written(data, capsys):
    Stable(n_resamples=5, verbose=1, random_state=0).fit(*data)
    assert "relieff: done in" in capsys.readouterr().err


def test_tags_are_those_of_the_method_inside():
    assert get_tags(Stable()).input_tags.allow_nan
    assert not get_tags(Stable(VLS(MDM()))).input_tags.allow_nan
    assert get_tags(Stable()).target_tags.required


@pytest.mark.parametrize(
    ("stable", "message"),
    [
        (Stable(n_resamples=1), "option n_resamples: `1` is not a valid number of"),
        (Stable(n_resamples=2.5), "option n_resamples: `2.5` is not a valid number"),
        (Stable(n_resamples=10**6), "option n_resamples: 1000000 exceeds the limit of 100000"),
        (Stable(fraction=1.0), r"option fraction: `1.0` is not a fraction of the rows"),
        (Stable(fraction=0.999), "option fraction: every resample would contain all 160 rows"),
        (Stable(cutoff="best"), "option cutoff: `best` is not a fraction"),
        (Stable(cutoff=0), "option cutoff: `0` is not a fraction"),
        (Stable(min_cutoff=-1), "option min_cutoff: `-1` is not a fraction"),
        (Stable(target_fdp=2), "option target_fdp: `2` is not a fraction"),
        (
            Stable(cutoff=0.5, target_fdp=0.1),
            "option target_fdp: it has no effect on a fixed cut-off",
        ),
        (Stable(n_features_to_select=17), "`17` cannot be selected from 16 features"),
        (Stable(n_features_to_select=16, cutoff=0.5), "selecting 16 of 16 features"),
        (Stable(ReliefF(n_features_to_select=99)), "`99` cannot be selected from 16 features"),
        (Stable(ReliefF(0)), "option n_neighbors: 0 is less than 1"),
    ],
    ids=repr,
)
def test_options(data, stable, message):
    with pytest.raises(ValueError, match=message):
        stable.fit(*data)


def test_targets_that_cannot_be_resampled(data):
    X, y = data
    with pytest.raises(ValueError, match="the target is the same in every row"):
        Stable().fit(X, np.zeros(160))
    with pytest.warns(ReliefWarning, match="contains the only row of these classes: rare"):
        Stable().fit(X, np.where(np.arange(160) == 7, "rare", np.where(y, "a", "b")))


@pytest.mark.parametrize("estimator", [KNeighborsClassifier(), ReliefF, Stable()])
def test_only_selectors_of_this_package_can_be_wrapped(data, estimator):
    with pytest.raises(TypeError, match=r"option estimator: .* is not a selector of basrelief"):
        Stable(estimator).fit(*data)
