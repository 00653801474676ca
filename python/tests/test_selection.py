"""Selections without redundant features: the parameter `redundancy`."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from basrelief import MultiSURF, ReliefF, RReliefF, Stable, TuRF

RULES = ["correlation:0.95", "relief"]


@pytest.fixture(scope="module")
def data():
    """Four informative features with three noisy copies of each, and 60 others."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 120)
    informative = rng.normal(size=(240, 4)) + y[:, None]
    copies = [informative + 0.02 * rng.normal(size=(240, 4)) for _ in range(3)]
    return np.hstack([informative, *copies, rng.normal(size=(240, 60))]), y


@pytest.mark.parametrize("rule", RULES)
def test_each_informative_feature_is_selected_once(data, rule):
    X, y = data
    plain = ReliefF(n_neighbors=50, n_features_to_select=4).fit(X, y)
    assert len(set(np.flatnonzero(plain.get_support()) % 4)) < 4
    selector = ReliefF(n_neighbors=50, n_features_to_select=4, redundancy=rule).fit(X, y)
    np.testing.assert_array_equal(selector.weights_, plain.weights_)
    chosen = np.flatnonzero(selector.get_support())
    assert (chosen < 16).all()
    assert sorted(chosen % 4) == [0, 1, 2, 3]
    assert set(selector.represented_) == set(chosen)
    for feature, others in selector.represented_.items():
        assert all(other % 4 == feature % 4 and redundancy > 0.9 for other, redundancy in others)
    assert selector.transform(X).shape == (240, 4)
    again = pickle.loads(pickle.dumps(selector))
    np.testing.assert_array_equal(again.get_support(), selector.get_support())
    # A fit without the rule has no such attribute.
    assert not hasattr(selector.set_params(redundancy="none").fit(X, y), "represented_")


def test_redundancy_by_correlation_follows_its_definition(data):
    X, y = data
    selector = RReliefF(n_features_to_select=12, redundancy="correlation:0.3").fit(X, y)
    r = np.abs(np.corrcoef(X.T))
    expected = []
    for feature in np.argsort(-selector.weights_, kind="stable"):
        if len(expected) < 12 and not (r[feature, expected] > 0.3).any():
            expected.append(feature)
    assert list(selector.represented_) == expected


def test_features_above_a_threshold_and_significant_ones(data):
    X, y = data
    above = MultiSURF(threshold=0.01, redundancy="correlation:0.9").fit(X, y)
    chosen = np.flatnonzero(above.get_support())
    assert (above.weights_[chosen] > 0.01).all()
    assert len(set(chosen[chosen < 16] % 4)) == (chosen < 16).sum()
    significant = MultiSURF(
        n_features_to_select="max-t", n_permutations=99, redundancy="correlation:0.9"
    ).fit(X, y)
    chosen = np.flatnonzero(significant.get_support())
    assert (significant.adjusted_pvalues_[chosen] <= 0.05).all()
    assert sorted(chosen % 4) == [0, 1, 2, 3]


@pytest.mark.parametrize("rule", RULES)
def test_partners_of_an_interaction_are_both_selected(rule):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 3, size=(400, 20)).astype(float)
        y = (X[:, 0] == 1) ^ (X[:, 1] == 1)
        X = np.column_stack([X, X[:, 0], X[:, 1]])
        selector = MultiSURF(n_features_to_select=2, redundancy=rule, genotype_features="all").fit(
            X, y
        )
        assert sorted(np.flatnonzero(selector.get_support()) % 20) == [0, 1]


def test_wrappers_pipelines_and_searches(data):
    X, y = data
    turf = TuRF(ReliefF(n_neighbors=50), keep=20, n_features_to_select=4, redundancy="relief")
    assert sorted(np.flatnonzero(turf.fit(X, y).get_support()) % 4) == [0, 1, 2, 3]
    inner = ReliefF(n_neighbors=50, n_features_to_select=4, redundancy="correlation:0.95")
    stable = Stable(inner, n_resamples=20, cutoff=0.9, random_state=0).fit(X, y)
    # One of four copies at most is selected in each resample.
    by_source = stable.frequencies_[:16].reshape(4, 4).sum(axis=0)
    assert (by_source <= 1 + 1e-12).all()
    assert by_source.sum() > 3
    pipeline = make_pipeline(clone(inner), KNeighborsClassifier())
    grid = {"relieff__redundancy": ["none", *RULES]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_params_["relieff__redundancy"] != "none"


def test_rules_that_cannot_be_applied(data):
    X, y = data
    with pytest.raises(ValueError, match="`mrmr` is not one of its values"):
        ReliefF(n_features_to_select=3, redundancy="mrmr").fit(X, y)
    with pytest.raises(ValueError, match="not a correlation from 0 to 1"):
        ReliefF(n_features_to_select=3, redundancy="correlation:2").fit(X, y)
    with pytest.raises(ValueError, match="`3` is not a text"):
        ReliefF(n_features_to_select=3, redundancy=3).fit(X, y)
    with pytest.raises(ValueError, match="requires the number of selected features"):
        ReliefF(redundancy="relief").fit(X, y)
    with pytest.raises(ValueError, match="requires the number of selected features"):
        TuRF(redundancy="correlation:0.5").fit(X, y)
    selector = ReliefF(n_features_to_select=3, redundancy="relief").fit(X, y)
    with pytest.raises(ValueError, match="fit again after setting it"):
        selector.set_params(n_features_to_select=4).get_support()


def test_absolute_rankings(data):
    X, y = data
    selector = MultiSURF(n_features_to_select=5, rank_by="absolute").fit(X, y)
    magnitudes = np.abs(selector.weights_)
    np.testing.assert_array_equal(selector.weights_, MultiSURF().fit(X, y).weights_)
    assert set(np.flatnonzero(selector.get_support())) == set(np.argsort(-magnitudes)[:5])
    assert selector.ranking_[magnitudes.argmax()] == 1
    above = MultiSURF(threshold=0.005, rank_by="absolute").fit(X, y).get_support()
    np.testing.assert_array_equal(above, magnitudes > 0.005)
    test = {"n_features_to_select": "max-t", "n_permutations": 99, "random_state": 0}
    tested = MultiSURF(rank_by="absolute", **test).fit(X, y)
    both = MultiSURF(sided="two", **test).fit(X, y)
    np.testing.assert_array_equal(tested.pvalues_, both.pvalues_)
    with pytest.raises(ValueError, match="`size` is not one of its values"):
        MultiSURF(rank_by="size").fit(X, y)
    with pytest.raises(ValueError, match="compares signed weights"):
        TuRF(rank_by="absolute").fit(X, y)
