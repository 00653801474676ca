"""Permutation tests: the function, selection by significance, and scikit-learn's own test."""

import io
import json
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score, permutation_test_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import basrelief
from basrelief import (
    LFE,
    SURF,
    VLS,
    DReliefF,
    MultiSURF,
    PermutationTestResult,
    ReliefF,
    ReliefWarning,
    RReliefF,
    TuRF,
    permutation_test,
)

SELECTORS = [
    getattr(basrelief, entry["class_name"])
    for entry in basrelief.methods()
    if hasattr(basrelief, entry["class_name"])
]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 6))
    return X, np.where(X[:, 2] * X[:, 5] > 0, "same", "opposite")


def test_the_result_has_all_that_was_found(data):
    X, y = data
    result = permutation_test(ReliefF(5), X, y, n_permutations=99, random_state=1)
    assert isinstance(result, PermutationTestResult)
    np.testing.assert_array_equal(result.weights_, ReliefF(5).fit(X, y).weights_)
    np.testing.assert_array_equal(result.selected_, [False, False, True, False, False, True])
    assert result.pvalues_[2] == 0.01
    assert (result.adjusted_pvalues_ >= result.pvalues_).all()
    assert (result.qvalues_ >= result.pvalues_).all()
    np.testing.assert_array_equal(result.n_permutations_, [99] * 6)
    assert 0 < result.chance_weight_ < result.weights_[2]
    assert result.feature_names_in_ is None
    # Neither threads nor how often it is asked change a number.
    again = permutation_test(ReliefF(5), X, y, n_permutations=99, random_state=1, n_jobs=2)
    np.testing.assert_array_equal(again.pvalues_, result.pvalues_)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(again)).qvalues_, result.qvalues_)
    other = permutation_test(ReliefF(5), X, y, n_permutations=99, random_state=2)
    assert (other.pvalues_ != result.pvalues_).any()


def test_two_sided_tests_compare_absolute_weights(data):
    X, y = data
    options = {"n_permutations": 199, "random_state": 1}
    one = permutation_test(ReliefF(5), X, y, **options)
    named = permutation_test(ReliefF(5), X, y, sided="one", **options)
    np.testing.assert_array_equal(named.pvalues_, one.pvalues_)
    np.testing.assert_array_equal(named.adjusted_pvalues_, one.adjusted_pvalues_)
    two = permutation_test(ReliefF(5), X, y, sided="two", **options)
    np.testing.assert_array_equal(two.weights_, one.weights_)
    np.testing.assert_array_equal(two.selected_, abs(two.weights_) > two.chance_weight_)
    negative = two.weights_ < 0
    assert negative.any()
    assert (two.pvalues_[negative] < one.pvalues_[negative]).all()
    assert (two.pvalues_[~negative] >= one.pvalues_[~negative]).all()
    own = permutation_test(ReliefF(5), X, y, sided="two", correction="studentized", **options)
    np.testing.assert_array_equal(own.pvalues_, two.pvalues_)


def test_two_sided_tests_find_interactions_of_four_features():
    # SURF gives small weights to four bits whose parity is the class.
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(600, 10)).astype(float)
    y = X[:, :4].sum(axis=1) % 2
    options = {"n_features_to_select": "max-t", "n_permutations": 199, "random_state": 0}
    one = SURF(**options)
    one.fit(X, y)
    assert not one.get_support()[:4].any()
    two = SURF(sided="two", **options).fit(X, y)
    assert (two.weights_[:4] < 0).all()
    np.testing.assert_array_equal(two.get_support(), [True] * 4 + [False] * 6)
    test = permutation_test(SURF(), X, y, n_permutations=199, sided="two", random_state=0)
    np.testing.assert_array_equal(two.get_support(), test.selected_)
    np.testing.assert_array_equal(two.pvalues_, test.pvalues_)


def test_the_selector_is_not_touched(data):
    X, y = data
    selector = ReliefF(5, n_features_to_select=2, random_state=3)
    result = permutation_test(selector, X, y, n_permutations=19)
    assert not hasattr(selector, "weights_")
    assert selector.random_state == 3
    seeded = permutation_test(clone(selector), X, y, n_permutations=19, random_state=3)
    np.testing.assert_array_equal(seeded.pvalues_, result.pvalues_)


@pytest.mark.filterwarnings("ignore::basrelief.ReliefWarning")
@pytest.mark.parametrize("selector", SELECTORS, ids=lambda selector: selector.__name__)
def test_every_selector_is_tested_or_refused(selector):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = X[:, 0] if selector is RReliefF else np.where(X[:, 0] > rng.normal(scale=0.2), "a", "b")
    if selector.__name__ == "SurvivalRelief":
        times = np.exp(X[:, 0])
        y = np.array([(True, time) for time in times], dtype=[("event", bool), ("time", float)])
    if selector.__name__ in ("IRelief", "ReliefMargin", "Simba", "Lmba", "MDM", "DLMNN"):
        for fit in (
            lambda: permutation_test(selector(), X, y, n_permutations=19),
            lambda: selector(n_features_to_select="fdr", n_permutations=19).fit(X, y),
        ):
            with pytest.raises(ValueError, match=r"scaled in every fit.*MultiSURF"):
                fit()
        return
    result = permutation_test(selector(), X, y, n_permutations=19, random_state=0)
    np.testing.assert_array_equal(result.weights_, selector(random_state=0).fit(X, y).weights_)
    assert ((result.pvalues_ >= 0.05) & (result.pvalues_ <= 1)).all()
    assert (result.adjusted_pvalues_ >= result.pvalues_).all()
    # Weights of far rows find less.
    if selector in (ReliefF, RReliefF, MultiSURF):
        assert result.pvalues_[0] == 0.05


@pytest.mark.parametrize("selector", [TuRF(ReliefF(5), keep=3), VLS(ReliefF(5), size=3, rounds=4)])
def test_wrappers_are_tested(selector, data):
    X, y = data
    result = permutation_test(selector, X, y, n_permutations=39, random_state=0)
    assert set(np.flatnonzero(result.selected_)) == {2, 5}
    by_fit = clone(selector).set_params(
        n_features_to_select="max-t", n_permutations=39, random_state=0
    )
    np.testing.assert_array_equal(by_fit.fit(X, y).get_support(), result.selected_)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_frames_keep_their_names_and_kinds(data, make):
    X, y = data
    color = np.where(X[:, 2] > 0, "red", "blue")
    frame = make({"color": color, "noise": X[:, 1], "side": np.where(X[:, 5] > 0, "l", "r")})
    result = permutation_test(ReliefF(), frame, y, n_permutations=99, random_state=0)
    np.testing.assert_array_equal(result.feature_names_in_, ["color", "noise", "side"])
    np.testing.assert_array_equal(result.selected_, [True, False, True])
    selector = ReliefF(n_features_to_select="max-t", n_permutations=99, random_state=0)
    selector.set_output(transform="pandas" if make is pd.DataFrame else "polars")
    assert list(selector.fit_transform(frame, y).columns) == ["color", "side"]


def test_strata_take_away_what_is_theirs():
    rng = np.random.default_rng(0)
    group = np.arange(120) % 2
    y = np.where(np.arange(120) // 2 % 10 == 0, 1 - group, group)
    X = np.column_stack([10 * group + rng.normal(size=120), rng.normal(size=120)])
    ask = {"n_permutations": 99, "random_state": 0}
    assert permutation_test(ReliefF(), X, y, **ask).pvalues_[0] == 0.01
    within = permutation_test(ReliefF(), X, y, strata=group, **ask)
    assert within.pvalues_[0] > 0.05
    for strata in (np.array(["b", "a"])[group], pd.Series(group), group.astype(float), list(group)):
        again = permutation_test(ReliefF(), X, y, strata=strata, **ask)
        assert again.pvalues_[0] > 0.05, strata
    # As many texts as rows are groups, in none of which the target varies.
    with pytest.raises(ValueError, match="within any stratum"):
        permutation_test(ReliefF(), X, y, strata=[str(row) for row in range(120)], **ask)
    alone = np.where((group == 1) | (y == 1), "many", "alone")
    with pytest.warns(ReliefWarning, match="does not vary in 1 of 2 strata.*: alone"):
        permutation_test(ReliefF(), X, y, strata=alone, **ask)


def test_adaptive_tests_draw_what_each_feature_needs(data):
    X, y = data
    result = permutation_test(ReliefF(5), X, y, n_permutations="adaptive:400", random_state=0)
    assert result.adjusted_pvalues_ is None
    assert result.chance_weight_ is None
    drawn = result.n_permutations_
    assert drawn[2] == 400
    assert result.pvalues_[2] == 1 / 401
    early = drawn < 400
    assert early.any()
    np.testing.assert_array_equal(result.pvalues_[early], 10 / drawn[early])


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"n_permutations": 0}, ValueError, "option n_permutations: 0 .* give at least 19"),
        ({"n_permutations": 18}, ValueError, "give at least 19"),
        ({"n_permutations": 50, "correction": "min-p"}, ValueError, "give at least 119"),
        ({"n_permutations": -3}, ValueError, "`-3` is not a number of permutations"),
        ({"n_permutations": "many"}, ValueError, "`many` is not a number of permutations"),
        ({"n_permutations": 2.5}, TypeError, "option n_permutations: 2.5"),
        ({"n_permutations": True}, TypeError, "option n_permutations: True"),
        ({"alpha": 0}, ValueError, "option alpha: found 0"),
        ({"alpha": "x"}, TypeError, "option alpha: 'x'"),
        ({"sided": "both"}, ValueError, "option sided: `both`.*one, two"),
        ({"sided": 2}, TypeError, "option sided: 2 is not a text"),
        ({"correction": "bonferroni"}, ValueError, "option correction: `bonferroni`"),
        ({"correction": 3}, TypeError, "option correction: 3"),
        ({"correction": "max-t", "n_permutations": "adaptive"}, ValueError, "all permutations"),
        ({"strata": np.arange(119)}, ValueError, r"inconsistent .*\[119, 120\]"),
        ({"strata": np.arange(120)}, ValueError, "column `strata`: 120 distinct numbers"),
        ({"strata": [None] + ["a"] * 119}, ValueError, "option strata: row 1 has no value"),
        ({"strata": [1.0, np.nan] * 60}, ValueError, "option strata: row 2 has no value"),
    ],
)
def test_bad_input_is_refused(data, options, error, words):
    with pytest.raises(error, match=words):
        permutation_test(ReliefF(), *data, **options)


def test_targets_without_variation_and_other_estimators_are_refused(data):
    X, y = data
    with pytest.raises(ValueError, match="the same in every row"):
        permutation_test(MultiSURF(target_type="real"), X, np.zeros(120), n_permutations=19)
    for other in (LFE(), KNeighborsClassifier(), "relieff"):
        with pytest.raises(TypeError, match="not a selector of basrelief"):
            permutation_test(other, X, y)


def test_selectors_select_by_significance(data):
    X, y = data
    tested = permutation_test(ReliefF(), X, y, n_permutations=199, random_state=0)
    for way in ("max-t", "min-p", "fdr", "storey"):
        selector = ReliefF(n_features_to_select=way, n_permutations=199, random_state=0).fit(X, y)
        np.testing.assert_array_equal(selector.get_support(), tested.selected_)
        np.testing.assert_array_equal(selector.pvalues_, tested.pvalues_)
        assert selector.transform(X).shape == (120, 2)
    np.testing.assert_array_equal(
        selector.set_params(n_features_to_select="fdr").fit(X, y).qvalues_, tested.qvalues_
    )
    # Another way needs another fit, and a fit without a test leaves nothing of it.
    with pytest.raises(ValueError, match="the last fit did not test by `max-t`"):
        selector.set_params(n_features_to_select="max-t").get_support()
    selector.set_params(n_features_to_select=1).fit(X, y)
    assert not hasattr(selector, "pvalues_")
    adaptive = ReliefF(n_features_to_select="fdr", n_permutations="adaptive:400", random_state=0)
    assert adaptive.fit(X, y).adjusted_pvalues_ is None
    assert adaptive.get_support().sum() == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_features_to_select": "best"}, "`best` is not one of its values"),
        ({"n_features_to_select": "none"}, "`none` is not one of its values"),
        ({"n_features_to_select": "max-t", "n_permutations": 5}, "give at least 19"),
        ({"n_features_to_select": "fdr", "alpha": 1.0}, "option alpha: found 1"),
        ({"n_features_to_select": "min-p", "n_permutations": "adaptive"}, "`min-p` requires all"),
    ],
)
def test_selectors_refuse_what_cannot_be_found(data, options, words):
    with pytest.raises(ValueError, match=words):
        ReliefF(**options).fit(*data)


def test_nothing_significant_is_no_column_and_a_warning(data):
    X, y = data
    y = np.random.default_rng(5).permutation(y)
    selector = ReliefF(n_features_to_select="max-t", n_permutations=99, random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selector.transform(X).shape == (120, 0)


def test_pipelines_select_and_scikit_learn_tests_them(data):
    X, y = data
    selector = ReliefF(n_features_to_select="fdr", n_permutations=79, alpha=0.1, random_state=0)
    pipeline = make_pipeline(selector, KNeighborsClassifier())
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.8
    grid = GridSearchCV(pipeline, {"relieff__n_features_to_select": ["max-t", 1]}, cv=3)
    assert grid.fit(X, y).best_params_ == {"relieff__n_features_to_select": "max-t"}
    fixed = make_pipeline(ReliefF(n_features_to_select=2), KNeighborsClassifier())
    score, permuted, p = permutation_test_score(
        fixed, X, y, cv=3, n_permutations=19, random_state=0
    )
    assert score > permuted.max()
    assert p == 0.05


def test_progress_is_told(data, capsys):
    X, y = data
    permutation_test(DReliefF(verbose=1), X, y, n_permutations=19)
    assert "drelieff: done in" in capsys.readouterr().err


def test_the_numbers_are_those_of_the_command_line(data, tmp_path):
    X, y = data
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(y=y, half=np.arange(120) // 60)
    frame.to_csv(tmp_path / "data.csv", index=False)
    frame = pd.read_csv(io.StringIO((tmp_path / "data.csv").read_text()))
    line = "rank data.csv --target y --permutations 99 --within half --seed 4 --format json -q"
    shown = subprocess.run(
        [sys.executable, "-m", "basrelief", *line.split()],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    features = sorted(json.loads(shown.stdout)["features"], key=lambda feature: feature["name"])
    result = permutation_test(
        ReliefF(),
        frame[list("abcdef")],
        frame["y"],
        strata=frame["half"],
        n_permutations=99,
        random_state=4,
    )
    np.testing.assert_array_equal([f["p_value"] for f in features], result.pvalues_)
    np.testing.assert_array_equal(
        [f["adjusted_p_value"] for f in features], result.adjusted_pvalues_
    )
    np.testing.assert_array_equal([f["q_value"] for f in features], result.qvalues_)
