"""Survival times as the target of selectors."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize_scalar
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline

from basrelief import (
    MultiSURF,
    ReliefF,
    RReliefF,
    Stable,
    SurvivalRelief,
    permutation_test,
    residuals,
)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 5))
    times, censored = rng.exponential(np.exp(-3 * X[:, 1])), rng.exponential(0.5, size=200)
    y = np.empty(200, dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = times <= censored, np.minimum(times, censored)
    return X, y


def test_a_structured_array_is_a_target_of_survival_times(data):
    X, y = data
    selector = SurvivalRelief().fit(X, y)
    assert selector.ranking_[1] == 1
    assert not hasattr(selector, "classes_")
    assert MultiSURF().fit(X, y).ranking_[1] == 1
    # The order and the names of the fields do not matter.
    other = np.empty(len(y), dtype=[("days", np.float32), ("died", bool)])
    other["days"], other["died"] = y["time"].astype(np.float32), y["event"]
    again = SurvivalRelief().fit(X, other)
    np.testing.assert_allclose(again.weights_, selector.weights_, atol=1e-6)


def test_two_columns_are_times_and_events(data):
    X, y = data
    expected = SurvivalRelief().fit(X, y).weights_
    columns = np.column_stack([y["time"], y["event"]])
    frame = pd.DataFrame({"event": y["event"].astype(int), "time": y["time"]})
    flags = pd.DataFrame({"died": y["event"], "days": y["time"]})
    for target in (columns, frame, flags):
        np.testing.assert_array_equal(SurvivalRelief().fit(X, target).weights_, expected)
    columns[3, 1] = 2
    with pytest.raises(ValueError, match=r"row 3: .*2.* is not an event"):
        SurvivalRelief().fit(X, columns)


def test_uncensored_times_are_numbers(data):
    X, y = data
    y = y.copy()
    y["event"] = True
    times = SurvivalRelief(target_difference="times", n_neighbors=10).fit(X, y)
    numbers = RReliefF(neighbor_weights="uniform", n_neighbors=10).fit(X, y["time"])
    np.testing.assert_array_equal(times.weights_, numbers.weights_)


def test_tests_pipelines_and_wrappers_take_survival_times(data):
    X, y = data
    found = permutation_test(SurvivalRelief(), X, y, n_permutations=99, random_state=1)
    assert found.pvalues_[1] == 0.01
    strata = np.arange(len(y)) // 50
    within = permutation_test(MultiSURF(), X, y, n_permutations=99, strata=strata)
    assert within.pvalues_[1] == 0.01
    # The rows of a group have one time: whole groups are exchanged.
    subject = np.arange(len(y)) // 4
    grouped = permutation_test(MultiSURF(), X, y[subject * 4], n_permutations=99, groups=subject)
    assert (grouped.pvalues_ >= 0.01).all()
    stable = Stable(SurvivalRelief(), n_features_to_select=1, n_resamples=10, cutoff=0.9).fit(X, y)
    assert stable.get_support()[1]
    for train, test in KFold(3).split(X):
        pipeline = make_pipeline(SurvivalRelief(n_features_to_select=2)).fit(X[train], y[train])
        assert pipeline.transform(X[test]).shape == (len(test), 2)


def test_other_targets_and_methods_are_refused(data):
    X, y = data
    with pytest.raises(ValueError, match="has survival times, but relieff needs classes"):
        ReliefF().fit(X, y)
    with pytest.raises(ValueError, match="survival-relief needs survival times"):
        SurvivalRelief().fit(X, y["time"])
    three = np.zeros(len(y), dtype=[("event", bool), ("time", float), ("age", float)])
    with pytest.raises(ValueError, match="fields event, time, age is not survival times"):
        SurvivalRelief().fit(X, three)
    negative = y.copy()
    negative["time"][4] = -1
    with pytest.raises(ValueError, match="finite number of at least 0"):
        SurvivalRelief().fit(X, negative)
    censored = y.copy()
    censored["event"] = False
    with pytest.raises(ValueError, match="no row has an event"):
        SurvivalRelief().fit(X, censored)


def cox_quantiles(times, events, x):
    """The quantiles given one covariate: a search for the coefficient, and sums over all rows."""

    def denominators(time, hazards):
        at_risk, own = hazards[times >= time].sum(), hazards[(times == time) & events].sum()
        count = ((times == time) & events).sum()
        return at_risk - np.arange(count) / count * own

    def likelihood(b):
        hazards = np.exp(b * x)
        denominator = sum(np.log(denominators(t, hazards)).sum() for t in np.unique(times[events]))
        return (b * x[events]).sum() - denominator

    found = minimize_scalar(lambda b: -likelihood(b), bounds=(-5, 5), options={"xatol": 1e-10})
    hazards = np.exp(found.x * x)
    steps = np.unique(times[events])
    cumulative = np.r_[0, np.cumsum([(1 / denominators(t, hazards)).sum() for t in steps])]
    before, after = (
        np.exp(-cumulative[np.searchsorted(steps, times, side=side)] * hazards)
        for side in ("left", "right")
    )
    return np.where(events, 1 - (before + after) / 2, 1 - after / 2)


def test_residuals_are_quantiles_given_proportional_hazards():
    rng = np.random.default_rng(5)
    age = rng.normal(size=150)
    times = np.ceil(8 * rng.exponential(np.exp(-age)))  # many events at the same time
    y = np.empty(150, dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = rng.uniform(size=150) < 0.7, times
    found = residuals(y, age[:, None])
    expected = cox_quantiles(times, y["event"], (age - age.mean()) / age.std())
    np.testing.assert_allclose(found, expected, atol=1e-6)
    # A feature that follows age has the largest weight without residuals, and not with them.
    X = np.column_stack([age + rng.normal(size=150), rng.normal(size=(150, 4))])
    plain = MultiSURF().fit(X, y).weights_
    adjusted = MultiSURF().fit(X, y, covariates=age[:, None], residuals=True).weights_
    assert plain.argmax() == 0
    assert adjusted[0] < 0.2 * plain[0]
    times_only = SurvivalRelief(target_difference="times")
    with pytest.raises(ValueError, match="times are not adjusted"):
        times_only.fit(X, y, covariates=age[:, None], residuals=True)
    weights = rng.uniform(1, 2, size=150)
    with pytest.raises(ValueError, match="weights of rows"):
        MultiSURF().fit(X, y, covariates=age[:, None], residuals=True, sample_weight=weights)
    with pytest.raises(ValueError, match="determine"):
        MultiSURF().fit(X, y, covariates=-times[:, None], residuals=True)


def test_quantiles_and_expected_times_follow_the_kaplan_meier_estimate(data):
    """The weights of all pairs equal those of the definition, computed here without the library."""
    X, y = data
    X, y = X[:60], y[:60]
    times, events = y["time"], y["event"]
    steps = np.unique(times[events])
    at_risk = (times[:, None] >= steps).sum(axis=0)
    curve = np.cumprod(1 - ((times[:, None] == steps) & events[:, None]).sum(axis=0) / at_risk)
    before = np.r_[1, curve][np.searchsorted(steps, times, side="left")]
    after = np.r_[1, curve][np.searchsorted(steps, times, side="right")]
    quantiles = np.where(events, 1 - (before + after) / 2, 1 - after / 2)
    centered = quantiles - quantiles.mean()
    centered /= np.abs(centered).max()
    pairs = ~np.eye(60, dtype=bool)
    change = ((1 - centered[:, None] * centered) / 2)[pairs]
    for feature, weight in enumerate(SurvivalRelief(n_neighbors=59).fit(X, y).weights_):
        values = X[:, feature]
        differs = (np.abs(values[:, None] - values) / np.ptp(values))[pairs]
        both = (change * differs).sum()
        rest = (differs.sum() - both) / (len(change) - change.sum())
        assert weight == pytest.approx(both / change.sum() - rest, abs=1e-12)
