"""P-values where nothing is to be found; `make calibration` does the same at length."""

import numpy as np
import pytest
from scipy import stats

from basrelief import MultiSURF, ReliefF, permutation_test

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::basrelief.ReliefWarning"),
]

SETS, ROWS, FEATURES, PERMUTATIONS = 60, 60, 12, 199


def numbers(rng):
    """Numbers of which the first six are correlated."""
    X = rng.normal(size=(ROWS, FEATURES))
    X[:, :6] += rng.normal(size=(ROWS, 1))
    return X, rng.permutation(ROWS) % 2, None


def genotypes(rng):
    X = rng.binomial(2, rng.uniform(0.1, 0.5, size=FEATURES), size=(ROWS, FEATURES))
    X[:, 1] = np.where(rng.random(ROWS) < 0.2, X[:, 1], X[:, 0])
    return X.astype(float), rng.permutation(ROWS) % 3 == 0, None


def batches(rng):
    """Three batches that shift all features and have other shares of the classes."""
    batch = np.repeat(np.arange(3), ROWS // 3)
    X = rng.normal(size=(ROWS, FEATURES)) + rng.normal(size=(3, FEATURES))[batch]
    return X, rng.random(ROWS) < np.array([0.2, 0.5, 0.8])[batch], batch


def compare(make, selector, use_batches=True):
    """P-values of one feature of every data set, and in how many a feature is significant."""
    taken, significant = [], 0
    for number in range(SETS):
        rng = np.random.default_rng([number, 7])
        X, y, strata = make(rng)
        test = permutation_test(
            selector,
            X,
            y,
            n_permutations=PERMUTATIONS,
            strata=strata if use_batches else None,
            random_state=number,
        )
        significant += test.selected_.any()
        # P-values of one data set depend on each other; that of a random feature is uniform on
        # steps of 1 / (B + 1), and with a uniform number inside of the step uniform from 0 to 1.
        p_value = test.pvalues_[rng.integers(FEATURES)]
        taken.append(p_value - rng.random() / (PERMUTATIONS + 1))
    return taken, significant


@pytest.mark.parametrize("make", [numbers, genotypes, batches])
@pytest.mark.parametrize("selector", [ReliefF(), MultiSURF()])
def test_p_values_are_uniform_where_there_is_nothing(make, selector):
    taken, significant = compare(make, selector)
    assert stats.kstest(taken, "uniform").pvalue > 0.01
    # Of 60 data sets 3 are expected, and more than 8 in one of 350 such counts.
    assert significant <= 8


def test_without_strata_a_confounder_is_found():
    taken, significant = compare(batches, ReliefF(), use_batches=False)
    assert stats.kstest(taken, "uniform").pvalue < 1e-4
    assert significant > SETS / 2
