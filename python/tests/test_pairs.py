"""Tests of pairs: against plain loops, for what users hand over, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, false_discovery_control

from basrelief import interacting_pairs


def likelihood_ratio(first, second, target):
    """The statistic of three arrays of codes without gaps, fitted to the end."""
    table = np.zeros((first.max() + 1, second.max() + 1, target.max() + 1))
    np.add.at(table, (first, second, target), 1)
    fitted = np.full(table.shape, table.mean())
    for _ in range(2000):
        for axis in range(3):
            sums = fitted.sum(axis=axis, keepdims=True)
            wanted = table.sum(axis=axis, keepdims=True)
            fitted *= np.divide(wanted, sums, out=np.zeros_like(sums), where=sums > 0)
    known = table > 0
    return 2 * np.sum(table[known] * np.log(table[known] / fitted[known]))


@pytest.fixture
def data():
    random = np.random.default_rng(5)
    X = random.binomial(2, 0.4, size=(300, 12))
    y = ((X[:, 2] > 0) ^ (X[:, 9] > 0)) & (random.random(300) < 0.8)
    return X, y


def test_statistics_are_those_of_a_plain_fit(data):
    X, y = data
    found = interacting_pairs(X, y, genotype_features="all", n_pairs=100)
    assert found.n_tested_ == 66 == len(found.pairs_)
    assert found.pairs_[0].tolist() == [2, 9]
    for (first, second), statistic in zip(found.pairs_, found.statistics_, strict=True):
        wanted = likelihood_ratio(X[:, first], X[:, second], y.astype(int))
        assert statistic == pytest.approx(wanted, rel=1e-5)
    np.testing.assert_allclose(found.pvalues_, chi2.sf(found.statistics_, 4), rtol=1e-9)
    np.testing.assert_allclose(found.qvalues_, false_discovery_control(found.pvalues_))
    assert found.residual_degrees_of_freedom_ is None
    assert found.adjusted_pvalues_ is None


def test_features_are_chosen_by_index_or_mask(data):
    X, y = data
    frame = pd.DataFrame(X, columns=[f"rs{index}" for index in range(12)])
    mask = np.isin(np.arange(12), [1, 2, 9])
    by_mask = interacting_pairs(frame, y, features=mask, genotype_features="all", n_jobs=1)
    by_index = interacting_pairs(X, y, features=[9, 1, 2], genotype_features="all", n_jobs=2)
    assert by_mask.n_tested_ == 3
    assert by_mask.feature_names_in_[2] == "rs2"
    assert set(by_index.pairs_[0]) == set(by_mask.pairs_[0]) == {2, 9}
    np.testing.assert_allclose(by_mask.pvalues_, by_index.pvalues_)


def test_permutations_and_real_targets(data):
    X, y = data
    options = {"n_permutations": 39, "strata": np.arange(300) % 3, "random_state": 1}
    found = interacting_pairs(X, y, genotype_features="all", n_pairs=5, **options)
    assert found.adjusted_pvalues_[0] == 1 / 40
    assert np.all(np.diff(found.adjusted_pvalues_) >= 0)
    values = np.random.default_rng(1).normal(size=(200, 4))
    real = values[:, 0] * values[:, 3] + values[:, 1]
    found = interacting_pairs(values, real, n_permutations=19)
    assert found.pairs_[0].tolist() == [0, 3]
    assert found.residual_degrees_of_freedom_.tolist() == [196] * 6
    assert found.interaction_information_ is None
    assert found.adjusted_pvalues_[0] == 1 / 20


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"n_pairs": 0}, ValueError, "option n_pairs: 0 is less than 1"),
        ({"n_pairs": "5"}, TypeError, "option n_pairs: '5' is not a whole number"),
        ({"n_permutations": 0}, ValueError, "option n_permutations: 0 is less than 1"),
        ({"features": [12]}, ValueError, "option features: there is no column 12"),
        ({"features": [True]}, ValueError, "its mask has 1 entries for 12 columns"),
        ({"features": ["a"]}, TypeError, "option features: use None"),
        ({"features": [3, 3]}, ValueError, "is named twice"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(data, options, error, words):
    with pytest.raises(error, match=words):
        interacting_pairs(*data, **options)
