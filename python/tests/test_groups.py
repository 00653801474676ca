"""Groups of rows that are not independent: the rows of one subject."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import GroupKFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from basrelief import (
    LFE,
    MultiSURF,
    ReliefF,
    ReliefWarning,
    RReliefF,
    Simba,
    Stable,
    TuRF,
    interacting_pairs,
    permutation_test,
)

SUBJECTS, VISITS = 30, 4


@pytest.fixture
def visits():
    """30 subjects of 4 rows each, without an effect of any feature."""
    rng = np.random.default_rng(0)
    subject = np.repeat(np.arange(SUBJECTS), VISITS)
    X = rng.normal(size=(SUBJECTS, 6))[subject] + 0.05 * rng.normal(size=(SUBJECTS * VISITS, 6))
    return X, subject % 2, subject


def naive_relieff(X, y, subject, k):
    """ReliefF with two classes: neighbors of other subjects, and equal weights of subjects."""
    scaled = X / np.ptp(X, axis=0)
    weights, total = np.zeros(X.shape[1]), 0.0
    for row in range(len(X)):
        distances = np.abs(scaled - scaled[row]).sum(axis=1)
        distances[subject == subject[row]] = np.inf
        own = 1 / np.sum(subject == subject[row])
        total += own
        for label, sign in ((y[row], -1), (1 - y[row], 1)):
            among = np.flatnonzero((y == label) & np.isfinite(distances))
            nearest = among[np.argsort(distances[among])[:k]]
            weights += own * sign * np.abs(scaled[nearest] - scaled[row]).mean(axis=0)
    return weights / total


def test_weights_agree_with_the_definition(visits):
    X, y, subject = visits
    keep = np.r_[0:40, 42:90, 95:120]  # groups of unequal sizes
    X, y, subject = X[keep], y[keep], subject[keep]
    found = ReliefF(3).fit(X, y, groups=subject)
    np.testing.assert_allclose(found.weights_, naive_relieff(X, y, subject, 3), atol=1e-12)
    names = np.array([f"s{number}" for number in subject])
    for groups in (names, pd.Series(names), list(names), subject.astype(float)):
        again = ReliefF(3).fit(X, y, groups=groups)
        np.testing.assert_array_equal(again.weights_, found.weights_)
    rows = ReliefF(3).fit(X, y, groups=subject, group_weight="rows")
    assert not np.array_equal(rows.weights_, found.weights_)
    plain = MultiSURF().fit(X, y)
    single = MultiSURF().fit(X, y, groups=np.arange(len(y)))
    np.testing.assert_array_equal(single.weights_, plain.weights_)


def test_subjects_are_permuted_as_a_whole(visits):
    X, y, subject = visits
    ask = {"n_permutations": 99, "random_state": 0}
    with pytest.warns(ReliefWarning, match="groups of permutation_test.*strata="):
        tested = permutation_test(ReliefF(5), X, y, groups=subject, **ask)
    assert not tested.selected_.any()
    assert permutation_test(ReliefF(5), X, y, **ask).selected_.any(), "rows as if independent"
    selector = ReliefF(5, n_features_to_select="max-t", n_permutations=99, random_state=0)
    selector.fit(X, y, groups=subject)
    np.testing.assert_array_equal(selector.pvalues_, tested.pvalues_)
    numeric = RReliefF(5, n_features_to_select="fdr", n_permutations=99, random_state=0)
    # The target varies within subjects, and the feature with it.
    numeric.fit(X, y + X[:, 1] * 20, groups=subject)
    assert numeric.pvalues_[1] == 0.01


def test_stable_and_wrappers_take_groups(visits):
    X, y, subject = visits
    settings = {"n_resamples": 8, "random_state": 0}
    with_groups = Stable(ReliefF(3), **settings).fit(X, y, groups=subject)
    without = Stable(ReliefF(3), **settings).fit(X, y)
    assert not np.array_equal(with_groups.frequencies_, without.frequencies_)
    wrapped = TuRF(ReliefF(3), keep=3).fit(X, y, groups=subject)
    assert not np.array_equal(wrapped.weights_, TuRF(ReliefF(3), keep=3).fit(X, y).weights_)
    with pytest.raises(ValueError, match="covariates, groups or weights"):
        wrapped.to_html(X, y)


def test_cross_validation_passes_groups_to_the_selector(visits):
    X, y, subject = visits
    with sklearn.config_context(enable_metadata_routing=True):
        selector = ReliefF(3, n_features_to_select=2).set_fit_request(groups=True)
        pipeline = make_pipeline(selector, KNeighborsClassifier())
        found = cross_validate(
            pipeline,
            X,
            y,
            cv=GroupKFold(5),
            params={"groups": subject},
            return_estimator=True,
            return_indices=True,
        )
    for fitted, train in zip(found["estimator"], found["indices"]["train"], strict=True):
        expected = ReliefF(3).fit(X[train], y[train], groups=subject[train])
        np.testing.assert_array_equal(fitted[0].weights_, expected.weights_)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"groups": np.zeros(120)}, ValueError, "all rows have the same value of `groups`"),
        ({"groups": np.arange(119)}, ValueError, r"inconsistent .*\[119, 120\]"),
        ({"groups": [None] + ["a"] * 119}, ValueError, "option groups: row 1 has no value"),
        ({"groups": np.arange(120) // 2, "group_weight": "all"}, ValueError, "group_weight"),
        ({"groups": np.arange(120) // 2, "group_weight": 1}, TypeError, "group_weight"),
        ({"group_weight": "rows"}, ValueError, "no effect without groups"),
        ({"groups": np.arange(120) // 60}, ValueError, "at least two groups of every class"),
    ],
)
def test_wrong_groups_are_refused(visits, options, error, words):
    X, _, _ = visits
    with pytest.raises(error, match=words):
        ReliefF().fit(X, np.arange(120) // 60, **options)


def test_pairs_have_adjusted_p_values_only(visits):
    X, y, subject = visits
    X = (X > 0).astype(int)
    ask = {"genotype_features": "all", "n_pairs": 15, "random_state": 0}
    with (
        pytest.warns(ReliefWarning, match="groups of interacting_pairs.*strata="),
        pytest.raises(ValueError, match=r"option groups: .*independent rows.*n_permutations="),
    ):
        interacting_pairs(X, y, groups=subject, **ask)
    ask["n_permutations"] = 99
    for target in (y, subject % 7 + X[:, 0] * (subject > 3), 0.5 + (subject % 5)):
        plain = interacting_pairs(X, target, **ask)
        with pytest.warns(ReliefWarning, match="groups of interacting_pairs"):
            found = interacting_pairs(X, target, groups=subject, **ask)
        np.testing.assert_array_equal(found.pairs_, plain.pairs_)
        np.testing.assert_array_equal(found.statistics_, plain.statistics_)
        for absent in (found.pvalues_, found.log10_pvalues_, found.qvalues_, found.q_exact_up_to_):
            assert absent is None
        adjusted = found.adjusted_pvalues_
        assert (np.diff(adjusted) >= 0).all()
        assert adjusted[0] >= 0.01
        assert adjusted[-1] <= 1
        assert "p-value" not in found.to_frame().columns
        assert "adjusted" in found.to_frame().columns
        assert repr(found)
        assert found._repr_html_()
    # Rows as if independent: a false finding, where the target is constant within subjects.
    constant = subject // 3 % 2
    plain = interacting_pairs(X, constant, **ask)
    with pytest.warns(ReliefWarning, match="groups of interacting_pairs"):
        found = interacting_pairs(X, constant, groups=subject, **ask)
    assert found.adjusted_pvalues_[0] > plain.adjusted_pvalues_[0]
    age = np.random.default_rng(1).normal(size=SUBJECTS)[subject]
    with pytest.warns(ReliefWarning, match="groups of interacting_pairs"):
        given = interacting_pairs(X, y, groups=subject, covariates=age[:, None], **ask)
    assert given.pvalues_ is None
    assert (given.adjusted_pvalues_ > 0.01).all()
    # Groups of one row have no effect.
    with pytest.warns(ReliefWarning, match="groups of interacting_pairs"):
        single = interacting_pairs(X, y, groups=np.arange(len(y)), **ask)
    np.testing.assert_array_equal(single.pvalues_, interacting_pairs(X, y, **ask).pvalues_)


def test_other_methods_refuse_groups(visits):
    X, y, subject = visits
    with pytest.raises(ValueError, match="simba does not use groups of rows"):
        Simba().fit(X, y, groups=subject)
    with pytest.raises(TypeError):
        LFE().fit(X, y, groups=subject)
